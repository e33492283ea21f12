"""Plots of where and when species sing: what is drawn is what the table has."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import dawnchorus as dc
from contexts import sung

mpl.use("Agg")
pytest.importorskip("formulaic")

SHORT = {"model": "base", "seed": 1, "draws": 60, "warmup": 60, "min_ess": None}


@pytest.fixture(scope="module")
def annotations():
    return sung(n_recordings=200, n_species=3).annotations


@pytest.fixture(scope="module")
def posterior(annotations):
    return dc.fit(annotations, context="site + cc(hour, df=4) + bs(date, df=3)", **SHORT)


def test_curves_are_those_of_the_table(posterior):
    table = posterior.where_and_when("bird 1", "hour")
    ax = dc.plots.when(posterior, ["bird 1", "bird 2"])
    line = ax.lines[0].get_xydata()
    assert np.allclose(line[:, 1][np.isin(line[:, 0], table["value"])], table["probability"])
    assert ax.get_xlim() == (0, 24)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["bird 1", "bird 2"]
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() >= table["probability_upper"].max() - 1e-9
    assert dc.plots.when(posterior, "bird 1").get_legend() is None


def test_dates_are_dates(posterior):
    ax = dc.plots.when(posterior, "bird 0", "date")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1 May", "1 Jun", "1 Jul"]
    assert ax.get_xticks().tolist() == [121, 152, 182]


def test_sites_are_listed_with_the_most_probable_on_top(posterior):
    table = posterior.where_and_when("bird 1", "site").sort_values("probability")
    ax = dc.plots.where(posterior, "bird 1")
    assert [tick.get_text() for tick in ax.get_yticklabels()] == table["at"].tolist()
    assert np.allclose(ax.lines[0].get_xdata(), table["probability"])
    ax = dc.plots.where(posterior, "bird 1", most=2)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == table["at"].tolist()[-2:]
    assert ax.get_ylabel() == "2 of 5 sites"


def test_sites_on_a_map_lie_where_they_are(posterior):
    table = posterior.where_and_when("bird 1", "site")
    ax = dc.plots.where_on_map(posterior, "bird 1")
    dots = ax.collections[0]
    assert np.allclose(dots.get_offsets(), [(24 + 0.2 * (s % 3), 60 + 0.1 * s) for s in range(5)])
    assert np.allclose(dots.get_array(), table["probability"])
    assert np.argmax(dots.get_sizes()) == table["probability"].argmax()


def test_what_cannot_be_drawn_is_said(annotations, posterior):
    before = len(mpl.pyplot.get_fignums())
    with pytest.raises(dc.AnnotationError, match=r"'site' has no numbers, only names.*plots.where"):
        dc.plots.when(posterior, "bird 1", "site")
    with pytest.raises(dc.AnnotationError, match=r"'hour' has no names, only numbers.*plots.when"):
        dc.plots.where(posterior, "bird 1", "hour")
    with pytest.raises(dc.AnnotationError, match="no term 'month'"):
        dc.plots.when(posterior, "bird 1", "month")
    with pytest.raises(dc.AnnotationError, match="there is no species 'bird 7'"):
        dc.plots.where(posterior, "bird 7")
    plain = dc.fit(annotations, **SHORT | {"draws": 10, "warmup": 10})
    for draw in (dc.plots.when, dc.plots.where, dc.plots.where_on_map):
        with pytest.raises(dc.AnnotationError, match="without where and when"):
            draw(plain, "bird 1")
    assert len(mpl.pyplot.get_fignums()) == before


def test_without_coordinates_there_is_no_map_and_with_some_a_part_of_it(annotations):
    recordings = annotations.recordings.reset_index()
    some = recordings.assign(latitude=recordings["latitude"].where(recordings["site"] != "site 2"))
    for table, sites in ((recordings.drop(columns="latitude"), 0), (some, 4)):
        a = dc.Annotations.from_frame(annotations.to_frame(), absence="checklist", recordings=table)
        posterior = dc.fit(a, context="site", **SHORT | {"draws": 10, "warmup": 10})
        if sites:
            assert len(dc.plots.where_on_map(posterior, "bird 1").collections[0].get_offsets()) == sites
            continue
        with pytest.raises(dc.AnnotationError, match="no latitude and longitude"):
            dc.plots.where_on_map(posterior, "bird 1")
