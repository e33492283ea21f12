"""Shared occurrence: the same in all recordings, but for the component of a mixture."""

from __future__ import annotations

import numpy as np

from ...annotations.known import KnownCells
from ...common.ragged import Floats, Ints
from ..rates import all_inside
from .parameters import Occurrence, Parameters

HALVINGS = 30
MARGIN = 1e-3
"""Factors are compared with so much room, in logarithms, for rounding."""


def occurrence_in(parameters: Parameters) -> Occurrence:
    """Return how probable species are before there are votes, recording by recording."""
    return SharedOccurrence(parameters) if parameters.contexts is None else parameters.contexts


class SharedOccurrence:
    """The same occurrence in all recordings, from draws × components × species."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.n_species = parameters.occurrence.shape[2]
        self.most = 0

    def of(self, first: int, last: int) -> tuple[Ints, Floats]:
        """Return one context, without copying."""
        return np.zeros(last - first, np.int32), self.parameters.occurrence[:, :, None, :]

    def needed(self, least: float) -> tuple[Ints, Floats]:
        """Return one group of recordings, and the factors that they need; see `needed_factors`."""
        return np.zeros(1, np.int32), needed_factors(self.parameters, least)[None]

    def terms(
        self, draw: int, n: int, rng: np.random.Generator, known: KnownCells | None = None
    ) -> tuple[Floats, Ints]:
        """Return one term, the component of each recording, which is drawn given what is known of it."""
        number = int(self.parameters.components[draw])
        chance = all_inside(self.parameters.occurrence[draw, :number])
        weight = np.asarray(self.parameters.weight[draw, :number], np.float64)
        row = rng.choice(number, n, p=weight / weight.sum()) if number > 1 else np.zeros(n, np.int64)
        if known is not None and number > 1:
            some = np.flatnonzero(known.cells.sizes)
            row[some] = _component_given(rng, known, chance, np.log(np.maximum(weight, 1e-300)))[some]
        return np.log(chance / (1 - chance)), row.astype(np.int32)[:, None]


def _component_given(rng: np.random.Generator, known: KnownCells, chance: Floats, log_weight: Floats) -> Ints:
    """Draw the component of each recording given which species are known to be present, and absent, in it."""
    n = known.cells.rows
    x = rng.gumbel(size=(len(chance), n)) + log_weight[:, None]
    for r, p in enumerate(chance):
        said = np.where(known.present, p[known.species], 1 - p[known.species])
        x[r] += np.bincount(known.recording, np.log(said), minlength=n)
    return np.argmax(x, axis=0)


def needed_factors(parameters: Parameters, least: float) -> Floats:
    """Return for each species the logarithm of the factor that makes its mean probability `least`.

    In mixtures, the component with the largest probability counts in every draw. The factor is infinite where
    no finite one is enough.
    """
    number = parameters.occurrence.shape[1]
    beyond = np.arange(number)[None] >= parameters.components[:, None]
    largest = parameters.occurrence[:, 0].astype(np.float64)
    for r in range(1, number):
        here = np.where(beyond[:, r, None], 0.0, parameters.occurrence[:, r])
        np.maximum(largest, here, out=largest)
    needed = np.full(largest.shape[1], np.inf)
    for k in range(largest.shape[1]):
        p = np.minimum(largest[:, k], 1.0)
        low, high = -40.0, 40.0
        if _mean(p, high) < least:
            continue
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if _mean(p, middle) >= least else (middle, high)
        needed[k] = low - MARGIN if low > -40 else -np.inf
    needed[np.isneginf(needed)] = -1e300
    return needed


def _mean(p: Floats, log_factor: float) -> float:
    there = p * np.exp(log_factor)
    return float(np.mean(there / np.maximum(1 - p + there, 1e-300)))
