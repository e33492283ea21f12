"""Moves of species with all presence summed out, against sums over every cell."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

import joint
import naive
import portals
from checks import FALSE_ALARM, grouped, ks_p
from dawnchorus.model.audibility import ALIKE, audibility
from dawnchorus.model.design import Design
from dawnchorus.model.distributions.priors import Priors
from dawnchorus.model.registry import build_model
from dawnchorus.model.sweep import Model
from dawnchorus.model.together import species as species_moves


def log_likelihood(cube, odds, tpr, fpr, spread, deception, factor):
    """Give the log probability of all votes on each species: a sum over both truths in every cell.

    `spread` is how far birds differ in how audible they are, `deception` absent ones in how deceptive, and
    `factor` what else is known of each cell, if it is present over if it is absent.
    """
    total = np.zeros(cube.shape[2])
    for i in range(cube.shape[0]):
        for k in range(cube.shape[2]):
            voters = np.flatnonzero(cube[i, :, k] >= 0)
            said, absent = cube[i, voters, k], 1 / (1 + odds[i, k])
            absent *= naive.faint_likelihood(said, logit(fpr[voters, k]), deception)
            present = factor[i, k] * odds[i, k] / (1 + odds[i, k])
            present *= naive.faint_likelihood(said, logit(tpr[voters, k]), spread)
            total[k] += np.log(present + absent)
    return total


@pytest.mark.parametrize("deceptive", [False, True])
@pytest.mark.parametrize("faint", [False, True])
@pytest.mark.parametrize("side", [0, 1])
def test_votes_become_more_likely_by_as_much_as_they_do(side, faint, deceptive):
    check_votes(side, faint=faint, deceptive=deceptive)


@pytest.mark.parametrize("side", [0, 1])
def test_votes_with_scores_become_more_likely_by_as_much_as_they_do(side):
    for varied in (False, True):
        check_votes(side, faint=varied, deceptive=varied, scored=True)


def check_votes(side, *, faint, deceptive, scored=False):
    """Compare what votes gain by a move with sums over every cell."""
    rng = np.random.default_rng(1)
    annotations = portals.wild(1, recordings=40, annotators=9, species=14)
    design = Design(annotations, by_species=True)
    now = rng.normal(0.5, 1, design.n_rates), rng.normal(-2, 1, design.n_rates)
    species, step = np.array([5, 0, 3]), np.array([0.7, -1.1, 0.4])
    steps = np.zeros(14)
    steps[species] = step
    then = list(now)
    then[side] = now[side] + steps[design.pairs.item]
    times, odds = rng.uniform(0.5, 2, 3), rng.uniform(0.05, 2, (2, 14))
    group = rng.integers(0, 2, 40).astype(np.int32)
    heard, deception = (audibility(1.5) if there else ALIKE for there in (faint, deceptive))
    how, factor = (heard, 0.0, deception), np.ones((40, 14))
    if scored:
        cells = design.layout.reported
        scores = np.exp(rng.normal(0, 2, len(cells.recording)))
        factor[cells.recording, cells.cells.item] = scores
        design = design.told(factor=scores)
    says = (species_moves.what_votes_say(design, species, logits, *how) for logits in (now, then))
    already = rng.uniform(0.5, 2, 3)
    found = species_moves.votes_gained(grouped(odds, group), species, (already, times), *says)
    tables = [[np.zeros((9, 14)) for _ in range(2)] for _ in range(2)]
    for table, logits in zip(tables, (now, then), strict=True):
        for rate, x in zip(table, logits, strict=True):
            rate[design.rate_annotator, design.pairs.item] = expit(x)
    cube, first, more = annotations.to_cube(), np.ones(14), np.ones(14)
    first[species], more[species] = already, times
    spreads = 1.5 * faint, 1.5 * deceptive
    before = log_likelihood(cube, odds[group] * first, *tables[0], *spreads, factor)
    after = log_likelihood(cube, odds[group] * more, *tables[1], *spreads, factor)
    assert np.allclose(found, (after - before)[species])


def test_only_models_with_hard_species_move_them():
    design = Design(portals.small(), by_species=True)
    rng, priors = np.random.default_rng(1), Priors.expecting(n_species=5)
    for hard in (False, True):
        model = build_model("base-hierarchical", priors, difficulty=hard)
        _, accepted = model.sweep(rng, model.init(rng, design), design)
        assert ("species_moved" in accepted) == hard
    model = Model(joint.OCCURRENCES["mixture"], model.expertise)
    assert "species_moved" not in model.sweep(rng, model.init(rng, design), design)[1]


def test_few_species_move_where_visits_are_many(monkeypatch):
    design, rng = Design(portals.small(), by_species=True), np.random.default_rng(1)
    monkeypatch.setattr(species_moves, "WORK", 0.5 * design.annotations.n_visits)
    sizes = [len(species_moves._chosen(rng, design)) for _ in range(400)]
    assert set(sizes) == {0, 1}
    assert 0.4 < np.mean(sizes) < 0.6


def test_moves_keep_the_prior_given_votes():
    """Parameters from the prior, then presence and votes: after moves given votes, they are still from it."""
    model = joint.HARD["independent, per annotator and species, difficulty"]
    visits = portals.with_scopes([(i, j) for i in range(8) for j in range(2)], [(0, 1, 2), (0, 1)])
    design = model.design(portals.lay_out(visits, sizes=(8, 2, 3)))
    votes, rng, found, raised = joint.Votes.of(design), np.random.default_rng(3), [], []
    sides = model.occurrence, model.expertise
    for _ in range(2000):
        state, drawn = joint.simulate(rng, model, design, votes)
        states = state.occurrence, state.expertise
        for _ in range(12):
            odds = model.occurrence.odds(states[0])
            states, _ = species_moves.move_species(rng, sides, states, odds, drawn)
        occurrence, (tpr, fpr, _) = states
        shifts = [side.shift[0] / side.hard for side in (tpr, fpr)]
        found.append([occurrence.occurrence[0], *shifts])
        raised.append((occurrence.occurrence - state.occurrence.occurrence).mean())
        assert np.allclose(
            tpr.logit - tpr.offset(design), state.expertise.tpr.logit - state.expertise.tpr.offset(design)
        )
    for values, prior in zip(np.array(found).T, (stats.beta(2, 3), stats.norm, stats.norm), strict=True):
        assert ks_p(values, prior.cdf) > FALSE_ALARM
    # Moved one way and back equally often: this sees more, since each is compared with where it came from.
    assert abs(np.mean(raised)) < 4 * np.std(raised) / np.sqrt(len(raised))


def test_several_moves_at_once_are_as_many_moves_one_by_one(monkeypatch):
    """With the same random numbers: what one move changed is what the next one starts from."""
    model = joint.HARD["independent, per annotator and species, difficulty"]
    design, rng, moved = model.design(portals.small()), np.random.default_rng(5), 0
    votes, sides, tries = joint.Votes.of(design), (model.occurrence, model.expertise), species_moves.TRIES
    monkeypatch.setattr(species_moves, "_chosen", lambda rng, design: np.arange(design.annotations.n_species))
    for seed in range(30):
        state, drawn = joint.simulate(rng, model, design, votes)
        ends = []
        for at_once in (tries, 1):
            monkeypatch.setattr(species_moves, "TRIES", at_once)
            states, again = (state.occurrence, state.expertise), np.random.default_rng(seed)
            for _ in range(tries // at_once):
                odds = model.occurrence.odds(states[0])
                states, shares = species_moves.move_species(again, sides, states, odds, drawn)
            ends.append((states[0].occurrence, states[1].tpr.logit, states[1].fpr.logit))
            moved += at_once > 1 and shares["species_moved"] > 0.5
        for one, other in zip(*ends, strict=True):
            assert np.allclose(one, other, rtol=1e-9)
    assert moved > 5  # some moved twice


def test_balanced_steps_lead_to_as_many_presences_as_wanted():
    rng = np.random.default_rng(1)
    odds, group = np.exp(rng.normal(-1, 2, (6, 3))), rng.integers(0, 6, 50).astype(np.int32)
    now, times, species = np.array([1.5, 0.7]), np.array([1.6, 0.3]), np.array([2, 0])
    step, volume = species_moves.balance(grouped(odds, group), species, now, times)
    for k, first, wanted, d, gain in zip(species, now, times, step, volume, strict=True):
        x = np.log(odds[group, k] * first)
        assert np.isclose(expit(x + d).sum(), wanted * expit(x).sum())
        more = species_moves.balance(
            grouped(odds * np.exp(1e-5), group), np.array([k]), np.array([first]), np.array([wanted])
        )
        slope = 1 + (more[0][0] - d) / 1e-5
        assert np.isclose(gain, np.log(slope), atol=1e-3)
    _, volume = species_moves.balance(grouped(odds, group), species, now, np.array([1e3, 1.0]))
    assert np.isneginf(volume[0])
    assert np.isclose(volume[1], 0)
