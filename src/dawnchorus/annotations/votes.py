"""The possible votes, and the possible meanings of silence about a species."""

from __future__ import annotations

from typing import Literal

Absence = Literal["explicit", "scope", "checklist"]

ABSENT, PRESENT, UNSURE = 0, 1, 2
