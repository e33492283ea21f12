"""Drawn: the draws that all chains have kept, put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .chain import Chain
from .convergence import Diagnostics
from .design import Design
from .ragged import Floats
from .settings import Settings


@dataclass(frozen=True)
class Sample:
    """The draws of all chains: chains × draws × …, of the same sweeps in each."""

    draws: dict[str, Floats]
    pairs: dict[str, Floats]
    pair_places: list[int]
    """Which of the draws the pairs have."""
    ragged: dict[str, list[list[Floats]]]
    summary: dict[str, Floats]
    """Means and standard deviations of pairs, where not all draws are kept."""
    settings: Settings
    design: Design
    diagnostics: Diagnostics
    sweeps: int
    thin: int
    seconds: float


def common_sweeps(stores: Iterable[Any]) -> list[int]:
    """Give the sweeps that all chains have kept."""
    kept = [set(store.sweeps) for store in stores]
    return sorted(set.intersection(*kept))


def stacked(stores: list[Any], sweeps: list[int]) -> dict[str, Floats]:
    """Give the draws of these sweeps: chains × draws, and whatever comes then."""
    parts = [store.at(sweeps) for store in stores]
    return {name: np.stack([part[name] for part in parts]) for name in stores[0].fixed}


def collect(
    chains: list[Chain],
    settings: Settings,
    design: Design,
    look: Diagnostics,
    seconds: float,
) -> Sample:
    """Put together what the chains have kept."""
    stores = [chain.draws for chain in chains]
    sweeps = common_sweeps(stores)
    pair_stores = [chain.pairs for chain in chains]
    pair_sweeps = [sweep for sweep in common_sweeps(pair_stores) if sweep in set(sweeps)]
    ragged = {
        name: [[store.ragged[name][i] for i in np.searchsorted(store.sweeps, sweeps)] for store in stores]
        for name in stores[0].ragged
    }
    return Sample(
        stacked(stores, sweeps),
        stacked(pair_stores, pair_sweeps),
        [int(i) for i in np.searchsorted(sweeps, pair_sweeps)],
        ragged,
        _summarised(chains),
        settings,
        design,
        look,
        min(chain.done for chain in chains),
        max(store.thin for store in stores),
        seconds,
    )


def _summarised(chains: list[Chain]) -> dict[str, Floats]:
    """Pool the running means and variances of the chains."""
    count = sum(chain.summary.count for chain in chains)
    summary: dict[str, Floats] = {}
    for name in chains[0].summary.mean:
        weights = [chain.summary.count / count for chain in chains]
        means = [chain.summary.mean[name] for chain in chains]
        mean = np.average(means, axis=0, weights=weights)
        within = np.sum([chain.summary.squares[name] for chain in chains], axis=0) / count
        between = np.average((np.array(means) - mean) ** 2, axis=0, weights=weights)
        summary[f"{name}_mean"], summary[f"{name}_sd"] = mean, np.sqrt(within + between)
    return summary
