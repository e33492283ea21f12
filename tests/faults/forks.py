"""Forks: tests that are run in copies of a process that has imported everything but Dawnchorus.

Each is a process of its own, with sources of its own, but it need not import for two seconds first. Linux
only, as `tests/ready.py`.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported; a fork has no other threads

import numba  # noqa: F401
import numpy.testing  # noqa: F401
import pandas  # noqa: F401
import pytest
import scipy.optimize
import scipy.stats  # noqa: F401
import xarray  # noqa: F401

from .trying import Ended

LONGEST = 300
"""After so many seconds of a processor's time, something runs in circles."""


class Work(NamedTuple):
    """Tests, and what makes the sources that they are run with."""

    name: str
    sources: Callable[[], Path]
    tests: tuple[str, ...]


def run(works: Iterable[Work], folder: Path, at_once: int) -> Iterator[tuple[Work, Ended]]:
    """Do all work, so much of it at once, in any order; what is shown goes through files in a folder."""
    waiting, running = iter(works), {}
    gc.freeze()
    while True:
        while len(running) < at_once and (work := next(waiting, None)):
            shown = folder / f"{work.name}.txt"
            pid = os.fork()
            if pid == 0:
                _become(work, shown)
            running[pid] = work, shown
        if not running:
            return
        pid, status, used = os.wait4(-1, 0)
        work, shown = running.pop(pid)
        words = shown.read_text(encoding="utf-8", errors="replace") if shown.exists() else ""
        yield work, Ended(os.waitstatus_to_exitcode(status), words, used.ru_utime + used.ru_stime)


def _become(work: Work, shown: Path) -> None:
    """Be pytest with these tests, from here on."""
    code = 99
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
        stream = os.open(shown, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(stream, 1)
        os.dup2(stream, 2)
        sources = work.sources()
        sys.path.insert(0, str(sources))
        os.environ |= {"PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"}
        os.environ.pop("NUMBA_CACHE_DIR", None)
        sys.dont_write_bytecode = True
        code = int(pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=line", *work.tests]))
    except BaseException as error:
        print(repr(error))
    finally:
        sys.stdout.flush()
        os._exit(code)
