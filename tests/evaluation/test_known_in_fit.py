"""A fit is not judged on cells that it was told, unless one insists."""

from __future__ import annotations

import pytest

import dawnchorus as dc

QUICK = {"draws": 50, "warmup": 50, "min_ess": None, "chains": 2, "seed": 1}


@pytest.fixture(scope="module")
def told():
    made = dc.simulate_paper(recordings=60, annotators=6, species=5, visits=2.0, seed=4)
    truth = made.truth.to_frame()
    known = truth[truth["recording"].isin(made.truth.recordings[:20])]
    return dc.fit(made.annotations, "base", known=known, **QUICK), truth, known


@pytest.mark.parametrize("kind", ["posterior", "table", "given"])
def test_known_cells_are_refused_left_out_or_included(told, kind):
    posterior, truth, known = told
    result = posterior if kind == "posterior" else posterior.presence()
    more = {}
    if kind == "given":
        result, more = result.drop(columns="known"), {"known": known}
    with pytest.raises(dc.AnnotationError, match="100 cells of the truth were known in the fit") as error:
        dc.evaluate(result, truth, **more)
    assert "leave_out_known=True" in str(error.value)
    assert "include_known=True" in str(error.value)
    left = dc.evaluate(result, truth, leave_out_known=True, **more)
    assert left.cells == len(truth) - len(known)
    every = dc.evaluate(result, truth, include_known=True, **more)
    assert every.cells == len(truth)
    assert every.brier < left.brier
    rest = truth[~truth["recording"].isin(known["recording"])]
    assert dc.evaluate(result, rest, **more).brier == left.brier
    with pytest.raises(dc.AnnotationError, match="all cells of the truth were known in the fit"):
        dc.evaluate(result, known, leave_out_known=True, **more)
    with pytest.raises(dc.AnnotationError, match="both left out and included"):
        dc.evaluate(result, truth, leave_out_known=True, include_known=True, **more)


def test_a_report_compares_what_was_not_known_and_counts_the_rest(told, tmp_path):
    posterior, truth, known = told
    posterior.report(tmp_path / "report.html", truth=truth)
    page = (tmp_path / "report.html").read_text()
    assert f"{len(truth) - len(known)} cells in 40 recordings" in page
    assert f"{len(known)} further cells were known in the fit and are left out." in page
    posterior.report(tmp_path / "rest.html", truth=truth[~truth["recording"].isin(known["recording"])])
    assert "left out." not in (tmp_path / "rest.html").read_text()


def test_a_report_says_that_all_of_a_truth_was_known(told, tmp_path):
    posterior, _, known = told
    with pytest.warns(dc.AnnotationWarning, match="all cells of the truth were known in the fit"):
        posterior.report(tmp_path / "known.html", truth=known)
    page = (tmp_path / "known.html").read_text()
    assert "Against the truth" in page
    assert f"all of the truth ({len(known)} cells) was known in the fit" in page
