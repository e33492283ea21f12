"""Loudness: odds of a report for birds of average loudness, from rates over all birds, in every draw.

True positive rates are kept over birds of all classes (../audibility.py). They increase with the logit for a
bird of average loudness, which is found from them by a table for each draw.
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
    """Where birds differ in how audible they are: what several votes on a cell depend on; otherwise empty.

    Odds of a report for a bird of average loudness, and P(report | absent), rates × draws, and the factor of
    these odds, classes × draws.
    """

    odds: Floats
    absent: Floats
    factor: Floats


@compiled
def loudness(tpr: Floats, fpr: Floats, draws: Ints, rate: Ints, faintness: Floats) -> Loudness:
    """Return odds of a report for birds of average loudness, P(report | absent), and factors of classes."""
    odds = np.empty((len(rate), len(draws)), np.float32)
    absent = np.empty((len(rate), len(draws)))  # in single precision, it could be 1
    factor = np.empty((len(CLASSES), len(draws)))
    table = np.empty(POINTS)
    for d in range(len(draws)):
        spread = np.float64(faintness[draws[d]])
        factor[:, d] = np.exp(spread * CLASSES)
        _logits_of_average(table, spread)
        for slot in range(len(rate)):
            p, q = (
                inside(np.float64(tpr[draws[d], rate[slot]])),
                inside(np.float64(fpr[draws[d], rate[slot]])),
            )
            at = (math.log(p / (1 - p)) + MAX_LOGIT) / STEP
            low = min(max(int(at), 0), POINTS - 2)
            share = min(max(at - low, 0.0), 1.0)
            odds[slot, d] = math.exp((1 - share) * table[low] + share * table[low + 1])
            absent[slot, d] = q
    return Loudness(odds, absent, factor)


@inlined
def _logits_of_average(table: Floats, spread: float) -> None:
    """Set the logit for a bird of average loudness at each logit of a rate over all birds."""
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
    """Return the logit of the rate over birds of all classes."""
    odds, hit, silence = math.exp(x), 0.0, 0.0
    for c in range(len(factor)):
        there = odds * factor[c]
        hit += SHARE[c] * there / (1 + there)
        silence += SHARE[c] / (1 + there)
    return math.log(hit / silence)
