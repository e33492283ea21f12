"""Place: how many threads a piece of work may use in the process that does it."""

from __future__ import annotations

_THREADS: list[int] = []


def threads_here() -> int | None:
    """Return how many threads this process was told to use when it was started; None if it was not told."""
    return _THREADS[-1] if _THREADS else None


def set_threads(number: int) -> None:
    """Say how many threads work in this process may use."""
    _THREADS[:] = [number]
