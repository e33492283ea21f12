"""Trials: the counts that logits are drawn from."""

from __future__ import annotations

from typing import NamedTuple

from ...common.compiled import inlined
from ...common.ragged import Ints

INFORMED = 4
"""The precision of counts, s·(n − s) / n, from which they determine a logit, whatever the others are."""


class Trials(NamedTuple):
    """The counts of each logit, and the annotator who owns it; logits of an owner are adjacent."""

    successes: Ints
    trials: Ints
    owner: Ints
    start: Ints
    """Where the logits of each owner start."""


@inlined
def informed(s: int, n: int, precision: float = INFORMED) -> bool:
    """Return whether counts alone determine a logit with a precision; 4 is a standard error of one half."""
    return s * (n - s) >= precision * n
