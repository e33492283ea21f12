"""Scores of machines: chains against exact answers, factors and predictions against loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from scipy import stats

import exact
import joint
import naive
import portals
from checks import FALSE_ALARM
from dawnchorus.annotations.known import KnownCells
from dawnchorus.annotations.labelled import Scores
from dawnchorus.model.design import Design
from dawnchorus.model.distributions import Beta
from dawnchorus.model.expertise.known_votes import KnownVotes
from dawnchorus.model.expertise.scored.draws import draw_given_presence
from dawnchorus.model.expertise.scored.pooling import Placed, State, draw_from_prior, normal_above
from dawnchorus.model.expertise.scored.reports import ScoredReports
from dawnchorus.model.predictive.cell_votes import votes_of
from dawnchorus.model.predictive.cells import predict_cells
from dawnchorus.model.predictive.likelihood import log_likelihood
from dawnchorus.model.predictive.parameters import Parameters, ScoreDraws

MOST = 4.5
"""Standard errors; means over a chain are off by more than that once in a hundred thousand times."""
MACHINE = ScoredReports(("a1",), (0.3,), (1.2,))
CUT_OFF = replace(MACHINE, cut=(-1.25,))
"""All scores but one are well above; that of the other species is just above."""
MODELS = {
    name: replace(
        (joint.MODELS | joint.HARD | joint.FAINT | joint.DECEPTIVE | joint.MARKED | joint.LEARNED)[name],
        scored=MACHINE,
    )
    for name in (
        "independent, per annotator",
        "independent, per annotator and species",
        "independent, per annotator and species, difficulty",
        "independent, per annotator and species, faint",
        "independent, per annotator and species, faint and deceptive",
        "independent, per annotator and species, unsure",
        "independent, per annotator, learned",
        "mixture, per annotator",
        "dirichlet process, per annotator and species",
        "in context, per annotator",
    )
}
CUT = ("independent, per annotator", "independent, per annotator and species", "mixture, per annotator")
MODELS |= {f"{name}, cut off": replace(MODELS[name], scored=CUT_OFF) for name in CUT}


@pytest.mark.parametrize("name", MODELS)
def test_chains_with_scores_agree_with_enumeration(name):
    assert exact.worst_z(MODELS[name], sweeps=1600, seed=1) < (MOST, "")


@pytest.mark.parametrize("known_as", ["truth", "expert"])
@pytest.mark.parametrize("name", ["independent, per annotator and species", "mixture, per annotator"])
def test_chains_with_scores_and_known_cells_agree_with_enumeration(name, known_as):
    present = np.array([True, False, False])
    known = KnownCells.of(np.array([0, 1, 2]), np.array([1, 0, 1]), present, rows=3, known_as=known_as)
    model = MODELS[name]
    if known_as == "expert":
        model = replace(model, known_votes=KnownVotes(Beta(6, 2), Beta(2, 5)))
    assert exact.worst_z(model, exact.VISITS, known, sweeps=1600, seed=1) < (MOST, "")


@pytest.mark.parametrize("cut", [(), (-0.9, -np.inf)])
def test_factors_are_products_of_ratios_of_densities(cut):
    rng, annotations = np.random.default_rng(1), portals.wild()
    scored = ScoredReports(("a1", "a2"), (0.5, -0.2), (1.5, 0.8), cut)
    model = replace(joint.MODELS["independent, per annotator and species"], scored=scored)
    design = model.design(annotations)
    reported = design.layout.reported.cells
    row = reported.row_of_item()
    at = np.sort(rng.integers(len(row), size=60))
    design.scores = Scores(row[at], reported.item[at], rng.integers(2, size=60), rng.normal(size=60))
    state = scored.init(rng, annotations.n_species)
    expected = np.ones(len(row))
    for i, k, m, s in zip(*design.scores, strict=True):
        z, low = ((of - scored.middle[m]) / scored.unit[m] for of in (s, scored.cuts[m]))
        both = [stats.norm(state.mean[side, m, k], state.precision[side, m, k] ** -0.5) for side in (0, 1)]
        there, absent = (of.pdf(z) / of.sf(low) for of in both)
        expected[reported.find([i], [k])[0]] *= there / absent
    assert np.allclose(scored.factors(state, design), expected)
    far = state._replace(precision=np.stack([state.precision[0], 1e9 * state.precision[1]]))
    assert np.isfinite(scored.factors(far, design)).all()
    told = design.told(factor=expected)
    assert np.array_equal(told.layout.reported.further, expected)
    assert not len(design.layout.reported.further)


@njit
def above(rng, low, found):
    for at in range(len(found)):
        found[at] = normal_above(rng, low)


@pytest.mark.parametrize("low", [-2.0, 0.0, 0.49, 0.51, 3.0, 12.0])
def test_normal_numbers_above_a_bound_are_distributed_as_they_should_be(low):
    found = np.empty(20_000)
    above(np.random.default_rng(5), low, found)
    assert stats.kstest(found, stats.truncnorm(low, np.inf).cdf).pvalue > FALSE_ALARM / 6


def made_up(design, components, machines=2, draws=12):
    rng, n_species = np.random.default_rng(3), design.annotations.n_species
    weight = rng.dirichlet(np.ones(components), draws)
    occurrence = rng.beta(0.5, 1.5, (draws, components, n_species))
    tpr, fpr = rng.beta(5, 2, (draws, design.n_rates)), rng.beta(1, 9, (draws, design.n_rates))
    tpr, fpr, occurrence = map(np.asfortranarray, (tpr, fpr, occurrence))  # as those of a fit are
    shape = 2, draws, machines, n_species
    mean, sd = rng.normal(size=shape), rng.uniform(0.5, 2, shape)
    kept = stats.norm.logsf(np.array([[-1.5], [-np.inf]]), mean, sd)
    scores = ScoreDraws(*(part.astype(np.float32) for part in (mean, sd, kept)))
    parts = tpr, fpr, np.full(draws, components), weight, occurrence, 2
    return Parameters(*parts, scores=scores)


@pytest.mark.parametrize("varied", [(), ("faintness", "deception")])
@pytest.mark.parametrize("by_species", [False, True])
@pytest.mark.parametrize("components", [1, 3])
def test_predictions_with_scores_are_those_of_loops(by_species, components, varied):
    annotations = portals.wild()
    design = Design(annotations, by_species=by_species)
    rng = np.random.default_rng(2)
    cells = design.layout.reported.cells
    at = np.sort(rng.integers(len(cells.item), size=50))
    scores = Scores(
        cells.row_of_item()[at],
        cells.item[at].astype(np.int64),
        rng.integers(2, size=50),
        rng.normal(size=50),
    )
    parameters = made_up(design, components)
    parameters = parameters._replace(**{name: rng.uniform(0.1, 3, 12) for name in varied})
    known = KnownCells.of(
        np.array([2, 3]), np.array([1, 4]), np.array([True, False]), rows=annotations.n_recordings
    )._replace(known_as="expert")
    parameters = parameters._replace(known=rng.uniform(0.2, 0.8, (2, 12)))
    votes = votes_of(annotations, None, known, scores)
    rates_at = design.rates_at if by_species else None
    chance, likelihood = naive.cell_draws(
        annotations.to_cube(),
        rates_at,
        parameters,
        None,
        {(2, 1): True, (3, 4): False},
        list(zip(*scores, strict=True)),
    )
    found = list(predict_cells(votes, design.pairs, parameters))
    probability = np.concatenate([block.probability for block in found]).reshape(chance.shape[:2])
    assert np.allclose(probability, chance.mean(axis=2), atol=1e-5)
    assert np.allclose(log_likelihood(votes, design.pairs, parameters), likelihood, atol=1e-4)


def test_means_and_spreads_follow_many_scores():
    rng, n = np.random.default_rng(4), 900
    true = np.array([[1.2, 0.8, 2.0], [-0.3, 0.1, -1.0]]), np.array([[0.5, 1.0, 0.8], [0.9, 0.6, 1.1]])
    there, species = rng.random(n) < 0.6, rng.integers(3, size=n)
    side = np.where(there, 0, 1)
    score = rng.normal(true[0][side, species], true[1][side, species])
    mean, precision, common = np.empty((2, 1, 3)), np.empty((2, 1, 3)), np.empty((2, 1, 4))
    draw_from_prior(rng, mean, precision, common)
    placed = Placed(np.zeros(n, int), species, score, np.array([-np.inf]))
    means, spreads = [], []
    for _ in range(300):
        draw_given_presence(rng, State(mean, precision, common), there, placed)
        means.append(mean[:, 0].copy())
        spreads.append(precision[:, 0] ** -0.5)
    for z, k in np.ndindex(2, 3):
        here = score[(side == z) & (species == k)]
        error = here.std() / np.sqrt(len(here))
        assert abs(np.mean(means, axis=0)[z, k] - here.mean()) < 0.5 * error
        assert 0.8 < np.std(means, axis=0)[z, k] / error < 1.25
        assert abs(np.mean(spreads, axis=0)[z, k] / here.std() - 1) < 0.05


def test_scores_are_simulated_above_the_cut_off():
    scored, rng = (
        ScoredReports(("a1", "a2"), (0.5, 0.0), (2.0, 1.0), (0.3, -np.inf)),
        np.random.default_rng(6),
    )
    state = scored.init(rng, 2)
    state.mean[:], state.precision[:] = [[[0.4, -3.0], [0.1, 0.2]], [[-0.9, -0.2], [-0.4, 0.1]]], 4.0
    for side, m, k in np.ndindex(2, 2, 2):
        where = np.full(5000, m), np.full(5000, k)
        score = scored.simulate(rng, state, np.full(5000, side == 0), where)
        middle, sd = scored.middle[m] + scored.unit[m] * state.mean[side, m, k], scored.unit[m] * 0.5
        right = stats.truncnorm((scored.cuts[m] - middle) / sd, np.inf, middle, sd)
        assert stats.kstest(score, right.cdf).pvalue > FALSE_ALARM / 8


def test_means_and_spreads_of_two_sides_are_drawn_with_presence_above_absence():
    scored, rng = ScoredReports(("a1",), (0.0,), (1.0,)), np.random.default_rng(1)
    for _ in range(50):
        state = scored.init(rng, 3)
        assert isinstance(state, State)
        assert state.common[0, 0, 0] > state.common[1, 0, 0]
        kept = scored.keep(state)
        assert kept.keys() == {v.name for v in scored.variables}
