"""Voted: which species were voted on in each recording, for mixtures, in few different patterns.

Where many recordings have sets of visits of their own, patterns would be as large as recordings × species.
So the rarest have none: such recordings are *filled*. Presence of the species that nobody voted on is drawn
there too, and all species count. That is exact as well; where a pattern is at hand it is summed out instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .annotations import Annotations
from .cells import active_recordings, unvoted_marks
from .ragged import Bools, Ints, Ragged

ITEMS = 1_000_000
"""Patterns may always list so many species in all,"""
SHARE = 4
"""and so many for each visit, report and species."""


class Voted(NamedTuple):
    """Which species were voted on in each recording.

    A pattern is a list of species that were voted on or, where that is shorter, that were not. `unvoted`
    lists by recording the species that are in the pattern but were only marked unsure. `filled` are the
    recordings in which all species count.
    """

    recordings: Ints
    pattern: Ints
    patterns: Ragged
    inverted: Bools
    unvoted: Ragged
    filled: Ints


def voted_patterns(annotations: Annotations) -> Voted:
    """Give the voted species of each recording."""
    a = annotations
    filled = _filled(a)
    visits = np.flatnonzero(~filled[a.visit_recording])
    unions, pattern = a.scopes.unite(a.visit_recording[visits], a.visit_scope[visits], rows=a.n_recordings)
    inverted = unions.sizes > a.n_species // 2
    every = np.arange(a.n_species)
    lists = [np.setdiff1d(every, unions.row(i)) if inverted[i] else unions.row(i) for i in range(unions.rows)]
    # The last pattern: all species, none of which is left out.
    pattern = np.where(filled, len(lists), pattern)
    patterns = Ragged.from_sizes([*map(len, lists), 0], np.concatenate([*lists, np.empty(0, np.int32)]))
    marks = unvoted_marks(a)
    unvoted = marks.keep(~filled[marks.row_of_item()])
    return Voted(
        active_recordings(a), pattern, patterns, np.append(inverted, True), unvoted, np.flatnonzero(filled)
    )


def _filled(annotations: Annotations) -> Bools:
    """Tell which recordings go without a pattern: those with rare sets of scopes, if lists get long."""
    a = annotations
    sets, which = Ragged.from_pairs(a.visit_recording, a.visit_scope, rows=a.n_recordings).distinct()
    length = np.bincount(sets.row_of_item(), a.scopes.sizes[sets.item], minlength=sets.rows)
    length = np.minimum(length, a.n_species)
    often = np.argsort(-np.bincount(which, minlength=sets.rows), kind="stable")
    most = max(ITEMS, SHARE * (a.n_visits + a.n_reports + a.n_species))
    kept = np.zeros(sets.rows, bool)
    kept[often] = np.cumsum(length[often]) <= most
    return ~kept[which]
