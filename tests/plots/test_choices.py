"""Plots of what is not there say what there is instead, and draw nothing."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

import dawnchorus as dc

mpl.use("Agg")
SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}


@pytest.fixture(scope="module")
def posterior():
    a = dc.simulate_portal(40, ["Aino", "Onni", "Elli"], ["wren", "robin", "crane"], visits=2, seed=1)
    return dc.fit(a.annotations, "dp-bmm-hierarchical", **SHORT)


@pytest.fixture(scope="module")
def scores():
    simulation = dc.simulate_paper(recordings=50, visits=3, occurrence=(2, 5), seed=1)
    return dc.evaluate(dc.fit(simulation.annotations, "majority-vote"), simulation.truth)


WRONG = {
    "traces of no parameter": (
        lambda p, s: dc.plots.traces(p, "tprs"),
        "no parameter 'tprs'; there are .*use tpr",
    ),
    "ranks of no parameter": (lambda p, s: dc.plots.ranks(p, "skill"), "no parameter 'skill'; .*occurrence"),
    "prior of no parameter": (
        lambda p, s: dc.plots.prior_and_posterior(p, "skill"),
        "no parameter with a prior of its own 'skill'; there are .*tpr",
    ),
    "prior of a parameter without one": (
        lambda p, s: dc.plots.prior_and_posterior(p, "mean_tpr"),
        "no parameter with a prior of its own 'mean_tpr'",
    ),
    "traces of nobody": (
        lambda p, s: dc.plots.traces(p, "tpr", "Ainoo"),
        "no annotator 'Ainoo'.*you mean Aino",
    ),
    "ranks of no species": (lambda p, s: dc.plots.ranks(p, "occurrence", "owl"), "no species 'owl'"),
    "traces of a place": (
        lambda p, s: dc.plots.traces(p, "tpr", 3),
        "no item 3; it has 3, from 0 to 2.*annotator",
    ),
    "traces of half a pair": (
        lambda p, s: dc.plots.traces(p, "species_tpr", "Aino"),
        "an annotator and a species",
    ),
    "traces of an item of one": (lambda p, s: dc.plots.traces(p, "tpr_spread", "Aino"), "has one value"),
    "traces of a named component": (
        lambda p, s: dc.plots.traces(p, "component_weight", "wren"),
        "number of a component",
    ),
    "annotators by no rate": (
        lambda p, s: dc.plots.annotators(p, "occurrence"),
        "no parameter of annotators 'occurrence'; there are .*tpr",
    ),
    "annotators by no column": (lambda p, s: dc.plots.annotators(p, by="skill"), "the columns are level"),
    "nobody among others": (lambda p, s: dc.plots.among_others(p, "Veikko"), "no annotator 'Veikko'"),
    "no rate among others": (
        lambda p, s: dc.plots.among_others(p, "Aino", "auc"),
        "no parameter of annotators 'auc'",
    ),
    "skills by no rate": (
        lambda p, s: dc.plots.skills(p, "mean_tpr"),
        "no rate 'mean_tpr'; there are tpr, fpr",
    ),
    "skills of nobody": (lambda p, s: dc.plots.skills(p, annotators=["Veikko"]), "no annotator 'Veikko'"),
    "no measure": (
        lambda p, s: dc.plots.thresholds(s, "recall"),
        "no measure 'recall'; there are sensitivity",
    ),
    "no column x": (
        lambda p, s: dc.plots.curves(
            pd.DataFrame({"visits": [1], "model": "base"}), "visit", "visits", by="model"
        ),
        "no column 'visit'; there are visits, model.*use visits",
    ),
    "no column of a band": (
        lambda p, s: dc.plots.curves(
            pd.DataFrame({"visits": [1], "model": "base"}),
            "visits",
            "visits",
            by="model",
            band=("low", "high"),
        ),
        "no column 'low'",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_plots_say_what_there_is_instead(name, posterior, scores):
    plot, message = WRONG[name]
    before = plt.get_fignums()
    with pytest.raises(dc.AnnotationError, match=message):
        plot(posterior, scores)
    assert plt.get_fignums() == before  # not even an empty figure


def test_chains_can_be_asked_for_by_name(posterior):
    a, design = posterior.annotations, posterior.design
    assert dc.plots.traces(posterior, "tpr", "Onni").get_ylabel() == "true positive rate, Onni"
    j, k = design.rate_annotator[1], design.pairs.item[1]
    pair = a.annotators.index[j], a.species.index[k]
    by_name, by_place = (dc.plots.traces(posterior, "species_tpr", item) for item in (pair, 1))
    assert by_name.get_ylabel() == by_place.get_ylabel() == f"true positive rate, {pair[0]} on {pair[1]}"
    assert (by_name.lines[0].get_ydata() == by_place.lines[0].get_ydata()).all()
    title = dc.plots.ranks(posterior, "occurrence", "wren").get_title(loc="left")
    assert title == "how often species occur, wren"
    assert "number 1" in dc.plots.traces(posterior, "component_weight", 0).get_ylabel()
    plt.close("all")


TABLE = pd.DataFrame({"visits": [1, 2], "auc": [0.8, 0.9], "model": "base"})
NOTHING = {
    "annotators": lambda p, s: dc.plots.annotators(p, which=[]),
    "annotator_intervals": lambda p, s: dc.plots.annotator_intervals(p, which=[]),
    "annotators of skills": lambda p, s: dc.plots.skills(p, annotators=[]),
    "skills": lambda p, s: dc.plots.skills(p, species=[]),
    "correlation": lambda p, s: dc.plots.correlation(p, species=[]),
    "roc": lambda p, s: dc.plots.roc({}),
    "calibration": lambda p, s: dc.plots.calibration({}),
    "thresholds": lambda p, s: dc.plots.thresholds({}),
    "curves": lambda p, s: dc.plots.curves(TABLE, "visits", "auc", by="model", order=[]),
    "curves of nobody": lambda p, s: dc.plots.curves(TABLE, "visits", "auc", by="model", order=["q"]),
    "curves of no rows": lambda p, s: dc.plots.curves(TABLE[:0], "visits", "auc", by="model"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_not_plotted(name, posterior, scores):
    before = plt.get_fignums()
    with pytest.raises(dc.AnnotationError, match="name at least one"):
        NOTHING[name](posterior, scores)
    assert plt.get_fignums() == before


def test_no_species_has_no_curve_and_no_scores():
    a = dc.simulate_portal(60, 5, 4, sites=2, machine="BirdNET", seed=1).annotations
    posterior = dc.fit(a, "base", context="site + cc(hour, df=4)", **SHORT)
    for plot in (dc.plots.when, dc.plots.score_calibration):
        with pytest.raises(dc.AnnotationError, match="no species is named.*name at least one"):
            plot(posterior, [])
    with pytest.raises(dc.AnnotationError, match="no item 0.5"):
        dc.plots.traces(posterior, posterior.draws.by("machine")[0].name, 0.5)


@pytest.mark.parametrize("place", [1.5, -1, float("nan"), True, str])
@pytest.mark.parametrize("plot", ["traces", "ranks"])
def test_a_place_is_a_whole_number(plot, place, posterior):
    with pytest.raises(dc.AnnotationError, match="tpr has no item .*; it has 3, from 0 to 2"):
        getattr(dc.plots, plot)(posterior, "tpr", place)
    assert plt.get_fignums() == []


def test_axes_of_logits_show_them(posterior):
    level = next(v.name for v in posterior.draws.variables if v.name == "fpr_level")
    draws = posterior.draws.flat(level)
    assert draws.max() < 0
    for ax in (
        dc.plots.annotator_intervals(posterior, level),
        dc.plots.among_others(posterior, "Aino", level),
    ):
        low, high = ax.get_xlim()
        assert low < draws.mean(axis=0).min()
        assert high > draws.mean(axis=0).max()
    assert dc.plots.annotator_intervals(posterior, "tpr").get_xlim()[0] == 0
    plt.close("all")


def arguments_of(name):
    return {
        "among_others": ["Aino"],
        "traces": ["tpr"],
        "ranks": ["tpr"],
        "prior_and_posterior": ["tpr"],
        "when": ["wren"],
        "where": ["wren"],
        "where_on_map": ["wren"],
        "curves": ["visits", "auc"],
    }.get(name, [])


PLOTS = [name for name in dc.plots.__all__ if callable(getattr(dc.plots, name))]
OTHERS = {"thresholds", "roc", "calibration", "compared", "predictive_check", "curves"}


@pytest.mark.parametrize("name", PLOTS)
def test_plots_say_what_they_take(name, posterior, scores):
    keywords = {"by": "model"} if name == "curves" else {}
    wrong = posterior if name in OTHERS else dc.MajorityVote(posterior.annotations)
    for given in (wrong, "result", None):
        with pytest.raises(TypeError, match=f"plots.{name} takes .*, not {type(given).__name__}"):
            getattr(dc.plots, name)(given, *arguments_of(name), **keywords)
    assert plt.get_fignums() == []


def test_plots_of_evaluations_take_nothing_else_by_name(posterior, scores):
    for name in ("roc", "calibration", "thresholds"):
        with pytest.raises(TypeError, match="'base' is a Posterior: give an Evaluation"):
            getattr(dc.plots, name)({"vote": scores, "base": posterior})
    with pytest.raises(TypeError, match="evaluations"):  # as Python says it
        dc.plots.roc()
    assert dc.plots.roc(evaluations=scores).lines
    plt.close("all")
