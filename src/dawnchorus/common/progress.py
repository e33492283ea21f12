"""Progress: how work that takes a while says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with how much is done, and how much there is in all."""

Phases = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is in all; 0 if nobody knows."""


def no_phases(words: str, done: int, total: int) -> None:
    """Take what `Phases` take, and show nothing."""
