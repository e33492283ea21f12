"""Counts over cells (one species in one recording), without an array of recordings × species."""

from __future__ import annotations

import numpy as np

from ..common.ragged import Ints, Ragged
from .arrays import VoteArrays

ALL_CELLS = 5_000_000
"""Up to this many cells, tables list all of them; above it, only those that were reported or are probable."""


def votes_at(votes: VoteArrays, recording: Ints, species: Ints) -> Ints:
    """Return the number of votes on each of these cells, given by recording and species."""
    a = votes
    visits = a.visits_by_recording.take(recording)
    cell = visits.row_of_item()
    voted = a.has_voted(visits.item, np.asarray(species)[cell])
    return np.bincount(cell[voted], minlength=len(recording))


def reports_at(votes: VoteArrays, recording: Ints, species: Ints) -> Ints:
    """Return the number of reports in each of these cells, which are in order of recordings."""
    if not len(recording):
        return np.empty(0, np.int64)
    first, last = int(recording[0]), int(recording[-1]) + 1
    counts = votes.report_counts(slice(first, last))
    return np.asarray(counts[recording - first, species]).ravel().astype(np.int64)


def voted_recordings(votes: VoteArrays) -> Ints:
    """Return, for each species, the number of recordings in which at least one annotator voted on it.

    A species can have a vote in a recording if it is in the scope of one of the recording's visits. Many
    recordings have the same set of scopes, and many species are in the same set of scopes, so only the
    distinct sets are compared. Cells in which every such visit is marked unsure are then subtracted.
    """
    a = votes
    scopes_of = Ragged.from_pairs(a.visit_recording, a.visit_scope, rows=a.n_recordings)
    sets, set_of = scopes_of.distinct()
    times = np.bincount(set_of, minlength=sets.rows)
    scopes_with = Ragged.from_pairs(a.scopes.item, a.scopes.row_of_item(), rows=a.n_species)
    patterns, pattern_of = scopes_with.distinct()
    meet = sets.to_csr(a.scopes.rows) @ patterns.to_csr(a.scopes.rows).T
    meet.data[:] = 1
    voted = (times @ meet)[pattern_of]
    return voted - np.bincount(unvoted_marks(a).item, minlength=a.n_species)


def active_recordings(votes: VoteArrays) -> Ints:
    """Return the positions of the recordings that have at least one vote."""
    a = votes
    number = a.scopes.sizes[a.visit_scope] - a.unsure.sizes
    return np.unique(a.visit_recording[number > 0])


def unvoted_marks(votes: VoteArrays) -> Ragged:
    """Return, for each recording, the species that some annotator marked unsure and nobody voted on."""
    a = votes
    marked = Ragged.from_pairs(a.visit_recording[a.unsure.row_of_item()], a.unsure.item, rows=a.n_recordings)
    return marked.keep(votes_at(a, marked.row_of_item(), marked.item) == 0)
