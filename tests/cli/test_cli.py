from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

import dawnchorus as dc
from commands import COMMAND, SHORT_DEMO, run
from dawnchorus.common.files.whole import check_free


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return folder, run("demo", cwd=folder)


def test_demo_shows_a_fitted_and_evaluated_result(demo):
    folder, done = demo
    for text in (
        "12 simulated birders",
        "Willow Warbler",
        "Fitted base-hierarchical",
        "Converged",
        "AUC",
        "sensitivity",
    ):
        assert text in done.stdout
    assert (folder / "dawnchorus-demo/fit/presence.csv").is_file()
    again = run("demo", cwd=folder, code=2)
    assert "dawnchorus-demo exists. Remedy: choose another name, or use --overwrite." in again.stderr


def test_another_demo_takes_its_place_if_asked_in_a_terminal_that_lacks_letters(demo, tmp_path):
    shutil.copytree(demo[0] / "dawnchorus-demo", tmp_path / "dawnchorus-demo")
    again, env = [sys.executable, "-c", SHORT_DEMO, "demo", "--overwrite"], {"PYTHONIOENCODING": "ascii"}
    subprocess.run(again, cwd=tmp_path, env=os.environ | env, capture_output=True, check=True)
    first, second = (
        json.loads((folder / "dawnchorus-demo/fit/fit.json").read_text(encoding="utf-8"))["diagnostics"]
        for folder in (demo[0], tmp_path)
    )
    assert first != second


def test_fit_and_evaluate_own_data(demo, tmp_path):
    data = demo[0] / "dawnchorus-demo/data"
    tables = ("--scope", data / "scope.csv", "--recordings", data / "recordings.csv")
    done = run(
        "fit", data / "annotations.csv", "--absence", "scope", *tables, "--model", "Base",
        "--out", tmp_path / "fit", "--json", "--no-report",
    )  # fmt: skip
    contents = json.loads(done.stdout)
    assert contents["model"] == "base"
    assert contents["diagnostics"]["min_ess"] >= 400
    assert (tmp_path / "fit/posterior.nc").is_file()
    assert contents["command"].startswith("dawnchorus fit ")
    assert contents["data"]["recordings"] == 600
    scores = json.loads(
        run("evaluate", tmp_path / "fit", "--truth", data / "truth.csv", "--bootstrap", 20, "--json").stdout
    )
    assert scores["intervals"]["auc"][0] < scores["auc"] < scores["intervals"]["auc"][1]
    shown = run("evaluate", tmp_path / "fit", "--truth", data / "truth.csv").stdout
    assert f"{scores['auc']:.3f}" in shown


def test_evaluate_reports_unknown_labels(demo, tmp_path):
    folder = demo[0] / "dawnchorus-demo"
    truth = pd.read_csv(folder / "data/truth.csv")
    truth.loc[0, "species"] = "Dodo"
    truth.to_csv(tmp_path / "truth.csv", index=False)
    done = run("evaluate", folder / "fit", "--truth", tmp_path / "truth.csv")
    assert "note: 1 of 18,000 cells" in done.stderr.replace("\n", " ")
    assert "Dodo" in done.stderr


@pytest.mark.parametrize("kind", ["paper", "portal"])
def test_simulate_says_how_to_go_on_and_that_works(kind, tmp_path):
    done = run("simulate", "--kind", kind, "--recordings", 100, "--seed", 3, "--out", "my sim", cwd=tmp_path)
    following = shlex.split(done.stdout.split("Next: dawnchorus ")[1])
    run(*following, "--draws", 50, "--warmup", 50, "--min-ess", 0, "--no-report", cwd=tmp_path)
    assert (tmp_path / "my sim-fit/presence.csv").is_file()
    assert "exists" in run("simulate", "--out", "my sim", cwd=tmp_path, code=2).stderr


def test_aliases_and_mapping(write, tmp_path):
    path = write("clip;who;taxon\n1;A;wren\n")
    done = run(
        "fit",
        path,
        "--absence",
        "checklist",
        "--column",
        "annotator=who",
        "--model",
        "mv",
        "--out",
        tmp_path / "x",
    )
    assert "clip as recording, who as annotator, taxon as species" in done.stdout.replace("\n", " ")


def test_kerttu(kerttu_folder, tmp_path):
    done = run("fit", kerttu_folder, "--format", "kerttu", "--model", "mv", "--out", tmp_path / "fit")
    assert "618,305" in done.stdout
    assert "Common Chaffinch" in done.stdout
    scores = run("evaluate", tmp_path / "fit", "--truth", kerttu_folder / "gold.csv", "--json")
    assert json.loads(scores.stdout)["auc"] == pytest.approx(0.84906, abs=1e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fit", "t.csv", "--out", "o"), "What does it mean if a visit does not mention a species"),
        (("fit", "none.csv", "--absence", "checklist", "--out", "o"), "none.csv: the file cannot be opened"),
        (("fit", "t.csv", "--absence", "scope", "--out", "o"), "needs a scope table"),
        (("fit", "t.csv", "--absence", "never", "--out", "o"), "'never' is not one of"),
        (("fit", "t.csv", "--absence", "checklist", "--model", "x", "--out", "o"), "there is no model 'x'"),
        (("fit", "t.csv", "--format", "x", "--out", "o"), "no reader for the format 'x'"),
        (("fit", "t.csv", "--absence", "checklist", "--column", "x", "--out", "o"), "word=column"),
        (
            ("fit", ".", "--format", "kerttu", "--column", "species=x", "--out", "o"),
            "--column cannot be used with",
        ),
        (("fit", ".", "--format", "kerttu", "--out", "o"), "not the Kerttu archive"),
        (("fit", "t.csv", "--absence", "checklist", "--out", "."), "is not the name of a new folder"),
        (("fit", "t.csv", "--absence", "checklist", "--out", "t.csv/o"), "t.csv is a file"),
        (
            ("fit", "t.csv", "--absence", "checklist", "--thin", "5", "--max-sweeps", "502", "--out", "o"),
            "every 5 is kept leave nothing",
        ),
        (("evaluate", ".", "--truth", "t.csv"), "not a folder that `dawnchorus fit` wrote"),
        (("simulate", "--visits", "99", "--out", "o"), "99.0 visits per recording by 20 annotators"),
        (("fitt",), "No such command"),
        (
            ("simulate", "--kind", "portal", "--scenario", "2", "--out", "o"),
            "--scenario can be used only with --kind paper",
        ),
        (
            ("simulate", "--format", "parquet", "--machine", "m", "--out", "o"),
            "--machine cannot be used with --format parquet",
        ),
        (
            ("simulate", "--format", "parquet", "--kind", "paper", "--out", "o"),
            "--kind paper is made in one piece, not in parts. Remedy: use --kind portal, or --format csv",
        ),
        (("fit", "t.csv", "--absence", "checklist", "--model", "[/b]", "--out", "o"), "no model '[/b]'"),
        (
            ("fit", "x[/a].csv", "--absence", "checklist", "--out", "o"),
            "x[/a].csv: the file cannot be opened",
        ),
        (("fit", "x" * 300, "--absence", "checklist", "--out", "o"), "File name too long"),
        (("simulate", "--seed", "-1", "--out", "o"), "--seed"),
        (("fit", "t.csv", "--absence", "checklist", "--tpr", "1.2", "--out", "o"), "no possible prior"),
        (
            ("fit", "t.csv", "--absence", "checklist", "--priors", "flat", "--out", "o"),
            "no priors named 'flat'",
        ),
        (
            (
                "fit",
                "t.csv",
                "--absence",
                "checklist",
                "--priors",
                "paper-kerttu",
                "--tpr",
                "0.5",
                "--out",
                "o",
            ),
            "--tpr cannot be used with --priors paper-kerttu",
        ),
        (
            ("fit", "t.csv", "--absence", "checklist", "--model", "base", "--update", "direct", "--out", "o"),
            "no option update",
        ),
        (
            ("fit", "t.csv", "--absence", "checklist", "--model", "mv", "--chains", "2", "--out", "o"),
            "does not sample",
        ),
    ],
)
def test_user_errors_exit_with_2_and_a_message(words, message, write, tmp_path):
    write("recording,annotator,species\nr1,A,wren\n", "t.csv")
    done = run(*words, code=2, cwd=tmp_path)
    assert message in " ".join(done.stderr.split())
    assert not (tmp_path / "o").exists()


def test_our_own_faults_exit_with_1(monkeypatch, capsys):
    from dawnchorus import __main__
    from dawnchorus.cli import app as cli

    def broken():
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(SystemExit) as stop:
        __main__.main()
    assert stop.value.code == 1
    assert "this is a bug in Dawnchorus" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopping_leaves_nothing(tmp_path, number, hangups_heard):
    words = ["simulate", "--kind", "portal", "--recordings", "2000000", "--species", "2000", "--out", "sim"]
    process = subprocess.Popen([COMMAND, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    time.sleep(2.5)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number, err
    assert "stopped; no incomplete files were left" in err
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_printing_to_a_full_or_closed_place(demo):
    folder = demo[0] / "dawnchorus-demo"
    words = [COMMAND, "evaluate", folder / "fit", "--truth", folder / "data/truth.csv", "--json"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "could not be printed (No space left on device)" in done.stderr
    shell = " ".join(map(str, words)) + " | true"
    assert "Traceback" not in subprocess.run(shell, shell=True, capture_output=True, text=True).stderr


def test_help_in_a_terminal_that_lacks_letters():
    env = os.environ | {"PYTHONIOENCODING": "latin-1"}
    subprocess.run([COMMAND, "fit", "--help"], env=env, check=True, capture_output=True)


def test_version_help_and_formats():
    assert run("--version").stdout.strip() == f"dawnchorus {dc.__version__}"
    for command in ("demo", "fit", "evaluate", "simulate", "formats"):
        assert command in run("--help").stdout
        run(command, "--help")
    found = json.loads(run("formats", "--json").stdout)
    assert [f["format"] for f in found if "reads" in f] == list(dc.READERS)
    assert [f["format"] for f in found if "writes" in f] == list(dc.WRITERS)
    assert {"kerttu", "darwincore"} <= set(run("formats").stdout.split())


def test_reports_and_feedback_from_a_folder(demo, tmp_path):
    shutil.copytree(demo[0] / "dawnchorus-demo", tmp_path / "demo")
    folder = tmp_path / "demo/fit"
    assert "Against the truth" in (folder / "report.html").read_text(encoding="utf-8")
    assert "report.html exists" in run("report", folder, code=2).stderr
    run("report", folder, "--overwrite")
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "Against the truth" not in text
    assert 'href="presence.csv"' in text
    assert "dawnchorus demo" in text  # the command that made it
    truth = demo[0] / "dawnchorus-demo/data/truth.csv"
    done = run("report", folder, "--truth", truth, "--out", tmp_path / "other.html", "--json")
    assert json.loads(done.stdout) == {"report": str(tmp_path / "other.html")}
    assert 'href="presence.csv"' not in (tmp_path / "other.html").read_text(encoding="utf-8")

    run("feedback", folder, "--annotator", "Väinö")
    assert (folder / "feedback/vaino.html").is_file()
    assert "vaino.html exists" in run("feedback", folder, "--all", code=2).stderr
    pages = json.loads(run("feedback", folder, "--all", "--overwrite", "--json").stdout)["pages"]
    assert len(pages) == len(list((folder / "feedback").iterdir())) == 12
    assert "whose pages" in run("feedback", folder, code=2).stderr
    assert "whose pages" in run("feedback", folder, "--all", "--annotator", "Aino", code=2).stderr
    assert "Nobody" in run("feedback", folder, "--annotator", "Nobody", code=2).stderr
    assert (
        "no column 'grade'" in run("report", folder, "--self-rating", "grade", "--overwrite", code=2).stderr
    )
    check_free(tmp_path / "demo", overwrite=True)  # all of it is still known to be Dawnchorus' own

    data = tmp_path / "demo/data/annotations.csv"
    vote = ("--absence", "checklist", "--model", "majority-vote")
    run("fit", data, *vote, "--out", tmp_path / "vote")
    assert not (tmp_path / "vote/report.html").exists()
    assert "has no draws to report on" in run("report", tmp_path / "vote", code=2).stderr


def test_few_draws_make_a_record_that_is_json(demo, tmp_path):
    data = demo[0] / "dawnchorus-demo/data/annotations.csv"
    few = ("--absence", "checklist", "--model", "base", "--min-ess", 0, "--warmup", 5, "--draws", 3)
    run("fit", data, *few, "--out", tmp_path / "few", "--no-report")
    record = (tmp_path / "few/fit.json").read_text(encoding="utf-8")
    assert json.loads(record, parse_constant=pytest.fail)["diagnostics"]["max_rhat"] is None


def test_a_fit_without_a_report(demo, tmp_path):
    data = demo[0] / "dawnchorus-demo/data/annotations.csv"
    few = ("--absence", "checklist", "--model", "base", "--min-ess", 0, "--warmup", 20, "--draws", 20)
    run("fit", data, *few, "--out", tmp_path / "fit", "--no-report")
    assert not (tmp_path / "fit/report.html").exists()


def test_a_dataset_in_parts_on_a_local_cluster(tmp_path):
    sizes = ("--recordings", 40_000, "--annotators", 40, "--species", 12, "--visits", 2)
    run("simulate", "--format", "parquet", *sizes, "--seed", 1, "--out", "big", cwd=tmp_path)
    words = ["fit", "big/visits", "--absence", "scope", "--scope", "big/scope.csv", "--model", "base"]
    words += ["--min-ess", 0, "--warmup", 10, "--draws", 20, "--chains", 2, "--cluster", "local:2"]
    done = run(*words, "--in-parts", "--out", "parts", cwd=tmp_path)
    files = "annotators.csv, fit.json, posterior.nc, presence/, recordings/, report.html, species.csv"
    assert f"Written to parts/: {files}" in " ".join(done.stdout.split())
    run(*words, "--no-report", "--out", "whole", cwd=tmp_path)  # one file is read in memory
    one, two = (pd.read_csv(tmp_path / name / "annotators.csv") for name in ("parts", "whole"))
    assert one.equals(two[list(one)])
    assert not list(tmp_path.glob("*.checkpoint*"))
    there = pd.read_parquet(tmp_path / "big/truth").head(500)[["recording", "species"]].assign(present=1)
    absent = there.assign(species=there["species"].to_numpy()[::-1], present=0)
    truth = pd.concat([there, absent]).drop_duplicates(["recording", "species"])
    truth.to_csv(tmp_path / "truth.csv", index=False)
    one, two = (
        json.loads(run("evaluate", name, "--truth", "truth.csv", "--json", cwd=tmp_path).stdout)
        for name in ("parts", "whole")
    )
    assert one["cells"] == two["cells"] > 500
    assert one["auc"] == pytest.approx(two["auc"], abs=1e-4)  # presence.csv has six digits
    again = ("report", "parts", "--truth", "truth.csv", "--out", "again.html")
    run(*again, cwd=tmp_path)
    assert "Against the truth" in (tmp_path / "again.html").read_text(encoding="utf-8")
    for words_of in (("check", "parts"), ("feedback", "parts", "--all", "--out", "pages")):
        assert "is of a fit in parts, which has no votes" in run(*words_of, code=2, cwd=tmp_path).stderr
    refused = run(*words, "--in-parts", "--context", "site", "--out", "other", code=2, cwd=tmp_path).stderr
    assert "--context cannot be used with --in-parts" in refused
