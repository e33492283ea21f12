"""What a posterior offers: tables, a tree for ArviZ, files, prediction; and the contract of all models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
import naive
from dawnchorus.common.errors import OutputError

MODELS = [name for name in dc.MODELS if name != "majority-vote"]
SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}


@pytest.fixture(scope="module")
def annotations():
    return dc.simulate_portal(90, 6, 7, visits=1.8, sites=3, seed=4).annotations


@pytest.fixture(scope="module", params=MODELS)
def posterior(request, annotations):
    return dc.fit(annotations, request.param, **SHORT)


def test_every_model_keeps_the_contract(posterior, annotations):
    a = annotations
    presence = posterior.presence()
    assert len(presence) == a.n_recordings * a.n_species == posterior.count_presence()
    assert presence["probability"].between(0, 1).all()
    assert (presence["probability_lower"] <= presence["probability_upper"]).all()
    assert presence["reports"].sum() == a.n_reports
    assert posterior.presence(mcse=True)["mcse"].between(0, 0.1).all()
    assert posterior.mean_probability() == pytest.approx(presence["probability"].mean(), rel=1e-5)
    likely = posterior.presence(0.5)
    assert len(likely) == posterior.count_presence(0.5) < len(presence)
    assert (likely["probability"] >= 0.5).all()
    kept = posterior.presence(0.5, keep_reported=True)
    assert len(kept) == posterior.count_presence(0.5, keep_reported=True) > len(likely)
    assert ((kept["probability"] >= 0.5) | (kept["reports"] > 0)).all()
    assert kept["reports"].sum() == a.n_reports
    rates = posterior.annotators()
    for rate in ("tpr", "fpr"):
        assert (rates[f"{rate}_lower"] <= rates[rate]).all()
        assert (rates[rate] <= rates[f"{rate}_upper"]).all()
    assert posterior.species()["occurrence"].between(0, 1).all()
    assert repr(posterior).startswith(f"<Posterior: {posterior.name}")
    assert "with these priors" in posterior.in_words()


def test_tables_that_only_some_models_have(posterior, annotations):
    if posterior.name.endswith("hierarchical"):
        table = posterior.annotator_species()
        assert table["votes"].sum() == annotations.n_votes
        assert table["reports"].sum() == annotations.n_reports
        assert (posterior.annotators()["mean_tpr"] > 0).all()
        means = table.groupby("annotator", sort=False)["tpr"].mean()
        shown = posterior.annotators().set_index("annotator")["mean_tpr"]
        assert np.allclose(means, shown[means.index], atol=1e-5)
    else:
        with pytest.raises(dc.AnnotationError, match="the same for all species"):
            posterior.annotator_species()
    if "bmm" in posterior.name:
        table = posterior.components()
        assert table["share"].is_monotonic_decreasing
        assert table["share"].sum() <= 1 + 1e-6
    else:
        with pytest.raises(dc.AnnotationError, match="has no components"):
            posterior.components()


def test_probabilities_and_likelihood_against_loops(posterior, annotations):
    cube = annotations.to_cube()
    parameters = posterior.parameters(most=8)
    parameters = parameters._replace(occurrence=parameters.occurrence.astype(float))  # loops are in it
    design = posterior.design
    from dawnchorus.model.predictive.cell_votes import votes_of
    from dawnchorus.model.predictive.cells import predict_cells
    from dawnchorus.model.predictive.likelihood import log_likelihood

    votes = votes_of(annotations)
    cells = predict_cells(votes, design.pairs, parameters)
    found = np.concatenate([c.probability for c in cells]).reshape(cube.shape[0], cube.shape[2])
    wanted, wanted_likelihood = naive.predictive(
        cube, design.rates_at if design.by_species else None, parameters
    )
    assert np.allclose(found, wanted, atol=1e-5)
    assert np.allclose(log_likelihood(votes, design.pairs, parameters), wanted_likelihood, rtol=1e-6)


@pytest.mark.parametrize(("tpr", "fpr"), [(0.8, 0.01), (0.9, 1e-3), (0.999, 1e-9)])
@pytest.mark.parametrize("backwards", [False, True])
def test_hundreds_of_votes_on_a_recording_are_counted_to_the_last(tpr, fpr, backwards):
    from dawnchorus.common.ragged import Ragged
    from dawnchorus.model.predictive.cell_votes import votes_of
    from dawnchorus.model.predictive.cells import predict_cells
    from dawnchorus.model.predictive.likelihood import log_likelihood
    from dawnchorus.model.predictive.parameters import Parameters

    n, since = 300, {"A": 120, "B": 30, "C": 299, "D": 300}
    names = [f"a{n - j if backwards else j:03d}" for j in range(n)]
    frame = pd.DataFrame(
        [("clip", name, k, int(j >= first)) for j, name in enumerate(names) for k, first in since.items()],
        columns=["recording", "annotator", "species", "present"],
    )
    votes = votes_of(dc.Annotations.from_frame(frame, "explicit"))
    weight, occurrence = np.array([[0.3, 0.7]]), np.array([[[0.05, 0.3, 0.2, 1.0], [1e-9, 0.5, 0.1, 0.4]]])
    given = Parameters(np.full((1, n), tpr), np.full((1, n), fpr), np.array([2]), weight, occurrence)
    (cells,) = predict_cells(votes, Ragged.empty(0), given)
    found = log_likelihood(votes, Ragged.empty(0), given)
    reports = n - np.array(list(since.values()))
    there, not_there = (reports * np.log(rate) + (n - reports) * np.log1p(-rate) for rate in (tpr, fpr))
    with np.errstate(divide="ignore"):
        one, other = np.log(occurrence[0]) + there, np.log1p(-occurrence[0]) + not_there
    shares = np.log(weight[0]) + np.logaddexp(one, other).sum(axis=1)
    assert found[0, 0] == pytest.approx(np.logaddexp.reduce(shares), rel=1e-9)
    chances = np.exp(shares - np.logaddexp.reduce(shares)) @ np.exp(one - np.logaddexp(one, other))
    assert cells.probability == pytest.approx(chances, abs=1e-6)


def test_the_tree_has_groups_and_names(posterior, annotations):
    tree = posterior.tree
    assert {"posterior", "sample_stats", "observed_data", "constant_data", "log_likelihood"} <= set(
        tree.children
    )
    assert tree["posterior"]["tpr"].dims == ("chain", "draw", "annotator")
    assert tree["posterior"]["annotator"].values.tolist() == annotations.annotators.index.tolist()


def test_saved_and_loaded_it_is_the_same(posterior, tmp_path):
    path = tmp_path / "posterior.nc"
    posterior.save(path)
    with pytest.raises(OutputError, match="exists"):
        posterior.save(path)
    again = dc.Posterior.load(path)
    pd.testing.assert_frame_equal(again.presence(), posterior.presence())
    pd.testing.assert_frame_equal(again.annotators(), posterior.annotators())
    assert again.priors == posterior.priors
    assert again.diagnostics == posterior.diagnostics
    assert dc.Posterior.load(tmp_path).record == again.record  # the folder will do
    again.save(path, overwrite=True)
    with pytest.raises(OutputError, match="is missing"):
        dc.Posterior.load(tmp_path / "none.nc")
    (tmp_path / "rubbish.nc").write_text("rubbish")
    with pytest.raises(OutputError, match="not a posterior"):
        dc.Posterior.load(tmp_path / "rubbish.nc")


def test_prediction_of_fitted_recordings_is_their_presence(posterior, annotations):
    names = annotations.recordings.index[:10]
    predicted = posterior.predict(annotations.select(recordings=names))
    fitted = posterior.presence()
    fitted = fitted[fitted["recording"].isin(names)].reset_index(drop=True)
    assert predicted["recording"].tolist() == fitted["recording"].tolist()
    assert np.allclose(predicted["probability"], fitted["probability"], atol=1e-5)


def test_prediction_with_new_annotators_and_species_subsets(posterior, annotations):
    table = pd.DataFrame(
        {
            "recording": ["new"] * 2,
            "annotator": ["Somebody", annotations.annotators.index[0]],
            "species": annotations.species.index[[1, 1]],
        }
    )
    later = dc.Annotations.from_frame(table, absence="checklist")
    predicted = posterior.predict(later)
    assert predicted["species"].tolist() == [annotations.species.index[1]]
    assert predicted["probability"].item() > posterior.species()["occurrence"][1]
    table["species"] = "dodo"
    with pytest.raises(dc.AnnotationError, match="species 'dodo' was not in the annotations"):
        posterior.predict(dc.Annotations.from_frame(table, absence="checklist"))


def test_conditional_waic_against_loops(annotations):
    posterior = dc.fit(annotations, "base", **SHORT)
    found = posterior.conditional_waic()
    wanted = naive.conditional_waic(annotations.to_cube(), posterior.parameters())
    assert found["votes"] == annotations.n_votes
    assert found["lppd"] == pytest.approx(wanted[0], rel=1e-4)
    assert found["p_waic"] == pytest.approx(wanted[1], rel=1e-4)


@pytest.mark.parametrize("model", ["base", "base-hierarchical", "dp-bmm"])
def test_many_cells_are_listed_only_where_probable(annotations, monkeypatch, model):
    from dawnchorus.results.presence import presence_table as module

    whole = dc.fit(annotations, model, **SHORT)
    wanted = {
        (least, reported): whole.presence(least, keep_reported=reported)
        for least in (0.2, 0.004)
        for reported in (True, False)
    }
    likelihood = whole.log_likelihood()
    monkeypatch.setattr(module, "ALL_CELLS", 10)
    some = dc.fit(annotations, model, **SHORT)
    for (least, reported), table in wanted.items():  # kept once for all, and computed anew
        pd.testing.assert_frame_equal(some.presence(least, keep_reported=reported), table)
        assert some.count_presence(least, keep_reported=reported) >= len(table)
    assert np.allclose(some.log_likelihood(), likelihood)
    assert len(some.presence()) == annotations.n_recordings * annotations.n_species


@pytest.mark.parametrize("model", ["base", "majority-vote"])
def test_presence_can_be_asked_for_by_recording_and_species(annotations, model):
    result = dc.fit(annotations, model, **(SHORT if model == "base" else {}))
    a, every = annotations, result.presence()
    recordings, species = list(a.recordings.index[[3, 0]]), str(a.species.index[2])
    some = result.presence(recordings=recordings, species=species)
    wanted = every[every["recording"].isin(recordings) & (every["species"] == species)]
    pd.testing.assert_frame_equal(some, wanted.reset_index(drop=True))
    one = result.presence(recordings=recordings[0])
    assert set(one["recording"]) == {recordings[0]}
    assert len(one) == a.n_species
    likely = result.presence(0.4, recordings=recordings[0], keep_reported=True)
    assert len(likely) == ((one["probability"] >= 0.4) | (one["reports"] > 0)).sum()
    blocks = result.presence_blocks(0.9)
    assert (pd.concat(blocks)["probability"] >= 0.9).all()
    assert len(result.presence(0.9)) == result.count_presence(0.9)
    with pytest.raises(dc.AnnotationError, match="there is no recording 'rx'"):
        result.presence(recordings="rx")
    with pytest.raises(dc.AnnotationError, match="min_probability is 2"):
        result.presence(2)


def test_predictions_are_listed_by_the_same_rule(annotations):
    posterior = dc.fit(annotations, "base", **SHORT)
    every = posterior.predict(annotations)
    assert len(posterior.predict(annotations, 0.5)) == (every["probability"] >= 0.5).sum()
    kept = posterior.predict(annotations, 0.5, keep_reported=True)
    assert len(kept) == ((every["probability"] >= 0.5) | (every["reports"] > 0)).sum()
