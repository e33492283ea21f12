"""Presence means: how probable each reported cell is, and how exactly that is known.

There are two estimates, and the one with the smaller error counts, cell by cell.

Over the kept draws, with presence and components summed out: see model/predictive. And while sampling: in a
sweep, a reported cell is present with probability w / (1 + w), w being the odds that the draw of presence
uses, and these probabilities are averaged over all sweeps after the warm-up. These are far more than the
draws that are kept, but given the component of the recording. Rates are reflected (../model/reflection.py),
so sweeps that follow each other err in opposite directions, and the mean over all is closer than that over
every second one. The error comes from batches: with batch means m[c, t] of chains c, n batches in all and
their common mean m,

    mcse² = Σ (m[c, t] − m)² / (n − 1) / n

(replicated batch means; Gupta and Vats 2020), so that chains which disagree show in it. The error of the
other estimate takes much longer to compute, and is only needed where this one is large: to find the worst
cell, cells are taken in order of this error, until no other can be the worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..common.ragged import Floats
from ..model.design import Design
from ..model.predictive.cell_votes import votes_of
from ..model.predictive.cells import predict_cells
from ..model.sweep import Model
from .draws import Draws

BATCH = 100
"""So many sweeps make a batch."""
FIRST = 100
"""So many cells are looked at first, in search of the worst, and each time three times as many in all."""


class ReportedPresence(NamedTuple):
    """Probability of presence of each reported cell, its Monte-Carlo error, and from how many sweeps."""

    probability: Floats
    mcse: Floats
    sweeps: int


class PresenceMeans:
    """Running sums of one chain."""

    def __init__(self, n_cells: int) -> None:
        self.count, self.batches = 0, 0
        self.total, self.batch, self.squares = np.zeros((3, n_cells))

    def add(self, probability: Floats) -> None:
        """Take in the probabilities of a sweep."""
        self.batch += probability
        self.count += 1
        if self.count % BATCH == 0:
            self.batches += 1
            self.total += self.batch
            self.batch /= BATCH
            self.squares += self.batch * self.batch
            self.batch[:] = 0

    def pack(self) -> dict[str, Any]:
        """Return all as plain arrays, for a file."""
        numbers = np.array([self.count, self.batches])
        return {"numbers": numbers, "total": self.total, "batch": self.batch, "squares": self.squares}

    def unpack(self, packed: dict[str, Any]) -> None:
        """Go on from what `pack` gave."""
        self.count, self.batches = (int(number) for number in packed["numbers"])
        self.total, self.batch, self.squares = packed["total"], packed["batch"], packed["squares"]


def pooled_presence(chains: Sequence[PresenceMeans]) -> ReportedPresence:
    """Return the means over all chains; the error is not a number where there are fewer than two batches."""
    count, batches = sum(one.count for one in chains), sum(one.batches for one in chains)
    probability = np.sum([one.total + one.batch for one in chains], axis=0) / max(count, 1)
    if batches < 2:
        return ReportedPresence(probability, np.full(len(probability), np.nan), count)
    mean = np.sum([one.total for one in chains], axis=0) / (batches * BATCH)
    squares = np.sum([one.squares for one in chains], axis=0) - batches * mean * mean
    mcse = np.sqrt(np.maximum(squares, 0) / (batches - 1) / batches)
    return ReportedPresence(probability, mcse, count)


def lower_where_worst(mcse: Floats, draws: Draws, model: Model, design: Design) -> None:
    """Lower the errors of reported cells to those over the kept draws, wherever the worst of them may be."""
    if draws.means_stand_in or not len(mcse):
        return
    parameters = model.parameters(draws.at(draws.places()), draws.chains, design)
    votes = votes_of(design.annotations, design.marks, design.known, design.scores)
    cells = design.layout.reported.cells
    order, done, largest = np.argsort(np.where(np.isnan(mcse), -np.inf, -mcse), kind="stable"), 0, -np.inf
    while done < len(order) and not mcse[order[done]] <= largest:
        some = np.zeros(len(mcse), bool)
        some[order[done : max(FIRST, 3 * done)]] = True
        blocks = predict_cells(votes, design.pairs, parameters, cells.keep(some))
        mcse[some] = np.fmin(mcse[some], np.concatenate([block.mcse for block in blocks]))
        largest, done = max(largest, mcse[some].max()), done + some.sum()
