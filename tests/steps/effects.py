"""Effects of context, their common effects and scales.

Everything is drawn from the prior and presence from that; a step that is right leaves what it moves
distributed as the prior says.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import stats

import contexts
from checks import grid_cdf, half_normal_p, ks_p
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.occurrence.effects import pooling, species, stretching
from dawnchorus.model.occurrence.effects.counts import Given, Present, SummedOut, VotedContexts
from dawnchorus.model.occurrence.effects.terms import Effects, Pool, Terms, in_order, lay_out, lay_out_blocks
from loops import compiled

DRAWS = 3200
CONTEXT = in_order(contexts.made_up(9))
TERMS: Terms = lay_out(CONTEXT)
BLOCKS = lay_out_blocks(CONTEXT, TERMS)
COLUMNS, CONTEXTS = int(TERMS.column_start[-1]), TERMS.row.shape[1]
TERM_OF = np.repeat(np.arange(3), np.diff(TERMS.column_start))
BASIS = np.zeros((TERMS.row_start[-1], COLUMNS))
BASIS[np.repeat(np.arange(len(BASIS)), np.diff(TERMS.basis_start)), TERMS.basis_column] = TERMS.basis
DESIGN = BASIS[TERMS.row].sum(axis=0)
POOL = Pool(
    np.array([-1.0, 0.6, -0.6, 0.8, 0.7, -0.9]), np.array([0.8, *[0.7] * 5]), np.array([0.7, 0.8, 0.9])
)
VOTED = np.array([8, 12, 6, 0, 9, 5, 7, 11, 10.0])[:CONTEXTS]


def from_prior(rng, draws, n_species, pool=POOL):
    """Give effects, common effects and scales of each draw, and how often each species is present."""
    scale = np.abs(rng.normal(0, pool.scale, (draws, 3)))
    common = rng.normal(pool.mean, pool.sd, (draws, COLUMNS))
    effect = common[:, None] + scale[:, None, TERM_OF] * rng.standard_normal((draws, n_species, COLUMNS))
    return effect, common, scale, present_given(rng, effect)


def present_given(rng, effect):
    return rng.binomial(VOTED.astype(int), 1 / (1 + np.exp(-effect @ DESIGN.T)))


def told_counts(present, voted, y):
    """Give counts with so many times the presences, or recordings voted on."""
    told = np.rint(VOTED * voted)
    return np.minimum(np.rint(y * present + 1e-9).astype(np.int64), told.astype(np.int64)), told


def voted_in(n, n_species) -> VotedContexts:
    """Give what was voted on; species 1 was marked unsure once in the first context, besides votes.

    It is made here and not in loops, where lists could be written to, and all steps would be compiled again.
    """
    counts, second = np.stack([n, n]), (np.arange(n_species) == 1).astype(np.int32)
    counts[1, 0] += 1
    return VotedContexts(
        second, counts, Ragged.from_sizes(second, np.zeros(1, np.int32)), Ragged.empty(n_species)
    )


@compiled
def given_of(terms, blocks, pool, voted, y):
    """Give what steps are given, with so many presences by species and context."""
    start = np.zeros(len(y) + 1, np.int64)
    start[1:] = np.cumsum(y.sum(axis=1))
    context, place = np.empty(start[-1], np.int32), 0
    for k in range(len(y)):
        for c in range(y.shape[1]):
            context[place : place + y[k, c]] = c
            place += y[k, c]
    nothing = np.empty((0, 0))
    summed_out = SummedOut(nothing, nothing, np.empty((0, 0, 0)), np.empty(0, np.bool_))
    return Given(terms, blocks, pool, voted, Present(start, context), summed_out)


@compiled
def chosen_of(effect, stay):
    up = np.arange(len(effect)) >= stay
    which = np.flatnonzero(up)
    return species.Chosen(which, up, np.empty((len(which), CONTEXTS)))


@compiled
def move(step, t, times, rng, effect, common, scale, terms, blocks, pool, y, voted, stay):
    """Take a step so many times in every draw, in place."""
    for d in range(len(effect)):
        effects, given = Effects(effect[d], common[d], scale[d]), given_of(terms, blocks, pool, voted, y[d])
        room = species.make_room(given)
        chosen = chosen_of(effect[d], stay)
        for s in range(len(chosen.species)):
            species.context_odds(terms, effect[d, chosen.species[s]], room.by_row, chosen.odds[s])
        for _ in range(times):
            if step == 0:
                species.draw_effects(rng, effects, given, chosen, room)
            elif step == 1:
                pooling.shift_common(rng, effects, given, t, chosen, room)
            else:
                stretching.stretch_scale(rng, effects, given, t, chosen, room)


def effects_p(present=1.0, voted=1.0, common=1.0, scale=1.0, draws=8 * DRAWS):
    """Draw effects on species around common effects that are known."""
    rng, right = np.random.default_rng(1), np.array([0.7, 0.9, 0.8])
    effect = POOL.mean + right[TERM_OF] * rng.standard_normal((draws, 2, COLUMNS))
    y, n = told_counts(present, voted, present_given(rng, effect))
    told = np.tile(POOL.mean * common, (len(effect), 1)), np.tile(right * scale, (len(effect), 1))
    move(0, 0, 4, rng, effect, *told, TERMS, BLOCKS, POOL, y, voted_in(n, 2), 0)
    z = (effect - POOL.mean) / right[TERM_OF]
    return 2 * COLUMNS * min(ks_p(z[:, k, b], stats.norm.cdf) for k in range(2) for b in range(COLUMNS))


def shift_p(t, stay, present=1.0, voted=1.0, mean=1.0, sd=1.0, draws=6 * DRAWS):
    """Move common effects with those on all species but so many, which stay."""
    rng = np.random.default_rng(2)
    right = Pool(POOL.mean, 0.5 * POOL.sd, np.full(3, 1.0 if stay else 0.1))
    effect, common, scale, y = from_prior(rng, draws, 2, right)
    y, n = told_counts(present, voted, y)
    told = Pool(right.mean * mean, right.sd * sd, right.scale)
    move(1, t, 8, rng, effect, common, scale, TERMS, BLOCKS, told, y, voted_in(n, 2), stay)
    columns = range(BLOCKS.column_start[t], BLOCKS.column_start[t + 1])
    cdfs = [stats.norm(right.mean[b], right.sd[b]).cdf for b in columns]
    return len(cdfs) * min(ks_p(common[:, b], cdf) for b, cdf in zip(columns, cdfs, strict=True))


def stretch_p(t, stay, present=1.0, voted=1.0, common=1.0, scale=1.0, draws=7 * DRAWS):
    """Move a scale with the effects on all species but so many, which stay."""
    rng, right = np.random.default_rng(3), Pool(POOL.mean, 0.5 * POOL.sd, 0.6 * POOL.scale)
    effect, centre, spread, y = from_prior(rng, draws, 3, right)
    y, n = told_counts(present, voted, y)
    told = Pool(right.mean, right.sd, right.scale * scale)
    move(2, t, 12, rng, effect, centre * common, spread, TERMS, BLOCKS, told, y, voted_in(n, 3), stay)
    columns = range(TERMS.column_start[t], TERMS.column_start[t + 1])
    z = [(effect[:, -1, b] - centre[:, b]) / spread[:, t] for b in columns]
    p = [ks_p(values, stats.norm.cdf) for values in z]
    return (len(z) + 1) * min(*p, half_normal_p(spread[:, t], right.scale[t]))


@compiled
def draw_many(step, rng, effects, terms, pool, out):
    for d in range(len(out)):
        if step == 0:
            pooling.draw_common(rng, effects, terms, pool)
            out[d] = effects.common
        else:
            pooling.draw_scales(rng, effects, terms, pool)
            pooling.draw_scales(rng, effects, terms, pool)
            out[d, :3] = effects.scale


OFFSETS = np.array([[0.3], [-1.0], [0.8], [0.1]]) * np.array([1, -1, 0.5, 1.2, 0.7, -0.4])


def common_p(mean=1.0, sd=1.0, scale=1.0, effects=1.0):
    """Draw common effects given those on four species."""
    right, out = np.array([0.7, 0.5, 0.9]), np.empty((DRAWS * 4, COLUMNS))
    effect = POOL.mean + 1.0 + OFFSETS
    state = Effects(effect * effects, np.zeros(COLUMNS), right * scale)
    draw_many(
        0, np.random.default_rng(4), state, TERMS, Pool(POOL.mean * mean, POOL.sd * sd, POOL.scale), out
    )
    precision = 1 / POOL.sd**2 + 4 / right[TERM_OF] ** 2
    centre = (POOL.mean / POOL.sd**2 + effect.sum(axis=0) / right[TERM_OF] ** 2) / precision
    return COLUMNS * min(
        ks_p(out[:, b], stats.norm(centre[b], precision[b] ** -0.5).cdf) for b in range(COLUMNS)
    )


def scales_p(offsets=1.0, prior=1.0):
    """Draw scales given effects on four species."""
    out, worst = np.empty((DRAWS * 4, COLUMNS)), 1.0
    pool = Pool(POOL.mean, POOL.sd, 0.3 * POOL.scale * prior)
    state = Effects(OFFSETS * offsets, np.zeros(COLUMNS), np.ones(3))
    draw_many(1, np.random.default_rng(5), state, TERMS, pool, out)
    for t in range(3):
        away = OFFSETS[:, t == TERM_OF]

        def density(log, away=away, t=t):
            variance = np.exp(2 * log)
            prior_part = -variance / (2 * (0.3 * POOL.scale[t]) ** 2)
            return (1 - away.size) * log - (away**2).sum() / (2 * variance) + prior_part

        worst = min(worst, 3 * ks_p(np.log(out[::4, t]), grid_cdf(density, -6, 3)[0]))
    return worst


@compiled
def slide_all(rng, effect, common, scale, terms, t, pool):
    for d in range(len(effect)):
        pooling.slide(rng, Effects(effect[d], common[d], scale[d]), terms, t, pool)


def slide_p(mean=1.0, sd=1.0, spread=1.0, scale=1.0, draws=40 * DRAWS):
    """Move from levels to intercepts: log-odds stay, and all that moves keeps its prior."""
    rng, right = np.random.default_rng(6), np.array([0.7, 0.9, 0.8])
    effect, common, _, _ = from_prior(rng, draws, 2)
    effect = common[:, None] + right[TERM_OF] * rng.standard_normal(effect.shape)
    before, told = effect @ DESIGN.T, np.tile(right * [spread, 1, scale], (len(effect), 1))
    slide_all(rng, effect, common, told, TERMS, 2, Pool(POOL.mean * mean, POOL.sd * sd, POOL.scale))
    assert np.allclose(effect @ DESIGN.T, before)
    offset = (effect - common[:, None]) / right[TERM_OF]
    z = [((common - POOL.mean) / POOL.sd).T, offset[:, 0].T, offset[:, 1].T]
    return 3 * COLUMNS * min(ks_p(values, stats.norm.cdf) for part in z for values in part)


STEPS = {
    "effects on species": effects_p,
    "common levels with those of species": partial(shift_p, 1, 0),
    "common smooth effects with those of some species": partial(shift_p, 0, 1),
    "scale of levels with levels": partial(stretch_p, 2, 0),
    "scale of smooth effects with those of some species": partial(stretch_p, 1, 1, draws=12 * DRAWS),
    "spread of intercepts with intercepts": partial(stretch_p, 0, 0, draws=5 * DRAWS),
    "common effects": common_p,
    "scales of effects": scales_p,
    "from levels to intercepts": slide_p,
}
