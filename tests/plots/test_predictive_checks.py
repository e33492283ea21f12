"""Plots of posterior predictive checks."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

import dawnchorus as dc
from dawnchorus.plots.predictive_checks import draw_checks

mpl.use("Agg")


@pytest.fixture(scope="module")
def checks():
    annotations = dc.simulate_portal(90, 5, 6, visits=1.2, seed=1).annotations
    posterior = dc.fit(annotations, "base", warmup=50, draws=60, min_ess=None, seed=1)
    return dc.predictive_checks(posterior, simulations=100)


def test_what_is_expected_and_what_was_observed(checks):
    ax = dc.plots.predictive_check(checks, "pair_agreement")
    row = checks.table().set_index("check").loc["pair_agreement"]
    (line,) = ax.get_lines()
    assert line.get_xdata()[0] == row["observed"]
    assert sum(bar.get_height() for bar in ax.patches) == 100
    assert ax.get_title(loc="left") == f"p = {row['p_value']:.3f}"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["simulated", "observed"]


def test_whole_numbers_have_a_bar_each(checks):
    ax = dc.plots.predictive_check(checks, "species_once")
    assert {round(bar.get_width(), 6) for bar in ax.patches} == {1.0}


def test_every_check_has_axes_and_others_are_empty(checks):
    axes = list(Figure().subplots(4, 3).ravel())
    draw_checks(checks, axes)
    assert [ax.axison for ax in axes] == [True] * len(checks.checked) + [False] * (12 - len(checks.checked))
    assert [ax.get_legend() is not None for ax in axes] == [True, *[False] * 11]


def test_what_is_not_there_is_said(checks):
    with pytest.raises(dc.AnnotationError, match="no check 'agreement'.*'pair_agreement'"):
        dc.plots.predictive_check(checks, "agreement")
    one = dc.simulate_paper(recordings=1, annotators=1, visits=1, seed=1).annotations
    few = dc.predictive_checks(dc.fit(one, "base", draws=50, warmup=0, min_ess=None), simulations=100)
    with pytest.raises(dc.AnnotationError, match="not enough data for the check 'pair_agreement'"):
        dc.plots.predictive_check(few)
