"""A full disk costs no draws: the process lives on, at the command line and in Python."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import dawnchorus as dc
from commands import COMMAND, SHORT_DEMO
from dawnchorus.common.files import sealed
from dawnchorus.results.saving import files
from dawnchorus.sampling import checkpoint

WRITES = """
import resource, signal, sys
import dawnchorus as dc
posterior = dc.fit(
    dc.simulate_paper(recordings=300, annotators=10, species=10, visits=2, seed=1).annotations,
    "base", draws=1500, warmup=20, min_ess=None,
)
place, limit = sys.argv[1], int(sys.argv[2])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
for write in (
    lambda: posterior.save(f"{place}/posterior.nc"),
    lambda: dc.write_result(posterior, f"{place}/fit"),
):
    try:
        write()
    except dc.OutputError as error:
        print("caught:", error)
print("draws:", posterior.draws.flat("tpr").shape)
"""


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of 2 MB, where the machine allows."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    done = None
    with suppress(FileNotFoundError):
        done = subprocess.run(mount, capture_output=True)
    if done is None or done.returncode:
        pytest.skip("no disk can be mounted here; the limit on file size is tested all the same")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def write_into(place, limit=0):
    done = subprocess.run(
        [sys.executable, "-c", WRITES, str(place), str(limit)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    caught = [line for line in done.stdout.splitlines() if line.startswith("caught:")]
    assert "draws: (6000, 10)" in done.stdout
    assert not list(place.iterdir())
    return caught


def test_python_lives_on_when_a_real_disk_is_full(small_disk):
    first, second = write_into(small_disk)
    assert f"{small_disk}/posterior.nc could not be written (No space left on device)" in first
    assert f"{small_disk}/fit could not be written (No space left on device)" in second


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
def test_python_lives_on_when_files_may_not_grow(tmp_path):
    first, second = write_into(tmp_path, limit=1_500_000)
    assert f"{tmp_path}/posterior.nc could not be written (File too large)" in first
    assert f"{tmp_path}/fit could not be written (File too large)" in second


def test_sampling_outlives_a_checkpoint_that_does_not_fit(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
    monkeypatch.setattr(checkpoint, "SAVE_EVERY", 0)
    monkeypatch.setattr(checkpoint.np, "savez", full)
    with pytest.warns(dc.AnnotationWarning, match="could not be saved, and sampling goes on.*No space left"):
        fitted = dc.fit(annotations, "base", warmup=20, draws=30, min_ess=None, checkpoint=tmp_path / "c")
    assert fitted.draws["tpr"].shape[1] == 30
    assert not list(tmp_path.iterdir())


def test_the_command_line_says_so_and_keeps_what_it_can(small_disk):
    done = subprocess.run(
        [sys.executable, "-c", SHORT_DEMO, "demo", "--out", small_disk / "demo"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert f"{small_disk}/demo could not be written (No space left on device)" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(small_disk.iterdir())


@pytest.fixture(scope="module")
def small():
    return dc.simulate_paper(recordings=30, annotators=3, species=3, visits=3, seed=1).annotations


@pytest.fixture(scope="module")
def fitted(small):
    return dc.fit(small, "base", draws=50, warmup=20, min_ess=None)


@pytest.fixture
def full(monkeypatch):
    """Let the disk be full after so many further files."""

    def after(number):
        left = [number]

        def gone(*_):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")

        for kind, name in ((Path, "write_bytes"), (Path, "write_text"), (sealed, "write_sealed")):
            usual = getattr(kind, name)

            def instead(*arguments, usual=usual, **keywords):
                gone()
                return usual(*arguments, **keywords)

            monkeypatch.setattr(kind, name, instead)
        monkeypatch.setattr(files, "write_sealed", sealed.write_sealed)

    return after


def test_the_file_is_named_and_not_its_draft(fitted, full, tmp_path):
    full(0)
    with pytest.raises(dc.OutputError, match=r"/new/e\.nc could not be written \(No space left") as caught:
        dc.export(fitted, tmp_path / "new" / "e.nc", to="arviz")
    assert "draft" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("after", [0, 1, 2])
def test_pages_of_feedback_are_there_all_or_none(after, fitted, full, tmp_path):
    full(after)
    with pytest.raises(dc.OutputError, match=r"/new could not be written .*no incomplete files were left"):
        dc.write_feedback(fitted, tmp_path / "new")
    assert not list(tmp_path.iterdir())


def test_a_comparison_that_cannot_begin_leaves_no_folder(small, full, tmp_path):
    full(0)
    with pytest.raises(dc.OutputError, match=r"compare\.json could not be written"):
        dc.compare(small, "base", draws=5, warmup=5, folds=2, loo=False, workers=1, out=tmp_path / "new")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
def test_checks_are_written_whole_or_not_at_all(fitted, tmp_path):
    dc.write_result(fitted, tmp_path / "fit")
    before = sorted(file.name for file in (tmp_path / "fit").iterdir())
    words = "trap '' XFSZ; ulimit -f 10; exec \"$@\""
    check = [str(COMMAND), "check", str(tmp_path / "fit"), "--save", "--simulations", "100"]
    done = subprocess.run(["bash", "-c", words, "bash", *check], capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "fit could not be written (File too large); no incomplete files" in " ".join(done.stderr.split())
    assert sorted(file.name for file in (tmp_path / "fit").iterdir()) == before
