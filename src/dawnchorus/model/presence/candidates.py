"""Candidates: where silent cells may turn out present, so that the others need not be looked at.

A bound on the odds of presence, never too small: the largest odds of a species among groups of recordings
that share a table, times the silence ratio of the first who voted. Species are drawn in proportion to it by
the alias method (Walker 1977): each entry of a list keeps a share of an even draw and gives the rest to one
other entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged

OWN_TABLES = 4
"""So many groups have candidates of their own; all others share the largest odds among them."""


class Candidates(NamedTuple):
    """How often silent cells may turn out present, by table and by entry of the lists of species."""

    table: Ints
    """Of each group of recordings."""
    most: Floats
    """The largest odds of each species, by table."""
    length: Floats
    """The sum of all rates of each annotator, by table."""
    later: Floats
    """The most that a silent vote of each annotator can multiply odds by, at least 1."""
    kept: Floats
    """The share that each entry keeps, by table."""
    alias: Ints
    """The entry that gets the rest, by table."""


@compiled
def candidates(listed: Ragged, by_species: bool, odds: Floats, sizes: Ints, ratio: Floats) -> Candidates:
    """Bound the rate at which silent cells turn out present.

    `listed` are the species of each annotator if rates go by species; otherwise one list of all.
    """
    start, species = listed.start, listed.item
    n = len(start) - 1 if by_species else len(ratio) // 2
    table, most = _tables(odds, sizes)
    length, later = np.zeros((len(most), n)), np.ones(n)
    kept, alias = np.ones((len(most), len(species))), np.empty((len(most), len(species)), np.int32)
    rates = np.empty(len(species))
    for t in range(len(most)):
        for row in range(len(start) - 1):
            low, high = start[row], start[row + 1]
            total = 0.0
            for entry in range(low, high):
                rates[entry] = most[t, species[entry]] * (ratio[2 * entry] if by_species else 1.0)
                total += rates[entry]
            _share(rates[low:high], total, low, kept[t, low:high], alias[t, low:high])
            if by_species:
                length[t, row] = total
                for entry in range(low, high):
                    later[row] = max(later[row], ratio[2 * entry])
            else:
                for j in range(n):
                    length[t, j] = total * ratio[2 * j]
                    later[j] = max(1.0, ratio[2 * j])
    return Candidates(table, most, length, later, kept, alias)


@compiled
def _tables(odds: Floats, sizes: Ints) -> tuple[Ints, Floats]:
    """Give each large group its own table, and one to all others."""
    groups = len(odds)
    table, most = np.zeros(groups, np.int64), np.zeros((min(groups, OWN_TABLES), odds.shape[1]))
    order = np.argsort(-sizes, kind="mergesort")
    for place in range(groups):
        g, t = order[place], min(place, OWN_TABLES - 1)
        table[g] = t
        for k in range(odds.shape[1]):
            most[t, k] = max(most[t, k], odds[g, k])
    return table, most


@compiled
def _share(rates: Floats, total: float, first: int, kept: Floats, alias: Ints) -> None:
    """Share even draws out in proportion to the rates: entries below average are filled up by others.

    Runs once through those below and once through those above average; `left` is what the present one
    above has left (Hübschle-Schneider and Sanders 2022).
    """
    even = total / len(rates) if len(rates) else 0.0
    below, above = 0, 0
    while below < len(rates) and rates[below] > even:
        below += 1
    while above < len(rates) and rates[above] <= even:
        above += 1
    left = rates[above] if above < len(rates) else 0.0
    while above < len(rates):
        if left > even:
            if below == len(rates):
                break
            kept[below], alias[below] = rates[below] / even, first + above
            left -= even - rates[below]
            below += 1
            while below < len(rates) and rates[below] > even:
                below += 1
        else:
            after = above + 1
            while after < len(rates) and rates[after] <= even:
                after += 1
            if after == len(rates):
                break
            kept[above], alias[above] = left / even, first + after
            left += rates[after] - even
            above = after
