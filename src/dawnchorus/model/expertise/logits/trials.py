"""Trials: the counts that logits are drawn from, and what they say of a logit.

With s successes among n trials, the log likelihood of a logit x is

    s·x − Σ over its trials log(1 + factor·eˣ),

and, but for a constant, the same if success had the logit x + log factor in some trials: these are of several
*classes*, each with its own factor.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import ZERO, inlined
from ....common.ragged import Floats, Ints
from ...design import Design

INFORMED = 4
"""The precision of counts, s·(n − s) / n, from which they determine a logit, whatever the others are."""

LARGEST = 600.0
"""The odds of larger logits, times a factor, would overflow."""


class Classes(NamedTuple):
    """Trials by logit and class: how many, and the factor of their odds. Empty if the factor is always 1."""

    start: Ints
    """Where those of each logit start."""
    trials: Ints
    factor: Floats


ONE_CLASS = Classes(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
"""All trials of a logit have the same odds."""


class Trials(NamedTuple):
    """The counts of each logit, and the annotator who owns it; logits of an owner are adjacent."""

    successes: Ints
    trials: Ints
    owner: Ints
    start: Ints
    """Where the logits of each owner start."""
    offset: Floats
    """By how much the centre of each logit differs from its owner's level; empty if by nothing."""
    classes: Classes = ONE_CLASS


class Counts(NamedTuple):
    """The counts of one logit, for loops that draw it.

    Numbers only: with arrays in it, numba would count references to each for every logit, which takes longer
    than the draw.
    """

    successes: int
    trials: int
    first: int
    """Where its classes start, and where they end; the same if the factor is always 1."""
    last: int


def owners(design: Design) -> tuple[Ints, Ints]:
    """Return the owner of each logit, and where those of each start.

    As arrays of its own: the design's may not be written to, and kernels would be compiled for these as well.
    """
    return design.rate_annotator.copy(), design.pairs.start.copy()


@inlined
def offset_of(offset: Floats, p: int) -> float:
    """Return by how much the centre of a logit differs from its owner's level."""
    return offset[p] if len(offset) > 0 else 0.0


@inlined
def informed(s: int, n: int, precision: float = INFORMED) -> bool:
    """Return whether counts alone determine a logit with a precision; 4 is a standard error of one half."""
    return s * (n - s) >= precision * n


@inlined
def counts_of(successes: Ints, trials: Ints, start: Ints, p: int) -> Counts:
    """Return the counts of a logit; `start` is of `Classes`."""
    if len(start) == 0:
        return Counts(successes[p], trials[p], ZERO, ZERO)
    return Counts(successes[p], trials[p], start[p], start[p + 1])


@inlined
def expected_at(trials: Trials, p: int, x: float) -> tuple[float, float, float]:
    """Return Σ log(1 + factor·eˣ) over the trials of a logit, its slope and its curvature in the logit.

    The slope is the expected number of successes, the curvature their variance.
    """
    start, number, factor = trials.classes
    return expected_of_at(counts_of(trials.successes, trials.trials, start, p), number, factor, x)


@inlined
def expected_of(counts: Counts, number: Ints, factor: Floats, odds: float) -> tuple[float, float, float]:
    """Return the same as `expected_at` of the odds; `number` and `factor` are those of all classes."""
    if counts.first == counts.last:
        log, rate = log_one_plus(odds)
        return counts.trials * log, counts.trials * rate, counts.trials * rate * (1 - rate)
    total, mean, variance = 0.0, 0.0, 0.0
    for c in range(counts.first, counts.last):
        log, rate = log_one_plus(factor[c] * odds)
        total += number[c] * log
        mean += number[c] * rate
        variance += number[c] * rate * (1 - rate)
    return total, mean, variance


@inlined
def expected_of_at(counts: Counts, number: Ints, factor: Floats, x: float) -> tuple[float, float, float]:
    """Return the same as `expected_at`."""
    total, mean, variance = expected_of(counts, number, factor, odds_at_logit(x))
    return total + counts.trials * max(x - LARGEST, 0.0), mean, variance


@inlined
def log_one_plus(odds: float) -> tuple[float, float]:
    """Return log(1 + odds), by its series where odds are small, and odds / (1 + odds)."""
    if odds < 1 / 64:  # the next term would be below rounding errors
        log = odds * (1 / 5 - odds * (1 / 6 - odds * (1 / 7 - odds / 8)))
        log = odds * (1 - odds * (1 / 2 - odds * (1 / 3 - odds * (1 / 4 - log))))
    else:
        log = math.log1p(odds)
    return log, odds / (1 + odds)


@inlined
def odds_at_logit(x: float) -> float:
    """Return exp(x), kept from overflow, also if it is multiplied by a factor."""
    return math.exp(min(x, LARGEST))
