"""The type of functions that long-running work calls to report its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""A function that is called with the number of steps done and the total number of steps."""

Phases = Callable[[str, int, int], None]
"""A function that is called with what is being done, the steps done and their number, 0 if it is unknown."""


def no_phases(words: str, done: int, total: int) -> None:
    """Show nothing."""
