"""Cell summaries: mean, quantiles and Monte-Carlo error of probabilities over draws, for many cells at once.

The Monte-Carlo standard error of a mean over n correlated draws is

    mcse = √(v / n),   v = max(2 v(b) − v(b / 3), v(b), v(1)),

where v(b) is b times the variance of the means of batches of b successive draws, b is about the square root
of the length of a chain, and v(1) is the variance of single draws. Batches that are not much longer than the
correlation between draws make v(b) too small, and v(b / 3) even more so; the difference 2 v(b) − v(b / 3)
corrects for it (the lugsail estimator of Vats and Flegal, Biometrika 2022). Batch means vary around the
common mean of all chains (replicated batch means, Gupta and Vats 2020), so that chains which disagree
increase the error. By the maximum, the error is too large rather than too small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, ordering, reducing
from ...common.ragged import Floats, Ints

FEWEST = 9
"""With fewer draws in a chain, they are taken as independent."""
SORTED = 300
"""Quantiles of so few draws are found by sorting, which processors do many numbers at a time."""
BINS = 64
FEW = 24


class Room(NamedTuple):
    """Working memory for quantiles: the bin of each value, counts by bin, and the values of two bins."""

    bins: Ints
    counts: Ints
    one: Floats
    other: Floats


def summarise(values: Floats, chains: int, level: float) -> Floats:
    """Return mean, lower and upper quantile and Monte-Carlo error of each row: 4 × rows.

    Quantiles are those of the central interval of this level; rows are draws in single precision, flat over
    chains. They may be sorted in place.
    """
    n = values.shape[1]
    low, high = round((1 - level) / 2 * (n - 1)), round((1 + level) / 2 * (n - 1))
    out = np.empty((4, len(values)), np.float32)
    _summarise(values, chains, low, high, out)
    if n <= SORTED:
        values.sort(axis=1)
        out[1], out[2] = values[:, low], values[:, high]
    return out


@compiled
def _summarise(values: Floats, chains: int, low: int, high: int, out: Floats) -> None:
    n = values.shape[1]
    room = Room(
        np.empty(n, np.int32), np.empty(4 * BINS, np.int64), np.empty(n, np.float32), np.empty(n, np.float32)
    )
    for row in range(len(values)):
        out[0, row], out[3, row] = mean_and_error(values[row], chains)
        if n > SORTED:
            out[1, row], out[2, row] = two_places(values[row], low, high, room)


@compiled
def mean_and_error(x: Floats, chains: int) -> tuple[float, float]:
    """Return the mean of draws, flat over chains, and its Monte-Carlo error; nan for a single draw."""
    n = len(x)
    length = n // chains
    mean = _sum(x) / n
    if n == 1:
        return mean, np.nan
    variance = _squares(x, mean) / (n - 1)
    if length >= FEWEST:
        third = max(round(np.sqrt(length) / 3), 1)
        batches = length // (3 * third)
        fine, coarse = 0.0, 0.0
        for c in range(chains):
            place = c * length
            for _ in range(batches):
                one, two, three = 0.0, 0.0, 0.0
                for d in range(place, place + third):
                    one += x[d]
                    two += x[d + third]
                    three += x[d + 2 * third]
                place += 3 * third
                one, two, three = one / third - mean, two / third - mean, three / third - mean
                fine += one * one + two * two + three * three
                coarse += (one + two + three) ** 2 / 9
        fine *= third / (3 * chains * batches - 1)
        coarse *= 3 * third / (chains * batches - 1)
        variance = max(variance, coarse, 2 * coarse - fine)
    return mean, np.sqrt(variance / n)


@reducing
def _sum(x: Floats) -> float:
    total = 0.0
    for d in range(len(x)):
        total += x[d]
    return total


@reducing
def _squares(x: Floats, mean: float) -> float:
    total = 0.0
    for d in range(len(x)):
        total += (x[d] - mean) * (x[d] - mean)
    return total


@ordering
def _range(x: Floats) -> tuple[float, float]:
    low, high = x[0], x[0]
    for d in range(len(x)):
        low, high = min(low, x[d]), max(high, x[d])
    return low, high


@compiled
def two_places(x: Floats, low: int, high: int, room: Room) -> tuple[float, float]:
    """Return the values that would be at places `low` and `high` if x were in order.

    Values are counted in bins; only those in the bins of the two places are searched further.
    """
    least, most = _range(x)
    if least == most:
        return least, most
    _count(x, least, most, room)
    first, last, before, after = 0, BINS - 1, 0, len(x) - 1
    while before + room.counts[first] <= low:
        before += room.counts[first]
        first += 1
    while after - room.counts[last] >= high:
        after -= room.counts[last]
        last -= 1
    before_last = after + 1 - room.counts[last]
    found, other = 0, 0
    for d in range(len(x)):  # written in any case: that is faster than to decide
        room.one[found] = x[d]
        room.other[other] = x[d]
        found += room.bins[d] == first
        other += room.bins[d] == last
    one = _place(room.one[:found], low - before, room)
    return one, _place(room.other[:other], high - before_last, room)


@compiled
def _count(x: Floats, least: float, most: float, room: Room) -> None:
    """Find the bins of values, and count how many are in each."""
    scale = (BINS - 1) / (np.float64(most) - least)
    bins, count = room.bins, room.counts
    for d in range(len(x)):
        bins[d] = np.int32((x[d] - least) * scale)
    # Four counts in turn: to count the same bin again, one would have to wait for the count before.
    count[:] = 0
    for d in range(len(x)):
        count[(d & 3) * BINS + bins[d]] += 1
    for b in range(BINS):
        count[b] += count[BINS + b] + count[2 * BINS + b] + count[3 * BINS + b]


@compiled
def _place(x: Floats, place: int, room: Room) -> float:
    """Return the value that would be at this place if x were in order; x is changed."""
    n = len(x)
    while n > FEW:
        least, most = _range(x[:n])
        if least == most:
            return least
        _count(x[:n], least, most, room)
        wanted = 0
        while place >= room.counts[wanted]:
            place -= room.counts[wanted]
            wanted += 1
        found = 0
        for d in range(n):
            x[found] = x[d]
            found += room.bins[d] == wanted
        n = found
    for i in range(1, n):
        value, j = x[i], i
        while j > 0 and x[j - 1] > value:
            x[j] = x[j - 1]
            j -= 1
        x[j] = value
    return x[place]
