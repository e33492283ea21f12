"""Thinning: which draws presence is averaged over, and all that it depends on in them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from .predictive import Parameters
from .ragged import Floats, Ints

if TYPE_CHECKING:
    from .posterior import Posterior

MOST_DRAWS = 300
"""Presence is averaged over at most so many draws, evenly spread over all chains."""


def places_of(posterior: Posterior, most: int) -> tuple[Ints, Ints]:
    """Give chain and draw of at most so many draws, evenly spread."""
    chains, length = posterior.draws["occurrence"].shape[:2]
    usable = np.arange(length)
    if posterior.design.by_species and len(posterior.pair_draws):
        usable = posterior.pair_draws
    some = usable[np.unique(np.linspace(0, len(usable) - 1, max(most // chains, 1)).astype(int))]
    return np.repeat(np.arange(chains), len(some)), np.tile(some, chains)


def parameters_of(posterior: Posterior, most: int) -> Parameters:
    """Give all that presence depends on in these draws, flat over chains."""
    chain, draw = places_of(posterior, most)
    if posterior.mixture:
        weight = posterior.mixture["weight"][chain, draw]
        components = np.isfinite(weight).sum(axis=1)
        weight = np.nan_to_num(weight)
        occurrence = np.nan_to_num(posterior.mixture["occurrence"][chain, draw])
    else:
        occurrence = posterior.draws["occurrence"][chain, draw][:, None]
        weight, components = np.ones((len(chain), 1)), np.ones(len(chain), np.int64)
    return Parameters(
        rates_of(posterior, "tpr", chain, draw),
        rates_of(posterior, "fpr", chain, draw),
        components,
        weight.astype(np.float64),
        occurrence.astype(np.float64),
    )


def rates_of(posterior: Posterior, name: str, chain: Ints, draw: Ints) -> Floats:
    """Give the true or false positive rates in these draws, in the order of the design."""
    if not posterior.design.by_species:
        return posterior.draws[name][chain, draw]
    if not len(posterior.pair_draws):
        warnings.warn("rates by species are averages: their draws did not fit in memory", stacklevel=2)
        return np.tile(posterior.pair_summary[f"species_{name}_mean"], (len(chain), 1))
    return posterior.pairs[f"species_{name}"][chain, np.searchsorted(posterior.pair_draws, draw)]
