"""Each kernel against its density: closed forms, quadrature and loops.

Kernels that move on from where they are start from draws of the density itself, which they have to keep.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import dawnchorus as dc
import joint
import naive
import steps
from checks import (
    FALSE_ALARM,
    grid_cdf,
    ks_p,
    logit_cdf,
    trials,
)
from dawnchorus.model.design import Design
from dawnchorus.model.expertise import count, logits
from dawnchorus.model.expertise.per_annotator_species import (
    PerAnnotatorSpecies,
    draw_by_polya_gamma,
)
from dawnchorus.model.lookups import accepted
from dawnchorus.model.occurrence.independent import Independent
from dawnchorus.model.priors import Gamma
from dawnchorus.model.rates import overrelaxed_rates
from dawnchorus.model.sweep import Model

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


@pytest.mark.parametrize("by_species", [False, True])
def test_votes_are_counted_by_truth(by_species):
    annotations = dc.simulate_portal(
        recordings=15, annotators=6, species=8, visits=2, unsure=0.5, seed=2
    ).annotations
    design = Design(annotations, by_species=by_species)
    cube, votes = annotations.to_cube(), joint.Votes.of(design)
    rng = np.random.default_rng(3)
    for share in (0, 0.3, 1):
        present = rng.random((15, 8)) < share
        wanted = naive.votes_by_truth(cube, present)
        if by_species:
            wanted = {name: t[design.rate_annotator, design.pairs.item] for name, t in wanted.items()}
        else:
            wanted = {name: t.sum(axis=1) for name, t in wanted.items()}
        found = count(joint.as_presence(present, design, votes), design.totals)
        assert found.hits.tolist() == wanted["hits"].tolist()
        assert found.present.tolist() == (wanted["hits"] + wanted["misses"]).tolist()
        assert found.false.tolist() == wanted["false"].tolist()
        assert found.absent.tolist() == (wanted["false"] + wanted["true"]).tolist()


@pytest.mark.parametrize(("s", "n", "level", "spread"), COUNTS)
@pytest.mark.parametrize("start", [-8.0, 0.0, 8.0])
def test_logits_come_from_their_density(s, n, level, spread, start):
    x, rng = np.full(MANY, start), np.random.default_rng(1)
    while (x == start).any():
        logits.draw_logits(rng, x, copies(s, n), np.array([level]), spread)
    assert ks_p(x, logit_cdf(s, n, level, spread)[0]) > FALSE_ALARM


def test_half_of_the_logits_are_drawn_and_none_without_a_trial():
    x, n = np.zeros(1000), np.tile([3, 3, 0, 0], 250)
    given = trials(np.zeros(1000, int), n, np.zeros(1000, int))
    logits.draw_logits(np.random.default_rng(1), x, given, np.array([0.0]), 1.0)
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
    draw_by_polya_gamma(rng, x, copies(s, n), np.array([level]), spread)
    assert (x != before).all()
    assert ks_p(x, cdf) > FALSE_ALARM


def test_logits_without_a_trial_come_from_their_prior():
    given, x = copies(0, 0), np.full(MANY, 9.0)
    given.trials[0] = 1
    logits.draw_untried(np.random.default_rng(1), x, given, np.array([0.7]), 0.4)
    assert x[0] == 9
    assert ks_p(x[1:], stats.norm(0.7, 0.4).cdf) > FALSE_ALARM


def test_so_do_they_with_polya_gamma_variables():
    pytest.importorskip("polyagamma")
    x = np.full(MANY, 9.0)
    draw_by_polya_gamma(np.random.default_rng(2), x, copies(0, 0), np.array([0.7]), 0.4)
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
        spreads = [logits.draw_spread(rng, x, given, level, spread, scale) for spread in spreads]
    assert ks_p(np.log(spreads), cdf) > FALSE_ALARM


def held(s, n):
    """Tell which logits stay where they are when their level or spread moves."""
    return np.array([k * (m - k) >= logits.INFORMED * m for k, m in zip(s, n, strict=True)])


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
    accepted, odds = 0, np.exp(x)
    for _ in range(steps):
        before = level.copy()
        moved = logits.shift_levels(rng, x, odds, given, level, spread, mean, sd)
        assert moved == (level != before).sum()
        accepted += moved
    assert accepted > 0.5 * steps * MANY
    assert np.allclose(odds, np.exp(x))
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


@pytest.mark.parametrize(
    ("sizes", "s", "n", "scale"),
    [
        ([0.3, -1.0, 1.5], [2, 0, 1], [3, 4, 1], 1.0),
        ([-2.0, 1.0], [0, 9], [30, 9], 2.0),
        ([1.0], [0], [1], 0.5),
        ([0.8, -1.2, 0.5, 2.0], [9, 1, 0, 60], [40, 5, 30, 300], 1.0),
    ],
)
def test_a_spread_that_takes_logits_along_keeps_its_density(sizes, s, n, scale):
    level, sizes, stay = 0.4, np.array(sizes), held(s, n)
    fixed = level + sizes  # where logits are that stay

    def density(spread):
        each = [
            stats.norm.logpdf(f, level, spread)
            if stays
            else k * (level + z * spread) - m * np.logaddexp(0, level + z * spread)
            for f, z, k, m, stays in zip(fixed, sizes, s, n, stay, strict=True)
        ]
        return sum(each) - 0.5 * (spread / scale) ** 2

    cdf, inverse = grid_cdf(density, 1e-9, 12 * scale)
    rng, s, n = np.random.default_rng(7), np.array([*s, 0]), np.array([*n, 0])
    given, moved = trials(s, n, np.zeros(len(s), int)), []
    starts = inverse(rng.random(MANY))
    for spread in starts:
        x = np.append(np.where(stay, fixed, level + sizes * spread), 99.0)
        for _ in range(2):
            before = spread
            spread, accepted = logits.stretch_spread(
                rng, x, np.exp(x), given, np.array([level]), spread, scale
            )
            assert accepted == (spread != before)
        assert np.allclose(x[:-1], np.where(stay, fixed, level + sizes * spread))
        moved.append(spread)
    assert np.mean(np.array(moved) != starts) > 0.25
    assert ks_p(moved, cdf) > FALSE_ALARM


def test_the_spread_by_empirical_bayes_is_the_root_mean_square_of_offsets():
    rng, owner, level = np.random.default_rng(9), np.array([0, 0, 1, 1]), np.array([1.0, -2.0])
    x, n = np.array([1.3, 5.0, -2.4, -2.0]), np.array([3, 0, 1, 2])
    fitted = logits.next_spread(rng, x, trials(0 * n, n, owner), level, 1.0, 2.0, False)
    assert fitted == pytest.approx(np.sqrt((0.3**2 + 0.4**2 + 0) / 3))
    assert logits.next_spread(rng, x, trials(0 * n, 0 * n, owner), level, 1.7, 2.0, False) == 1.7


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
        names = {"tpr_level_shifted", "fpr_level_shifted", "tpr_reflected", "fpr_reflected"}
        assert acceptance.keys() - {"occurrence_reflected"} == (names if update == "direct" else set())
    assert 0.01 < min(spreads) < max(spreads) < 10


@pytest.mark.parametrize(("a", "b"), [(2.0, 98.0), (0.5, 0.5), (30.0, 4.0), (1.0, 1.0)])
@pytest.mark.parametrize(("candidates", "correlation"), [(1, 0.1), (2, 0.0), (3, -0.3), (31, -0.8)])
def test_overrelaxed_rates_keep_their_density_and_change_sides(a, b, candidates, correlation):
    rng = np.random.default_rng(8)
    now = rng.beta(a, b, MANY)
    then = overrelaxed_rates(rng, now, np.full(MANY, a), np.full(MANY, b), np.full(MANY, candidates))
    assert ks_p(then, stats.beta(a, b).cdf) > FALSE_ALARM
    assert stats.spearmanr(now, then).statistic < correlation


def test_overrelaxed_rates_choose_among_their_own_candidates():
    rng, a, b = np.random.default_rng(8), np.array([3.0, 300.0] * MANY), np.array([300.0, 3.0] * MANY)
    now, candidates = rng.beta(a, b), np.array([5, 2] * MANY)
    then = overrelaxed_rates(rng, now, a, b, candidates)
    assert ks_p(then[::2], stats.beta(3, 300).cdf) > FALSE_ALARM
    assert ks_p(then[1::2], stats.beta(300, 3).cdf) > FALSE_ALARM


@pytest.mark.parametrize(("components", "n"), [(1, 1), (1, 200), (3, 10), (12, 15), (40, 4000)])
def test_the_concentration_keeps_its_density(components, n):
    assert steps.mixtures.concentration_p(components, n, Gamma(0.8, 0.6)) > FALSE_ALARM


@pytest.mark.parametrize("log_ratio", [0.5, 0.0, -0.3, -2.0, -np.inf, np.nan])
def test_proposals_are_accepted_by_their_ratio(log_ratio):
    rng = np.random.default_rng(3)
    times = sum(accepted(rng, log_ratio) for _ in range(4000))
    wanted = 0.0 if np.isnan(log_ratio) else min(1.0, np.exp(log_ratio))
    assert stats.binomtest(times, 4000, wanted).pvalue > FALSE_ALARM


def test_acceptance_is_told_by_name_and_no_part_of_the_state():
    model = joint.MODELS["dirichlet process, per annotator and species"]
    annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=3).annotations
    design, rng, shares = model.design(annotations), np.random.default_rng(1), []
    state = model.init(rng, design)
    for _ in range(50):
        state, acceptance = model.sweep(rng, state, design)
        shares.append(acceptance)
    means = {name: np.mean([share[name] for share in shares]) for name in shares[0]}
    levels, spreads = (
        {"tpr_level_shifted", "fpr_level_shifted"},
        {"tpr_spread_stretched", "fpr_spread_stretched"},
    )
    assert means.keys() == levels | spreads | {"tpr_reflected", "fpr_reflected"}
    assert all(0 < share <= 1 for share in means.values())
    equal = joint.MODELS["independent, per annotator"]
    design = equal.design(annotations)
    assert equal.sweep(rng, equal.init(rng, design), design)[1].keys() == {"occurrence_reflected"}
