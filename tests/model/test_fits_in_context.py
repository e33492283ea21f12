"""Whole fits in context: what they find, lose, predict and save."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import contexts
import dawnchorus as dc
from dawnchorus.model.context import Context
from dawnchorus.model.distributions import HalfNormal
from dawnchorus.model.expertise.per_annotator import PerAnnotator
from dawnchorus.model.occurrence.in_context import InContext

SMOOTH_FIRST = [6, 7, 0, 1, 2, 3, 4, 5]
"""The columns of the fit below in the order that kernels have them."""


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
    posterior = dc.fit(annotations, model, seed=1, chains=2, draws=300, warmup=150, min_ess=None)
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
    base = dc.fit(annotations, "base", seed=1, chains=2, draws=300, warmup=150, min_ess=None)
    scores = []
    for result in (posterior, base):
        p = np.clip(result.to_xarray().to_numpy(), 1e-9, 1 - 1e-9)
        scores.append(-np.mean(np.where(present, np.log(p), np.log1p(-p))))
    assert scores[0] < 0.9 * scores[1]
    assert posterior.log_likelihood().mean() > base.log_likelihood().mean()


def test_nothing_is_lost_where_there_is_no_effect():
    simulation = dc.simulate_paper(recordings=400, species=15, visits=2.4, seed=0)
    i, prior = np.arange(400), dc.Priors.expecting(n_species=15)
    short = {"seed": 1, "chains": 2, "draws": 400, "warmup": 300, "min_ess": None}
    base = dc.fit(simulation.annotations, "base", priors=prior, **short)
    context = Context(
        "site + hour",
        (contexts.levels("site", i % 7, tuple("abcdefg")), contexts.waves("hour", i // 7 % 8, 8)),
    )
    model = dc.Model(InContext(context), base.model.expertise)
    other = dc.fit(simulation.annotations, model, **short)
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
    with pytest.raises(dc.AnnotationError, match="metadata of recordings"):
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
