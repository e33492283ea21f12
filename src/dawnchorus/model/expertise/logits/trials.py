"""Trials: the counts that logits are drawn from."""

from __future__ import annotations

from typing import NamedTuple

from ....common.compiled import inlined
from ....common.ragged import Floats, Ints

INFORMED = 4
"""The precision of counts, s·(n − s) / n, from which they determine a logit, whatever the others are."""


class Trials(NamedTuple):
    """The counts of each logit, and the annotator who owns it; logits of an owner are adjacent."""

    successes: Ints
    trials: Ints
    owner: Ints
    start: Ints
    """Where the logits of each owner start."""
    offset: Floats
    """By how much the centre of each logit differs from its owner's level; empty if by nothing."""


@inlined
def offset_of(offset: Floats, p: int) -> float:
    """Return by how much the centre of a logit differs from its owner's level."""
    return offset[p] if len(offset) > 0 else 0.0


@inlined
def informed(s: int, n: int, precision: float = INFORMED) -> bool:
    """Return whether counts alone determine a logit with a precision; 4 is a standard error of one half."""
    return s * (n - s) >= precision * n
