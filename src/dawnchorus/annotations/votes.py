"""The possible votes, and the possible meanings of silence about a species."""

from __future__ import annotations

from typing import Literal

Absence = Literal["explicit", "scope", "checklist"]

ABSENT, PRESENT, UNSURE = 0, 1, 2

VOTES = dict.fromkeys(("1", "1.0", "true", "yes", "present"), PRESENT)
VOTES |= dict.fromkeys(("0", "0.0", "false", "no", "absent"), ABSENT)
VOTES |= dict.fromkeys(("", "unsure"), UNSURE)
"""What the texts in a column of votes mean."""
