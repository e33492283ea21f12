"""Votes: what one can be, what silence means, and where votes come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Absence = Literal["explicit", "scope", "checklist"]

ABSENT, PRESENT, UNSURE = 0, 1, 2


@dataclass(frozen=True)
class Provenance:
    """Where annotations come from and what was noticed on the way. No part of their equality."""

    source: str = ""
    absence: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    duplicate_rows: int = 0
    outside_scope: int = 0
