"""Presence drawn anew: which cells are present, given how probable species are in a draw of the parameters.

Log-odds of a cell are a sum of one value for each term (one term, the component, if there is no context).
Recordings that have the same row of the widest term form a group. In a group, no log-odds of species k exceed

    x[group, k] = value[row of the group, k] + Σ over the other terms max over rows value[row, k],

so candidates are found by geometric jumps through the recordings of the group, with probability σ(x), and
each is kept with the ratio of its own probability to that. This is exact, and takes time in proportion to
groups × species and candidates, not to recordings × species.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints

FIRST = 1024
"""Room for so many cells or reports at first; it is doubled where it does not suffice."""
SURE = 30.0
"""Beyond such log-odds, log(1 + exp(x)) is x."""


@compiled
def draw_present(rng: np.random.Generator, value: Floats, row: Ints) -> tuple[Ints, Ints]:
    """Draw the cells that are present: recordings and species, in no particular order.

    `value` is log-odds, rows × species, with rows numbered through all terms; `row` recordings × terms.
    """
    n_recordings, terms = row.shape
    n_species = value.shape[1]
    low, high = np.zeros(terms, np.int64), np.zeros(terms, np.int64)  # the rows of each term
    widest = 0
    for t in range(terms):
        if n_recordings:
            low[t], high[t] = row[:, t].min(), row[:, t].max() + 1
        if high[t] - low[t] > high[widest] - low[widest]:
            widest = t
    most = np.zeros(n_species)
    for t in range(terms):
        if t != widest:
            for k in range(n_species):
                most[k] += value[low[t] : high[t], k].max() if high[t] > low[t] else 0.0
    start, member = _groups(row[:, widest], low[widest], high[widest])
    found, number = np.empty((2, FIRST), np.int64), 0
    for g in range(len(start) - 1):
        size = start[g + 1] - start[g]
        if size == 0:
            continue
        for k in range(n_species):
            bound = value[low[widest] + g, k] + most[k]
            step = softplus(bound)
            place = rng.standard_exponential() / step
            while place < size:
                i = member[start[g] + int(place)]
                if terms == 1 or rng.random() < _chance(value, row, i, k) * (1 + math.exp(-bound)):
                    found = grown(found, number)
                    found[0, number], found[1, number] = i, k
                    number += 1
                place = math.floor(place) + 1 + rng.standard_exponential() / step
    return found[0, :number].copy(), found[1, :number].copy()


@inlined
def softplus(x: float) -> float:
    """Return log(1 + exp(x)), which is −log(1 − σ(x)), never quite 0."""
    return x if x > SURE else max(math.log1p(math.exp(x)), 1e-300)


@inlined
def _chance(value: Floats, row: Ints, i: int, k: int) -> float:
    x = 0.0
    for t in range(row.shape[1]):
        x += value[row[i, t], k]
    return 1 / (1 + math.exp(-x))


@inlined
def grown(found: Ints, number: int) -> Ints:
    """Return an array with twice as many columns, if all are taken."""
    if number < found.shape[1]:
        return found
    larger = np.empty((found.shape[0], 2 * found.shape[1]), found.dtype)
    for place in range(number):  # a slice would have numba compile its error message too, for seconds
        for row in range(len(found)):
            larger[row, place] = found[row, place]
    return larger


@compiled
def _groups(row: Ints, low: int, high: int) -> tuple[Ints, Ints]:
    """Return the recordings of each row of a term, as lists."""
    start = np.zeros(high - low + 1, np.int64)
    for i in range(len(row)):
        start[row[i] - low + 1] += 1
    start = start.cumsum()
    place, member = start.copy(), np.empty(len(row), np.int64)
    for i in range(len(row)):
        member[place[row[i] - low]] = i
        place[row[i] - low] += 1
    return start, member
