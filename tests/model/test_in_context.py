"""Species in context: counts, odds and moves against loops, and what a whole fit finds."""

from __future__ import annotations

import numpy as np
import pytest

import contexts
import dawnchorus as dc
import joint
import portals
from checks import presence_p, random_rates
from dawnchorus.model.context import Context
from dawnchorus.model.design import Design
from dawnchorus.model.expertise.per_annotator import PerAnnotator
from dawnchorus.model.occurrence import in_context
from dawnchorus.model.occurrence.effects import factors
from dawnchorus.model.occurrence.effects.counts import Given, count_one, present_contexts, voted_contexts
from dawnchorus.model.occurrence.effects.moves import step_and_factor
from dawnchorus.model.occurrence.effects.species import clear_rows, make_room, weigh_rows
from dawnchorus.model.occurrence.effects.terms import context_odds, in_order, lay_out
from dawnchorus.model.occurrence.in_context import InContext
from dawnchorus.model.predictive.cell_votes import votes_of
from dawnchorus.model.predictive.cells import predict_cells
from dawnchorus.model.predictive.contexts import Contexts
from dawnchorus.model.predictive.likely_cells import LikelyCells

FALSE_ALARM = 1e-3


@pytest.fixture(scope="module")
def small():
    """A portal in context, with presence and effects drawn from the prior, as arrays for kernels."""
    annotations, rng = portals.small(), np.random.default_rng(1)
    model = InContext(contexts.made_up(annotations.n_recordings))
    design = Design(annotations, by_species=False)
    state, present = model.simulate(rng, design)
    voted = (annotations.to_cube() >= 0).any(axis=1)
    drawn = joint.as_presence(present & voted, design, joint.Votes.of(design))
    terms = model._terms
    given = Given(
        terms,
        model._blocks,
        model._pool,
        voted_contexts(design, terms.context, terms.row.shape[1]),
        present_contexts(design.layout, drawn, terms.context),
    )
    return model, state, present, voted, given


def test_counts_are_those_of_loops(small):
    _model, _, present, voted, given = small
    n, y = np.empty((2, given.terms.row.shape[1]))
    assert (~voted).any()
    for k in range(voted.shape[1]):
        count_one(k, given, n, y)
        for c in range(len(n)):
            here = given.terms.context == c
            assert n[c] == voted[here, k].sum()
            assert y[c] == (present & voted)[here, k].sum()


@pytest.mark.parametrize("layout", ["terms", "blocks"])
def test_likelihood_slope_and_curvature_are_those_of_loops(small, layout):
    model, state, present, voted, given = small
    terms, room, matrix = getattr(given, layout), make_room(given), contexts.design_matrix(model.context)
    odds = np.empty(terms.row.shape[1])
    assert terms.levels.tolist() == {"terms": [True, False, True], "blocks": [False, True]}[layout]
    for k in range(voted.shape[1]):
        count_one(k, given, room.n, room.y)
        context_odds(given.terms, state.effect[k], room.by_row, odds)
        assert np.allclose(np.log(odds[terms.context]), matrix @ state.effect[k])
        for t in range(len(terms.levels)):
            low, high = terms.column_start[t : t + 2]
            room.moves.pull[:], room.moves.precision[:] = 0.3, 0.7
            clear_rows(terms, t, room.now)
            weigh_rows(terms.row[t], odds, room.moves, room, room.now)
            log_determinant = step_and_factor(terms, t, room.now, room.moves)
            p = 1 / (1 + np.exp(-matrix @ state.effect[k]))
            part = matrix[voted[:, k], low:high]
            slope = part.T @ (present[:, k] - p)[voted[:, k]] + 0.3
            curvature = (part.T * (p * (1 - p))[voted[:, k]]) @ part + 0.7 * np.eye(high - low)
            step = np.linalg.solve(curvature, slope)
            reach = np.abs(matrix_of_rows(terms, t) @ step)
            step = np.clip(step, -2, 2) if terms.levels[t] else step / max(1, reach.max() / 2)
            assert np.allclose(room.moves.step[low:high], step)
            assert np.isclose(log_determinant, 0.5 * np.linalg.slogdet(curvature)[1])


def matrix_of_rows(terms, t):
    basis = np.zeros((terms.row_start[-1], terms.column_start[-1]))
    basis[np.repeat(np.arange(len(basis)), np.diff(terms.basis_start)), terms.basis_column] = terms.basis
    return basis[
        terms.row_start[t] : terms.row_start[t + 1], terms.column_start[t] : terms.column_start[t + 1]
    ]


def test_likelihood_of_a_move_is_that_of_loops(small):
    model, state, present, voted, given = small
    room, odds = make_room(given), np.empty(given.terms.row.shape[1])
    for terms, t, column in (
        (given.terms, 0, 0),
        (given.terms, 1, 2),
        (given.terms, 2, 5),
        (given.blocks, 0, 1),
        (given.blocks, 1, 4),
    ):
        count_one(0, given, room.n, room.y)
        context_odds(given.terms, state.effect[0], room.by_row, odds)
        moved = state.effect[0].copy()
        moved[column] += 0.7
        values = []
        for new in (state.effect[0], moved):
            move = (
                matrix_of_rows(terms, t)
                @ (new - state.effect[0])[terms.column_start[t] : terms.column_start[t + 1]]
            )
            room.moves.row[terms.row_start[t] : terms.row_start[t + 1]] = move
            room.moves.times[terms.row_start[t] : terms.row_start[t + 1]] = np.exp(move)
            clear_rows(terms, t, room.new)
            weigh_rows(terms.row[t], odds, room.moves, room, room.new)
            here = slice(terms.row_start[t], terms.row_start[t + 1])
            values.append((room.new[0, here] - np.log(room.new[3, here])).sum())
        exact = [
            contexts.log_likelihood(model.context, e, present[:, 0], voted[:, 0])
            for e in (moved, state.effect[0])
        ]
        assert np.isclose(values[1] - values[0], exact[0] - exact[1])


@pytest.mark.parametrize("most", [1, 3, 5, 256])
def test_odds_are_products_and_within_their_bounds(most):
    rng, context = np.random.default_rng(2), in_order(contexts.made_up(40))
    terms = lay_out(context)
    groups = factors.make_groups(context, terms, most)
    effect = rng.normal(0, 1.5, (6, terms.column_start[-1]))
    odds = factors.odds_of_effects(effect, terms, groups)
    table = np.exp(contexts.design_matrix(context) @ effect.T)
    assert np.allclose(odds.table(), table)
    assert len(groups.sizes) == {1: 1, 3: 3, 5: 3, 256: 9}[most]
    assert np.all(odds.max_odds[odds.group] >= table * (1 - 1e-12))
    assert np.allclose(odds.max_odds[odds.group], table) == (most == 256)
    weight = np.bincount(terms.context) / 40
    assert np.allclose(factors.mean_occurrence(odds, terms.row, weight), (table / (1 + table)).mean(axis=0))


def test_odds_stay_within_what_kernels_can_multiply():
    context = in_order(contexts.made_up(9))
    terms = lay_out(context)
    effect = np.full((1, terms.column_start[-1]), 800.0)
    for sign in (1, -1):
        odds = factors.odds_of_effects(sign * effect, terms, factors.make_groups(context, terms))
        assert np.all(np.isfinite(odds.table()))
        assert np.all(odds.table() > 0)


@pytest.mark.parametrize("most", [2, 256])
def test_presence_is_drawn_as_often_as_it_should_be(most, monkeypatch):
    annotations, rng = portals.wild(), np.random.default_rng(3)
    design = Design(annotations, by_species=True)
    context = in_order(contexts.made_up(annotations.n_recordings))
    terms = lay_out(context)
    effect = rng.normal([-2, *[0] * 5], 1.0, (annotations.n_species, 6))
    odds = factors.odds_of_effects(effect, terms, factors.make_groups(context, terms, most))
    rates = random_rates(rng, design.n_rates)
    assert presence_p(design, odds, *rates, draws=1500, seed=1) > FALSE_ALARM


def test_species_take_turns_where_there_is_much_work(monkeypatch):
    """Sweeps in turns keep the joint distribution."""
    monkeypatch.setattr(in_context, "WORK", 20)
    model = joint.MODELS["in context, per annotator"]
    p = joint.smallest_p(model, portals.small(), replications=250, sweeps=6, seed=3)
    assert p > FALSE_ALARM


def test_no_likely_cell_is_missed_where_occurrence_differs_by_recording():
    annotations, rng = portals.wild(), np.random.default_rng(4)
    model = dc.Model(
        InContext(contexts.made_up(annotations.n_recordings)), PerAnnotator(dc.Beta(8, 2), dc.Beta(1, 99))
    )
    design = model.design(annotations)
    draws = [model.occurrence.keep(rng, model.occurrence.simulate(rng, design)[0], design) for _ in range(60)]
    rates = {
        name: rng.beta(*shape, (60, design.n_rates)) for name, shape in (("tpr", (5, 2)), ("fpr", (1, 9)))
    }
    values = {name: np.array([draw[name] for draw in draws]) for name in draws[0]} | rates
    parameters = model.parameters(values.__getitem__, 1, design)
    votes = votes_of(annotations)
    cells = next(iter(predict_cells(votes, design.pairs, parameters)))
    matrix = contexts.design_matrix(model.occurrence.context)
    effect = np.concatenate(
        [values["intercept"][:, None], values["context_effect"][:, [3, 4, 0, 1, 2]]], axis=1
    )
    before = 1 / (1 + np.exp(-np.einsum("ib,dbk->dik", matrix, effect)))
    assert np.allclose(
        parameters.contexts.of(0, len(matrix))[1][:, 0][:, parameters.contexts.of(0, len(matrix))[0]],
        before,
        atol=1e-6,
    )
    assert np.allclose(before.mean(axis=1), values["occurrence"])
    for least in (0.05, 0.3, 0.9):
        listed = LikelyCells(votes, design.pairs, parameters, least).of(0, annotations.n_recordings)
        likely = cells.probability >= least
        assert listed.contains(cells.recording[likely], cells.species[likely]).all()
        assert len(listed.item) < len(cells.species) or least < 0.3


def test_blocks_of_recordings_have_only_their_contexts(monkeypatch):
    value, row = (
        np.random.default_rng(1).normal(size=(5, 4, 3)).astype(np.float32),
        np.array([[0, 2], [1, 3], [0, 2]]),
    )
    occurrence = Contexts(value, row)
    context, chances = occurrence.of(0, 3)
    assert context.tolist() == [0, 1, 0]
    assert chances.shape == (5, 1, 2, 3)
    assert np.allclose(chances[:, 0, 1], 1 / (1 + np.exp(-value[:, 1] - value[:, 3])), atol=1e-6)
    assert occurrence.of(2, 3)[1].shape == (5, 1, 1, 3)


def test_contexts_that_do_not_fit_are_refused():
    annotations = dc.simulate_paper(recordings=20, species=3, visits=2, seed=1).annotations
    expertise = PerAnnotator(dc.Beta(8, 2), dc.Beta(1, 99))
    with pytest.raises(dc.AnnotationError, match="context is of 19 recordings, and there are 20"):
        dc.fit(annotations, dc.Model(InContext(contexts.made_up(19)), expertise), min_ess=None)
    with pytest.raises(dc.AnnotationError, match="no term"):
        InContext(Context("", ()))
    unknown = contexts.levels("site", [0, -1], ("a",))
    with pytest.raises(dc.AnnotationError, match="'site' is not known for recording number 2"):
        InContext(Context("site", (unknown,)))
