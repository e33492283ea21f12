"""Voted patterns: which species were voted on in each recording, for mixtures, as few different patterns.

Where many recordings have sets of visits of their own, patterns would be as large as recordings × species.
So the rarest ones are not made into patterns. In their recordings, presence of the species that nobody voted
on is drawn too, so that all species count. That is exact as well; where there is a pattern, the presence of
these species is summed out instead. Nor is there a pattern for recordings with a species that nobody voted
on and that is known from elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...annotations.arrays import VoteArrays
from ...annotations.counting import active_recordings, unvoted_marks, voted_recordings
from ...common.ragged import Bools, Ints, Ragged
from ..design import Design

ITEMS = 1_000_000
"""All patterns together may always list so many species."""
SHARE = 4
"""They may also list so many for each visit, report and species, if that is more."""


class Voted(NamedTuple):
    """Which species were voted on in each recording.

    A pattern is a list of species that were voted on or, where that is shorter, that were not. `unvoted`
    lists by recording the species that are in the pattern but were only marked unsure. `without_pattern` are
    the recordings in which all species count.
    """

    recordings: Ints
    pattern: Ints
    patterns: Ragged
    inverted: Bools
    unvoted: Ragged
    without_pattern: Ints


def voted_patterns(design: Design) -> Voted:
    """Return the voted species of each recording."""
    a = design.annotations
    sets, set_of = _scope_sets(a)
    with_pattern = _with_pattern(a, sets, np.bincount(set_of, minlength=sets.rows))
    chosen = with_pattern[sets.row_of_item()]
    unions, union_of = a.scopes.unite(sets.row_of_item()[chosen], sets.item[chosen], rows=sets.rows)
    inverted = unions.sizes > a.n_species // 2
    every = np.arange(a.n_species)
    lists = [np.setdiff1d(every, unions.row(i)) if inverted[i] else unions.row(i) for i in range(unions.rows)]
    patterns = Ragged.from_sizes([*map(len, lists), 0], np.concatenate([*lists, np.empty(0, np.int32)]))
    reported = design.layout.reported
    known = np.unique(reported.recording[reported.without_vote()])
    without = ~with_pattern[set_of]
    without[known] = True
    pattern = np.where(without, len(lists), union_of[set_of])  # the last: all species, none left out
    marks = unvoted_marks(a)
    unvoted = marks.keep(~without[marks.row_of_item()])
    active = np.union1d(active_recordings(a), known).astype(a.visit_recording.dtype)
    return Voted(active, pattern, patterns, np.append(inverted, True), unvoted, np.flatnonzero(without))


def voted_on(design: Design) -> Ints:
    """Count for each species the recordings in which somebody voted on it, or it is known."""
    reported = design.layout.reported
    known = reported.cells.item[reported.without_vote()]
    return voted_recordings(design.annotations) + np.bincount(known, minlength=design.annotations.n_species)


def _scope_sets(votes: VoteArrays) -> tuple[Ragged, Ints]:
    """Return the different sets of scopes, without scopes that the widest covers; and each recording's."""
    a = votes
    scopes = Ragged.from_pairs(a.visit_recording, a.visit_scope, rows=a.n_recordings)
    recording, size = scopes.row_of_item(), a.scopes.sizes[scopes.item]
    order = np.lexsort((size, recording))
    widest = np.zeros(a.n_recordings, np.int64)
    widest[recording[order]] = scopes.item[order]  # the last of each recording stays
    needed = scopes.item == widest[recording]
    needed[~needed] = ~a.scopes.within(scopes.item[~needed], widest[recording[~needed]])
    return scopes.keep(needed).distinct()


def _with_pattern(votes: VoteArrays, sets: Ragged, times: Ints) -> Bools:
    """Return which sets get a pattern: the most frequent ones, as long as lists are not too long."""
    a = votes
    length = np.bincount(sets.row_of_item(), a.scopes.sizes[sets.item], minlength=sets.rows)
    often = np.argsort(-times, kind="stable")
    limit = max(ITEMS, SHARE * (a.n_visits + a.n_reports + a.n_species))
    chosen = np.zeros(sets.rows, bool)
    chosen[often] = np.cumsum(np.minimum(length, a.n_species)[often]) <= limit
    return chosen
