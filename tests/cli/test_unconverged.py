"""A fit that has not converged says so: by its exit code, in fit.json, in Python and on the page."""

from __future__ import annotations

import json

import pytest

import dawnchorus as dc
from commands import run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    run("simulate", "--recordings", 200, "--visits", 3, "--species", 8, "--out", folder / "data")
    return folder / "data/annotations.csv"


FIT = ("--absence", "checklist", "--model", "base", "--warmup", 20, "--draws", 50)
FIT += ("--species-per-recording", 0.2)
SHORT = ("--max-sweeps", 70)


def fit(data, out, *words, code=0):
    return run("fit", data, *FIT, *words, "--out", out, code=code)


def test_it_exits_with_3_and_everything_says_so(data, tmp_path):
    done = fit(data, tmp_path / "fit", *SHORT, code=3)
    assert "Not converged yet" in done.stdout
    told = " ".join(done.stderr.split())
    assert "has not converged (exit code 3)" in told
    assert "--allow-unconverged" in told
    record = json.loads((tmp_path / "fit/fit.json").read_text())
    assert record["converged"] is record["diagnostics"]["converged"] is False
    assert dc.Posterior.load(tmp_path / "fit").diagnostics.converged is False
    page = (tmp_path / "fit/report.html").read_text()
    before_details = page[page.index('class="verdict') :].split("<details")[0]
    assert "Not converged yet" in before_details
    assert not list(tmp_path.glob("*.checkpoint"))
    done = fit(data, tmp_path / "json", *SHORT, "--json", "--no-report", code=3)
    assert json.loads(done.stdout)["converged"] is False


def test_those_who_know_may_say_so(data, tmp_path):
    done = fit(data, tmp_path / "fit", *SHORT, "--allow-unconverged", "--no-report")
    assert "Not converged yet" in done.stdout
    assert done.stderr == ""
    assert json.loads((tmp_path / "fit/fit.json").read_text())["converged"] is False


def test_where_nothing_was_asked_nothing_is_missed(data, tmp_path):
    fit(data, tmp_path / "few", "--min-ess", 0, "--no-report")
    assert json.loads((tmp_path / "few/fit.json").read_text())["converged"] is False
    fit(data, tmp_path / "many", "--min-ess", 0, "--draws", 3000, "--no-report")
    assert json.loads((tmp_path / "many/fit.json").read_text())["converged"] is True


def test_a_converged_fit_says_so(data, tmp_path):
    done = fit(data, tmp_path / "fit", "--draws", 500, "--warmup", 200)
    assert "Converged" in done.stdout
    assert done.stderr == ""
    assert json.loads((tmp_path / "fit/fit.json").read_text())["converged"] is True
    assert "Not converged" not in (tmp_path / "fit/report.html").read_text()


def test_python_warns_unless_it_was_allowed():
    annotations = dc.simulate_paper(recordings=60, annotators=5, species=4, visits=2, seed=1).annotations
    short = {"model": "base", "warmup": 20, "draws": 50, "max_sweeps": 70}
    with pytest.warns(dc.ConvergenceWarning, match="Not converged yet") as caught:
        assert not dc.fit(annotations, **short).diagnostics.converged
    assert caught[0].filename == __file__
    assert not dc.fit(annotations, **short, allow_unconverged=True).diagnostics.converged
    assert not dc.fit(annotations, **short, min_ess=None).diagnostics.converged
