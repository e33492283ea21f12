"""Joint votes: what all votes on a cell say of presence, over draws; a product, unless cells differ.

If birds differ in how audible they are (../audibility.py), true positive rates are those over birds of all
classes, which is what a single vote depends on. Several votes on a cell depend on each other: their ratio is

    Σ over classes share · ∏ over votes P(vote | present, class)  /  ∏ over votes P(vote | absent).

If absent birds differ in how deceptive they are, this is divided by

    Σ over classes share · ∏ over votes P(vote | absent, class) / P(vote | absent).

If unsure marks are votes too, a single silence may have been either, and is summed over classes as well. Then
P(silence | absent) is that of a rate which is the same in all classes, in both lines.
"""

from __future__ import annotations

import math

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints
from ..audibility import CLASSES, SHARE
from ..rates import unpack_vote
from .loudness import Loudness, Together
from .vote_ratios import Ratios


@inlined
def _joint(side: Loudness, both: Together, votes: int) -> bool:
    """Return whether so many votes on a cell are summed over classes of birds together."""
    return len(side.odds) > 0 and (votes > 1 or (votes == 1 and len(both.wider) > 0))


@inlined
def _wider(both: Together, draw: int) -> float:
    """Return what the odds of a report are multiplied by for those of anything but silence."""
    return both.wider[draw] if len(both.wider) > 0 else 1.0


@inlined
def _silence(both: Together, report: float, draw: int) -> float:
    """Return the probability of silence, from that of a report."""
    return (1 - report) / (1 + (_wider(both, draw) - 1) * report)


@compiled
def _over_classes(
    side: Loudness, both: Together, code: Ints, low: int, high: int, first: int, size: int
) -> Floats:
    """Return Σ over classes share · ∏ over votes P(vote | class) / P(vote | absent)."""
    part, total = np.empty(size), np.zeros(size)
    for c in range(len(CLASSES)):
        part[:] = SHARE[c]
        of_class = side.factor[c, first : first + size]
        for v in range(low, high):
            rate, said = unpack_vote(code[v])
            odds = side.odds[rate, first : first + size]
            if said:
                for d in range(size):
                    there = odds[d] * of_class[d]
                    part[d] *= there / (1 + there)
            else:
                for d in range(size):
                    part[d] /= 1 + odds[d] * of_class[d] * _wider(both, first + d)
        total += part
    for v in range(low, high):
        rate, said = unpack_vote(code[v])
        absent = both.absent[rate, first : first + size]
        for d in range(size):
            total[d] /= absent[d] if said else _silence(both, absent[d], first + d)
    return total


@compiled
def _log_over_classes(
    side: Loudness, both: Together, code: Ints, low: int, high: int, first: int, size: int
) -> Floats:
    """Return the logarithm of the same, however many votes there are."""
    part, log = np.empty((len(CLASSES), size)), np.empty(size)
    for c in range(len(CLASSES)):
        part[c] = math.log(SHARE[c])
        for v in range(low, high):
            rate, said = unpack_vote(code[v])
            for d in range(size):
                there = side.odds[rate, first + d] * side.factor[c, first + d]
                if not said:
                    there *= _wider(both, first + d)
                part[c, d] += (math.log(there) if said else 0.0) - math.log1p(there)
    for d in range(size):
        most = part[:, d].max()
        log[d] = most + math.log(np.exp(part[:, d] - most).sum())
    for v in range(low, high):
        rate, said = unpack_vote(code[v])
        for d in range(size):
            absent = both.absent[rate, first + d]
            log[d] -= math.log(absent if said else _silence(both, absent, first + d))
    return log


@compiled
def take_factor(
    factor: Floats, ratios: Ratios, code: Ints, low: int, high: int, first: int, size: int
) -> None:
    """Set the ratio of all votes on a cell, for `size` draws from `first` on."""
    factor[:] = 1.0
    if not _heard(factor, ratios.together, code, low, high, first, size):
        for v in range(low, high):
            ratio = ratios.ratio[code[v], first : first + size]
            for d in range(size):
                factor[d] *= ratio[d]
    _deceived(factor, ratios.together, code, low, high, first, size)


@compiled
def take_log_factor(
    log: Floats, ratios: Ratios, code: Ints, low: int, high: int, first: int, size: int
) -> None:
    """Set the logarithm of the ratio of all votes on a cell, however many there are."""
    log[:] = 0.0
    if not _log_heard(log, ratios.together, code, low, high, first, size):
        for v in range(low, high):
            logs = ratios.log_ratio[ratios.log_place[code[v]], first : first + size]
            for d in range(size):
                log[d] += logs[d]
    _log_deceived(log, -1.0, ratios.together, code, low, high, first, size)


@compiled
def add_log_absent(
    to: Floats, sign: float, ratios: Ratios, code: Ints, low: int, high: int, first: int, size: int
) -> None:
    """Add (or with a sign of −1, subtract) the logarithm of P(votes | absent) of a cell."""
    for v in range(low, high):
        part = ratios.log_absent[code[v], first : first + size]
        for d in range(size):
            to[d] += sign * part[d]
    _log_deceived(to, sign, ratios.together, code, low, high, first, size)


# What all votes say together. Where cells are alike, `both` is None, and none of it is compiled.


@compiled
def _heard(
    factor: Floats, both: Together | None, code: Ints, low: int, high: int, first: int, size: int
) -> bool:
    """Set what votes say given presence, over P(vote | absent) of each; return whether they depend on it."""
    if both is None:
        return False
    if not _joint(both.heard, both, high - low):
        return False
    factor[:size] = _over_classes(both.heard, both, code, low, high, first, size)
    return True


@compiled
def _deceived(
    factor: Floats, both: Together | None, code: Ints, low: int, high: int, first: int, size: int
) -> None:
    """Divide by what votes say given absence, over P(vote | absent) of each, if they depend on it."""
    if both is None:
        return
    if _joint(both.deceived, both, high - low):
        factor[:size] /= _over_classes(both.deceived, both, code, low, high, first, size)


@compiled
def _log_heard(
    log: Floats, both: Together | None, code: Ints, low: int, high: int, first: int, size: int
) -> bool:
    """Do the same as `_heard`, in logarithms."""
    if both is None:
        return False
    if not _joint(both.heard, both, high - low):
        return False
    log[:size] = _log_over_classes(both.heard, both, code, low, high, first, size)
    return True


@compiled
def _log_deceived(
    log: Floats, sign: float, both: Together | None, code: Ints, low: int, high: int, first: int, size: int
) -> None:
    """Add or subtract the logarithm of what votes say given absence, as in `_deceived`."""
    if both is None:
        return
    if _joint(both.deceived, both, high - low):
        log[:size] += sign * _log_over_classes(both.deceived, both, code, low, high, first, size)
