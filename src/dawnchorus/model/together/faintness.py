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

from ...common.ragged import Floats
from ..audibility import Audibility, evidence_from_logits
from ..design import Design
from ..presence.odds import Odds
from ..presence.recording_ratios import cells_by_species, recording_ratios
from .species import ratios_gained

WORK = 80_000
"""So many visits are gone through in a sweep on average, each once for every species."""
AT_ONCE = 1_000_000
"""So many visits × species at a time."""
LARGEST = 0.3
"""The standard deviation of the largest steps; each time it is a random part of that."""
ALONE = 0.3
"""The share of moves in which logits stay."""


@runtime_checkable
class FaintExpertise(Protocol):
    """An expertise in which birds may differ in how audible they are."""

    def audibility(self, state: Any) -> Audibility:
        """Return the classes of birds; none if all are alike."""
        ...

    def deception(self, state: Any) -> Audibility:
        """Return the classes of absent birds that differ in how deceptive they are."""
        ...

    def logits(self, state: Any) -> tuple[Floats, Floats]:
        """Return the logits of true and of false positive rates."""
        ...

    def unsure(self, state: Any) -> float:
        """Return how many unsure marks there are for a report; 0 if they are no votes."""
        ...

    def fainter(self, state: Any, times: float, *, stretch: bool) -> tuple[Any, float]:
        """Return the state with a spread that is so many times as large, and the gain in log density."""
        ...


def move_faintness(
    rng: np.random.Generator, sides: tuple[Any, Any], states: tuple[Any, Any], odds: Odds, design: Design
) -> tuple[tuple[Any, Any], dict[str, float]]:
    """Return the states of occurrence and expertise after a move, if there is one, and if it was accepted."""
    expertise, state = sides[1], states[1]
    if not isinstance(expertise, FaintExpertise) or not len(expertise.audibility(state).factor):
        return states, {}
    a = design.annotations
    if rng.random() * a.n_visits * a.n_species * 2 >= WORK:
        return states, {"faintness_summed_out": np.nan}
    step = LARGEST * rng.random() * rng.standard_normal()
    then, gain = expertise.fainter(state, math.exp(step), stretch=rng.random() >= ALONE)
    rates = np.arange(design.n_rates)
    says = tuple(
        evidence_from_logits(
            rates,
            *expertise.logits(one),
            expertise.audibility(one),
            expertise.unsure(one),
            expertise.deception(one),
        )
        for one in (state, then)
    )
    cells, same = design.derived(cells_by_species), np.ones(a.n_species)
    for species in np.array_split(np.arange(a.n_species), -(-a.n_visits * a.n_species // AT_ONCE)):
        ratios = (recording_ratios(design.layout, cells, species, one) for one in says)
        gain += float(ratios_gained(odds, species, (same[species], same[species]), *ratios).sum())
    moved = rng.standard_exponential() > -gain
    return (states[0], then if moved else state), {"faintness_summed_out": float(moved)}
