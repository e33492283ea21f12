"""Joint votes: what all votes on a cell say of presence, over draws; a product, unless birds may be faint.

If birds differ in how audible they are (../audibility.py), true positive rates are those over birds of all
classes, which is what a single vote depends on. Several votes on a cell depend on each other: their ratio is

    Σ over classes share · ∏ over votes P(vote | present, class)  /  ∏ over votes P(vote | absent).
"""

from __future__ import annotations

import math

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints
from ..audibility import CLASSES, SHARE
from ..rates import unpack_vote
from .vote_ratios import Ratios


@compiled
def take_factor(
    factor: Floats, ratios: Ratios, code: Ints, low: int, high: int, first: int, size: int
) -> None:
    """Set the ratio of all votes on a cell, for `size` draws from `first` on."""
    factor[:] = 1.0
    if high - low < 2 or len(ratios.loudness.odds) == 0:
        for v in range(low, high):
            ratio = ratios.ratio[code[v], first : first + size]
            for d in range(size):
                factor[d] *= ratio[d]
        return
    part, total = np.empty(size), np.zeros(size)
    for c in range(len(CLASSES)):
        part[:] = SHARE[c]
        of_class = ratios.loudness.factor[c, first : first + size]
        for v in range(low, high):
            rate, said = unpack_vote(code[v])
            odds = ratios.loudness.odds[rate, first : first + size]
            if said:
                for d in range(size):
                    there = odds[d] * of_class[d]
                    part[d] *= there / (1 + there)
            else:
                for d in range(size):
                    part[d] /= 1 + odds[d] * of_class[d]
        total += part
    for v in range(low, high):
        rate, said = unpack_vote(code[v])
        absent = ratios.loudness.absent[rate, first : first + size]
        for d in range(size):
            total[d] /= absent[d] if said else 1 - absent[d]
    factor[:size] = total


@compiled
def take_log_factor(
    log: Floats, ratios: Ratios, code: Ints, low: int, high: int, first: int, size: int
) -> None:
    """Set the logarithm of the ratio of all votes on a cell, however many there are."""
    log[:] = 0.0
    if high - low < 2 or len(ratios.loudness.odds) == 0:
        for v in range(low, high):
            logs = ratios.log_ratio[ratios.log_place[code[v]], first : first + size]
            for d in range(size):
                log[d] += logs[d]
        return
    part = np.empty((len(CLASSES), size))
    for c in range(len(CLASSES)):
        part[c] = math.log(SHARE[c])
        for v in range(low, high):
            rate, said = unpack_vote(code[v])
            for d in range(size):
                there = ratios.loudness.odds[rate, first + d] * ratios.loudness.factor[c, first + d]
                part[c, d] += (math.log(there) if said else 0.0) - math.log1p(there)
    for d in range(size):
        most = part[:, d].max()
        log[d] = most + math.log(np.exp(part[:, d] - most).sum())
    for v in range(low, high):
        rate, said = unpack_vote(code[v])
        for d in range(size):
            absent = ratios.loudness.absent[rate, first + d]
            log[d] -= math.log(absent) if said else math.log1p(-absent)
