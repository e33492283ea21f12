"""Candidates: where silent cells may turn out present, so that the others need not be visited.

A bound on the odds of presence, never too small: the largest odds of a species among groups of recordings
that share a table, times the silence ratio of the first who voted. Annotators with few visits share a list of
species, with the largest silence ratio among them, because preparing a list takes longer than a few more
candidates. Species are drawn in proportion to it by
the alias method (Walker 1977): each entry of a list keeps a share of an even draw and gives the rest to one
other entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints, Ragged
from ..design import SpeciesLists
from ..rates import pack_vote, silences_by_rate

OWN_TABLES = 4
"""So many groups have candidates of their own, unless all have; others share the largest odds among them."""


class SilenceBounds(NamedTuple):
    """The most that silence can multiply odds by."""

    entry: Floats
    """By entry of the lists of species: the silence ratio of the annotator; in the shared list, the largest
    of all who share it. Where rates do not differ by species it is 1."""
    annotator: Floats
    """What that is to be multiplied by: the silence ratio, where rates do not differ by species."""
    later: Floats
    """The most that silence of each annotator on any species can multiply odds by, at least 1."""


class Candidates(NamedTuple):
    """Bounds on how often silent cells turn out present, by table and by entry of the lists of species."""

    table: Ints
    """Of each group of recordings."""
    max_odds: Floats
    """The largest odds of each species, by table."""
    total: Floats
    """The sum of all rates of each list, by table."""
    alias_share: Floats
    """The share that each entry keeps, by table."""
    alias: Ints
    """The entry that gets the rest, by table."""


@compiled
def silence_bounds(species_lists: SpeciesLists, pairs: Ragged, ratio: Floats) -> SilenceBounds:
    """Return the most that silence can multiply odds by; `ratio` is by code of a vote."""
    list_start, list_of = species_lists.lists.start, species_lists.of_annotator
    start, species = pairs
    entry, n = np.ones(len(species_lists.lists.item)), len(list_of)
    if len(start) == 1:
        silence = silences_by_rate(ratio).copy()
        return SilenceBounds(entry, silence, np.maximum(silence, 1.0))
    shared, later = len(list_start) - 2, np.ones(n)
    largest = entry[list_start[shared] :]
    largest[:] = 0
    for j in range(n):
        low, high, most = start[j], start[j + 1], 1.0
        if list_of[j] == shared:
            for rate in range(low, high):
                silence_ratio = ratio[pack_vote(rate, 0)]
                most = max(most, silence_ratio)
                largest[species[rate]] = max(largest[species[rate]], silence_ratio)
        else:
            own = entry[list_start[list_of[j]] :]
            for rate in range(low, high):
                own[rate - low] = ratio[pack_vote(rate, 0)]
                most = max(most, own[rate - low])
        later[j] = most
    return SilenceBounds(entry, np.ones(n), later)


@compiled
def candidates(
    lists: Ragged, factor: Floats, max_odds: Floats, sizes: Ints, own_tables: bool = False
) -> Candidates:
    """Bound the rate at which silent cells turn out present.

    `factor` multiplies the odds of each entry of the lists; `max_odds` is groups × species, `sizes` by group.
    """
    start, species = lists
    if own_tables:
        table, largest = np.arange(len(sizes)), max_odds
    else:
        table, largest = _tables(max_odds, sizes)
    total = np.zeros((len(largest), len(start) - 1))
    share, alias = np.ones((len(largest), len(species))), np.empty((len(largest), len(species)), np.int32)
    rates = np.empty(len(species))
    for t in range(len(largest)):
        for row in range(len(start) - 1):
            low, high = start[row], start[row + 1]
            for entry in range(low, high):
                rates[entry] = largest[t, species[entry]] * factor[entry]
                total[t, row] += rates[entry]
            build_alias(rates[low:high], total[t, row], low, share[t, low:high], alias[t, low:high])
    return Candidates(table, largest, total, share, alias)


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
