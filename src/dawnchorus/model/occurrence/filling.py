"""Filling: presence of species that nobody voted on, in recordings without a pattern (see voted.py).

A species is present with its occurrence, that is, if a Poisson process with rate −log(1 − occurrence) hits
it; hits on species that somebody voted on do not count.
"""

from __future__ import annotations

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged
from ..design import Layout
from ..presence.candidates import Candidates, candidates
from ..presence.lookups import has, voted
from .components import NONE, Cells


def fill(
    rng: np.random.Generator, layout: Layout, group: Ints, occurrence: Floats, recordings: Ints
) -> Cells:
    """Draw the present species that nobody voted on in these recordings."""
    if not len(recordings):
        return NONE
    rates = -np.log1p(-np.clip(occurrence, 1e-15, 1 - 1e-15))
    every = Ragged.from_sizes([occurrence.shape[1]], np.arange(occurrence.shape[1]))
    sizes = np.bincount(group, minlength=len(occurrence))
    bound = candidates(every, False, rates, sizes, np.ones(2))
    room = 1024 + int(1.2 * bound.length[bound.table[group[recordings]], 0].sum())
    while True:
        recording, species = np.empty((2, room), np.int32)
        # The same numbers again, if there was not enough room.
        state = rng.bit_generator.state
        found = _fill(rng, layout, group, rates, bound, recordings, recording, species)
        if found <= room:
            return Cells(recording[:found], species[:found])
        rng.bit_generator.state = state
        room *= 2


@compiled
def _fill(
    rng: np.random.Generator,
    layout: Layout,
    group: Ints,
    rates: Floats,
    bound: Candidates,
    recordings: Ints,
    recording: Ints,
    species: Ints,
) -> int:
    """Write the present cells down; give how many, or more than there is room for."""
    visits, scopes = layout.visits, layout.scope
    scope_start, scope_item, in_scope = layout.scopes.start, layout.scopes.item, layout.in_scope
    unsure_start, unsure_item = layout.unsure.start, layout.unsure.item
    tables, most, lengths, kept, alias = bound.table, bound.most, bound.length, bound.kept, bound.alias
    n_species = rates.shape[1]
    found, gap = 0, rng.standard_exponential()
    for i in recordings:
        g = group[i]
        t, since = tables[g], found
        while gap < lengths[t, 0]:
            gap += rng.standard_exponential()
            share = rng.random() * n_species
            k = min(int(share), n_species - 1)
            if share - k >= kept[t, k]:
                k = alias[t, k]
            if rng.random() * most[t, k] >= rates[g, k] or has(species, since, found, k):
                continue
            seen = False
            for visit in range(visits[i], visits[i + 1]):
                if voted(scopes, in_scope, scope_start, scope_item, unsure_start, unsure_item, visit, k):
                    seen = True
                    break
            if seen:
                continue
            if found == len(recording):
                return found + 1
            recording[found], species[found] = i, k
            found += 1
        gap -= lengths[t, 0]
    return found
