"""Places: what a worker does with shards of coded data; all of it depends on its arguments alone.

A worker loads a shard from the folder of coded data when it is first asked for it, and keeps it. Nothing
else is kept from one sweep to the next: so a shard whose worker was killed is loaded elsewhere, with the same
answers. How probable reported cells are, averaged over sweeps, is computed at the end, from the odds and
rates of all sweeps, which are on disk (logs.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np

from ...annotations.labelled import LabelledVotes
from ...common.ragged import Bools, Floats, Ints
from ...io.parts.coded import CodedDataset
from ...io.parts.pieces import load
from ...model.audibility import VoteRates
from ...model.design import Design
from ...model.shards.counts import (
    Drawn,
    ListedCells,
    Lists,
    Sums,
    draw_shard,
    listed_cells,
    listed_places,
    lists_of,
    shard_chances,
    shard_design,
    sums_of,
)
from ...model.sweep import Model
from ..draws import Draws
from ..presence_means import PresenceMeans, ReportedPresence, lower_where_worst, pooled_presence
from .logs import Log, Means


@dataclass
class Shard:
    """A shard that is loaded."""

    design: Design
    rare: Ints | None = None
    """The places of reported cells of rare species, once it is known which species are rare."""

    def rare_places(self, rare: Bools) -> Ints:
        """Return the places of reported cells of these species, found once."""
        if self.rare is None:
            self.rare = listed_places(self.design, rare)
        return self.rare


@dataclass
class Places:
    """What all workers need to know.

    Attributes
    ----------
    model, coded
        The model, and the coded data on disk.
    blocks
        The first recording of each block, and the number of all recordings.
    shards
        The first block of each shard, and the number of all blocks.
    lists
        The lists of annotators in all shards, if rates differ by species.
    """

    model: Model
    coded: CodedDataset
    blocks: Ints
    shards: Ints
    lists: Lists | None = None
    loaded: dict[int, Shard] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels: all but the shards that are loaded here."""
        return self.__dict__ | {"loaded": {}}

    @property
    def n(self) -> int:
        """The number of shards."""
        return len(self.shards) - 1

    def recordings(self, shard: int) -> tuple[int, int]:
        """Return the first recording of a shard, and that of the next one."""
        first, last = self.blocks[self.shards[shard : shard + 2]]
        return int(first), int(last)

    def votes(self, shard: int) -> LabelledVotes:
        """Return the votes of a shard."""
        votes = load(self.coded.pieces, *self.recordings(shard), self.coded.tables)
        if self.lists is None:
            return votes
        return replace(votes, lists=self.lists.lists, annotator_list=self.lists.of_annotator)

    def design(self, shard: int) -> Design:
        """Return the design of a shard, from disk."""
        low, high = self.shards[shard : shard + 2]
        blocks = self.blocks[low : high + 1] - self.blocks[low]
        return shard_design(self.model, self.votes(shard), blocks, self.lists)

    def get(self, shard: int) -> Shard:
        """Return a shard, loaded once; whoever loads the first one compiles its kernels, and others wait."""
        found = self.loaded.get(shard)
        if found is not None:
            return found
        with LOADING:
            if shard not in self.loaded:
                design = self.design(shard)
                if not self.loaded:
                    factor, rates = (
                        np.full((1, design.annotations.n_species), 1e-3),
                        np.full(design.n_rates, 0.1),
                    )
                    draw_shard(design, 0, 0, factor, VoteRates(rates, rates), np.empty(0, np.int64))
                    shard_chances(design, factor, VoteRates(rates, rates))
                self.loaded[shard] = Shard(design)
            return self.loaded[shard]


LOADING = Lock()


def shard_sums(places: Places, shard: int) -> Sums:
    """Return what has to be known of a shard in one place."""
    return sums_of(places.get(shard).design)


def shard_lists(places: Places, shard: int) -> Lists:
    """Return the species that annotators voted on in a shard."""
    return lists_of(places.votes(shard))


def shard_cells(places: Places, shard: int, listed: Bools) -> ListedCells:
    """Return the reported cells of these species in a shard."""
    return listed_cells(places.get(shard).design, listed)


def drawn(places: Places, shard: int, key: int, factor: Floats, rates: VoteRates, rare: Bools) -> Drawn:
    """Draw presence in a shard."""
    found, first = places.get(shard), int(places.shards[shard])
    return draw_shard(found.design, first, key, factor, rates, found.rare_places(rare))


def shard_means(
    places: Places, shard: int, logs: Sequence[Log] | Means, sweeps: Sequence[int]
) -> ReportedPresence:
    """Return how probable reported cells of a shard are, averaged over so many sweeps of each chain."""
    if isinstance(logs, Means):
        return logs.of(shard)
    design = places.get(shard).design
    means = []
    for log, done in zip(logs, sweeps, strict=True):
        mean = PresenceMeans(len(design.layout.reported.recording))
        for factor, rates in log.read(done):
            mean.add(shard_chances(design, factor, rates))
        means.append(mean)
    return pooled_presence(means)


def largest_error(
    places: Places, shard: int, logs: Sequence[Log] | Means, sweeps: Sequence[int], draws: Draws
) -> tuple[float, int, int] | None:
    """Return the largest error of a probability of a reported cell: it, the recording and the species.

    None if the error of some cell is not known; less than 0 if there is no cell.
    """
    design = places.get(shard).design
    mcse, cells = shard_means(places, shard, logs, sweeps).mcse, design.layout.reported.cells
    lower_where_worst(mcse, draws, places.model, design)
    if not len(mcse):
        return -1.0, 0, 0
    if np.isnan(mcse).any():
        return None
    worst = int(np.argmax(mcse))
    recording = places.recordings(shard)[0] + int(design.layout.reported.recording[worst])
    return float(mcse[worst]), recording, int(cells.item[worst])
