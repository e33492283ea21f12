"""Collected: the draws that all chains have kept, put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common.ragged import Floats
from ..model.design import Design
from .chain import Chain
from .convergence import Diagnostics
from .draws import Draws
from .presence_means import ReportedPresence, pooled_presence
from .settings import Settings


@dataclass(frozen=True)
class Sample:
    """The draws of all chains, of the same sweeps in each, and how they came about."""

    draws: Draws
    presence: ReportedPresence
    settings: Settings
    design: Design
    diagnostics: Diagnostics
    sweeps: int
    thin: int
    seconds: float


def common_sweeps(stores: Iterable[Any]) -> list[int]:
    """Return the sweeps that all chains have kept."""
    kept = [set(store.sweeps) for store in stores]
    return sorted(set.intersection(*kept))


def stacked(stores: list[Any], sweeps: list[int]) -> dict[str, Floats]:
    """Return the draws of these sweeps by name: chains × draws × the dimensions of the variable."""
    parts = [store.at(sweeps) for store in stores]
    return {name: np.stack([part[name] for part in parts]) for name in stores[0].fixed}


def kept_draws(chains: list[Chain]) -> Draws:
    """Put together what the chains have kept."""
    stores, limited = [chain.draws for chain in chains], [chain.limited for chain in chains]
    sweeps = common_sweeps(stores)
    limited_sweeps = [sweep for sweep in common_sweeps(limited) if sweep in set(sweeps)]
    return Draws(
        chains[0].model.variables,
        stacked(stores, sweeps) | stacked(limited, limited_sweeps) | _filled_up(stores, sweeps),
        np.searchsorted(sweeps, limited_sweeps).astype(np.int64),
        _pooled(chains),
        stacked([chain.acceptance for chain in chains], sweeps),
    )


def collect(
    chains: list[Chain], settings: Settings, design: Design, look: Diagnostics, seconds: float
) -> Sample:
    """Put together what the chains have kept and how they went."""
    presence = pooled_presence([chain.presence for chain in chains])
    done, thin = min(chain.done for chain in chains), max(chain.draws.thin for chain in chains)
    return Sample(kept_draws(chains), presence, settings, design, look, done, thin, seconds)


def _filled_up(stores: list[Any], sweeps: list[int]) -> dict[str, Floats]:
    """Return ragged values as arrays; shorter draws are filled up with NaN."""
    filled = {}
    for name in stores[0].ragged:
        chains = [[store.ragged[name][i] for i in np.searchsorted(store.sweeps, sweeps)] for store in stores]
        most = max(len(draw) for chain in chains for draw in chain)
        first = chains[0][0]
        values = np.full((len(chains), len(sweeps), most, *first.shape[1:]), np.nan, first.dtype)
        for c, chain in enumerate(chains):
            for d, draw in enumerate(chain):
                values[c, d, : len(draw)] = draw
        filled[name] = values
    return filled


def _pooled(chains: list[Chain]) -> dict[str, tuple[Floats, Floats]]:
    """Return means and standard deviations over all chains, from the running moments of each."""
    count = sum(chain.moments.count for chain in chains)
    pooled = {}
    for name in chains[0].moments.mean:
        weights = [chain.moments.count / count for chain in chains]
        means = [chain.moments.mean[name] for chain in chains]
        mean = np.average(means, axis=0, weights=weights)
        within = np.sum([chain.moments.squares[name] for chain in chains], axis=0) / count
        between = np.average((np.array(means) - mean) ** 2, axis=0, weights=weights)
        pooled[name] = (mean, np.sqrt(within + between))
    return pooled
