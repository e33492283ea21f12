"""Unsure marks as votes: probabilities, cells, counts and predictions against loops over every vote."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

import joint
import naive
import portals
from checks import (
    CASES,
    FALSE_ALARM,
    grouped,
    marked_cube,
    presence_case,
    presence_p,
    rate_table,
)
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.audibility import CLASSES, SHARE, VoteRates, audibility
from dawnchorus.model.design import Design
from dawnchorus.model.expertise import count
from dawnchorus.model.expertise.by_cell import draw_classes
from dawnchorus.model.expertise.kinds import NO_MORE, by_rate, reports_and_silences, with_unsure
from dawnchorus.model.predictive.cell_votes import votes_of
from dawnchorus.model.predictive.cells import predict_cells
from dawnchorus.model.predictive.likelihood import conditional_waic, log_likelihood
from dawnchorus.model.predictive.likely_cells import LikelyCells
from dawnchorus.model.predictive.parameters import Parameters
from dawnchorus.model.presence import draw as presence
from dawnchorus.model.rates import silence_of
from dawnchorus.model.together import species as species_moves

STEP = 0.7
UNSURE = float(np.expm1(STEP))


def test_a_mark_is_a_report_and_a_silence_but_for_a_constant():
    for x in (-6.0, -1.0, 0.0, 2.5):
        p = expit(x)
        assert silence_of(p, UNSURE) == pytest.approx(1 - expit(x + STEP))
        assert p * silence_of(p, UNSURE) * UNSURE == pytest.approx(expit(x + STEP) - expit(x))
        assert naive.vote_probability(2, p, STEP) == pytest.approx(expit(x + STEP) - expit(x))


def test_cells_with_a_mark_are_listed_with_both_its_votes():
    annotations = portals.wild()
    plain, design = (Design(annotations, by_species=True, marks_vote=vote) for vote in (False, True))
    cube, reported = marked_cube(design), design.layout.reported
    assert (cube == 2).sum() == len(annotations.unsure.item) == design.n_marks > 20
    assert (cube >= 0).sum() == annotations.n_votes + design.n_marks
    assert not (annotations.to_cube()[cube == 2] >= 0).any()
    listed = np.argwhere((cube > 0).any(axis=1))
    assert np.stack([reported.recording, reported.cells.item], axis=1).tolist() == listed.tolist()
    for cell, (i, k) in enumerate(listed):
        codes = []
        for j in np.flatnonzero(cube[i, :, k] >= 0):
            rate = int(design.rates_at(np.array([j]), np.array([k]))[0])
            codes += {0: [2 * rate], 1: [2 * rate + 1], 2: [2 * rate + 1, 2 * rate]}[cube[i, j, k]]
        found = reported.vote[reported.vote_start[cell] : reported.vote_start[cell + 1]]
        assert sorted(found) == sorted(codes)
    assert [part.sum() for part in design.sure] == [part.sum() for part in plain.totals]
    assert sum(design.totals).sum() == annotations.n_votes + 2 * design.n_marks
    assert plain.n_marks == 0
    assert design.pairs.sizes.sum() > plain.pairs.sizes.sum()  # what somebody always marked has a rate now


def test_votes_and_marks_are_counted_by_truth():
    design = Design(portals.wild(), by_species=True, marks_vote=True)
    cube, votes, rng = marked_cube(design), joint.Votes.of(design), np.random.default_rng(3)
    said = cube[votes.recording, design.annotations.visit_annotator[votes.visit], votes.species]
    same = joint.with_reports(design, votes, said)
    present = rng.random((cube.shape[0], cube.shape[2])) < 0.4
    wanted = naive.votes_by_truth(cube, present)
    wanted = {name: t[design.rate_annotator, design.pairs.item] for name, t in wanted.items()}
    found = count(joint.as_presence(present, same, votes), design.totals)
    assert found.hits.tolist() == wanted["hits"].tolist()
    assert found.present.tolist() == (wanted["hits"] + wanted["misses"]).tolist()
    assert found.false.tolist() == wanted["false"].tolist()
    assert found.absent.tolist() == (wanted["false"] + wanted["true"]).tolist()


@pytest.mark.parametrize("name", ["by species", "silence raises the odds, by species", "all share a list"])
def test_each_cell_is_present_as_often_as_it_should_be(name, monkeypatch):
    case = presence_case(monkeypatch, **CASES[name], marks_vote=True)
    assert presence_p(*case, draws=2500, seed=1, step=STEP) > FALSE_ALARM


def faint_chances(cube, odds, tpr, fpr, heard):
    """Give the probability of presence in every cell, birds being more or less audible."""
    chance = np.full(odds.shape, np.nan)
    for i, k in np.argwhere((cube >= 0).any(axis=1)):
        there, gone = odds[i, k] * heard.share, 1.0
        for j in np.flatnonzero(cube[i, :, k] >= 0):
            loud = tpr[j, k] / (1 - tpr[j, k]) * heard.factor
            there = there * [naive.vote_probability(cube[i, j, k], o / (1 + o), STEP) for o in loud]
            gone *= naive.vote_probability(cube[i, j, k], fpr[j, k], STEP)
        chance[i, k] = there.sum() / (there.sum() + gone)
    return chance


def test_marks_on_faint_birds(monkeypatch):
    design, odds, tpr, fpr = presence_case(monkeypatch, **CASES["by species"], marks_vote=True)
    heard, rng, draws = audibility(1.5), np.random.default_rng(1), 2500
    tables = rate_table(design, tpr), rate_table(design, fpr)
    chance = faint_chances(marked_cube(design), naive.odds_table(odds), *tables, heard)
    given, found = VoteRates(tpr, fpr, heard, UNSURE), 0
    for _ in range(draws):
        found = found + joint.as_table(presence.draw(rng, design.layout, odds, given), design)
    voted = ~np.isnan(chance)
    variance = draws * (chance * (1 - chance))[voted]
    often = variance > 5
    squares = ((found - draws * chance)[voted][often] ** 2 / variance[often]).sum()
    assert stats.chi2.sf(squares, often.sum()) > FALSE_ALARM
    rare = (draws * chance)[voted][~often].sum()
    assert min(stats.poisson.cdf(found[voted][~often].sum(), rare), 0.5) > FALSE_ALARM


def test_marks_and_silences_tell_how_audible_a_bird_is():
    """Many birds, each marked by one and not mentioned by another: their classes are as they should be."""
    n, odds, spread, rng = 20_000, np.array([1.5, 3.0]), 1.2, np.random.default_rng(2)
    votes = Ragged(np.arange(0, 3 * n + 1, 3), np.tile([1, 0, 2], n))
    drawn, factor = draw_classes(rng, votes, np.log(odds), spread, UNSURE)
    classes, silent = by_rate(votes.item, drawn, 2, factor, True, NO_MORE)
    there = odds[:, None] * np.exp(spread * CLASSES)
    marked = naive.vote_probability(2, there[0] / (1 + there[0]), STEP)
    share = SHARE * marked * naive.vote_probability(0, there[1] / (1 + there[1]), STEP)
    wanted = n * share / share.sum()
    for rate, quiet in ((0, False), (0, True), (1, True)):
        here = np.flatnonzero(silent[classes.start[rate] : classes.start[rate + 1]] == quiet)
        found = np.zeros(len(CLASSES))
        for at in classes.start[rate] + here:
            found[np.argmin(np.abs(np.log(classes.factor[at]) / spread - CLASSES))] = classes.trials[at]
        assert found.sum() == n
        often = wanted > 5
        assert ((found - wanted)[often] ** 2 / wanted[often]).sum() < stats.chi2.isf(FALSE_ALARM, often.sum())


def test_reports_and_silences_are_two_kinds_of_trials():
    kinds = reports_and_silences(np.array([3, 0, 2, 0]), np.array([5, 4, 2, 0]))
    classes = with_unsure(kinds, 1.5)
    assert classes.start.tolist() == [0, 2, 3, 4, 4]
    assert classes.trials.tolist() == [3, 2, 4, 2]
    assert classes.factor.tolist() == [1, 2.5, 2.5, 1]


def log_likelihood_of_species(cube, odds, tpr, fpr):
    """Give the log probability of all votes on each species: a sum over both truths in every cell."""
    total = np.zeros(cube.shape[2])
    for i, k in np.ndindex(cube.shape[0], cube.shape[2]):
        present, absent = odds[i, k] / (1 + odds[i, k]), 1 / (1 + odds[i, k])
        for j in np.flatnonzero(cube[i, :, k] >= 0):
            present *= naive.vote_probability(cube[i, j, k], tpr[j, k], STEP)
            absent *= naive.vote_probability(cube[i, j, k], fpr[j, k], STEP)
        total[k] += np.log(present + absent)
    return total


@pytest.mark.parametrize("side", [0, 1])
def test_votes_on_species_that_move_become_more_likely_by_as_much_as_they_do(side):
    rng = np.random.default_rng(1)
    design = Design(portals.wild(1, recordings=40), by_species=True, marks_vote=True)
    now = rng.normal(0.5, 1, design.n_rates), rng.normal(-2, 1, design.n_rates)
    species, step, times = np.array([5, 0, 3]), np.array([0.7, -1.1, 0.4]), rng.uniform(0.5, 2, 3)
    steps, more = np.zeros(14), np.ones(14)
    steps[species], more[species] = step, times
    then = list(now)
    then[side] = now[side] + steps[design.pairs.item]
    odds, group = rng.uniform(0.05, 2, (2, 14)), rng.integers(0, 2, 40).astype(np.int32)
    says = (species_moves.what_votes_say(design, species, x, unsure=UNSURE) for x in (now, then))
    found = species_moves.votes_gained(grouped(odds, group), species, (np.ones(3), times), *says)
    cube = marked_cube(design)
    before, after = (
        log_likelihood_of_species(cube, odds[group] * up, *(rate_table(design, expit(x)) for x in logits))
        for up, logits in ((1.0, now), (more, then))
    )
    assert np.allclose(found, (after - before)[species])


def made_up(design, components, draws=60, *, faint=()):
    """Give draws out of the air."""
    rng, k = np.random.default_rng(4), design.annotations.n_species
    tpr, fpr = rng.beta(5, 2, (draws, design.n_rates)), rng.beta(1, 9, (draws, design.n_rates))
    weight = rng.dirichlet(np.ones(components), draws)
    occurrence = rng.beta(0.5, 1.5, (draws, components, k))
    number = np.full(draws, components)
    unsure = np.expm1(rng.uniform(0.1, 1.5, draws))
    spreads = {name: rng.uniform(0.2, 3, draws) for name in faint}
    return Parameters(tpr, fpr, number, weight, occurrence, 2, unsure=unsure, **spreads)


@pytest.mark.parametrize("faint", [(), ("faintness",), ("deception",), ("faintness", "deception")])
@pytest.mark.parametrize("components", [1, 3])
def test_predictions_are_those_of_loops(components, faint):
    design = Design(portals.wild(), by_species=True, marks_vote=True)
    parameters = made_up(design, components, 6 if faint else 60, faint=faint)
    votes = votes_of(design.annotations, design.marks)
    chances, likelihood = naive.cell_draws(marked_cube(design), design.rates_at, parameters)
    (cells,) = predict_cells(votes, design.pairs, parameters)
    assert np.allclose(cells.probability, chances.mean(axis=2).ravel(), atol=2e-4 if faint else 1e-6)
    found = log_likelihood(votes, design.pairs, parameters)
    assert np.allclose(found, likelihood, atol=5e-3 if faint else 1e-5)
    listed = LikelyCells(votes, design.pairs, parameters, 0.4).of(0, votes.n_recordings)
    likely = (marked_cube(design) > 0).any(axis=1).ravel() | (cells.probability >= 0.4)
    assert listed.contains(cells.recording, cells.species)[likely].all()
    assert len(listed.item) < len(cells.species)


def test_a_mark_is_one_vote_in_the_papers_waic():
    design = Design(portals.wild(), by_species=True, marks_vote=True)
    parameters, cube = made_up(design, 1), marked_cube(design)
    found = conditional_waic(votes_of(design.annotations, design.marks), design.pairs, parameters)
    chances, _ = naive.cell_draws(cube, design.rates_at, parameters)
    lppd = 0.0
    for i, j, k in np.argwhere(cube >= 0):
        rate, density = int(design.rates_at(np.array([j]), np.array([k]))[0]), 0.0
        for d, p in enumerate(chances[i, k]):
            step = np.log1p(parameters.unsure[d])
            there, gone = (
                naive.vote_probability(cube[i, j, k], rates[d, rate], step)
                for rates in (parameters.tpr, parameters.fpr)
            )
            density += (p * there + (1 - p) * gone) / chances.shape[2]
        lppd += np.log(density)
    assert found["votes"] == (cube >= 0).sum()
    assert found["lppd"] == pytest.approx(lppd, rel=1e-5)
