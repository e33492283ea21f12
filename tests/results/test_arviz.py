"""ArviZ on the trees of every model: what it computes and plots when it is given nothing but the tree.

Plots are made without drawing (ArviZ's backend "none"), except where the installed packages can draw.
"""

from __future__ import annotations

import warnings
from itertools import product

import arviz_base
import arviz_stats
import matplotlib
import matplotlib.pyplot as plt
import matplotlib.style
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import dawnchorus as dc
from dawnchorus.annotations.counting import active_recordings
from dawnchorus.results.saving import as_tree

MODELS = [name for name in dc.MODELS if name != "majority-vote"]  # which has no draws
SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}
ANNOTATORS = ["Aino", "Salo, Onni", "Väinö"]
SPECIES = ["Parus major", "wren"]
PLOTS = ("plot_trace", "plot_trace_dist", "plot_forest", "plot_ess", "plot_rank")

OLD_ARVIZ = arviz_base.__version__.startswith("0.")
NEW_MATPLOTLIB = tuple(map(int, matplotlib.__version__.split(".")[:2])) >= (3, 11)
NEW_XARRAY = tuple(map(int, xr.__version__.split(".")[:2])) >= (2026, 4)


@pytest.fixture(scope="module")
def annotations() -> dc.Annotations:
    """Few enough for every plot: ArviZ 1 refuses to draw more than 40 panels."""
    rng = np.random.default_rng(1)
    rows = [
        (f"r{i:02d}", who, species, int(rng.random() < 0.1 + 0.7 * (i % 3 == 0)))
        for i, who, species in product(range(40), ANNOTATORS, SPECIES)
        if rng.random() < 0.6
    ]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    return dc.Annotations.from_frame(frame, absence="explicit")


@pytest.fixture(scope="module", params=MODELS)
def posterior(request, annotations) -> dc.Posterior:
    return dc.fit(annotations, request.param, **SHORT)


@pytest.fixture(scope="module")
def tree_of_file(posterior, tmp_path_factory):
    """What xarray alone reads from the file."""
    path = tmp_path_factory.mktemp("fit") / "posterior.nc"
    posterior.save(path)
    return read(path)


def read(path):
    with xr.open_datatree(path) as tree:
        return tree.load()


@pytest.fixture(scope="module", params=["made", "read"])
def tree(request, posterior, tree_of_file):
    return posterior.tree if request.param == "made" else tree_of_file


@pytest.fixture(scope="module")
def arviz_plots():
    with pytest.MonkeyPatch.context() as patch:
        if not hasattr(matplotlib.style, "core"):  # arviz-plots 0.8 looks for what matplotlib 3.11 has moved
            patch.setattr(matplotlib.style, "core", matplotlib.style, raising=False)
        import arviz_plots

        yield arviz_plots


def expected_rows(posterior: dc.Posterior) -> list[str]:
    quoted = [f'"{name}"' if "," in name else name for name in ANNOTATORS]
    labels = {
        (): [""],
        ("annotator",): [f"[{name}]" for name in ANNOTATORS],
        ("species",): [f"[{name}]" for name in SPECIES],
        ("pair",): [f"[{who}, {species}]" for who, species in product(quoted, SPECIES)],
    }
    return [
        v.name + label for v in posterior.draws.variables if v.storage != "ragged" for label in labels[v.dims]
    ]


def test_summary_has_a_named_row_for_every_parameter(tree, posterior):
    table = arviz_stats.summary(tree)
    assert sorted(table.index) == sorted(expected_rows(posterior))
    columns = ["mean", "sd", "ess_bulk", "ess_tail"]
    assert np.isfinite(table[columns].astype(float)).all(axis=None)


def test_diagnostics_are_labelled(tree, posterior):
    for function in (arviz_stats.ess, arviz_stats.rhat, arviz_stats.mcse):
        found = function(tree)
        assert set(found.data_vars) == set(tree["posterior"].data_vars)
        assert found["tpr"].sel(annotator="Aino").ndim == 0
        if posterior.draws.by_pair:
            assert found["species_tpr"].sel(pair="Väinö, wren").ndim == 0


def test_an_observation_of_loo_is_a_recording(tree, annotations):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of Pareto k, after so few draws
        loo = arviz_stats.loo(tree)
    assert np.isfinite(loo.elpd)
    assert loo.n_data_points == len(active_recordings(annotations))
    likelihood = tree["log_likelihood"]["votes"]
    assert likelihood.sizes["draw"] == tree["posterior"].sizes["draw"]  # ArviZ takes them for the same draws
    assert likelihood.sel(recording="r00").dims == ("chain", "draw")


@pytest.mark.parametrize("name", PLOTS)
def test_plots_take_the_tree(tree_of_file, arviz_plots, name):
    if name == "plot_trace_dist" and OLD_ARVIZ and NEW_XARRAY:
        pytest.skip("arviz-plots 0.8 has no plot_trace_dist with this xarray, whatever the tree")
    with arviz_base.rc_context({"plot.backend": "none"}):
        getattr(arviz_plots, name)(tree_of_file)


@pytest.mark.skipif(OLD_ARVIZ and NEW_MATPLOTLIB, reason="arviz-plots 0.8 cannot draw with this matplotlib")
@pytest.mark.parametrize("name", ["plot_trace", "plot_forest"])
def test_plots_are_drawn_with_names(annotations, arviz_plots, name):
    figure = getattr(arviz_plots, name)(dc.fit(annotations, **SHORT).tree).viz["figure"].item()
    texts = " ".join(text.get_text() for text in figure.findobj(matplotlib.text.Text))
    plt.close("all")
    assert "species_tpr" in texts
    assert '"Salo, Onni", wren' in texts


def test_one_chain_one_annotator_one_species(recwarn):
    frame = pd.DataFrame({"recording": list("abcd"), "annotator": "Aino", "species": ["wren", ""] * 2})
    few = dc.Annotations.from_frame(frame, absence="checklist")
    for model in MODELS:
        tree = dc.fit(few, model, chains=1, **SHORT).tree
        assert "tpr[Aino]" in arviz_stats.summary(tree).index
        assert np.isfinite(arviz_stats.loo(tree).elpd)


def test_what_is_the_same_in_every_draw_stops_nothing():
    """Mean rates of somebody without species are all the same; their R-hat is not defined."""
    everybody = pd.DataFrame({"annotator": [*ANNOTATORS, "Nobody"]})
    frame = pd.DataFrame({"recording": list("abcd"), "annotator": "Aino", "species": ["wren", ""] * 2})
    scope = pd.DataFrame({"annotator": ["Aino"], "species": ["wren"]})
    some = dc.Annotations.from_frame(frame, absence="scope", scope=scope, annotators=everybody)
    tree = dc.fit(some, **SHORT).tree
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy, in ArviZ
        table, loo = arviz_stats.summary(tree), arviz_stats.loo(tree)
    assert table.loc["mean_tpr[Nobody]", "sd"] in (0, "0")
    assert np.isfinite(loo.elpd)


def test_draws_that_memory_allows_fewer_of_are_named_too(annotations, tmp_path):
    posterior = dc.fit(annotations, **SHORT, pair_megabytes=0.005)
    posterior.save(tmp_path / "posterior.nc")
    for tree in (posterior.tree, read(tmp_path / "posterior.nc")):
        thinned = tree["posterior_thinned"]
        assert 0 < thinned.sizes["draw"] < tree["posterior"].sizes["draw"]
        assert "tpr[Aino]" in arviz_stats.summary(tree).index
        assert "species_fpr[Aino, wren]" in arviz_stats.summary(tree, group="posterior_thinned").index
        assert tree["moments"]["species_tpr_mean"].sel(pair="Aino, wren").ndim == 0


def test_more_pairs_than_names(annotations, monkeypatch):
    monkeypatch.setattr(as_tree, "MOST_PAIR_NAMES", 5)
    tree = dc.fit(annotations, **SHORT).tree
    assert "species_tpr[0]" in arviz_stats.summary(tree).index
    given = tree["constant_data"]
    assert given["annotator"][given["pair_annotator"]].values.tolist() == [*np.repeat(ANNOTATORS, 2)]
    assert given["species"][given["pair_species"]].values.tolist() == SPECIES * 3


def test_the_likelihood_of_many_recordings_has_fewer_draws(annotations, monkeypatch):
    monkeypatch.setattr(as_tree, "ALL_LIKELIHOODS", 100)
    monkeypatch.setattr(as_tree, "MOST_DRAWS", 20)
    tree = dc.fit(annotations, "base", **SHORT).tree
    assert tree["log_likelihood"].sizes["draw"] == 5
    monkeypatch.setattr(as_tree, "MOST_LIKELIHOODS", 100)
    assert "log_likelihood" not in dc.fit(annotations, "base", **SHORT).tree


def test_pairs_with_commas_in_their_names_are_told_apart(recwarn):
    frame = pd.DataFrame(
        [("r1", "a, b", "c"), ("r1", "a", "b, c"), ("r2", '"a', "c"), ("r2", "a, b", "b, c")],
        columns=["recording", "annotator", "species"],
    )
    named = dc.Annotations.from_frame(frame, absence="checklist")
    rows = arviz_stats.summary(dc.fit(named, **SHORT).tree).index
    assert rows.is_unique
    assert {'species_tpr["a, b", c]', 'species_tpr[a, "b, c"]', 'species_tpr["""a", c]'} <= {*rows}
