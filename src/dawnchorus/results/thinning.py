"""Thinning: which draws presence is averaged over, and all that it depends on in them."""

from __future__ import annotations

import warnings

import numpy as np

from ..common.ragged import Floats, Ints
from ..model.presence.predictive import Parameters
from ..sampling.draws import Draws

MOST_DRAWS = 300
"""Presence is averaged over at most so many draws, evenly spread over all chains."""


def parameters_of(draws: Draws, most: int = MOST_DRAWS) -> Parameters:
    """Return all that presence depends on in at most so many draws, flat over chains."""
    chain, draw = draws.spread(most)
    if draws.by("component"):
        weight = draws.at("component_weight", chain, draw)
        components = np.isfinite(weight).sum(axis=1)
        weight = np.nan_to_num(weight)
        occurrence = np.nan_to_num(draws.at("component_occurrence", chain, draw))
    else:
        occurrence = draws.at("occurrence", chain, draw)[:, None]
        weight, components = np.ones((len(chain), 1)), np.ones(len(chain), np.int64)
    return Parameters(
        rates_of(draws, "tpr", chain, draw),
        rates_of(draws, "fpr", chain, draw),
        components,
        weight.astype(np.float64),
        occurrence.astype(np.float64),
    )


def rates_of(draws: Draws, name: str, chain: Ints, draw: Ints) -> Floats:
    """Return the true or false positive rates in these draws, in the order of the design."""
    if not draws.by_pair:
        return draws.at(name, chain, draw)
    if not len(draws.limited):
        warnings.warn("rates by species are averages: their draws did not fit in memory", stacklevel=2)
    return draws.at(f"species_{name}", chain, draw)
