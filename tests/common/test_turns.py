"""Processes take turns with a file: kernels of a file are compiled by one at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from dawnchorus.common.files import turns

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such locks on Windows")

HOLDER = """
import sys, time
from pathlib import Path
from dawnchorus.common.files.turns import in_turn
with in_turn(Path(sys.argv[1])):
    print("mine", flush=True)
    time.sleep(60)
"""
KERNEL = """
from numba.core import event
from dawnchorus.common.compiled import compiled
compiled_here = []
event.register("numba:compile", type("Listener", (event.Listener,), {
    "on_start": lambda self, e: compiled_here.append(e.data["dispatcher"].py_func.__name__),
    "on_end": lambda self, e: None,
})())

@compiled
def twice(x):
    return 2 * once(x)

@compiled
def once(x):
    return x

if __name__ == "__main__":
    print("ready", flush=True)
    assert twice(3) == 6
    print(sum(name in ("twice", "once") for name in compiled_here), flush=True)
"""


def start(*command):
    command = [sys.executable, *map(str, command)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_kernel_is_compiled_by_one_process_at_a_time(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL)
    with turns.in_turn(file):
        processes = [start(file) for _ in range(3)]
        assert [process.stdout.readline() for process in processes] == ["ready\n"] * 3
        time.sleep(1)  # one that does not wait would have begun
        assert not list(tmp_path.rglob("*.nbi"))
    assert sorted(int(process.communicate(timeout=120)[0]) for process in processes) == [0, 0, 2]


def test_turns_end_with_the_process(tmp_path):
    file = tmp_path / "file"
    file.touch()
    holder = start("-c", HOLDER, file)
    assert holder.stdout.readline() == "mine\n"
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    began = time.monotonic()
    with turns.in_turn(file):
        assert time.monotonic() - began < 5


def test_a_process_that_was_stopped_is_not_waited_for_for_ever(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.touch()
    holder = start("-c", HOLDER, file)
    try:
        assert holder.stdout.readline() == "mine\n"
        monkeypatch.setattr(turns, "PATIENCE", 0.3)
        began = time.monotonic()
        with turns.in_turn(file):
            assert time.monotonic() - began >= 0.3
    finally:
        holder.kill()
        holder.communicate()


def test_nobody_waits_for_a_file_that_is_not_there_or_cannot_be_locked(tmp_path, monkeypatch):
    with turns.in_turn(tmp_path / "none"):
        pass
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(turns, "LOCKS", None)
    with turns.in_turn(file), turns.in_turn(file):
        pass
