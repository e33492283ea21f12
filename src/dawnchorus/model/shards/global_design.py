"""Global design: all that occurrence and expertise need of data that are in shards elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import pandas as pd

from ...annotations.labelled import LabelledVotes, Provenance
from ...common.ragged import Ints, Ragged
from ..design import Design, ReportedCells, Totals, reported_cells
from ..occurrence.voted_patterns import voted_on
from ..presence.draw import Presence
from .counts import NOBODY, Drawn, RareCells, Sums


class GlobalDesign(Design):
    """All that occurrence and expertise need of data that lie elsewhere.

    Parameters
    ----------
    tables
        The tables of annotators and of species.
    sums
        The sums over all shards.
    rare
        The reported cells of rare species, of all shards in order.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame], sums: Sums, rare: Sequence[RareCells]) -> None:
        a = nothing(tables)
        self.marks_vote, self.known, self.by_species, self.threads = False, None, False, 1
        self.annotations, self.scores, self.marks = a, a.scores_by(()), Ragged.empty(0)
        self.pairs, self.rate_annotator = Ragged.empty(0), np.arange(a.n_annotators)
        self.sure = self.totals = Totals(sums.reports, sums.silences)
        species, n_votes, votes = (np.concatenate(part) for part in zip(*rare, strict=True))
        self._derived = {voted_on: sums.voted}
        self.elsewhere: Any = None
        cells = Ragged.from_sizes([len(species)], species)
        reported = reported_cells(cells, n_votes, votes, a.n_species, self.n_rates)
        self.layout = self._layout()._replace(reported=_told(reported, sums))

    def of_chain(self, place: int) -> Design:
        """Return the design for one of the chains, whose sweeps are noted by themselves."""
        new = copy(self)
        new.elsewhere = self.elsewhere.of_chain(place)
        return new

    def guessed_by_species(self) -> Ints:
        """Return in how many reported cells each species is present, if reports are right."""
        return self.layout.reported.by_species


def _told(reported: ReportedCells, sums: Sums) -> ReportedCells:
    """Return the cells of rare species with the counts of all cells, and without means of their own."""
    return reported._replace(
        by_species=sums.by_species, votes_by_code=sums.votes_by_code, recording=np.empty(0, np.int64)
    )


def nothing(tables: Mapping[str, pd.DataFrame]) -> LabelledVotes:
    """Return labelled votes without a recording."""
    n = len(tables["annotator"])
    return LabelledVotes(
        n_recordings=0,
        n_species=len(tables["species"]),
        recordings=pd.DataFrame(index=pd.RangeIndex(0, name="recording")),
        annotators=tables["annotator"],
        species=tables["species"],
        visit_recording=NOBODY,
        visit_annotator=NOBODY,
        visit_scope=NOBODY,
        scopes=Ragged.empty(0),
        reports=Ragged.empty(0),
        unsure=Ragged.empty(0),
        lists=Ragged.empty(1),
        annotator_list=np.zeros(n, np.int32),
        provenance=Provenance(),
    )


def presence_from(drawn: Sequence[Drawn]) -> Presence:
    """Return presence in all shards: counts are summed, and cells of rare species put together."""
    by_species, votes, misses = (
        np.sum([getattr(one, name) for one in drawn], axis=0) for name in ("by_species", "votes", "misses")
    )
    rare = np.concatenate([one.rare for one in drawn])
    return Presence(rare, NOBODY, NOBODY, by_species, votes, misses, np.empty(0))
