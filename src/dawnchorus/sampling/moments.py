"""Moments: of variables whose draws would not fit in memory, and whether chains agree on them.

The few draws that do fit say little: of a million parameters, some look bad by chance if there are only 100
draws of each. So all draws count, in batches of L. With s² the variance of the S draws of all chains, m[b]
the means of batches and m the mean of all,

    ESS = S · s² / (L · Σ_b (m[b] − m)² / (batches − 1))

(replicated batch means; Gupta and Vats 2020), and R-hat is that of agreement.py, without ranks and halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..common.compiled import compiled
from ..common.ragged import Floats
from .convergence import Diagnostics, worst_of

BATCH = 25
"""So many draws make a batch."""
FEWEST = 8
"""With fewer batches than this in all, nothing can be said."""


class RunningMoments:
    """Running sums of one chain: of draws, of their squares, and of the squares of means of batches."""

    def __init__(self) -> None:
        self.count = 0
        self.mean: dict[str, Floats] = {}
        self.squares: dict[str, Floats] = {}
        self.batch: dict[str, Floats] = {}
        self.batch_squares: dict[str, Floats] = {}

    @property
    def batches(self) -> int:
        """The number of whole batches."""
        return self.count // BATCH

    def add(self, values: dict[str, Floats]) -> None:
        """Add a draw."""
        self.count += 1
        for name, value in values.items():
            if self.count == 1:
                self.mean[name], self.squares[name] = np.zeros((2, *value.shape))
                self.batch[name], self.batch_squares[name] = np.zeros((2, *value.shape))
            batch = self.batch[name]
            mean, squares = self.mean[name].reshape(-1), self.squares[name].reshape(-1)
            _add(value.reshape(-1), mean, squares, batch.reshape(-1), self.count)
            if self.count % BATCH == 0:
                batch /= BATCH
                self.batch_squares[name] += batch * batch
                batch[:] = 0

    def pack(self) -> dict[str, Any]:
        """Return the moments as plain arrays."""
        packed: dict[str, Any] = {"count": np.array(self.count)}
        for kind in PARTS:
            packed |= {f"{kind}.{name}": value for name, value in getattr(self, kind).items()}
        return packed

    def unpack(self, packed: dict[str, Any]) -> None:
        """Continue from what `pack` returned."""
        self.count = int(packed.pop("count"))
        for key, value in packed.items():
            kind, _, name = key.partition(".")
            getattr(self, kind)[name] = value


@compiled
def _add(value: Floats, mean: Floats, squares: Floats, batch: Floats, count: int) -> None:
    """Add a draw to the sums, in place and in one pass, since there may be millions of values."""
    for p in range(len(value)):
        away = value[p] - mean[p]
        mean[p] += away / count
        squares[p] += away * (value[p] - mean[p])
        batch[p] += value[p]


PARTS = ("mean", "squares", "batch", "batch_squares")


def diagnose_moments(chains: Sequence[RunningMoments], names: Mapping[str, Any]) -> Diagnostics | None:
    """Return how well chains agree on these variables; None if they are too short to tell."""
    batches, count = sum(one.batches for one in chains), sum(one.count for one in chains)
    if batches < FEWEST:
        return None
    found = {}
    for name in chains[0].mean:
        means = np.array([one.mean[name] for one in chains])
        within = sum(one.squares[name] for one in chains) / count
        mean = np.average(means, axis=0, weights=[one.count for one in chains])
        between = means.var(axis=0, ddof=1) if len(chains) > 1 else np.zeros(len(mean))
        whole = sum(one.count * one.mean[name] - one.batch[name] for one in chains) / (BATCH * batches)
        spread = sum(one.batch_squares[name] for one in chains) - batches * whole * whole
        spread = np.maximum(spread / (batches - 1), 1e-12 * mean * mean + 1e-300)
        ess = np.minimum(count * (within + between) / (BATCH * spread), count)
        same = within <= 1e-12 * mean * mean
        rhat = np.sqrt(1 + np.where(same, 0, between / np.where(same, 1, within)))
        found[name] = np.where(same, count, ess), rhat
    return worst_of(found, names, len(chains))
