"""Gathered: what counts say of several logits, computed for all of them at once (see trials.py for the sums).

Which logits take part in a move, and how many classes of trials they have, differs from one to the next. So
those that do are gathered first, and the loops that compute are plain ones over arrays: a compiler makes them
several times as fast (common/arithmetic.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....common.arithmetic import exp_of, log_one_plus
from ....common.compiled import ZERO, compiled, inlined
from ....common.ragged import Floats, Ints
from .trials import LARGEST, Trials


class Gathered(NamedTuple):
    """Room for logits that are gathered, and for what their counts say of them.

    Kernels take these arrays out once and fill in the first two; inside loops, every access would count
    references.
    """

    place: Ints
    """Which logits they are."""
    x: Floats
    """Where they are, or may be."""
    log: Floats
    """Σ log(1 + factor·eˣ) over the trials of each."""
    hits: Floats
    """The expected number of successes of each."""
    curved: Floats
    """The variance of that number."""
    number: Floats
    """The trials of each or, if there are several classes, of each class of each."""
    odds: Floats
    """The odds of these."""


@compiled
def room_for(trials: Trials) -> Gathered:
    """Return room for all logits."""
    n = len(trials.trials)
    size = max(n, len(trials.classes.trials))
    sums = np.empty(size), np.empty(size), np.empty(size)
    return Gathered(np.empty(n, np.int64), np.empty(n), *sums, np.empty(size), np.empty(size))


@compiled
def find_logs(room: Gathered, trials: Trials, gathered: int, move: float) -> None:
    """Compute `log` of so many gathered logits, each moved by as much."""
    size = _fill_odds(room, trials, gathered, move)
    _fill_logs(room, trials, gathered, size, move)


@compiled
def find_hits(room: Gathered, trials: Trials, gathered: int, move: float) -> None:
    """Compute `hits` and `curved` of so many gathered logits, each moved by as much."""
    size = _fill_odds(room, trials, gathered, move)
    _fill_hits(room, trials, gathered, size)


@compiled
def evaluate(room: Gathered, trials: Trials, gathered: int, move: float) -> None:
    """Compute all that counts say of so many gathered logits, each moved by as much."""
    size = _fill_odds(room, trials, gathered, move)
    _fill_logs(room, trials, gathered, size, move)
    _fill_hits(room, trials, gathered, size)


@inlined
def _fill_odds(room: Gathered, trials: Trials, gathered: int, move: float) -> int:
    """Fill in trials and odds of each logit, or of each class of each; return how many these are."""
    place, x, number, odds = room.place, room.x, room.number, room.odds
    n, (start, class_number, factor) = trials.trials, trials.classes
    if len(start) == 0:
        for at in range(gathered):
            odds[at] = exp_of(min(x[at] + move, LARGEST))
        for at in range(gathered):
            number[at] = n[place[at]]
        return gathered
    size = ZERO
    for at in range(gathered):
        here = exp_of(min(x[at] + move, LARGEST))
        for c in range(start[place[at]], start[place[at] + 1]):
            odds[size], number[size] = factor[c] * here, class_number[c]
            size += 1
    return size


@inlined
def _fill_logs(room: Gathered, trials: Trials, gathered: int, size: int, move: float) -> None:
    place, x, log, number, odds = room.place, room.x, room.log, room.number, room.odds
    n, start = trials.trials, trials.classes.start
    for at in range(size):
        log[at] = number[at] * log_one_plus(odds[at])
    if len(start) > 0:
        _sum_classes(log, place, start, gathered)
    for at in range(gathered):
        if x[at] + move > LARGEST:
            log[at] += n[place[at]] * (x[at] + move - LARGEST)


@inlined
def _fill_hits(room: Gathered, trials: Trials, gathered: int, size: int) -> None:
    place, hits, curved, number, odds = room.place, room.hits, room.curved, room.number, room.odds
    start = trials.classes.start
    for at in range(size):
        hits[at] = number[at] * (odds[at] / (1 + odds[at]))
    for at in range(size):
        curved[at] = hits[at] / (1 + odds[at])
    if len(start) > 0:
        _sum_classes(hits, place, start, gathered)
        _sum_classes(curved, place, start, gathered)


@inlined
def _sum_classes(values: Floats, place: Ints, start: Ints, gathered: int) -> None:
    """Sum values of each class of gathered logits, in place: there are at least as many classes as logits."""
    entry = ZERO
    for at in range(gathered):
        total = 0.0
        for _ in range(start[place[at]], start[place[at] + 1]):
            total += values[entry]
            entry += 1
        values[at] = total
