"""What a killed process leaves behind is removed by the next one, and nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from dawnchorus.common.files.drafts import MANIFEST, draft_file, draft_folder
from dawnchorus.common.files.whole import check_free, whole_file, whole_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such locks on Windows")

KILLED = {
    "folder": """
with whole_folder(path, overwrite=True) as folder:
    (folder / "half.csv").write_text("half")
    stop()
""",
    "file": """
with whole_file(path) as draft:
    draft.write_text("half")
    stop()
""",
    "between": """
import dawnchorus.common.files.whole as files
rename = Path.rename
def renamed(self, target):
    rename(self, target)
    if self == path:
        stop()
Path.rename = renamed
with whole_folder(path, overwrite=True) as folder:
    (folder / "new.csv").write_text("new")
""",
}
BEGIN = """
import sys, time
from pathlib import Path
from dawnchorus.common.files.whole import whole_file, whole_folder
path = Path(sys.argv[1])
def stop():
    print("here", flush=True)
    time.sleep(600)
"""


def killed(kind, path):
    process = start(kind, path)
    process.kill()
    process.wait()


def start(kind, path):
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + KILLED[kind], str(path)], stdout=subprocess.PIPE, text=True
    )
    with process.stdout as told:
        assert told.readline() == "here\n"
    return process


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_the_next_run_removes_what_a_killed_one_left(tmp_path):
    for kind in ("folder", "folder", "file"):
        killed(kind, tmp_path / "fit")
        assert len(names(tmp_path)) == 1  # that of the last run alone
    check_free(tmp_path / "fit", overwrite=False)
    assert names(tmp_path) == []
    killed("file", tmp_path / "page.html")
    with whole_file(tmp_path / "page.html") as draft:
        draft.write_text("whole")
    assert names(tmp_path) == ["page.html"]


def test_a_folder_that_was_moved_away_is_put_back(tmp_path):
    with whole_folder(tmp_path / "fit") as folder:
        (folder / "old.csv").write_text("old")
    killed("between", tmp_path / "fit")
    assert not (tmp_path / "fit").exists()
    check_free(tmp_path / "fit", overwrite=True)
    assert names(tmp_path) == ["fit"]
    assert names(tmp_path / "fit") == [MANIFEST, "old.csv"]


def test_what_somebody_still_writes_stays(tmp_path):
    process = start("folder", tmp_path / "fit")
    try:
        with whole_folder(tmp_path / "fit") as folder:
            (folder / "whole.csv").write_text("whole")
        assert len(names(tmp_path)) == 2
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    check_free(tmp_path / "fit", overwrite=True)
    assert names(tmp_path) == ["fit"]


def test_what_is_not_surely_ours_stays(tmp_path):
    with draft_folder(tmp_path / "fit") as folder:
        machine = folder.name.removesuffix(folder.suffix)
    with draft_file(tmp_path / "fitted") as file:
        other_output = file.name
    mine = [
        ".fit-abc123",
        ".fit.1234",
        ".fit.ffffffff-12345678.dawnchorus-draft",
        f"{machine}.txt",
        other_output,
    ]
    for name in mine:
        (tmp_path / name).mkdir()
        (tmp_path / name / MANIFEST).write_text("")
    (tmp_path / f"{machine}.dawnchorus-draft").symlink_to(tmp_path / mine[0])
    with whole_folder(tmp_path / "fit") as folder:
        (folder / "whole.csv").write_text("whole")
    assert names(tmp_path) == sorted([*mine, f"{machine}.dawnchorus-draft", "fit"])


def test_a_leftover_inside_a_result_does_not_protect_it(tmp_path):
    with whole_folder(tmp_path / "fit") as folder:
        (folder / "whole.csv").write_text("whole")
    killed("file", tmp_path / "fit/report.html")
    with whole_folder(tmp_path / "fit", overwrite=True) as folder:
        (folder / "new.csv").write_text("new")
    assert names(tmp_path / "fit") == [MANIFEST, "new.csv"]
