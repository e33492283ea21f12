"""Counts by context: in how many recordings of a context a species is present, and was voted on.

Recordings × species are never listed. Species that are in the same scopes share a pattern, with one count for
each context; where a species was only marked unsure in a recording, it is taken out of the count of its
context, and where it is known without a vote, it is added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ....annotations.counting import unvoted_marks
from ....common.compiled import compiled
from ....common.ragged import Bools, Floats, Ints, Ragged
from ...design import Design, Layout
from ...presence.draw import Presence
from .terms import Pool, Terms


class VotedContexts(NamedTuple):
    """In how many recordings of each context somebody voted on a species."""

    pattern: Ints
    """Of each species."""
    counts: Floats
    """Patterns × contexts."""
    unvoted: Ragged
    """By species, the contexts of recordings in which it was only marked unsure; as often as it was."""
    known: Ragged
    """The same of recordings in which nobody voted on it and it is known."""


class Present(NamedTuple):
    """The contexts of the recordings in which each species is present."""

    start: Ints
    context: Ints


class SummedOut(NamedTuple):
    """What takes the place of presence where it is summed out, and every recording is a context of its own.

    See summed_out.py. Empty given presence.
    """

    ratio: Floats
    """What votes say of the chosen species in each recording, species × recordings."""
    curvature: Floats
    """About the curvature in each row of blocks of levels, species × rows."""
    matrix: Floats
    """About that of the first block, if it is none of levels, species × columns × columns."""
    doubtful: Bools
    """Of each species, whether its reports are so few that all may be false."""


GIVEN_PRESENCE = SummedOut(np.empty((0, 0)), np.empty((0, 0)), np.empty((0, 0, 0)), np.empty(0, np.bool_))


class Given(NamedTuple):
    """What effects are drawn from."""

    terms: Terms
    """Each term on its own."""
    blocks: Terms
    """The intercept and all terms that are not levels as one."""
    pool: Pool
    voted: VotedContexts
    present: Present
    summed_out: SummedOut = GIVEN_PRESENCE


def voted_contexts(design: Design, context: Ints, n_contexts: int) -> VotedContexts:
    """Count the recordings of each context in which somebody voted on a species, or it is known.

    Many recordings have the same set of scopes, and many species are in the same scopes, so only the distinct
    sets are compared.
    """
    a, reported = design.annotations, design.layout.reported
    sets, set_of = Ragged.from_pairs(a.visit_recording, a.visit_scope, rows=a.n_recordings).distinct()
    patterns, pattern_of = Ragged.from_pairs(
        a.scopes.item, a.scopes.row_of_item(), rows=a.n_species
    ).distinct()
    meet = sets.to_csr(a.scopes.rows) @ patterns.to_csr(a.scopes.rows).T
    meet.data[:] = 1
    ones = np.ones(a.n_recordings, np.int64)
    times = sparse.coo_array((ones, (context, set_of)), shape=(n_contexts, sets.rows)).tocsr()
    marks, known = unvoted_marks(a), reported.without_vote()
    unvoted = _by_species(a.n_species, marks.item, context[marks.row_of_item()])
    also = _by_species(a.n_species, reported.cells.item[known], context[reported.recording[known]])
    counts = np.ascontiguousarray((times @ meet).toarray().T, np.float64)
    return VotedContexts(pattern_of, counts, unvoted, also)


def _by_species(n_species: int, species: Ints, context: Ints) -> Ragged:
    """Return contexts by species, as often as they are given."""
    order = np.argsort(species, kind="stable")
    return Ragged.from_sizes(np.bincount(species, minlength=n_species), context[order])


@compiled
def present_contexts(layout: Layout, presence: Presence, context: Ints) -> Present:
    """Return where each species is present."""
    cell_species, cell_recording = layout.reported.cells.item, layout.reported.recording
    by_species, reported = presence.by_species, presence.reported
    silent_recording, silent_species = presence.recording, presence.species
    start = np.zeros(len(by_species) + 1, np.int64)
    start[1:] = np.cumsum(by_species)
    place, found = start[:-1].copy(), np.empty(start[-1], np.int32)
    for cell in range(len(cell_species)):
        if reported[cell]:
            k = cell_species[cell]
            found[place[k]] = context[cell_recording[cell]]
            place[k] += 1
    for cell in range(len(silent_species)):
        k = silent_species[cell]
        found[place[k]] = context[silent_recording[cell]]
        place[k] += 1
    return Present(start, found)


@compiled
def count_one(k: int, given: Given, n: Floats, y: Floats) -> None:
    """Fill in the recordings of each context that were voted on for species k, and where it is present."""
    voted, present = given.voted, given.present
    counts, start, unvoted = voted.counts[voted.pattern[k]], voted.unvoted.start, voted.unvoted.item
    for c in range(len(n)):
        n[c], y[c] = counts[c], 0.0
    for place in range(start[k], start[k + 1]):
        n[unvoted[place]] -= 1
    for place in range(voted.known.start[k], voted.known.start[k + 1]):
        n[voted.known.item[place]] += 1
    for place in range(present.start[k], present.start[k + 1]):
        y[present.context[place]] += 1
