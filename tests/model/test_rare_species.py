"""The occurrence of rare species, with presence in reported cells summed out, against its density."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import dawnchorus as dc
import joint
from checks import FALSE_ALARM, grid_cdf, ks_p, random_rates, rate_table
from dawnchorus.model.audibility import VoteRates
from dawnchorus.model.design import Design
from dawnchorus.model.distributions.priors import Beta
from dawnchorus.model.occurrence import rare_species as rare_module
from dawnchorus.model.occurrence.independent import Independent, State, voted_on
from dawnchorus.model.occurrence.rare_species import POINTS, rare_species, reflect_one
from dawnchorus.model.presence.draw import Presence
from steps.rates import move, reflected_occurrence_p

CASES = {
    "one doubtful report": (np.array([30.0]), 0.6, 300.0),
    "lone reports, all true or all false": (np.full(40, 60.0), 0.6, 2000.0),
    "some are certain": (np.array([1e200, 1e6, 80.0, 80.0, 20.0, 0.01, 1e-30]), 0.9, 150.0),
    "present nearly everywhere": (np.full(12, 3.0), 60.0, 2.0),
    "no information": (np.ones(5), 1.0, 1.0),
}


@pytest.mark.parametrize("case", CASES)
def test_it_keeps_its_density(case):
    ratios, a, b = CASES[case]
    assert reflected_occurrence_p(ratios, a, b, ratios, a, b, draws=4000) > FALSE_ALARM


def test_it_goes_from_all_false_to_all_true_at_once():
    rng, p, path = np.random.default_rng(1), np.array([0.001]), []
    for _ in range(400):
        move(rng, p, *CASES["lone reports, all true or all false"], 1)
        path.append(p[0])
    low, high = path < np.quantile(path, 0.3), path > np.quantile(path, 0.7)
    assert np.quantile(path, 0.9) > 10 * np.quantile(path, 0.1)
    assert np.mean(high[1:][low[:-1]]) > 0.4  # of independent draws, 0.3


@pytest.mark.parametrize("by_species", [False, True])
def test_refine_keeps_the_density_given_votes_and_silent_cells(by_species):
    annotations = dc.simulate_portal(
        recordings=40, annotators=5, species=6, visits=2.5, present_species=1.5, false_reports=0.8, seed=4
    ).annotations
    design, rng = Design(annotations, by_species=by_species), np.random.default_rng(10)
    rates = random_rates(rng, design.n_rates)
    present = rng.random((40, 6)) < 0.3
    drawn = joint.as_presence(present, design, joint.Votes.of(design))
    model, cube = Independent(Beta(0.7, 5)), annotations.to_cube()
    tables = [rate_table(design, rate) for rate in rates]
    rare, draws = design.derived(rare_species), 1500
    assert len(rare.species) == 5
    densities = {k: _naive_density(k, cube, tables, present, model.prior) for k in rare.species}
    found = [grid_cdf(density, -14, 6, points=4001) for density in densities.values()]
    values = np.full((draws, 6), 0.5)
    values[:, rare.species] = np.array([expit(inverse(rng.random(draws))) for _, inverse in found]).T
    moved = []
    for at in range(draws):
        state = State(values[at], np.zeros(40, int), np.array([model.prior.a, model.prior.b], float))
        for _ in range(6):
            state, share = model.refine(rng, state, VoteRates(*rates), drawn, design)
            moved += share.values()
        values[at] = state.occurrence
    assert np.mean(moved) > 0.5
    assert (values[:, 5] == 0.5).all()
    for k, (cdf, _) in enumerate(found):
        assert len(found) * ks_p(np.log(values[:, k] / (1 - values[:, k])), cdf) > FALSE_ALARM


def _naive_density(k, cube, tables, present, prior):
    """Return the log density of the logit of a species' probability, cell by cell and vote by vote."""
    tpr, fpr = tables

    def density(x):
        p = expit(x)
        total = prior.a * np.log(p) + prior.b * np.log1p(-p)
        for i, there in enumerate(present):
            votes = {j: vote for j, vote in enumerate(cube[i, :, k]) if vote >= 0}
            if any(vote == 1 for vote in votes.values()):
                ratio = np.prod(
                    [
                        (tpr[j, k], fpr[j, k]) if vote else (1 - tpr[j, k], 1 - fpr[j, k])
                        for j, vote in votes.items()
                    ],
                    axis=0,
                )
                ratio = ratio[0] / ratio[1]
                total = total + np.log(p * ratio + 1 - p)
            elif votes:
                total = total + (np.log(p) if there[k] else np.log1p(-p))
        return total

    return density


def test_common_species_and_those_never_reported_are_left_to_the_draw_given_presence(monkeypatch):
    monkeypatch.setattr(rare_module, "RARE", 5)
    annotations = dc.simulate_paper(recordings=60, species=6, seed=1).annotations
    design = Design(annotations, by_species=False)
    by_species = design.layout.reported.by_species
    found = rare_species(design)
    assert set(found.species) == set(np.flatnonzero((by_species > 0) & (by_species <= 5)))
    assert found.cells.sizes.tolist() == by_species[found.species].tolist()
    assert set(np.flatnonzero(found.candidates == 1)) == set(found.species)


def test_a_value_beyond_the_grid_stays_and_the_draw_given_presence_moves_it():
    room = np.empty((4, POINTS))
    assert reflect_one(np.random.default_rng(1), 1 - 1e-9, np.array([5.0]), 1.0, 200.0, room) == 1 - 1e-9
    annotations = dc.simulate_paper(recordings=60, species=4, seed=1).annotations
    design = Design(annotations, by_species=False)
    model, n = Independent(Beta(1, 30)), np.zeros(4, np.int64)
    empty = np.zeros(0, np.int32)
    absent = Presence(
        np.zeros(len(design.layout.reported.recording), bool),
        empty,
        empty,
        n,
        n,
        np.zeros(design.n_rates, int),
        np.ones(len(design.layout.reported.recording)),
    )
    state = State(
        np.full(4, 1 - 1e-9), np.zeros(60, np.int32), np.array([model.prior.a, model.prior.b], float)
    )
    moved, _ = model.update(np.random.default_rng(1), state, absent, design)
    assert (moved.occurrence < 0.5).all()
    assert (design.derived(voted_on) > 0).all()
