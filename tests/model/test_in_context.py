"""Species in context: counts, odds and moves against loops, and what a whole fit finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import contexts
import dawnchorus as dc
import joint
import portals
from checks import presence_p, random_rates
from dawnchorus.model.context import Context
from dawnchorus.model.design import Design
from dawnchorus.model.distributions import HalfNormal
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
SMOOTH_FIRST = [6, 7, 0, 1, 2, 3, 4, 5]
"""The columns of the fit below in the order that kernels have them."""


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
        voted_contexts(annotations, terms.context, terms.row.shape[1]),
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
            weigh_rows(terms.row[t], odds, room.moves, room.n, room.y, room.now)
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
            weigh_rows(terms.row[t], odds, room.moves, room.n, room.y, room.new)
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


@pytest.fixture(scope="module")
def fitted():
    """Sixty species of which most sing at certain sites and hours, and a fit."""
    rng, n = np.random.default_rng(5), 900
    site, hour = rng.integers(0, 6, n), rng.integers(0, 8, n)
    context = Context(
        "site + hour", (contexts.levels("site", site, tuple("abcdef")), contexts.waves("hour", hour, 8))
    )
    common = np.array([-2.5, 0.6, -0.6, *[0.0] * 6])
    scale = np.array([0.8, 0.8, 0.8, *[1.2] * 6])
    effect = common + scale * rng.standard_normal((40, 9))
    annotations, present = contexts.simulated(rng, context, effect)
    model = dc.Model(InContext(context), PerAnnotator(dc.Beta(8, 2), dc.Beta(1, 99)), name="context")
    posterior = dc.fit(annotations, model, seed=1, draws=300, warmup=300, min_ess=None)
    return annotations, present, context, effect, posterior


def test_effects_and_scales_are_found(fitted):
    _, _, _, effect, posterior = fitted
    scale = posterior.draws.flat("effect_scale")
    assert np.all(np.abs(scale.mean(axis=0) - [1.2, 0.8]) < 0.25)
    matrix = contexts.design_matrix(fitted[2])
    drawn = np.concatenate(
        [posterior.draws.flat("intercept")[:, None], posterior.draws.flat("context_effect")[:, SMOOTH_FIRST]],
        axis=1,
    )
    where = np.random.default_rng(1).integers(0, len(matrix), 60)
    x = np.einsum("ib,dbk->dik", matrix[where], drawn[::4])
    low, high = np.quantile(x, [0.05, 0.95], axis=0)
    true = matrix[where] @ effect.T
    assert 0.83 < np.mean((low < true) & (true < high)) < 0.97  # about 0.90 over many such data


def test_context_helps_where_there_is_an_effect(fitted):
    annotations, present, _, _, posterior = fitted
    base = dc.fit(annotations, "base", seed=1, draws=300, warmup=300, min_ess=None)
    scores = []
    for result in (posterior, base):
        p = np.clip(result.to_xarray().to_numpy(), 1e-9, 1 - 1e-9)
        scores.append(-np.mean(np.where(present, np.log(p), np.log1p(-p))))
    assert scores[0] < 0.9 * scores[1]
    assert posterior.log_likelihood().mean() > base.log_likelihood().mean()


def test_nothing_is_lost_where_there_is_no_effect():
    simulation = dc.simulate_paper(recordings=400, species=15, visits=2.4, seed=0)
    i, prior = np.arange(400), dc.Priors.expecting(n_species=15)
    base = dc.fit(simulation.annotations, "base", priors=prior, seed=1, draws=400, warmup=300, min_ess=None)
    context = Context(
        "site + hour",
        (contexts.levels("site", i % 7, tuple("abcdefg")), contexts.waves("hour", i // 7 % 8, 8)),
    )
    model = dc.Model(InContext(context), base.model.expertise)
    other = dc.fit(simulation.annotations, model, seed=1, draws=400, warmup=300, min_ess=None)
    scores = [dc.evaluate(result, simulation.truth) for result in (base, other)]
    assert scores[1].auc > scores[0].auc - 0.002
    assert scores[1].log_score < scores[0].log_score + 0.0005
    assert np.all(np.quantile(other.draws.flat("effect_scale"), 0.05, axis=0) < 0.3)


def test_new_recordings_are_predicted_at_known_and_unknown_sites(fitted):
    annotations, _, context, _effect, posterior = fitted
    some = annotations.recordings.index[:30]
    new = annotations.select(recordings=list(some))
    order = annotations.recordings.index.get_indexer(new.recordings.index)
    rows = [term._replace(row=term.row[order]) for term in context.terms]
    again = posterior.predict(new, context=Context("site + hour", tuple(rows)))
    fit = posterior.presence(recordings=list(some))
    both = again.merge(fit, on=["recording", "species"])
    assert len(both) == len(again) == len(fit)
    assert np.abs(both.probability_x - both.probability_y).max() < 0.05
    unknown = rows[0]._replace(row=np.full(30, -1, np.int32))
    away = posterior.predict(new, context=Context("site + hour", (unknown, rows[1])))
    width = [(table.probability_upper - table.probability_lower).mean() for table in (again, away)]
    assert width[1] > width[0]
    with pytest.raises(dc.AnnotationError, match="context of the new recordings"):
        posterior.predict(new)
    with pytest.raises(dc.AnnotationError, match="where the fit has"):
        posterior.predict(new, context=Context("hour + site", tuple(rows[::-1])))


def test_a_fit_in_context_is_saved_and_reported(fitted, tmp_path):
    posterior = fitted[-1]
    posterior.save(tmp_path / "posterior.nc")
    again = dc.Posterior.load(tmp_path / "posterior.nc", model=posterior.model)
    assert again.presence(0.3).equals(posterior.presence(0.3))
    assert again.draws.variables == posterior.draws.variables
    group = again.tree["posterior"]
    assert group["effect_scale"].sel(term="site").shape == posterior.draws["intercept_mean"].shape
    assert "site: a" in group["effect"].values
    posterior.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "by the context of a recording" in text
    assert dc.plots.traces(posterior, "effect_scale", "site").get_ylabel().endswith("site")


def test_the_room_of_effects_is_limited(fitted):
    annotations, _, _, _, posterior = fitted
    few = dc.fit(annotations, posterior.model, seed=1, draws=40, warmup=20, min_ess=None, pair_megabytes=0.05)
    assert 0 < few.draws["context_effect"].shape[1] < few.draws.length
    assert len(few.presence(0.5)) > 100


def test_a_single_species_and_a_single_recording_can_be_fitted():
    annotations = dc.simulate_paper(recordings=12, species=1, visits=2, seed=2).annotations
    context = contexts.made_up(12)
    model = dc.Model(
        replace(InContext(context), scale=HalfNormal(0.5)), PerAnnotator(dc.Beta(8, 2), dc.Beta(1, 99))
    )
    posterior = dc.fit(annotations, model, draws=30, warmup=30, min_ess=None)
    assert np.isfinite(posterior.draws["effect_scale"]).all()
