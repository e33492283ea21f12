"""Elsewhere: what a chain sees of data in shards: presence is drawn where they are, and sweeps are noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...common.ragged import Bools
from ...io.parts.pieces import recording_labels
from ...model.audibility import VoteRates
from ...model.presence.draw import Presence
from ...model.presence.odds import Odds
from ...model.shards.counts import Sums, check_shards
from ...model.shards.global_design import GlobalDesign, presence_from
from ...model.sweep import Model
from ..draws import Draws
from .crew import Crew
from .logs import Log
from .places import Places, drawn, largest_error, shard_rare_cells, shard_sums


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
    chain
        Which chain it is for, if it is for one.
    """

    places: Places
    crew: Crew
    rare: Bools
    folder: str
    chain: int | None = None

    def of_chain(self, place: int) -> Elsewhere:
        """Return the same for one of the chains."""
        return replace(self, chain=place)

    def draw(self, rng: np.random.Generator, odds: Odds, rates: VoteRates) -> Presence:
        """Draw presence in all shards, given odds and rates."""
        key = int(rng.integers(2**63))
        return presence_from(self.crew.each(drawn, key, odds.factor, rates, self.rare))

    def note(self, sweep: int, model: Model, state: Any) -> None:
        """Note the odds and rates of a sweep of this chain."""
        assert self.chain is not None
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

    def largest_error(self, sweeps: Sequence[int], draws: Draws) -> tuple[float, str] | None:
        """Return the largest error of a probability of a reported cell, and where it is.

        None if the error of some cell is not known.
        """
        found = self.crew.each(largest_error, self.logs(len(sweeps)), list(sweeps), draws)
        if any(one is None for one in found):
            return None
        mcse, recording, species = max(found, key=lambda one: one[0])  # the first of equal ones
        if mcse < 0:
            return None
        coded = self.places.coded
        label = recording_labels(coded.pieces, recording, recording + 1)[0]
        return mcse, f"{coded.labels.species.index[species]} in {label}"


def global_design(model: Model, places: Places, crew: Crew, folder: Path) -> tuple[GlobalDesign, Sums]:
    """Return what occurrence and expertise need of all shards, and the sums over these."""
    check_shards(model)
    crew.share(places)
    first, *others = crew.each(shard_sums)
    sums: Sums = first
    for one in others:
        sums = sums.plus(one)
    rare = sums.rare
    design = GlobalDesign(places.coded.tables, sums, crew.each(shard_rare_cells, rare))
    design.elsewhere = Elsewhere(places, crew, rare, str(folder))
    return design, sums
