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
import portals
import steps
from checks import (
    FALSE_ALARM,
    ks_p,
)
from dawnchorus.model.design import Design
from dawnchorus.model.distributions.priors import Gamma
from dawnchorus.model.expertise import count
from dawnchorus.model.lookups import accepted
from dawnchorus.model.rates import overrelaxed_rates

MANY = 3000


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
    reflected = {"tpr_reflected", "fpr_reflected", "fpr_level_jumped"}
    assert means.keys() == levels | spreads | reflected
    assert all(0 < share <= 1 for share in means.values())
    equal = joint.MODELS["independent, per annotator"]
    design = equal.design(annotations)
    assert equal.sweep(rng, equal.init(rng, design), design)[1].keys() == {"occurrence_reflected"}


OWN = {"tpr_own_spread_stretched", "fpr_own_spread_stretched", "tpr_spread_balanced", "fpr_spread_balanced"}


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (joint.LEARNED["dirichlet process, per annotator and species, learned"], OWN),
        (
            joint.EVEN["independent, per annotator and species, even"],
            {"tpr_even_flipped", "fpr_even_flipped"},
        ),
    ],
)
def test_own_spreads_tell_what_was_accepted(model, names):
    annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=3).annotations
    design, rng, shares = model.design(annotations), np.random.default_rng(1), []
    state = model.init(rng, design)
    for _ in range(100):
        state, acceptance = model.sweep(rng, state, design)
        shares.append(acceptance)
    every = OWN | {"tpr_even_flipped", "fpr_even_flipped"}
    assert all(share.keys() & every == names for share in shares)
    assert all(0 < np.mean([share[name] for share in shares]) <= 1 for name in names)


def test_logits_without_a_trial_are_drawn_around_the_levels_that_come_next():
    """With every species absent, no true positive rate has a trial: all are drawn from levels and spread."""
    model = joint.LEARNED["dirichlet process, per annotator and species, learned"]
    design, rng, away = model.design(portals.small()), np.random.default_rng(4), []
    votes, owner = joint.Votes.of(design), design.rate_annotator
    absent = joint.as_presence(np.zeros((7, 5), bool), design, votes)
    for _ in range(300):
        before = model.expertise.simulate(rng, design)
        (side, *_), _ = model.expertise.update(rng, before, absent, design)
        away.append((side.logit - side.level[owner]) / (side.spread * side.own[owner]))
    assert ks_p(np.concatenate(away), stats.norm.cdf) > FALSE_ALARM
