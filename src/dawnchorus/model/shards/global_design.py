"""Global design: all that occurrence and expertise need of data that are in shards elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import pandas as pd

from ...annotations.labelled import LabelledVotes, Provenance
from ...common.ragged import Bools, Ints, Ragged
from ..audibility import VoteRates, evidence
from ..design import Design, ReportedCells, Totals, reported_cells
from ..expertise.summed_out.by_species import odds_in_order, species_blocks
from ..occurrence.voted_patterns import voted_on
from ..presence.draw import Presence
from ..presence.odds import Odds
from .counts import NOBODY, Drawn, ListedCells, Lists, Sums


class GlobalDesign(Design):
    """All that occurrence and expertise need of data that lie elsewhere.

    Parameters
    ----------
    tables
        The tables of annotators and of species.
    sums
        The sums over all shards.
    listed
        The reported cells of rare species or, if rates differ by species, of all of them, of all shards in
        order.
    lists
        The lists of annotators, if rates differ by species.
    """

    def __init__(
        self,
        tables: Mapping[str, pd.DataFrame],
        sums: Sums,
        listed: Sequence[ListedCells],
        lists: Lists | None = None,
    ) -> None:
        a = nothing(tables, lists)
        self.marks_vote, self.known, self.by_species, self.threads = False, None, lists is not None, 1
        self.annotations, self.scores, self.marks, self.sums = a, a.scores_by(()), Ragged.empty(0), sums
        self.pairs, self.rate_annotator = Ragged.empty(0), np.arange(a.n_annotators)
        if lists is not None:
            self.pairs = lists.lists.take(lists.of_annotator)
            self.rate_annotator = self.pairs.row_of_item()
        self.sure = self.totals = Totals(sums.reports, sums.silences)
        species, n_votes, votes = (np.concatenate(part) for part in zip(*listed, strict=True))
        self._derived = {voted_on: sums.voted}
        self.elsewhere: Any = None
        cells = Ragged.from_sizes([len(species)], species)
        reported = reported_cells(cells, n_votes, votes, a.n_species, self.n_rates)
        self.layout = self._layout()._replace(reported=self._told(reported))
        rare = sums.rare[species]
        self.rare_places = np.flatnonzero(rare)
        """The places of the cells of rare species."""

    @property
    def in_blocks(self) -> bool:
        """Whether data are so large that they are gone through in blocks: they always are."""
        return True

    def of_chain(self, place: int) -> Design:
        """Return the design for one of the chains, whose sweeps are noted by themselves."""
        new = copy(self)
        new.elsewhere = self.elsewhere.of_chain(place)
        return new

    def guessed_by_species(self) -> Ints:
        """Return in how many reported cells each species is present, if reports are right."""
        return self.layout.reported.by_species

    def presence_from(self, drawn: Sequence[Drawn], odds: Odds, rates: VoteRates) -> Presence:
        """Return presence in all shards: counts are summed, and cells of rare species put together.

        If all reported cells are listed, also the odds with which they were drawn.
        """
        absent, misses = np.zeros_like(self.sums.votes_by_code), np.zeros_like(self.sums.reports)
        for one in drawn:
            one.absent.add_to(absent)
            one.misses.add_to(misses)
        by_species = np.sum([one.by_species for one in drawn], axis=0)
        reported: Bools = np.ones(len(self.layout.reported.cells.item), bool)
        reported[self.rare_places] = np.concatenate([one.rare for one in drawn])
        chances = np.empty(0)
        if self.by_species:
            blocks = self.derived(species_blocks)
            chances = np.empty(len(reported))
            given = blocks, blocks.reported, odds, evidence(rates)
            chances[blocks.order] = odds_in_order(*given, self.threads)
        return Presence(
            reported, NOBODY, NOBODY, by_species, self.sums.votes_by_code - absent, misses, chances
        )

    def _told(self, reported: ReportedCells) -> ReportedCells:
        """Return the listed cells with the counts of all cells.

        Where all are listed, they are as if in one recording; the others have no means of their own.
        """
        recording = reported.recording if self.by_species else np.empty(0, np.int64)
        return reported._replace(
            by_species=self.sums.by_species, votes_by_code=self.sums.votes_by_code, recording=recording
        )


def nothing(tables: Mapping[str, pd.DataFrame], lists: Lists | None = None) -> LabelledVotes:
    """Return labelled votes without a visit: to no recording or, if there are lists of annotators, to one."""
    n = len(tables["annotator"])
    recordings = int(lists is not None)
    return LabelledVotes(
        n_recordings=recordings,
        n_species=len(tables["species"]),
        recordings=pd.DataFrame(index=pd.RangeIndex(recordings, name="recording")),
        annotators=tables["annotator"],
        species=tables["species"],
        visit_recording=NOBODY,
        visit_annotator=NOBODY,
        visit_scope=NOBODY,
        scopes=Ragged.empty(0),
        reports=Ragged.empty(0),
        unsure=Ragged.empty(0),
        lists=Ragged.empty(1) if lists is None else lists.lists,
        annotator_list=np.zeros(n, np.int32) if lists is None else lists.of_annotator,
        provenance=Provenance(),
    )
