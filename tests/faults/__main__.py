"""`PYTHONPATH=tests python -m faults` tries all faults; `python -m faults silence` those with this word."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from . import forks, trying
from .fault import Fault
from .page import FAULTS


def test_of(fault: Fault) -> str:
    return fault.seen_by or trying.EVERY_STEP


def without_faults(sources: Path, chosen: list[Fault]) -> list[forks.Work]:
    """Give the work that compiles what is missing: all tests, which have to pass."""
    every = sorted({test_of(fault) for fault in chosen})
    steps = [test for test in every if test.startswith(trying.EVERY_STEP)]
    parts = {"steps": tuple(steps), "others": tuple(set(every) - set(steps))}
    return [forks.Work(name, lambda: sources, tests) for name, tests in parts.items() if tests]


def with_faults(sources: Path, chosen: list[Fault], folder: Path) -> Iterator[forks.Work]:
    """Give the work of each fault; its name is its place in the list."""
    for at, fault in enumerate(chosen):
        wrong = partial(trying.broken, sources, fault, folder / str(at))
        yield forks.Work(str(at), wrong, (test_of(fault),))


def what_came(fault: Fault, ended: trying.Ended) -> tuple[bool, str]:
    """Tell whether all is as it should be, and say it in words."""
    try:
        seen = trying.seen(ended)
    except RuntimeError as error:
        return False, f"NOT TRIED, {error}"
    words = "seen" if seen else "not seen"
    return seen == bool(fault.seen_by), words if seen == bool(fault.seen_by) else words.upper()


def main(words: str = "") -> int:
    """Try the faults with these words, a line for each; return 1 if any is not as it should be."""
    chosen = [fault for fault in FAULTS if words in fault.words]
    began, seconds, amiss, at_once = time.monotonic(), 0.0, 0, len(os.sched_getaffinity(0))
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sources = trying.copied(trying.ROOT / "src", folder / "right")
        trying.forget_old_kernels(sources)
        for work, ended in forks.run(without_faults(sources, chosen), folder, at_once):
            print(f"without a fault, {work.name}: {ended.seconds:.0f} s", flush=True)
            seconds += ended.seconds
            if ended.code != 0:
                print(ended.shown)
                return 1
        for work, ended in forks.run(with_faults(sources, chosen, folder), folder, at_once):
            fault = chosen[int(work.name)]
            shutil.rmtree(folder / work.name)
            right, came = what_came(fault, ended)
            print(f"{came}, {ended.seconds:.0f} s: {fault.words} ({fault.file})", flush=True)
            seconds, amiss = seconds + ended.seconds, amiss + (not right)
    minutes = (time.monotonic() - began) / 60
    print(f"{len(chosen)} tried, {amiss} not as they should be", end=" ")
    print(f"({minutes:.0f} minutes, {seconds / 60:.0f} of processors)")
    return 1 if amiss else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
