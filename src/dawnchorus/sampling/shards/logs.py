"""Logs: the odds of species and the rates of annotators in every sweep of a chain, on disk.

A sweep has a row of numbers in double precision, at its own place: so a chain that goes on from a checkpoint
writes the same rows again, and whoever reads them sees the same.

Rates by annotator and species would be far too many. Where rates differ by species, reported cells are in one
place, which averages their probabilities itself, and leaves the averages on disk for the shards (`Means`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...common.files.whole import whole_file
from ...common.ragged import Floats
from ...io.parts.pieces import reached
from ...model.audibility import VoteRates
from ..presence_means import ReportedPresence


class Log(NamedTuple):
    """Where the rows of a chain are, and how many species and annotators they are about."""

    path: str
    species: int
    annotators: int

    @property
    def width(self) -> int:
        """The number of numbers in a row."""
        return self.species + 2 * self.annotators

    def write(self, sweep: int, factor: Floats, rates: VoteRates) -> None:
        """Write the row of a sweep; the first has number 1."""
        row = np.concatenate([factor.ravel(), rates.tpr, rates.fpr])
        path = Path(self.path)
        path.touch()
        with path.open("r+b") as file:
            file.seek((sweep - 1) * row.nbytes)
            file.write(row.tobytes())

    def read(self, sweeps: int) -> Iterator[tuple[Floats, VoteRates]]:
        """Yield odds and rates of the first sweeps, in their order."""
        if not sweeps:
            return
        with reached(self.path), Path(self.path).open("rb") as file:
            for _ in range(sweeps):
                row = np.frombuffer(file.read(8 * self.width), np.float64, self.width)
                factor, tpr, fpr = np.split(row.copy(), [self.species, self.species + self.annotators])
                yield factor.reshape(1, -1), VoteRates(tpr, fpr)


class Means(NamedTuple):
    """Where averaged probabilities of reported cells are, and which of them are those of a shard."""

    path: str
    first: tuple[int, ...]
    """The first cell of each shard, and the number of all cells."""

    def write(self, means: ReportedPresence) -> None:
        """Write the averages of all cells; those that were there before are replaced as a whole."""
        with whole_file(Path(self.path)) as draft, draft.open("wb") as file:
            np.save(file, np.stack([means.probability, means.mcse, np.full(len(means.mcse), means.sweeps)]))

    def of(self, shard: int) -> ReportedPresence:
        """Return those of a shard."""
        low, high = self.first[shard : shard + 2]
        probability, mcse, sweeps = np.load(self.path, mmap_mode="r")[:, low:high]
        return ReportedPresence(probability.copy(), mcse.copy(), int(sweeps.max(initial=0)))
