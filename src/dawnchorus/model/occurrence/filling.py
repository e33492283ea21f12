"""Filling in: presence of species that nobody voted on, in recordings without a pattern (voted_patterns.py).

A species is present with its occurrence, that is, if a Poisson process with rate −log(1 − occurrence) hits
it; hits on species that somebody voted on, or that are known, do not count.
"""

from __future__ import annotations

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged
from ..design import Layout
from ..lookups import has, has_voted
from ..presence.candidates import Candidates, candidates, draw_alias
from ..rates import all_inside
from .components import NONE, Cells


def draw_unvoted(
    rng: np.random.Generator, layout: Layout, group: Ints, occurrence: Floats, recordings: Ints
) -> Cells:
    """Draw the present species that nobody voted on in these recordings."""
    if not len(recordings):
        return NONE
    rates = -np.log1p(-all_inside(occurrence))
    every = Ragged.from_sizes([occurrence.shape[1]], np.arange(occurrence.shape[1]))
    sizes = np.bincount(group, minlength=len(occurrence))
    bound = candidates(every, np.ones(len(every.item)), rates, sizes)
    room = 1024 + int(1.2 * bound.total[bound.table[group[recordings]], 0].sum())
    while True:
        cells = Cells(*np.empty((2, room), np.int32))
        # If the room was too small, the same random numbers are drawn again into a larger one.
        state = rng.bit_generator.state
        found = _draw_unvoted(rng, layout, group, rates, bound, recordings, cells)
        if found <= room:
            return Cells(cells.recording[:found], cells.species[:found])
        rng.bit_generator.state = state
        room *= 2


@compiled
def _draw_unvoted(
    rng: np.random.Generator,
    layout: Layout,
    group: Ints,
    rates: Floats,
    bound: Candidates,
    recordings: Ints,
    cells: Cells,
) -> int:
    """Fill in the present cells; return how many, or one more than there is room for if that is too small."""
    visits, visit_start = layout.visits, layout.visits.start
    cell_start, cell_item = layout.reported.cells
    tables, max_odds, lengths = bound.table, bound.max_odds, bound.total
    alias_share, alias = bound.alias_share, bound.alias
    recording, species = cells
    n_species = rates.shape[1]
    found, gap = 0, rng.standard_exponential()
    for i in recordings:
        g = group[i]
        t, since = tables[g], found
        while gap < lengths[t, 0]:
            gap += rng.standard_exponential()
            k = draw_alias(rng, alias_share, alias, t, 0, n_species)
            if rng.random() * max_odds[t, k] >= rates[g, k] or has(species, since, found, k):
                continue
            seen = False
            for visit in range(visit_start[i], visit_start[i + 1]):
                if has_voted(visits, visit, k):
                    seen = True
                    break
            if seen:
                continue
            if has(cell_item, cell_start[i], cell_start[i + 1], k):  # it is known
                continue
            if found == len(recording):
                return found + 1
            recording[found], species[found] = i, k
            found += 1
        gap -= lengths[t, 0]
    return found
