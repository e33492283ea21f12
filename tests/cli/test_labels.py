"""Options about labels, standard input and messages, as a user of the command line meets them."""

from __future__ import annotations

import json
import subprocess

import pandas as pd
import pytest

from commands import COMMAND, run

REPORTS = "recording,annotator,species,present\nr1,Aino,Wren,1\nr2,Onni,wren,1\nr3,Aino,NA,\nr4,ONNI,Owl,1\n"
TRUTH = "recording,species,present\nr1,WREN,1\nr2,WREN,1\nr3,owl,0\n"
FIT = ("--absence", "checklist", "--model", "mv", "--json", "--overwrite")


def fit(path, out, *options, **more):
    done = run("fit", path, *FIT, "--out", out, *options, **more)
    return done.stderr, json.loads(done.stdout) if done.stdout else None


def test_case_is_told_and_folded_and_the_truth_follows(write, tmp_path):
    path, truth = write(REPORTS), write(TRUTH, "truth.csv")
    notes, contents = fit(path, tmp_path / "apart")
    assert "'Wren' (1 row), 'wren' (1 row)" in notes
    assert "--fold-case" in notes
    assert "fold_case" not in notes
    assert contents["data"]["species"] == 3
    told = run("evaluate", tmp_path / "apart", "--truth", truth, code=2).stderr
    assert "no cell of the truth is in the result" in told
    notes, contents = fit(path, tmp_path / "one", "--fold-case")
    assert "written in" not in notes
    assert (contents["data"]["species"], contents["data"]["annotators"]) == (2, 2)
    scores = json.loads(run("evaluate", tmp_path / "one", "--truth", truth, "--json").stdout)
    assert scores["cells"] == 3
    run("evaluate", tmp_path / "one", "--truth", truth, "--no-fold-case", code=2)
    assert json.loads(run("evaluate", tmp_path / "apart", "--truth", truth, "--fold-case", "--json").stdout)


def test_the_report_folds_the_truth_as_the_fit_did(write, tmp_path):
    path, truth = write(REPORTS), write(TRUTH, "truth.csv")
    run(
        "fit", path, "--absence", "checklist", "--model", "base", "--fold-case", "--no-report",
        "--draws", 20, "--warmup", 20, "--min-ess", 0, "--out", tmp_path / "fit",
    )  # fmt: skip
    done = run("report", tmp_path / "fit", "--truth", truth)
    assert "not compared" not in done.stderr
    assert "Against the truth" in (tmp_path / "fit/report.html").read_text()


def test_missing_species_are_told_and_kept(write, tmp_path):
    path = write(REPORTS)
    notes, contents = fit(path, tmp_path / "fit", "--fold-case")
    assert "the species is missing in 1 row ('NA' 1)" in notes
    assert "--keep-na" in notes
    assert contents["data"]["missing_species"] == 1
    contents = fit(path, tmp_path / "kept", "--fold-case", "--keep-na")[1]
    assert contents["data"]["species"] == 3
    truth = write("recording,species,present\nr3,NA,1\n", "truth.csv")
    assert json.loads(run("evaluate", tmp_path / "kept", "--truth", truth, "--json").stdout)["cells"] == 1
    told = run("evaluate", tmp_path / "fit", "--truth", truth, code=2).stderr
    assert "the species is missing ('NA')" in told
    assert "--keep-na" in told


def piped(content: str, *words, code=0):
    done = subprocess.run(
        [COMMAND, *map(str, words)], input=content.encode(), capture_output=True, timeout=120, check=False
    )
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def test_standard_input(tmp_path):
    out = piped(REPORTS, "fit", "-", *FIT, "--fold-case", "--out", tmp_path / "fit")[0]
    assert json.loads(out)["data"]["source"] == "standard input"
    out = piped(TRUTH, "evaluate", tmp_path / "fit", "--truth", "-", "--json")[0]
    assert json.loads(out)["cells"] == 3
    told = piped("", "fit", "-", *FIT, "--out", tmp_path / "nothing", code=2)[1]
    assert "pipe a table into the command" in told


def test_formulas(write, tmp_path):
    path = write("recording,annotator,species\nr1,Aino,=1+1\nr1,Onni,@owl\n")
    fit(path, tmp_path / "safe")
    fit(path, tmp_path / "exact", "--exact-labels")
    assert pd.read_csv(tmp_path / "safe/species.csv")["species"].tolist() == ["'=1+1", "'@owl"]
    assert pd.read_csv(tmp_path / "exact/species.csv")["species"].tolist() == ["=1+1", "@owl"]
    truth = write("recording,species,present\nr1,=1+1,1\nr1,@owl,0\n", "truth.csv")
    for folder in ("safe", "exact"):
        scores = json.loads(run("evaluate", tmp_path / folder, "--truth", truth, "--json").stdout)
        assert scores["cells"] == 2


def test_a_column_of_the_user_with_a_name_of_ours_is_noted(write, tmp_path):
    table = write("recording,visits,reports\nr1,mine,7\n", "recordings.csv")
    notes = fit(write(REPORTS), tmp_path / "fit", "--recordings", table)[0]
    assert "note: recordings.csv has columns of its own" in notes
    assert pd.read_csv(tmp_path / "fit/recordings.csv")["visits_given"][0] == "mine"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (REPORTS, (), "choose one by --absence."),
        (REPORTS, ("--absence", "scope"), "--absence scope needs a scope table. Remedy: give --scope,"),
        (
            "clip,file,user,taxon\n1,2,3,4\n",
            ("--absence", "checklist"),
            "say which to use: --column recording=clip.",
        ),
        ("clip\nr1\n", ("--absence", "checklist"), "--column annotator=NAME --column species=NAME"),
        ("clip,user,Wren,Owl\nr1,A,1,0\n", ("--absence", "checklist"), "leave out --absence"),
    ],
)
def test_messages_speak_of_options_of_the_command_line(write, tmp_path, content, options, message):
    told = run("fit", write(content), *options, "--out", tmp_path / "x", code=2).stderr
    assert message in told
    assert "columns=" not in told
    assert "absence=" not in told
