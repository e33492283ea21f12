"""The section of the report on where and when species sing."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from contexts import made_up, sung
from dawnchorus.model.expertise.per_annotator import PerAnnotator
from dawnchorus.model.occurrence.in_context import InContext
from dawnchorus.report import report_html
from dawnchorus.report.sections import where_and_when
from pages import Page

SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}
EVIL = "<script>alert(1)</script> $x$"


@pytest.fixture(scope="module")
def annotations():
    return sung(n_recordings=150, n_species=8, n_sites=4).annotations


def fit(annotations, formula):
    pytest.importorskip("formulaic")
    return dc.fit(annotations, "base", context=formula, **SHORT)


def part_of(text):
    """Give the section as text."""
    found = re.search(r'<section id="where_and_when">.*?</section>', text, re.DOTALL)
    return found and found[0]


def test_the_most_common_species_have_figures_and_a_row_each(annotations):
    posterior = fit(annotations, "site + cc(hour, df=4) + bs(date, df=3)")
    text = report_html(posterior)
    page, part = Page(text), part_of(text)
    assert page.scripts == 1
    assert 2 * page.figures == page.images + page.panels
    assert part.count("<figure>") == where_and_when.FIGURES == 6
    assert part.count('<th scope="row">') == 8
    heads = re.findall(r'<th scope="col">([^<]*)', part)
    assert heads == ["Species", "Most probable hour", "Most probable date", "Most probable site"]
    best = posterior.species().nlargest(6, "occurrence")["species"].tolist()
    assert re.findall(r"<figcaption><strong>(bird \d)", part) == best
    table = posterior.where_and_when(best[0], "hour")
    assert f">{table.loc[table['probability'].idxmax(), 'at']} <small>" in part
    for words in (
        "hour of the day",
        "latitude",
        "1 May",
        "6 of 8 species",
        "On the map",
        "Marks on the axis",
    ):
        assert words in part
    assert len(part) < 90_000 * 6


def test_without_a_context_nothing_is_there(annotations):
    text = report_html(dc.fit(annotations, "base", **SHORT))
    assert part_of(text) is None
    assert "Where and when" not in text


def test_only_what_is_there_is_spoken_of(annotations):
    recordings = annotations.recordings.drop(columns=["latitude", "longitude"]).reset_index()
    a = dc.Annotations.from_frame(annotations.to_frame(), absence="checklist", recordings=recordings)
    sites, hours = part_of(report_html(fit(a, "site"))), part_of(report_html(fit(a, "cc(hour, df=3)")))
    assert "Dots are sites" in sites
    assert "Each curve" not in sites
    assert "On the map" not in sites
    assert "Each curve" in hours
    assert "Dots are sites" not in hours


def test_one_species_many_sites_and_names_that_are_code(annotations):
    a = annotations.select(species="bird 0")
    sites = np.array([EVIL, *(f"site {i}" for i in range(1, 20))], object)
    recordings = a.recordings.assign(site=sites[np.arange(a.n_recordings) % 20]).reset_index()
    frame = a.to_frame().replace({"species": {"bird 0": EVIL}})
    one = dc.Annotations.from_frame(frame, absence="checklist", recordings=recordings)
    text = report_html(fit(one, "site"))
    part = part_of(text)
    assert Page(text).scripts == 1
    assert "<script>alert" not in part
    assert "The only species." in part
    assert "12 of 20 sites" in part
    assert "at most 12 of them" in part
    assert "Scales differ" not in part


def test_a_context_of_ones_own_has_a_section_too():
    annotations = dc.simulate_paper(recordings=60, species=4, visits=2, seed=1).annotations
    model = dc.Model(InContext(made_up(60)), PerAnnotator(dc.Beta(8, 2), dc.Beta(1, 99)))
    posterior = dc.fit(annotations, model, **SHORT)
    assert posterior.where_and_when("s1", "site")["at"].tolist() == ["marsh", "wood", "field"]
    assert posterior.where_and_when("s1", "hour")["recordings"].tolist() == [20, 20, 20, 0]
    assert isinstance(posterior.where_and_when(), pd.DataFrame)
    assert part_of(report_html(posterior)).count("<figure>") == 4
