"""Logits, levels and spread against their densities: closed forms and quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy import stats
from scipy.special import expit

import dawnchorus as dc
from checks import (
    FALSE_ALARM,
    grid_cdf,
    ks_p,
    logit_cdf,
    trials,
)
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.expertise import polya_gamma
from dawnchorus.model.expertise.logits import draws as logits
from dawnchorus.model.expertise.logits import interweaving, stretching
from dawnchorus.model.expertise.logits.difficulty import Shifts
from dawnchorus.model.expertise.logits.gathered import evaluate, room_for
from dawnchorus.model.expertise.logits.trials import INFORMED, expected_at
from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies
from dawnchorus.model.occurrence.independent import Independent
from dawnchorus.model.sweep import Model

SAME = np.ones(1)
"""The spread is the same for all annotators."""
COUNTS = [
    # successes, trials, level, spread
    (0, 1, 0.0, 1.0),
    (5, 5, 2.0, 3.0),
    (0, 1000, -3.0, 0.5),
    (3, 1000, 0.0, 10.0),
    (500, 1000, 1.0, 2.0),
    (1, 2, 0.5, 0.01),
    (0, 50, 5.0, 0.3),
    (40, 40, -6.0, 2.0),
    (1, 1, -20.0, 0.5),
    (0, 50, -6.0, 1.5),
    (0, 300, -6.0, 2.5),
    (3, 3, 1.5, 0.8),
]
MANY = 3000


def copies(s, n):
    return trials(np.full(MANY, s), np.full(MANY, n), np.zeros(MANY, np.int64))


@pytest.mark.parametrize(("s", "n", "level", "spread"), COUNTS)
@pytest.mark.parametrize("start", [-8.0, 0.0, 8.0])
def test_logits_come_from_their_density(s, n, level, spread, start):
    x, rng = np.full(MANY, start), np.random.default_rng(1)
    while (x == start).any():
        logits.draw_logits(rng, x, copies(s, n), np.array([level]), spread, SAME)
    assert ks_p(x, logit_cdf(s, n, level, spread)[0]) > FALSE_ALARM


def test_half_of_the_logits_are_drawn_and_none_without_a_trial():
    x, n = np.zeros(1000), np.tile([3, 3, 0, 0], 250)
    given = trials(np.zeros(1000, int), n, np.zeros(1000, int))
    logits.draw_logits(np.random.default_rng(1), x, given, np.array([0.0]), 1.0, SAME)
    moved = x != 0
    assert moved.sum() == 250
    assert not moved[n == 0].any()
    assert moved[0] != moved[1]


@pytest.mark.parametrize(("s", "n", "level", "spread"), COUNTS)
def test_polya_gamma_keeps_the_density_of_logits(s, n, level, spread):
    pytest.importorskip("polyagamma")
    cdf, inverse = logit_cdf(s, n, level, spread)
    rng = np.random.default_rng(2)
    x = inverse(rng.random(MANY))
    before = x.copy()
    polya_gamma.draw_logits(rng, x, copies(s, n), np.array([level]), spread)
    assert (x != before).all()
    assert ks_p(x, cdf) > FALSE_ALARM


def test_logits_without_a_trial_come_from_their_prior():
    given, x = copies(0, 0), np.full(MANY, 9.0)
    given.trials[0] = 1
    logits.draw_untried(np.random.default_rng(1), x, given, np.array([0.7]), 0.4, SAME)
    assert x[0] == 9
    assert ks_p(x[1:], stats.norm(0.7, 0.4).cdf) > FALSE_ALARM


def test_so_do_they_with_polya_gamma_variables():
    pytest.importorskip("polyagamma")
    x = np.full(MANY, 9.0)
    polya_gamma.draw_logits(np.random.default_rng(2), x, copies(0, 0), np.array([0.7]), 0.4)
    assert ks_p(x, stats.norm(0.7, 0.4).cdf) > FALSE_ALARM


@pytest.mark.parametrize(
    ("offsets", "scale"), [([0.5, -1.0, 0.2], 2.0), ([3.0], 0.5), ([], 1.5), ([0.01] * 30, 2.0)]
)
def test_the_spread_keeps_its_density(offsets, scale):
    x = np.array([*offsets, 99.0]) + 1.0
    n, level = np.array([1] * len(offsets) + [0]), np.array([1.0])
    given = trials(0 * n, n, np.zeros(len(x), int))
    squares = sum(offset**2 for offset in offsets)

    def density(log_spread):
        spread = np.exp(log_spread)
        return (1 - len(offsets)) * log_spread - squares / (2 * spread**2) - spread**2 / (2 * scale**2)

    cdf, inverse = grid_cdf(density, -14, 4)
    rng = np.random.default_rng(5)
    spreads = np.exp(inverse(rng.random(MANY)))
    for _ in range(2):
        spreads = [logits.draw_spread(rng, x, given, level, spread, SAME, scale) for spread in spreads]
    assert ks_p(np.log(spreads), cdf) > FALSE_ALARM


def held(s, n):
    """Tell which logits stay where they are when their level or spread moves."""
    return np.array([k * (m - k) >= INFORMED * m for k, m in zip(s, n, strict=True)])


def shifted_levels(offsets, s, n, mean, sd, steps, spread=0.8):
    """Move levels along with logits from their density on; give its distribution function and the levels."""
    fixed = 0.3 + np.array(offsets)  # where logits are that stay

    def density(level):
        each = [
            stats.norm.logpdf(f, level, spread) if stays else k * (level + o) - m * np.logaddexp(0, level + o)
            for f, o, k, m, stays in zip(fixed, offsets, s, n, held(s, n), strict=True)
            if m > 0
        ]
        return sum(each) - 0.5 * ((level - mean) / sd) ** 2

    cdf, inverse = grid_cdf(density, mean - 10 * sd, mean + 10 * sd)
    rng = np.random.default_rng(6)
    level = inverse(rng.random(MANY))
    x = np.where(held(s, n), fixed, level[:, None] + np.array(offsets)).ravel()
    given = trials(np.tile(s, MANY), np.tile(n, MANY), np.repeat(np.arange(MANY), len(offsets)))
    accepted, same, means = 0, np.ones(MANY), np.full(MANY, mean)
    for _ in range(steps):
        before = level.copy()
        moved = interweaving.shift_levels(rng, x, given, level, spread, same, means, sd)
        assert moved == (level != before).sum()
        accepted += moved
    assert accepted > 0.5 * steps * MANY
    assert np.allclose(x.reshape(MANY, -1), np.where(held(s, n), fixed, level[:, None] + np.array(offsets)))
    return cdf, level


@pytest.mark.parametrize(
    ("offsets", "s", "n", "mean", "sd"),
    [
        ([0.3, -1.0, 0.5], [2, 0, 1], [3, 4, 1], 0.5, 1.0),
        ([0.0, 2.0], [0, 1], [40, 2], -2.0, 0.7),
        ([0.0, 0.5], [0, 0], [0, 1], 1.0, 2.0),
        ([0.4, -0.5, 0.1], [9, 1, 300], [40, 5, 800], 0.5, 1.0),
    ],
)
def test_levels_that_take_logits_along_keep_their_density(offsets, s, n, mean, sd):
    cdf, level = shifted_levels(offsets, s, n, mean, sd, steps=2)
    assert ks_p(level, cdf) > FALSE_ALARM


@pytest.mark.parametrize("n", [(3, 4, 1), (30, 9, 0, 400), (1,), (200,) * 20])
@pytest.mark.parametrize("scale", [0.15, 0.6, 2.0])
def test_a_spread_that_takes_logits_along_keeps_its_density(n, scale):
    """Spread, logits and counts from their prior: given counts, moved spreads are still from the prior."""
    rng, n, level = np.random.default_rng(7), np.array(n), np.array([-0.8])
    starts, moved = np.abs(rng.normal(0, scale, MANY)), []
    for spread in starts:
        x = rng.normal(level, spread, len(n))
        given, untried = trials(rng.binomial(n, expit(x)), n, np.zeros(len(n), int)), x[n == 0].copy()
        for _ in range(4):
            before = spread
            spread, accepted = stretching.stretch_spread(rng, x, given, level, spread, SAME, scale)
            assert accepted == (spread != before)
        assert np.array_equal(x[n == 0], untried)
        moved.append(spread)
    assert np.mean(np.array(moved) != starts) > 0.8
    assert ks_p(moved, stats.halfnorm(scale=scale).cdf) > FALSE_ALARM


@njit
def one_by_one(given, places, x):
    """Give what counts say of each of these logits, as the draw of one logit computes it."""
    said = np.empty((3, len(places)))
    for at in range(len(places)):
        said[0, at], said[1, at], said[2, at] = expected_at(given, places[at], x[at])
    return said


@pytest.mark.parametrize("factors", [(), (0.25, 8.0)])
def test_gathered_logits_are_as_one_by_one(factors):
    rng, many = np.random.default_rng(3), 200
    n = rng.integers(1, 30, many)
    given = trials(0 * n, n, np.zeros(many, int), factors=np.array(factors))
    places, move = rng.permutation(many)[:150], 0.7
    x = np.concatenate([rng.uniform(-30, 30, 148), [-650.0, 620.0]])
    room = room_for(given)
    room.place[:150], room.x[:150] = places, x
    evaluate(room, given, 150, move)
    log, hits, curved = one_by_one(given, places, x + move)
    assert np.allclose(room.log[:150], log, rtol=1e-13, atol=0)
    assert np.allclose(room.hits[:150], hits, rtol=1e-13, atol=0)
    assert np.allclose(room.curved[:150], curved, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("hard", [False, True])
def test_updates_keep_the_prior_while_counts_come_and_go(hard):
    """Counts are drawn anew before every update, half of the logits having no trial: all stays as it was."""
    rng, owner, species, uneven = np.random.default_rng(10), np.repeat([0, 1], 6), np.tile([0, 1, 2], 4), 0.6
    found, by_species = [], Ragged.from_sizes([4, 4, 4], np.argsort(species, kind="stable"))
    for _ in range(3000):
        spread, level, own = (
            abs(rng.normal(0, 0.8)),
            rng.normal(0.4, 0.9, 2),
            np.exp(rng.normal(0, uneven, 2)),
        )
        scale = abs(rng.normal(0, 0.7))
        shifts = Shifts(rng.normal(0, scale, 3 * hard), *by_species, 0.7)
        offset = shifts.shift[species] if hard else np.empty(0)
        x = rng.normal(level[owner] + (offset if hard else 0), (spread * own)[owner])
        for _ in range(12):
            n = 20 * rng.integers(0, 2, 12)
            given = trials(rng.binomial(n, expit(x)), n, owner)._replace(offset=offset)
            spread, scale, _ = logits.update(
                rng, x, given, level, spread, own, uneven, (np.full(2, 0.4), 0.9, 0.8), True,
                shifts if hard else None, scale,
            )  # fmt: skip
            logits.draw_untried(rng, x, given, level, spread, own)
        assert not hard or np.array_equal(offset, shifts.shift[species])
        first = shifts.shift[0] / scale if hard else rng.standard_normal()
        p = int(np.argmin(n))  # a logit without a trial, nearly always
        centre = level[owner[p]] + (offset[p] if hard else 0)
        untried = (x[p] - centre) / (spread * own[owner[p]])
        values = [np.log(own[0]) / uneven, (level[0] - 0.4) / 0.9, first, untried]
        found.append([*values, spread / 0.8, scale / 0.7])
    for values, prior in zip(np.array(found).T, [stats.norm] * 4 + [stats.halfnorm] * 2, strict=True):
        assert ks_p(values, prior.cdf) > FALSE_ALARM


def test_the_spread_by_empirical_bayes_is_the_root_mean_square_of_offsets():
    rng, owner, level = np.random.default_rng(9), np.array([0, 0, 1, 1]), np.array([1.0, -2.0])
    x, n = np.array([1.3, 5.0, -2.4, -2.0]), np.array([3, 0, 1, 2])
    fitted = logits.next_spread(rng, x, trials(0 * n, n, owner), level, 1.0, np.ones(2), 2.0, False)
    assert fitted == pytest.approx(np.sqrt((0.3**2 + 0.4**2 + 0) / 3))
    assert logits.next_spread(rng, x, trials(0 * n, 0 * n, owner), level, 1.7, np.ones(2), 2.0, False) == 1.7


@pytest.mark.parametrize("update", ["direct", "polya-gamma"])
def test_sweeps_by_empirical_bayes_keep_the_spread_in_bounds(update):
    if update == "polya-gamma":
        pytest.importorskip("polyagamma")
    annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=3).annotations
    priors = dc.Priors.expecting(n_species=5)
    expertise = PerAnnotatorSpecies.from_priors(priors, spread="empirical-bayes", update=update)
    model, rng = Model(Independent(priors.occurrence), expertise), np.random.default_rng(2)
    design = model.design(annotations)
    state = model.init(rng, design)
    spreads = []
    for _ in range(30):
        state, acceptance = model.sweep(rng, state, design)
        side = state.expertise.tpr
        offsets = side.logit - side.level[design.rate_annotator]
        if update == "polya-gamma":  # nothing moves the logits afterwards
            assert side.spread == pytest.approx(np.sqrt((offsets**2).mean()))
        spreads.append(float(side.spread))
        names = {
            "tpr_level_shifted",
            "fpr_level_shifted",
            "tpr_reflected",
            "fpr_reflected",
            "fpr_level_jumped",
        }
        assert acceptance.keys() - {"occurrence_reflected"} == (names if update == "direct" else set())
    assert 0.01 < min(spreads) < max(spreads) < 10


def test_logits_of_which_votes_say_little_are_drawn_exactly():
    """Most candidates are accepted without a look at their density, and a twentieth is far from the mean."""
    n, (trials_, centre, width) = 1_000_000, (20, -5.2, 0.5)
    x, nobody = np.full(n, 9.0), np.zeros(n, np.int64)
    told = trials(nobody, np.full(n, trials_), nobody)
    rate = 1 / (1 + np.exp(-centre))
    assert width**2 * trials_ * rate < logits.SLIGHT
    rng = np.random.default_rng(1)
    while (x == 9).any():
        logits.draw_logits(rng, x, told, np.array([centre]), width, SAME)
    assert ks_p(x, logit_cdf(0, trials_, centre, width)[0]) > FALSE_ALARM
