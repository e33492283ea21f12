"""Compiling is announced: the first fit on a machine takes 20 to 60 s longer, and later ones do not."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WORDS = "compiling, 20 to 60 s in all, once per machine"
_SHOWN_BY: list[Callable[[], None]] = []
_TOLD: list[str] = []


def announce() -> None:
    """Announce compiling in the bar that is shown or, without one, once per process on standard error."""
    if _SHOWN_BY:
        _SHOWN_BY[-1]()
    elif not _TOLD and multiprocessing.parent_process() is None:
        print(f"Dawnchorus: {WORDS}", file=sys.stderr, flush=True)
        _TOLD.append(WORDS)


@contextmanager
def compiling_shown_by(show: Callable[[], None]) -> Iterator[None]:
    """While the block runs, call `show` whenever a kernel is about to be compiled."""
    _SHOWN_BY.append(show)
    try:
        yield
    finally:
        _SHOWN_BY.remove(show)
