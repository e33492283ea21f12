"""Outputs appear whole or not at all, and nothing is overwritten unasked."""

from __future__ import annotations

import errno
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import dawnchorus as dc
from commands import SHORT_DEMO
from dawnchorus.common.errors import OutputError
from dawnchorus.common.files.whole import MANIFEST, whole_folder
from dawnchorus.results.fit_tables import FitTables
from dawnchorus.results.saving import folder as output
from dawnchorus.results.saving.folder import write_result
from dawnchorus.results.saving.saved_result import read_result
from dawnchorus.simulation import files
from dawnchorus.simulation.files import write_simulation


@pytest.fixture
def result():
    return dc.fit(dc.simulate_portal(200, 10, 20, seed=2).annotations, model="majority-vote")


def test_files_and_columns(result, tmp_path):
    contents = write_result(result, tmp_path / "fit", record={"command": "x", "seconds": 1})
    found = {file.name for file in (tmp_path / "fit").iterdir()} - {MANIFEST}
    assert found == {"presence.csv", "annotators.csv", "species.csv", "recordings.csv", "fit.json"}
    presence = pd.read_csv(tmp_path / "fit/presence.csv")
    assert list(presence) == ["recording", "species", "probability", "votes", "reports"]
    assert len(presence) == 200 * 20
    people = pd.read_csv(tmp_path / "fit/annotators.csv")
    assert list(people) == ["annotator", "recordings", "reports", "level"]  # metadata come last
    assert list(pd.read_csv(tmp_path / "fit/species.csv")) == ["species", "occurrence", "reports"]
    recordings = pd.read_csv(tmp_path / "fit/recordings.csv")
    assert list(recordings) == ["recording", "visits", "reports", "site", "hour"]
    visits = result.annotations.visits()
    assert recordings.visits.sum() == len(visits)
    assert (
        recordings.set_index("recording").reports["r002"] == visits.query("recording == 'r002'").reports.sum()
    )
    assert json.loads((tmp_path / "fit/fit.json").read_text()) == json.loads(json.dumps(contents))
    assert contents["version"] == dc.__version__
    assert contents["model"] == "majority-vote"
    assert "priors" not in contents  # what majority vote cannot give is absent
    saved = read_result(tmp_path / "fit")
    assert saved.unlisted is None
    assert saved.presence.probability.to_numpy() == pytest.approx(
        result.presence().probability.to_numpy(), rel=1e-5
    )


def test_every_file_of_a_fit_is_explained():
    """The page for readers of results has a row for each table that a fit may write, and for the others."""
    page = (Path(__file__).parents[2] / "docs" / "reading_results.md").read_text(encoding="utf-8")
    rows = {line.split("|")[1] for line in page.splitlines() if line.startswith("| `")}
    listed = {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    tables = set(re.findall(r'found\["(\w+)"\]', inspect.getsource(FitTables.tables)))
    assert {"audibility", "known", "skill", "score_thresholds"} <= tables
    assert {f"{name}.csv" for name in tables} <= listed
    assert {"presence.csv", "report.html", "posterior.nc", "fit.json", "checks.csv"} <= listed


def test_beyond_five_million_cells_only_the_probable_are_listed(result, tmp_path, monkeypatch):
    monkeypatch.setattr(output, "ALL_CELLS", 3999)
    every = result.presence()
    for least in (0.01, 0.4):
        write_result(result, tmp_path / f"{least}", min_probability=least)
        saved = read_result(tmp_path / f"{least}")
        listed = every[(every.reports > 0) | (every.probability >= least)]
        assert len(saved.presence) == len(listed) < len(every)
        rest = every.drop(listed.index)
        assert saved.unlisted == pytest.approx(rest.probability.mean(), abs=1e-6)
        assert len(saved.recordings) == 200
    write_result(result, tmp_path / "probable", min_probability=0.4, keep_reported=False)
    assert len(read_result(tmp_path / "probable").presence) == (every.probability >= 0.4).sum()


def test_an_absurd_table_is_refused_before_it_is_written(result, tmp_path, monkeypatch):
    monkeypatch.setattr(output, "MOST_ROWS", 100)
    with pytest.raises(OutputError, match=r"4,000 rows.*raise min_probability"):
        write_result(result, tmp_path / "fit")
    assert not list(tmp_path.iterdir())


def test_an_existing_folder_is_not_overwritten_unasked(result, tmp_path):
    write_result(result, tmp_path / "fit")
    (tmp_path / "fit/mine.txt").write_text("keep")
    with pytest.raises(OutputError, match="exists.*overwrite=True"):
        write_result(result, tmp_path / "fit")
    with pytest.raises(OutputError, match=r"did not write \(mine.txt\)"):
        write_result(result, tmp_path / "fit", overwrite=True)
    (tmp_path / "fit/mine.txt").unlink()
    write_result(result, tmp_path / "fit", overwrite=True)
    assert [file.name for file in tmp_path.iterdir()] == ["fit"]


def test_an_empty_folder_may_be_used(result, tmp_path):
    (tmp_path / "fit").mkdir()
    write_result(result, tmp_path / "fit")
    assert (tmp_path / "fit/fit.json").exists()


def full_folder(path):
    path.mkdir()
    (path / "fit.json").write_text("{}")


@pytest.mark.parametrize("make", [full_folder, lambda path: path.write_text("mine")])
def test_what_is_not_ours_is_not_overwritten_even_if_asked(result, tmp_path, make):
    make(tmp_path / "mine")
    with pytest.raises(OutputError, match="Dawnchorus did not write"):
        write_result(result, tmp_path / "mine", overwrite=True)
    assert (tmp_path / "mine").exists()


def test_a_project_around_a_result_is_not_overwritten(result, tmp_path):
    (tmp_path / "project/data").mkdir(parents=True)
    write_result(result, tmp_path / "project/fit")
    with pytest.raises(OutputError, match="Dawnchorus did not write"):
        write_result(result, tmp_path / "project", overwrite=True)
    assert (tmp_path / "project/fit/fit.json").exists()


def test_stopping_between_two_renames_loses_nothing(result, tmp_path, monkeypatch):
    write_result(result, tmp_path / "fit")
    rename, calls = Path.rename, []

    def stopped(self, target):
        calls.append(target)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_result(result, tmp_path / "fit", overwrite=True)
    assert (tmp_path / "fit/fit.json").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["fit"]


def test_new_parents_go_with_a_failure(tmp_path):
    with pytest.raises(RuntimeError), whole_folder(tmp_path / "deep/er/fit"):
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_nothing_half_written(result, tmp_path, monkeypatch):
    write_result(result, tmp_path / "fit")
    before = {file.name: file.read_bytes() for file in (tmp_path / "fit").iterdir()}
    original = pd.DataFrame.to_csv
    calls = []

    def full(self, *args, **kwargs):
        calls.append(1)
        if len(calls) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(self, *args, **kwargs)

    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    with pytest.raises(OutputError, match="No space left on device.*no incomplete files"):
        write_result(result, tmp_path / "fit", overwrite=True)
    assert {file.name: file.read_bytes() for file in (tmp_path / "fit").iterdir()} == before
    assert [file.name for file in tmp_path.iterdir()] == ["fit"]


SMALL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
"""


def test_a_limit_on_file_size_for_real(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", SMALL_DISK + SHORT_DEMO, "demo", "--out", str(tmp_path / "demo")],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 2, run.stderr
    assert "could not be written (File too large)" in run.stderr
    assert "Traceback" not in run.stderr
    assert f"{tmp_path / 'demo'} could not" in run.stderr
    assert not list(tmp_path.iterdir())


def test_an_unwritable_place(result, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file is a file.*choose another place"):
        write_result(result, tmp_path / "file" / "fit")


def test_any_failure_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError, match="ours"), whole_folder(tmp_path / "fit") as folder:
        (folder / "half").write_text("half")
        raise RuntimeError("ours")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_no_result(tmp_path):
    with pytest.raises(OutputError, match="not a folder that `dawnchorus fit` wrote"):
        read_result(tmp_path)
    for name in ("presence", "recordings", "species"):
        (tmp_path / f"{name}.csv").write_text("recording,species,probability\n")
    for content in ("[]", '{"presence": []}', '{"presence": {"mean_of_unlisted": "x"}}', "{"):
        (tmp_path / "fit.json").write_text(content)
        with pytest.raises(OutputError, match="not a folder that `dawnchorus fit` wrote"):
            read_result(tmp_path)


def test_names_that_are_no_text(result, tmp_path):
    contents = write_result(result, tmp_path / "fit", record={"command": "fit \udce4.csv"})
    assert contents["command"].endswith(".csv")
    assert "\\udce4" in (tmp_path / "fit/fit.json").read_text()


def test_a_name_that_is_too_long(result, tmp_path):
    with pytest.raises(OutputError, match="File name too long"):
        write_result(result, tmp_path / ("x" * 300))


def test_a_large_truth_is_cut_to_some_recordings(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "ALL_CELLS", 500)
    simulation = dc.simulate_paper(recordings=150, seed=4)
    contents = write_simulation(simulation, tmp_path / "s")
    truth = dc.read_truth(tmp_path / "s/truth.csv")
    assert contents["truth_recordings"] == truth.recording.nunique() == 500 // 25
    every = simulation.truth.to_frame().merge(truth, on=["recording", "species"])
    assert (every.present_x == every.present_y).all()


def test_the_folder_above_a_result_is_recognised(result, tmp_path):
    write_result(result, tmp_path / "fit")
    with pytest.raises(OutputError, match="Remedy: name .*fit"):
        read_result(tmp_path)


@pytest.mark.parametrize("simulate", [dc.simulate_paper, dc.simulate_portal])
def test_a_simulation_reads_back(simulate, tmp_path):
    simulation = simulate(recordings=150, seed=4)
    contents = write_simulation(simulation, tmp_path / "s")
    folder = tmp_path / "s"
    assert {file.name for file in folder.iterdir()} == {
        *contents["files"],
        "simulation.json",
        MANIFEST,
    }
    options = {"scope": folder / "scope.csv"} if contents["absence"] == "scope" else {}
    again = dc.read(
        folder / "annotations.csv",
        absence=contents["absence"],
        recordings=folder / "recordings.csv",
        annotators=folder / "annotators.csv",
        species=folder / "species.csv",
        **options,
    )
    assert again == simulation.annotations
    assert dc.read_truth(folder / "truth.csv").present.sum() == simulation.truth.presence.sizes.sum()


def test_progress_names_every_phase(tmp_path):
    posterior = dc.fit(
        dc.simulate_paper(recordings=40, species=4, visits=2, seed=1).annotations,
        "base",
        draws=50,
        warmup=50,
        min_ess=None,
    )
    seen = []
    write_result(posterior, tmp_path / "fit", report=True, progress=lambda *at: seen.append(at))
    words = list(dict.fromkeys(words for words, _, _ in seen))
    assert words[:3] == ["Probabilities", "Tables", "Draws"]
    assert words[3] == "Report: In short"
    assert words[-1] == "Report: page"
    assert ("Probabilities", 160, 160) in seen
    assert all(done <= total or total == 0 for _, done, total in seen)
