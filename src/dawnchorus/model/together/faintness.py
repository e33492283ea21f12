"""Moves of how far birds differ in how audible they are, with all presence summed out.

Where birds are fainter, more of them are present without a report. Given presence, the spread of audibility
takes long to follow, and presence to follow it. Here it moves given votes alone, on the scale of logarithms,
with all logits of true positive rates multiplied so that rates over all birds stay about as they are, or
without. This goes through every visit for every species, so it is done in few of many sweeps.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ...common.protocols import offers
from ..design import Design
from ..presence.odds import Odds
from .species import ExpertiseBySpecies, besides_logits, votes_gained, what_votes_say

WORK = 80_000
"""So many visits are gone through in a sweep on average, each once for every species."""
AT_ONCE = 1_000_000
"""So many visits × species at a time."""
LARGEST = 0.3
"""The standard deviation of the largest steps; each time it is a random part of that."""
ALONE = 0.3
"""The share of moves in which logits stay."""


@runtime_checkable
class FaintExpertise(ExpertiseBySpecies, Protocol):
    """An expertise in which birds may differ in how audible they are."""

    def fainter(self, state: Any, times: float, *, stretch: bool) -> tuple[Any, float]:
        """Return the state with a spread that is so many times as large, and the gain in log density."""
        ...


def move_faintness(
    rng: np.random.Generator, sides: tuple[Any, Any], states: tuple[Any, Any], odds: Odds, design: Design
) -> tuple[tuple[Any, Any], dict[str, float]]:
    """Return the states of occurrence and expertise after a move, if there is one, and if it was accepted."""
    expertise, state = sides[1], states[1]
    if not offers(expertise, FaintExpertise) or not len(expertise.audibility(state).factor):
        return states, {}
    a = design.annotations
    if rng.random() * a.n_visits * a.n_species * 2 >= WORK:
        return states, {"faintness_summed_out": np.nan}
    step = LARGEST * rng.random() * rng.standard_normal()
    then, gain = expertise.fainter(state, math.exp(step), stretch=rng.random() >= ALONE)
    for species in np.array_split(np.arange(a.n_species), -(-a.n_visits * a.n_species // AT_ONCE)):
        says = (
            what_votes_say(design, species, expertise.logits(one), *besides_logits(expertise, one))
            for one in (state, then)
        )
        same = np.ones(len(species))
        gain += float(votes_gained(odds, species, (same, same), *says).sum())
    moved = rng.standard_exponential() > -gain
    return (states[0], then if moved else state), {"faintness_summed_out": float(moved)}
