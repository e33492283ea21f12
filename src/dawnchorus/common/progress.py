"""Progress: how work that takes a while says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with how much is done, and how much there is in all."""
