"""The type of functions that long-running work calls to report its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""A function that is called with the number of steps done and the total number of steps."""
