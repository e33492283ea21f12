"""Votes: what one can be, and what silence means."""

from __future__ import annotations

from typing import Literal

Absence = Literal["explicit", "scope", "checklist"]

ABSENT, PRESENT, UNSURE = 0, 1, 2
