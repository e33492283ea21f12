"""Known cells at the command line."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import dawnchorus as dc
from commands import run

QUICK = ("--absence", "checklist", "--model", "base", "--draws", 50, "--warmup", 50, "--min-ess", 0)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("known")
    made = dc.simulate_paper(recordings=40, annotators=5, species=4, visits=2.0, seed=2)
    made.annotations.to_frame().to_csv(folder / "votes.csv", index=False)
    truth = made.truth.to_frame()
    truth.to_csv(folder / "truth.csv", index=False)
    truth.head(12).to_csv(folder / "known.csv", index=False)
    run("fit", folder / "votes.csv", *QUICK, "--known", folder / "known.csv", "--out", folder / "fit")
    return folder


def test_known_cells_are_marked_in_the_files(home):
    presence = pd.read_csv(home / "fit/presence.csv", keep_default_na=False)
    assert (presence["known"] != "").sum() == 12
    assert len(pd.read_csv(home / "fit/known.csv")) == 12
    assert json.loads((home / "fit/fit.json").read_text())["known"]["as"] == "truth"


def test_evaluate_refuses_known_cells_unless_told(home):
    asked = ("evaluate", home / "fit", "--truth", home / "truth.csv")
    refused = run(*asked, code=2).stderr
    assert "12 cells of the truth were known in the fit" in refused
    assert "--leave-out-known" in refused
    assert "--include-known" in refused
    counts = [
        json.loads(run(*asked, option, "--json").stdout)["cells"]
        for option in ("--leave-out-known", "--include-known")
    ]
    assert counts[1] - counts[0] == 12


def test_an_expert_at_the_command_line(home, tmp_path):
    known = ("--known", home / "known.csv", "--known-as", "expert")
    shown = run("fit", home / "votes.csv", *QUICK, *known, "--out", tmp_path / "fit", "--no-report").stdout
    assert "12 cells were known (as expert)" in shown
    (tmp_path / "known.csv").write_text("recording,species,present\nnowhere,s1,1\n")
    wrong = run(
        "fit", home / "votes.csv", *QUICK, "--known", tmp_path / "known.csv", "--out", tmp_path / "x", code=2
    ).stderr
    assert "row 2: recording 'nowhere' is not in the annotations" in wrong
    assert "--recordings" in wrong


def test_a_report_against_what_was_known_says_so(home, tmp_path):
    told = run("report", home / "fit", "--truth", home / "known.csv", "--out", tmp_path / "page.html").stderr
    assert "all cells of the truth were known in the fit" in told


def test_majority_vote_names_the_options_that_it_does_not_take(home, tmp_path):
    asked = ("fit", home / "votes.csv", "--absence", "checklist", "--model", "majority-vote")
    refused = run(*asked, "--known", home / "known.csv", "--out", tmp_path / "x", code=2).stderr
    assert "leave out --known." in refused
    refused = run(*asked, "--chains", 2, "--tpr", 0.7, "--resume", "--out", tmp_path / "x", code=2).stderr
    assert "leave out --chains, --tpr, --resume." in refused


def test_a_column_that_is_missing_from_known_cells_has_a_remedy_that_works(home, tmp_path):
    """--column is about the annotations."""
    (tmp_path / "known.csv").write_text("where,species,present\nr01,s1,1\n")
    wrong = run(
        "fit", home / "votes.csv", *QUICK, "--known", tmp_path / "known.csv", "--out", tmp_path / "x", code=2
    ).stderr
    assert "there is no column 'recording'; the columns are 'where', 'species', 'present'" in wrong
    assert "rename a column to 'recording'" in wrong
    assert "--column" not in wrong
    assert "--recordings" in wrong
