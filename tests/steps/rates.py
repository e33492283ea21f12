"""Rates and occurrence given presence, and with presence in reported cells summed out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from scipy import stats
from scipy.special import expit

from checks import grid_cdf, ks_p
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.design import Totals
from dawnchorus.model.distributions.priors import Beta, LearnedBeta
from dawnchorus.model.expertise import per_annotator
from dawnchorus.model.expertise.per_annotator import PerAnnotator, above_average
from dawnchorus.model.expertise.summed_out import refined, reflected, shifted
from dawnchorus.model.expertise.summed_out.reflected import VotesByRate
from dawnchorus.model.occurrence import independent
from dawnchorus.model.occurrence.independent import Independent, voted_on
from dawnchorus.model.occurrence.rare_species import POINTS, rare_species, reflect_one
from dawnchorus.model.presence.draw import Presence
from dawnchorus.model.shapes import draw_shapes
from loops import compiled

DRAWS = 30_000


def presence_of(by_species=None, votes=None, misses=None) -> Presence:
    return Presence(np.zeros(0, bool), *np.zeros((2, 0), np.int32), by_species, votes, misses, np.zeros(0))


def with_derived(derived, totals=None):
    """Give what stands in for a design: what was derived from it, and totals."""
    return SimpleNamespace(derived=derived.__getitem__, totals=totals, in_blocks=False)


def occurrence_p(a=1.0, b=1.0, present=1.0, absent=1.0):
    """Move the occurrence of many species, present in 10 of 30 recordings; half are rare, and have one
    candidate."""
    rng, every = np.random.default_rng(8), np.ones(DRAWS, int)
    there, gone = round(10 * present), round(20 * absent)
    rare = SimpleNamespace(candidates=np.where(np.arange(DRAWS) % 2, 1, 3))
    design = with_derived({voted_on: (there + gone) * every, rare_species: rare})
    shapes = np.array([8.0 * a, 12.0 * b])
    state = independent.State(rng.beta(18, 32, DRAWS), np.zeros(1, np.int32), shapes)
    for _ in range(2):
        given = presence_of(by_species=there * every)
        state, _ = Independent(Beta(*shapes)).update(rng, state, given, design)
    return min(2 * ks_p(state.occurrence[part::2], stats.beta(18, 32).cdf) for part in (0, 1))


def rates_p(a=1.0, b=1.0, hits=1.0, misses=1.0, false_a=1.0, false_b=1.0, false=1.0, true=1.0, draws=DRAWS):
    """Move the rates of many annotators, half of them with many votes."""
    rng, every = np.random.default_rng(9), np.ones(draws, int)
    hit, missed, wrong, right = (
        round(20 * hits),
        round(10 * misses),
        round(10 * false),
        round(40 * true),
    )
    present = presence_of(votes=np.tile([4, hit], draws), misses=(missed - 4) * every)
    design = with_derived(
        {above_average: np.arange(draws) % 2 == 1}, Totals((hit + wrong) * every, (missed + right) * every)
    )
    given = np.array([6 * a, 4 * b]), np.array([6 * false_a, 24 * false_b])
    state = per_annotator.State(rng.beta(26, 14, draws), rng.beta(16, 64, draws), *given)
    model = PerAnnotator(*(Beta(*shapes) for shapes in given))
    for _ in range(2):
        state, _ = model.update(rng, state, present, design)
    shapes = (state.tpr, (26, 14)), (state.fpr, (16, 64))
    return min(4 * ks_p(rate[part::2], stats.beta(*s).cdf) for rate, s in shapes for part in (0, 1))


def learned_rates_p(hits=1.0, misses=1.0, false=1.0, true=1.0, draws=12_000):
    """Draw the rates of four annotators with their prior, which is learned, from the prior on."""
    rng, prior = np.random.default_rng(16), LearnedBeta(0.4, 1.2, 40, 2)
    middle, width, usual, factor = prior.numbers
    model, found = PerAnnotator(prior, prior), np.empty((draws, 2, 4))
    n = np.array([[400, 90, 0, 60], [90, 0, 400, 60]])
    for at in range(draws):
        mean, total = expit(rng.normal(middle, width, 2)), np.exp(rng.normal(usual, factor, 2))
        shapes = np.stack([mean * total, (1 - mean) * total], axis=1)
        rates = np.clip(rng.beta(*shapes.T[:, :, None], (2, 4)), 1e-12, 1 - 1e-12)
        counts = rng.binomial(n, rates)
        wrong, right = (
            np.rint(times * k).astype(int) for times, k in ((false, counts[1]), (true, (n - counts)[1]))
        )
        hit, missed = (
            np.rint(times * k).astype(int) for times, k in ((hits, counts[0]), (misses, (n - counts)[0]))
        )
        present = presence_of(votes=np.stack([0 * hit, hit], axis=1).ravel(), misses=missed)
        design = with_derived({above_average: np.arange(4) < 2}, Totals(hit + wrong, missed + right))
        state = per_annotator.State(*rates, *shapes)
        for _ in range(2):
            state, _ = model.update(rng, state, present, design)
        found[at] = stats.beta.cdf(state.tpr, *state.tpr_shapes), stats.beta.cdf(state.fpr, *state.fpr_shapes)
    return 8 * min(ks_p(values, stats.uniform.cdf) for values in found.reshape(draws, 8).T)


def own_terms(x, step):
    """Give the probability of silence, of a report, and of an unsure mark but for its constant."""
    return expit(-x - step), expit(x), expit(x) * expit(-x - step)


def made_up_cells(rng, marks):
    """Give what was said of cells, and their odds of presence but for that."""
    said = np.repeat([1, 0, 2], [12, 30, marks])
    low, high = np.where(said == 0, 0.3, 0.05), np.where(said == 0, 3, 0.5)
    return said, rng.uniform(low, high)


def reflected_p(
    reports=1.0,
    silences=1.0,
    silent=1.0,
    level=1.0,
    offset=1.0,
    spread=1.0,
    *,
    marked=(0, 0.0, 1, 1),
    draws=DRAWS,
):
    """Move rates in made-up cells, with presence in these summed out.

    `marked` are the number of unsure marks, the step, and what is told of what they say, and of the step.
    """
    rng, stride, (marks, step, times, wider) = np.random.default_rng(11), refined.TPR_STRIDE, marked
    said, h = made_up_cells(rng, marks)
    cells = len(said)
    n, mean, sd = 20, -1.0, 1.2

    def density(x):
        own = own_terms(x, step)
        votes = [np.log(c + own[what]) for c, what in zip(h, said, strict=True)]
        return sum(votes) + n * np.log(own[0]) - 0.5 * ((x - mean) / sd) ** 2

    cdf, inverse = grid_cdf(density, -9, 5)
    x = inverse(rng.random(draws))
    starts, own = x.copy(), np.stack(own_terms(x, step))[said].T
    w = (h * np.array([silences, reports, times])[said] / own).ravel()
    votes = Ragged.from_sizes(np.full(draws, cells), np.arange(cells * draws))
    nobody, reports_of = np.zeros(draws, np.int64), np.full(draws, (said != 0).sum())
    by_rate = VotesByRate(np.arange(draws), nobody, votes, np.tile(said, draws), reports_of, nobody)
    off = np.full(draws, offset * 0.8)
    side = reflected.Side(np.array([level * (mean - 0.8)]), spread * sd / 2, x, np.array([2.0]), off)
    for at in range(12):
        quiet = np.full(draws, silent * n)
        reflected.reflect_logits(rng, side, w, by_rate, quiet, np.expm1(step) * wider, stride, 1, 1)
        if at == 0 and reports == silences == silent == level == offset == spread == 1:
            moved = x != starts  # values change sides, nearly always
            assert moved.mean() > 0.75
            assert stats.spearmanr(starts[moved], x[moved]).statistic < -0.4
    return ks_p(x, cdf)


def shifted_p(
    reports=1.0, silences=1.0, silent=1.0, level=1.0, sd=1.0, *, marked=(0, 0.0, 1, 1), draws=3 * DRAWS // 2
):
    """Move all rates of annotators, two each, in made-up cells, with presence in these summed out."""
    rng, n, (marks, step, times, wider) = np.random.default_rng(12), draws, marked
    said, h = made_up_cells(rng, marks)
    cells = len(said)
    of_second, offset, mean, width, quiet = np.arange(cells) % 3 == 0, np.array([0.4, -0.6]), -1.0, 1.2, 20

    def density(at):
        own = [own_terms(at + off, step) for off in offset]
        votes = [
            np.log(c + own[second][what])
            for c, what, second in zip(h, said, of_second.astype(int), strict=True)
        ]
        return sum(votes) + sum(quiet * np.log(one[0]) for one in own) - 0.5 * ((at - mean) / width) ** 2

    cdf, inverse = grid_cdf(density, -9, 5)
    at = inverse(rng.random(n))
    x = (at[:, None] + offset).ravel()
    own = np.stack(own_terms(at[:, None] + offset[of_second.astype(int)], step))
    own = np.take_along_axis(own, np.tile(said, (1, n, 1)), axis=0)[0]
    w = (h * np.array([silences, reports, times])[said] / own).ravel()
    order = np.argsort(of_second, kind="stable")
    places = (cells * np.arange(n)[:, None] + order).ravel()
    votes = Ragged.from_sizes(np.tile([(~of_second).sum(), of_second.sum()], n), places)
    rates = np.arange(2 * n)
    by_rate = VotesByRate(rates, rates // 2, votes, np.tile(said[order], n), rates, rates)
    means = np.full(n, level * mean)
    means[0] += 3  # another one is expected for the first annotator
    side, told = (
        reflected.Side(at, 1.0, x, np.ones(n), np.empty(0)),
        (means, sd * width, 1.0),
    )
    heard = np.full(2 * n, round(silent * quiet))
    start, mine = np.arange(0, 2 * n + 1, 2), shifted.rates_of_annotators(by_rate, n)
    for _ in range(30):
        shifted.shift_annotators(rng, side, w, by_rate, heard, start, mine, told, np.expm1(step) * wider, 1)
    assert np.allclose(x, (at[:, None] + offset).ravel())
    return ks_p(at, cdf)


@compiled
def draw_all_shapes(rng, shapes, s, n, prior):
    """Draw shapes six times, in place."""
    for at in range(len(shapes)):
        for _ in range(6):
            a, b = draw_shapes(rng, (shapes[at, 0], shapes[at, 1]), s[at], n, prior)
            shapes[at, 0], shapes[at, 1] = a, b


def shapes_p(successes=1.0, trials_=1.0, middle=1.0, width=1.0, strength=1.0, factor=1.0, draws=DRAWS):
    """Draw shapes from their prior on, given counts from them, one of them without a trial."""
    rng = np.random.default_rng(13)
    mean, total = rng.normal(-2.0, 0.8, draws), rng.normal(2.0, 0.7, draws)
    shapes = (np.exp(total) * np.stack([expit(mean), expit(-mean)])).T.copy()
    n = np.array([40, 10, 0, 20])
    s = rng.binomial(n, rng.beta(shapes[:, :1], shapes[:, 1:], (draws, 4)))
    told = (-2.0 * middle, 0.8 * width, 2.0 * strength, 0.7 * factor)
    s, n = np.rint(s * successes).astype(int), np.rint(n * trials_).astype(int)
    draw_all_shapes(rng, shapes, np.minimum(s, n), n, told)
    drawn = np.log(shapes[:, 0] / shapes[:, 1]), np.log(shapes.sum(axis=1))
    return 2 * min(ks_p(drawn[0], stats.norm(-2, 0.8).cdf), ks_p(drawn[1], stats.norm(2, 0.7).cdf))


@compiled
def move(rng, values, ratios, a, b, moves):
    """Move the occurrence of a rare species so many times, each value in place."""
    room = np.empty((4, POINTS))
    for at in range(len(values)):
        for _ in range(moves):
            values[at] = reflect_one(rng, values[at], ratios, a, b, room)


def rare_log_density(x, ratios, a, b):
    p = expit(x)[:, None]
    return a * np.log(p[:, 0]) + b * np.log1p(-p[:, 0]) + np.log(p * ratios + 1 - p).sum(axis=1)


def reflected_occurrence_p(ratios, a, b, told_ratios, told_a, told_b, draws):
    """Move draws of the occurrence of a rare species several times."""
    cdf, inverse = grid_cdf(lambda x: rare_log_density(x, ratios, a, b), -34, 12, points=20001)
    rng = np.random.default_rng(5)
    p = expit(inverse(rng.random(draws)))
    move(rng, p, told_ratios, told_a, told_b, 12)
    return ks_p(np.log(p / (1 - p)), cdf)


def rare_p(ratio=1.0, a=1.0, b=1.0, draws=10_000):
    """Move the occurrence of a rare species of which every term matters."""
    right = np.geomspace(0.05, 40, 60)
    return reflected_occurrence_p(right, 30.0, 60.0, ratio * right, 30.0 * a, 60.0 * b, draws)


STEPS = {
    "occurrence given presence": occurrence_p,
    "rates by annotator": rates_p,
    "rates by annotator, learned": learned_rates_p,
    "rates with presence summed out": reflected_p,
    "annotators with presence summed out": shifted_p,
    "shapes of a learned prior": shapes_p,
    "occurrence of a rare species": rare_p,
}
