"""Examples: the recordings that stand out, with all votes on them, so that others need not be in one place.

Where a visit would tell most, and where the model overrules the majority: of all recordings the first ones in
either order, which are so among the examples too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...annotations.annotations import Annotations
from ...annotations.joining import stacked
from ...annotations.selection import of_recordings
from ...common.ragged import Floats, Ints
from ...sampling.presence_means import ReportedPresence
from ..fitted import Fitted
from ..presence.presence_table import PresenceTable
from .encounters import Listed
from .findings import Findings

MOST = 200
"""So many recordings, and so many cells, stand out at most."""


class Known(NamedTuple):
    """What findings in some recordings take from all of them."""

    mean_rates: dict[str, Floats]
    mean_unsure: float
    mean_occurrence: Floats
    typical_rates: tuple[Floats, Floats, Floats]


class Examples(NamedTuple):
    """Some recordings: all votes on them, and their listed cells."""

    votes: Annotations
    cells: Listed

    def findings(self, fitted: Fitted, known: Known) -> Findings:
        """Return the findings in these recordings; `fitted` has the draws."""
        none = ReportedPresence(np.empty(0), np.empty(0), 0)
        mine = Fitted(fitted.model, self.votes, fitted.draws, none, fitted.diagnostics, fitted.record)
        found = Findings(mine, PresenceTable(mine), in_parts=True)
        found.__dict__.update(known._asdict(), cells=self.cells)
        return found

    def take(self, recordings: Ints) -> Examples:
        """Return those of some recordings, given by place in ascending order."""
        new = np.full(self.votes.n_recordings, -1)
        new[recordings] = np.arange(len(recordings))
        here = new[self.cells.recording]
        cells = Listed(*(part[here >= 0] for part in self.cells))
        votes = of_recordings(self.votes, recordings)
        scopes, visit_scope = votes.scopes.compact(votes.visit_scope)
        votes = replace(votes, scopes=scopes, visit_scope=visit_scope)
        return Examples(votes, cells._replace(recording=here[here >= 0]))


def standing_out(found: Findings) -> Ints:
    """Return the places of recordings that stand out, in ascending order."""
    visits = found.annotations.visits_by_recording.sizes
    told = np.bincount(found.cells.recording, found.information, len(visits))
    order = np.argsort(-np.where(visits > 0, told, -1), kind="stable")
    most = order[: min(MOST, int(np.count_nonzero(visits)))]
    return np.union1d(most, found.cells.recording[found.overruled_cells[0][:MOST]])


def together(parts: Sequence[Examples]) -> Examples:
    """Return the examples of several parts of the data, in the order of these."""
    before = np.cumsum([0, *(part.votes.n_recordings for part in parts)])
    cells = Listed(*(np.concatenate(each) for each in zip(*(part.cells for part in parts), strict=True)))
    shift = np.repeat(before[:-1], [len(part.cells.recording) for part in parts])
    return Examples(
        stacked([part.votes for part in parts]), cells._replace(recording=cells.recording + shift)
    )
