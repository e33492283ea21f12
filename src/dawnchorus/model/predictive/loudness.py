"""Loudness: odds of a report in average cells, from rates over all cells, in every draw.

True positive rates are kept over birds of all classes (../audibility.py), and so are false ones, if absent
birds differ in how deceptive they are. They increase with the logit for a bird of average loudness, or of
average deception, which is found from them by a table for each draw.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints
from ..audibility import CLASSES, SHARE
from ..rates import MAX_LOGIT, inside

STEP = 0.05
"""The distance of the points of the table, on the logit scale."""
POINTS = int(2 * MAX_LOGIT / STEP) + 1


class Loudness(NamedTuple):
    """Where cells differ for everybody, what several votes on a cell depend on; otherwise empty.

    Odds of a report in an average cell, rates × draws, and the factor of these odds, classes × draws.
    """

    odds: Floats
    factor: Floats


class Together(NamedTuple):
    """What several votes on a cell depend on together, given presence and given absence.

    Beside both, P(report | absent) over all cells, rates × draws, if any of them is not empty; and if unsure
    marks are votes, what odds of anything but silence have on top.
    """

    heard: Loudness
    deceived: Loudness
    absent: Floats
    wider: Floats


def together(
    rates: tuple[Floats, Floats],
    spreads: tuple[Floats, Floats],
    draws: Ints,
    rate: Ints,
    wider: Floats,
) -> Together:
    """Return what votes depend on together, from true and false positive rates, and spreads over cells."""
    sides = [
        loudness(of, draws, rate, spread) if len(spread) else nothing(len(draws))
        for of, spread in zip(rates, spreads, strict=True)
    ]
    absent = np.empty((0, len(draws)))
    if any(len(spread) for spread in spreads):
        absent = _inside_all(rates[1], draws, rate)
    return Together(sides[0], sides[1], absent, wider)


def nothing(draws: int) -> Loudness:
    """Return the loudness of cells that are all alike."""
    return Loudness(np.empty((0, draws), np.float32), np.empty((0, draws)))


@compiled
def _inside_all(of: Floats, draws: Ints, rate: Ints) -> Floats:
    """Return rates in double precision, since they could be 1 otherwise."""
    found = np.empty((len(rate), len(draws)))
    for d in range(len(draws)):
        for slot in range(len(rate)):
            found[slot, d] = inside(np.float64(of[draws[d], rate[slot]]))
    return found


@compiled
def loudness(of: Floats, draws: Ints, rate: Ints, spread: Floats) -> Loudness:
    """Return odds of a report in average cells, and factors of classes."""
    odds = np.empty((len(rate), len(draws)), np.float32)
    factor = np.empty((len(CLASSES), len(draws)))
    table = np.empty(POINTS)
    for d in range(len(draws)):
        far = np.float64(spread[draws[d]])
        factor[:, d] = np.exp(far * CLASSES)
        _logits_of_average(table, far)
        for slot in range(len(rate)):
            p = inside(np.float64(of[draws[d], rate[slot]]))
            at = (math.log(p / (1 - p)) + MAX_LOGIT) / STEP
            low = min(max(int(at), 0), POINTS - 2)
            share = min(max(at - low, 0.0), 1.0)
            odds[slot, d] = math.exp((1 - share) * table[low] + share * table[low + 1])
    return Loudness(odds, factor)


@inlined
def _logits_of_average(table: Floats, spread: float) -> None:
    """Set the logit in an average cell at each logit of a rate over all cells."""
    factor = np.exp(spread * CLASSES)
    x, low, high = -MAX_LOGIT, -np.inf, _logit_of_all(-MAX_LOGIT, factor)
    for point in range(POINTS):
        wanted = point * STEP - MAX_LOGIT
        while high < wanted and x < MAX_LOGIT:
            x += STEP
            low, high = high, _logit_of_all(x, factor)
        part = 1.0 if high <= wanted or low == -np.inf else (wanted - low) / (high - low)
        table[point] = x - STEP * (1 - part)


@inlined
def _logit_of_all(x: float, factor: Floats) -> float:
    """Return the logit of the rate over cells of all classes."""
    odds, hit, silence = math.exp(x), 0.0, 0.0
    for c in range(len(factor)):
        there = odds * factor[c]
        hit += SHARE[c] * there / (1 + there)
        silence += SHARE[c] / (1 + there)
    return math.log(hit / silence)
