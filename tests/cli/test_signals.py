"""However a fit is asked to end, its draws are saved, and it can be continued."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

import dawnchorus as dc

fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

SAVES_OFTEN = (
    "from dawnchorus import __main__; from dawnchorus.sampling import checkpoint; "
    "checkpoint.SAVE_EVERY = 0; {more}; __main__.main()"
)
SAVES_SLOWLY = (
    "import time; seal = checkpoint.seal; checkpoint.seal = lambda file: (time.sleep(0.3), seal(file))"
)


@pytest.fixture
def start(tmp_path, hangups_heard):
    """Start a long fit, and wait until it samples."""
    annotations = dc.simulate_portal(120, 6, 8, visits=1.8, sites=3, seed=4).annotations
    annotations.to_frame("explicit").to_csv(tmp_path / "a.csv", index=False)
    words = ["fit", "a.csv", "--absence", "explicit", "--model", "base", "--min-ess", "100000"]
    words += ["--max-sweeps", "10000000", "--out", "out"]

    def start(more="pass", **options):
        code = SAVES_OFTEN.format(more=more)
        process = subprocess.Popen([sys.executable, "-c", code, *words], cwd=tmp_path, **options)
        while not (tmp_path / "out.checkpoint").exists() and process.poll() is None:
            time.sleep(0.02)
        return process

    return start


def ended(process, number, folder):
    process.wait(timeout=60)
    assert process.returncode == 128 + number
    assert [file.name for file in sorted(folder.iterdir())] == ["a.csv", "out.checkpoint"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_signal_to_end_saves(start, tmp_path, number):
    with start(stderr=subprocess.PIPE, text=True) as process:
        (tmp_path / "out.checkpoint").unlink()
        process.send_signal(number)
        told = process.stderr.read()
        ended(process, number, tmp_path)
    assert "To continue, run the same command with --resume" in told
    assert "Traceback" not in told


def test_a_closed_terminal_saves(start, tmp_path):
    ours, theirs = os.openpty()
    process = start(
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)
    os.read(ours, 100)  # the bar is there
    (tmp_path / "out.checkpoint").unlink()
    os.close(ours)
    ended(process, signal.SIGHUP, tmp_path)


def test_signals_that_follow_do_not_disturb_the_saving(start, tmp_path):
    with start(SAVES_SLOWLY, stderr=subprocess.PIPE, text=True) as process:
        process.send_signal(signal.SIGHUP)
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGHUP):
            time.sleep(0.1)
            process.send_signal(number)
        told = process.stderr.read()
        ended(process, signal.SIGHUP, tmp_path)
    assert "Traceback" not in told


def test_nohup_outlives_its_terminal(start, tmp_path):
    with start(
        stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    ) as process:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
        ended(process, signal.SIGTERM, tmp_path)
