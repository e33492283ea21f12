"""Memory that commands keep for the next sweep."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dawnchorus.cli.fitting import freed_memory

PAGES = """
import resource, sys
import numba, numpy as np
from dawnchorus.cli.fitting.freed_memory import keep_freed_memory

@numba.njit
def fill():
    return np.zeros(4_000_000).sum()

if sys.argv[1] == "keep":
    keep_freed_memory()
fill(), fill()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    fill()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of Linux is asked")
def test_large_arrays_use_the_same_memory_again():
    command = [sys.executable, "-c", PAGES]
    asked = {
        how: int(subprocess.run([*command, how], capture_output=True, text=True, check=True).stdout)
        for how in ("keep", "plain")
    }
    assert asked["keep"] <= max(0.1 * asked["plain"], 100)


def test_nothing_is_asked_of_other_systems(monkeypatch):
    monkeypatch.setattr(freed_memory.sys, "platform", "darwin")
    monkeypatch.setattr(freed_memory, "ctypes", None)
    freed_memory.keep_freed_memory()
