"""Lookups: small compiled functions that many kernels call."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..common.compiled import inlined
from ..common.ragged import Bools, Floats, Ints, Ragged

FAR = 1e100
"""Products of many ratios are stored as w · FAR^far with w between 1 / FAR and FAR, far an integer."""
LARGE = 1e250
"""Odds are no larger, and no smaller than 1 / LARGE."""
CERTAIN = 1e150
"""The odds where a species is known to be present; where it is known to be absent, 1 / CERTAIN."""
FEW = 15
"""The product of so few votes, each a factor between 1e-15 and 1e15, stays within these bounds."""


class Visits(NamedTuple):
    """Who visited which recording, and what they may vote on there."""

    start: Ints
    """Where the visits of each recording start. The visit with the widest scope comes first."""
    annotator: Ints
    """Of each visit, as scope and unsure are."""
    scope: Ints
    unsure: Ragged
    scopes: Ragged
    """The species of each scope."""
    in_scope: Bools
    """The same as a table, scopes × species, if that is not too large; otherwise empty."""


class Rates(NamedTuple):
    """Which rate a vote of an annotator on a species depends on."""

    pairs: Ragged
    """The species list of each annotator, if rates differ by species; otherwise empty."""
    table: Ints
    """The rates as a table, annotators × species, if that is not too large; otherwise empty."""


@inlined
def accepted(rng: np.random.Generator, log_ratio: float) -> bool:
    """Return whether a Metropolis–Hastings proposal is accepted: with probability min(1, exp(log_ratio))."""
    return rng.standard_exponential() > -log_ratio


@inlined
def times(w: float, far: int, ratio: float) -> tuple[float, int]:
    """Return w · FAR^far times a ratio, in the same form, since a product of hundreds may overflow."""
    w *= ratio
    if w > FAR:
        return w / FAR, far + 1
    if w < 1 / FAR:
        return w * FAR, far - 1
    return w, far


@inlined
def odds_from(w: float, far: int) -> float:
    """Return w · FAR^far, kept between 1 / LARGE and LARGE."""
    if far != 0:
        w *= FAR ** float(max(min(far, 4), -4))
    return min(max(w, 1 / LARGE), LARGE)


@inlined
def weighed(w: float, ratio: Floats, vote: Ints, low: int, high: int) -> float:
    """Return odds times the ratios of the votes from `low` to `high`, which may come in any order."""
    if high - low <= FEW:
        for v in range(low, high):
            w *= ratio[vote[v]]
        return odds_from(w, 0)
    far = 0
    for v in range(low, high):
        w, far = times(w, far, ratio[vote[v]])
    return odds_from(w, far)


@inlined
def given_further(w: float, further: Floats, cell: int) -> float:
    """Return the odds of a cell given what else is known of it; see `ReportedCells.further`."""
    if len(further) == 0:
        return w
    if further[cell] == math.inf:
        return CERTAIN
    if further[cell] == 0:
        return 1 / CERTAIN
    return odds_from(w * further[cell], 0)


@inlined
def has_voted(visits: Visits, visit: int, k: int) -> bool:
    """Return whether a visit voted on a species: by a table of scopes or, without one, by a search."""
    if len(visits.in_scope) > 0:
        return voted_by_table(
            visits.in_scope, visits.scope, visits.unsure.start, visits.unsure.item, visit, k
        )
    return voted_on(visits.scopes, visits.scope[visit], visits.unsure, visit, k)


@inlined
def voted_by_table(
    in_scope: Bools, scope: Ints, unsure_start: Ints, unsure: Ints, visit: int, k: int
) -> bool:
    """Return the same by a table of scopes, for loops that take arrays out of their tuples once."""
    return in_scope[scope[visit], k] and not has(unsure, unsure_start[visit], unsure_start[visit + 1], k)


@inlined
def voted_on(scopes: Ragged, scope: int, unsure: Ragged, visit: int, k: int) -> bool:
    """Return whether a visit with this scope voted on a species: it is in scope and not marked unsure."""
    place, end = lower(scopes.item, scopes.start[scope], scopes.start[scope + 1], k), scopes.start[scope + 1]
    if place == end or scopes.item[place] != k:
        return False
    return not has(unsure.item, unsure.start[visit], unsure.start[visit + 1], k)


@inlined
def rate_of(rates: Rates, j: int, k: int) -> int:
    """Return the rate that annotator j's votes on species k depend on."""
    if len(rates.pairs.start) == 1:
        return j
    if len(rates.table) > 0:
        return rates.table[j, k]
    return lower(rates.pairs.item, rates.pairs.start[j], rates.pairs.start[j + 1], k)


@inlined
def has(items: Ints, low: int, high: int, k: int) -> bool:
    """Return whether a short list has k."""
    for place in range(low, high):  # noqa: SIM110
        if items[place] == k:
            return True
    return False


@inlined
def lower(items: Ints, low: int, high: int, k: int) -> int:
    """Return the first place from `low` on where an ascending list is at least k."""
    while low < high:
        middle = (low + high) // 2
        if items[middle] < k:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def draw_class(rng: np.random.Generator, weight: Floats) -> int:
    """Draw a class in proportion to its weight."""
    left, c = rng.random() * weight.sum(), 0
    while c < len(weight) - 1 and left >= weight[c]:
        left -= weight[c]
        c += 1
    return c
