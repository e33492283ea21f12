"""The section of the report that says whether the model describes the data."""

from __future__ import annotations

import warnings

import pytest

import dawnchorus as dc
from dawnchorus.report import report_html
from dawnchorus.report.sections import predictive
from dawnchorus.report.subject import Subject
from pages import Page

SHORT = {"warmup": 150, "draws": 150, "chains": 2, "min_ess": None, "seed": 1}


@pytest.fixture(scope="module")
def faint_birds():
    portal = dc.simulate_portal(700, 10, 10, visits=4, present_species=4, faintness=2, seed=3)
    return dc.fit(portal.annotations, **SHORT)


def test_it_says_what_the_model_does_not_describe(faint_birds):
    text = report_html(faint_birds)
    section = text[text.index('<section id="predictive">') :].split("</section>")[0]
    words = " ".join(section.split())
    assert "Not in everything." in words
    assert "try faint birds (faint=True)" in words
    assert "<strong>less than expected</strong>" in words
    assert "unsure marks are no votes" in words
    assert "400 times" in words
    assert Page(text).images


def test_the_box_at_the_top_says_only_that_numbers_are_stable_and_names_what_fails(faint_birds):
    text = " ".join(report_html(faint_birds).split())
    box = text[text.index('<div class="verdict') :].split("</div>")[0]
    assert "trust" not in box.replace("Do not trust", "")
    assert "The model does not describe the data in everything" in box
    for words in predictive.section(Subject(faint_birds))["failed"]:
        assert f'<a href="#predictive">{words}</a>' in box


def test_the_box_says_that_all_checks_were_passed():
    annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    text = report_html(dc.fit(annotations, "base", **SHORT))
    box = text[text.index('<div class="verdict') :].split("</div>")[0]
    assert '<a href="#predictive">in all that was checked</a>' in box


def test_every_check_has_a_row(faint_birds):
    found = predictive.section(Subject(faint_birds))
    checks = dc.predictive_checks(faint_birds)
    assert len(found["rows"]) == len(checks.table())
    assert sum(row["failed"] for row in found["rows"]) == len(found["failed"]) == len(checks.failed) > 0
    assert found["rows"][0]["observed"] == f"{checks.observed['reports_per_visit']:.2f}"


def test_large_data_have_fewer_simulations(faint_birds, monkeypatch):
    monkeypatch.setattr(predictive, "MANY_VISITS", 10)
    assert predictive.section(Subject(faint_birds))["simulations"] == 100


def test_a_single_visit_has_a_page_too():
    annotations = dc.simulate_paper(recordings=1, annotators=1, visits=1, seed=1).annotations
    posterior = dc.fit(annotations, "base", draws=50, warmup=0, min_ess=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = report_html(posterior)
    assert "not enough data: too few recordings were visited by several" in text
