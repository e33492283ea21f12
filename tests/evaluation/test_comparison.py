"""A fit beside the truth: coverage, errors and figures."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc

mpl.use("Agg")


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_paper(3, recordings=200, annotators=6, species=5, visits=3, seed=2)


@pytest.fixture(scope="module")
def posterior(simulation):
    return dc.fit(
        simulation.annotations,
        "base-hierarchical",
        priors="paper-simulation",
        warmup=200,
        draws=300,
        min_ess=None,
        seed=1,
    )


def test_rates_are_compared_annotator_by_annotator(posterior, simulation):
    found = dc.compare_to_truth(posterior, simulation.truth, level=0.8)
    table = found.annotators
    assert table.groupby("rate", sort=False).size().to_dict() == {"tpr": 6, "fpr": 6}
    draws = posterior.draws["tpr"].reshape(-1, 6)
    first = table.iloc[0]
    assert first["annotator"] == "a1"
    assert first["true"] == simulation.truth.annotators["tpr"][0]
    assert first["estimate"] == pytest.approx(draws[:, 0].mean())
    assert [first["estimate_lower"], first["estimate_upper"]] == pytest.approx(
        np.quantile(draws[:, 0], [0.1, 0.9])
    )
    assert table["covered"].equals(table["true"].between(table["estimate_lower"], table["estimate_upper"]))
    rates = found.rates().set_index("rate")
    tpr = table[table["rate"] == "tpr"]
    assert rates.loc["tpr", "coverage"] == tpr["covered"].mean()
    assert rates.loc["tpr", "mse"] == pytest.approx(((tpr["estimate"] - tpr["true"]) ** 2).mean())
    assert found.as_dict()["auc"] == dc.evaluate(posterior, simulation.truth).auc
    assert "80% intervals cover" in str(found)


def test_truth_may_be_a_table_with_or_without_rates(posterior, simulation):
    cells = simulation.truth.to_frame()
    assert dc.compare_to_truth(posterior, cells).annotators.empty
    known = pd.DataFrame({"annotator": ["a3", "stranger"], "tpr": [0.8, 0.9]})
    found = dc.compare_to_truth(posterior, cells, annotators=known)
    assert found.annotators[["annotator", "rate"]].to_numpy().tolist() == [["a3", "tpr"]]
    with pytest.raises(dc.AnnotationError, match="no column 'annotator'"):
        dc.compare_to_truth(posterior, cells, annotators=known.rename(columns={"annotator": "who"}))
    with pytest.raises(ValueError, match="level"):
        dc.compare_to_truth(posterior, cells, level=95)


def test_the_roc_curve_has_the_area_that_is_told(posterior, simulation):
    scores = dc.evaluate(posterior, simulation.truth)
    area = np.trapezoid(scores.roc["present_called"], scores.roc["absent_called"])
    assert area == pytest.approx(scores.auc)


def test_figures_draw_into_the_axes_they_are_given(posterior, simulation):
    from matplotlib.figure import Figure

    scores = {"ours": dc.evaluate(posterior, simulation.truth, bootstrap=5)}
    axes = Figure().subplots(2, 4).ravel()
    assert dc.plots.roc(scores, axes[0]) is axes[0]
    assert "(" in axes[0].get_legend().get_texts()[0].get_text()
    dc.plots.calibration(scores, axes[1])
    dc.plots.thresholds(scores, "specificity", axes[2])
    dc.plots.annotators(posterior, "mean_fpr", ax=axes[3])
    assert len(axes[3].collections) > 6
    dc.plots.traces(posterior, "species_tpr", 7, ax=axes[4])
    assert axes[4].get_ylabel() == "true positive rate, a2 on s3"
    dc.plots.traces(posterior, "tpr_spread", ax=axes[5])
    assert len(axes[5].lines) == 4


def test_violins_are_ordered_and_coloured_by_a_column():
    portal = dc.simulate_portal(80, 5, 6, visits=2, seed=1).annotations
    posterior = dc.fit(portal, "base", warmup=100, draws=100, min_ess=None)
    column = portal.annotators.columns[0] if len(portal.annotators.columns) else None
    ax = dc.plots.annotators(posterior, by=column)
    means = posterior.draws["tpr"].mean(axis=(0, 1))
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert names == portal.annotators.index[np.argsort(means, kind="stable")].tolist()


def test_plots_refuse_names_that_are_not_there(posterior):
    name = posterior.annotations.species.index[0]
    with pytest.raises(dc.AnnotationError, match="no annotator 'nobody'"):
        dc.plots.annotators(posterior, which=["nobody"])
    with pytest.raises(dc.AnnotationError, match="no annotator 'nobody'"):
        dc.plots.skills(posterior, annotators=["nobody"])
    with pytest.raises(dc.AnnotationError, match="no species 'Dodo'"):
        dc.plots.skills(posterior, species=[name, "Dodo"])
    with pytest.raises(dc.AnnotationError, match="no column 'grade'"):
        dc.plots.annotators(posterior, by="grade")


def test_in_a_single_component_nothing_stands_out():
    annotations = dc.simulate_paper(recordings=80, annotators=4, species=5, visits=3, seed=1).annotations
    posterior = dc.fit(annotations, "bmm", components=1, warmup=50, draws=60, min_ess=None, seed=1)
    assert posterior.components()["stand_out"].tolist() == [""]
    assert "no species stands out" in dc.plots.communities(posterior).texts[0].get_text()
    with pytest.raises(dc.AnnotationError, match="no species 'Dodo'"):
        dc.plots.correlation(posterior, species=["Dodo"])
