"""Turns: processes that do the same work with a file do so one after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .drafts import LOCKS

PATIENCE = 120.0
"""After so many seconds, the turn has come in any case: the other process may have been stopped (Ctrl-Z)."""
PAUSE = 0.01
_mine: set[Path] = set()
"""The files with which it is this process's turn."""


@contextmanager
def in_turn(path: Path) -> Iterator[None]:
    """Wait until no other process has its turn with this file, which stays as it is, and take one.

    Turns of the same process may be inside each other, in one thread at a time. Turns end with the process.
    Where a file cannot be locked (on Windows, and on some network disks), nobody waits.

    >>> with in_turn(Path(__file__)), in_turn(Path(__file__)):
    ...     print("my turn")
    my turn
    """
    if LOCKS is None or path in _mine:
        yield
        return
    try:
        handle = path.open("rb")
    except OSError:  # in an archive, or not there any more
        yield
        return
    with handle:
        _wait(handle.fileno())
        _mine.add(path)
        try:
            yield
        finally:
            _mine.discard(path)
            with suppress(OSError):  # also for children that have inherited it, which closing would not do
                LOCKS.flock(handle, LOCKS.LOCK_UN)


def _wait(handle: int) -> None:
    """Lock a file, unless it cannot be locked."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            LOCKS.flock(handle, LOCKS.LOCK_EX | LOCKS.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(PAUSE)
        except OSError:
            return
