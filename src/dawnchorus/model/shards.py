"""Shards: one chain whose data lie in several places, none of which has all of them.

Given odds and rates, recordings are independent of each other, so presence is drawn where recordings are. A
*shard* is a group of consecutive blocks (presence/blocks.py). A sweep sends it a key, the odds of species and
all rates, and it answers with whole numbers: of each species, the recordings with it; of each rate, the votes
on present cells. Their sums over shards are those of the whole data, and every block has the stream of random
numbers of its place in all data. So the draws are the same to the bit, whatever the number of shards.

Occurrence and expertise are drawn in one place, from these counts. Only one step there looks at single cells:
the occurrence of rare species is moved with presence in their few reported cells summed out
(occurrence/rare_species.py). These cells, at most `RARE` for each species, are listed in that place too, with
their votes, in the order of recordings; shards say which of them are present.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..annotations.labelled import LabelledVotes, Provenance
from ..common.errors import AnnotationError
from ..common.ragged import Bools, Floats, Ints, Ragged
from .audibility import VoteRates, evidence
from .design import Design, ReportedCells, Totals, reported_cells
from .expertise.per_annotator import PerAnnotator
from .occurrence.independent import Independent
from .occurrence.rare_species import RARE
from .occurrence.voted_patterns import voted_on
from .presence.blocks import draw_blocks_of
from .presence.draw import Presence
from .presence.odds import Odds
from .presence.reported import odds_given_votes
from .sweep import Model

NOBODY = np.empty(0, np.int32)


class Sums(NamedTuple):
    """What has to be known of all data in one place, as sums over shards."""

    reports: Ints
    """By rate, as silences are."""
    silences: Ints
    by_species: Ints
    """The reported cells of each species."""
    votes_by_code: Ints
    """How often each vote was cast in reported cells."""
    voted: Ints
    """Of each species, the recordings in which somebody voted on it."""
    reports_by_species: Ints
    visits: Ints
    """By annotator."""
    recordings: Ints
    """How many recordings, and with how many visits in all, as two numbers."""

    def plus(self, other: Sums) -> Sums:
        """Return the sums over two shards."""
        return Sums(*(one + two for one, two in zip(self, other, strict=True)))

    @property
    def rare(self) -> Bools:
        """Which species are rare."""
        return (self.by_species > 0) & (self.by_species <= RARE)


class RareCells(NamedTuple):
    """The reported cells of rare species, in the order of recordings, and the votes on them by code."""

    species: Ints
    n_votes: Ints
    votes: Ints


class Drawn(NamedTuple):
    """What a shard answers in a sweep: counts, and which cells of rare species are present."""

    by_species: Ints
    votes: Ints
    misses: Ints
    rare: Bools


def check_shards(model: Model) -> None:
    """Raise an error if a model cannot be fitted to data in several places."""
    sides: list[Any] = [type(model.occurrence), type(model.expertise)]
    if sides != [Independent, PerAnnotator] or model.known_votes or model.scored:
        raise AnnotationError(
            f"the model {model.name} with these options cannot be fitted to a dataset in parts yet",
            "use the model base; or, if the data fit into memory, fit dataset.read() in place of the dataset",
        )


# Where the data are


def shard_design(model: Model, votes: LabelledVotes, blocks: Ints) -> Design:
    """Return the design of a shard; `blocks` are its blocks among all, its own first recording being 0."""
    design = model.design(votes)
    design.layout = design.layout._replace(blocks=blocks)
    return design


def sums_of(design: Design) -> Sums:
    """Return the sums of one shard."""
    a, reported = design.annotations, design.layout.reported
    return Sums(
        design.reports,
        design.silences,
        reported.by_species,
        reported.votes_by_code,
        design.derived(voted_on),
        a.reports_by_species,
        a.visits_of_annotators,
        np.array([a.n_recordings, a.n_visits]),
    )


def rare_cells(design: Design, rare: Bools) -> RareCells:
    """Return the reported cells of rare species in a shard."""
    reported = design.layout.reported
    cells = rare_places(design, rare)
    votes = Ragged(reported.vote_start, reported.vote)
    mine = [votes.row(cell) for cell in cells]
    return RareCells(
        reported.cells.item[cells],
        np.diff(reported.vote_start)[cells],
        np.concatenate([NOBODY, *mine]),
    )


def rare_places(design: Design, rare: Bools) -> Ints:
    """Return the places of the reported cells of rare species."""
    return np.flatnonzero(rare[design.layout.reported.cells.item])


def local_odds(factor: Floats, recordings: int) -> Odds:
    """Return the odds of the recordings of a shard, the same for all of them."""
    group = np.zeros(recordings, np.int32)
    return Odds(factor, group.reshape(-1, 1), group, factor, np.array([recordings]), False)


def draw_shard(
    design: Design, first: int, key: int, factor: Floats, rates: VoteRates, rare: Ints, threads: int = 1
) -> Drawn:
    """Draw presence in a shard whose first block has this number among all; `rare` are places of cells."""
    odds = local_odds(factor, design.annotations.n_recordings)
    reported, counts, _ = draw_blocks_of(key, first, design.layout, odds, evidence(rates), threads)
    return Drawn(counts.by_species, counts.votes, counts.misses, reported.present[rare])


def shard_chances(design: Design, factor: Floats, rates: VoteRates) -> Floats:
    """Return the probability of presence of each reported cell of a shard, given everything else."""
    says = evidence(rates)
    odds = local_odds(factor, design.annotations.n_recordings)
    w = odds_given_votes(design.layout.reported, odds, says.ratio, says.together)
    return np.asarray(w / (1 + w))


# Where occurrence and expertise are drawn


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
