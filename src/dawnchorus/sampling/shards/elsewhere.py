"""Elsewhere: what a chain sees of data in shards: presence is drawn where they are, and sweeps are noted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...common.ragged import Bools
from ...common.workers.parts import new_key
from ...io.parts.pieces import recording_labels
from ...model.audibility import VoteRates
from ...model.presence.draw import Presence
from ...model.presence.odds import Odds
from ...model.shards.counts import Sums, check_shards, lists_in_all
from ...model.shards.global_design import GlobalDesign
from ...model.sweep import Model
from ..chain import Chain
from ..draws import Draws
from ..presence_means import ReportedPresence, pooled_presence
from .crew import Crew
from .logs import Log, Means
from .memory import check_memory_here
from .places import Places, drawn, largest_error, shard_cells, shard_lists, shard_sums


@dataclass(frozen=True)
class Elsewhere:
    """The shards of a fit, and whoever works on them.

    Attributes
    ----------
    places, crew
        What is where, and who works there.
    rare
        Which species are rare.
    folder
        Where the odds and rates of all sweeps are noted.
    cells
        The first reported cell of each shard, and the number of all, if all are listed in one place.
    chain
        Which chain it is for, if it is for one.
    """

    places: Places
    crew: Crew
    rare: Bools
    folder: str
    cells: tuple[int, ...] | None = None
    chain: int | None = None

    def of_chain(self, place: int) -> Elsewhere:
        """Return the same for one of the chains."""
        return replace(self, chain=place)

    def draw(self, rng: np.random.Generator, design: GlobalDesign, odds: Odds, rates: VoteRates) -> Presence:
        """Draw presence in all shards, given odds and rates."""
        found = self.crew.each(drawn, new_key(rng), odds.factor, rates, self.rare)
        return design.presence_from(found, odds, rates)

    def note(self, sweep: int, model: Model, state: Any) -> None:
        """Note the odds and rates of a sweep of this chain, if probabilities are averaged from these."""
        assert self.chain is not None
        if self.cells is not None:
            return
        odds, rates = model.occurrence.odds(state.occurrence), model.expertise.rates(state.expertise)
        self.log(self.chain).write(sweep, odds.factor, rates)

    def log(self, chain: int) -> Log:
        """Return the log of a chain."""
        tables = self.places.coded.tables
        path = str(Path(self.folder, f"sweeps-{chain}"))
        return Log(path, len(tables["species"]), len(tables["annotator"]))

    def logs(self, chains: int) -> list[Log]:
        """Return the logs of all chains."""
        return [self.log(chain) for chain in range(chains)]

    def means(self, presence: ReportedPresence, chains: int) -> Sequence[Log] | Means:
        """Return where shards find probabilities of reported cells, averaged over sweeps of all chains.

        If all reported cells are listed in one place, these are `presence`.
        """
        if self.cells is None:
            return self.logs(chains)
        means = Means(str(Path(self.folder, "means.npy")), self.cells)
        means.write(presence)
        return means

    def largest_error(self, chains: Sequence[Chain], draws: Draws) -> tuple[float, str]:
        """Return the largest error of a probability of a reported cell, and where it is.

        NaN if the error of some cell is not known; 0 if there is no such cell.
        """
        sweeps = [chain.done - chain.warmup for chain in chains]
        means = self.means(pooled_presence([chain.presence for chain in chains]), len(chains))
        found = self.crew.each(largest_error, means, sweeps, draws)
        if any(one is None for one in found):
            return math.nan, ""
        mcse, recording, species = max(found, key=lambda one: one[0])  # the first of equal ones
        if mcse < 0:
            return 0.0, ""
        coded = self.places.coded
        label = recording_labels(coded.pieces, recording, recording + 1)[0]
        return mcse, f"{coded.labels.species.index[species]} in {label}"


def global_design(
    model: Model, places: Places, crew: Crew, folder: Path, chains: int = 1
) -> tuple[GlobalDesign, Sums]:
    """Return what occurrence and expertise need of all shards, and the sums over these.

    Raises
    ------
    AnnotationError
        If the model cannot be fitted in parts, or there is too little memory here for so many chains.
    """
    check_shards(model)
    crew.share(places)
    if model.expertise.by_species:
        lists = lists_in_all(crew.each(shard_lists), places.coded.known_lists())
        pairs = int(lists.lists.sizes[lists.of_annotator].sum())
        check_memory_here(places.coded, pairs, chains)
        places = replace(places, lists=lists)
        crew.share(places)
    first, *others = crew.each(shard_sums)
    sums: Sums = first
    for one in others:
        sums = sums.plus(one)
    listed = np.ones(len(sums.rare), bool) if model.expertise.by_species else sums.rare
    found = crew.each(shard_cells, listed)
    design = GlobalDesign(places.coded.tables, sums, found, places.lists)
    cells = None
    if model.expertise.by_species:
        cells = tuple(np.append(0, np.cumsum([len(each.species) for each in found])).tolist())
    design.elsewhere = Elsewhere(places, crew, sums.rare, str(folder), cells)
    return design, sums
