"""Candidates: where silent cells may turn out present, so that the others need not be visited.

A bound on the odds of presence, never too small: the largest odds of a species among groups of recordings
that share a table, times the silence ratio of the first who voted. Species are drawn in proportion to it by
the alias method (Walker 1977): each entry of a list keeps a share of an even draw and gives the rest to one
other entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints, Ragged
from ..rates import pack_vote

OWN_TABLES = 4
"""So many groups have candidates of their own; all others share the largest odds among them."""


class Candidates(NamedTuple):
    """Bounds on how often silent cells turn out present, by table and by entry of the lists of species."""

    table: Ints
    """Of each group of recordings."""
    max_odds: Floats
    """The largest odds of each species, by table."""
    length: Floats
    """The sum of all rates of each annotator, by table."""
    max_factor: Floats
    """The most that a silent vote of each annotator can multiply odds by, at least 1."""
    alias_share: Floats
    """The share that each entry keeps, by table."""
    alias: Ints
    """The entry that gets the rest, by table."""


@compiled
def candidates(
    species_lists: Ragged, by_species: bool, max_odds: Floats, sizes: Ints, ratio: Floats
) -> Candidates:
    """Bound the rate at which silent cells turn out present.

    `species_lists` are those of each annotator if rates differ by species; otherwise one list of all species.
    `max_odds` is groups × species, `sizes` is by group, and `ratio` by code of a vote.
    """
    start, species = species_lists.start, species_lists.item
    n = len(start) - 1 if by_species else len(ratio) // 2
    table, largest = _tables(max_odds, sizes)
    length, max_factor = np.zeros((len(largest), n)), np.ones(n)
    share, alias = np.ones((len(largest), len(species))), np.empty((len(largest), len(species)), np.int32)
    rates = np.empty(len(species))
    for t in range(len(largest)):
        for row in range(len(start) - 1):
            low, high = start[row], start[row + 1]
            total = 0.0
            for entry in range(low, high):
                silence = ratio[pack_vote(entry, 0)] if by_species else 1.0
                rates[entry] = largest[t, species[entry]] * silence
                total += rates[entry]
            build_alias(rates[low:high], total, low, share[t, low:high], alias[t, low:high])
            if by_species:
                length[t, row] = total
                for entry in range(low, high):
                    max_factor[row] = max(max_factor[row], ratio[pack_vote(entry, 0)])
            else:
                for j in range(n):
                    length[t, j] = total * ratio[pack_vote(j, 0)]
                    max_factor[j] = max(1.0, ratio[pack_vote(j, 0)])
    return Candidates(table, largest, length, max_factor, share, alias)


@compiled
def _tables(max_odds: Floats, sizes: Ints) -> tuple[Ints, Floats]:
    """Return the table of each group, large groups having one of their own, and the largest odds by table."""
    groups, n_species = max_odds.shape
    table, largest = np.zeros(groups, np.int64), np.zeros((min(groups, OWN_TABLES), n_species))
    order = np.argsort(-sizes, kind="mergesort")
    for place in range(groups):
        g, t = order[place], min(place, OWN_TABLES - 1)
        table[g] = t
        for k in range(n_species):
            largest[t, k] = max(largest[t, k], max_odds[g, k])
    return table, largest


@compiled
def build_alias(rates: Floats, total: float, first: int, alias_share: Floats, alias: Ints) -> None:
    """Fill in an alias table: draws in proportion to the rates, in constant time.

    Entries below average are filled up by entries above average, in one pass through each; `left` is what the
    current entry above average has left (Hübschle-Schneider and Sanders 2022). `first` is the number of the
    first entry.
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
            alias_share[below], alias[below] = rates[below] / even, first + above
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
            alias_share[above], alias[above] = left / even, first + after
            left += rates[after] - even
            above = after


@inlined
def draw_alias(
    rng: np.random.Generator, alias_share: Floats, alias: Ints, table: int, low: int, high: int
) -> int:
    """Draw one of the entries from `low` to `high` in proportion to their rates."""
    share = rng.random() * (high - low)
    entry = low + min(int(share), high - low - 1)
    if share - (entry - low) >= alias_share[table, entry]:
        return alias[table, entry]
    return entry
