"""What species have in common in their scores, with priors; and draws from these.

For presence and for absence each, and for each machine, with scores in the machine's unit,

    mean[k] ~ Normal(centre, width²),   1 / sd[k]² ~ Gamma(alike, rate = alike · typical),
    centre ~ Normal(0, 1), above in presence than in absence,   width ~ half-normal(1/2),
    typical ~ Gamma(2, rate = 4),   log(alike) ~ Normal(log 5, 0.7²).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints

CENTRE, WIDTH, ALIKE, TYPICAL = 0, 1, 2, 3
"""The places of what species have in common."""
WIDTH_SCALE = 0.5
TYPICAL_SHAPE, TYPICAL_RATE = 2.0, 4.0
ALIKE_MIDDLE, ALIKE_SPREAD = math.log(5.0), 0.7
FAR = 12.0
"""Logarithms of what species have in common stay between −FAR and FAR."""
LEAST = 1e-9
"""Precisions are at least so large."""


class State(NamedTuple):
    """Of both sides, presence first, in units of the machine: what scores of species are like."""

    mean: Floats
    """2 × machines × species, as is `precision`, 1 / sd²."""
    precision: Floats
    common: Floats
    """2 × machines × 4: centre, width, alike and typical."""


class Placed(NamedTuple):
    """Machine, species and score of each scored report, in units of the machine; and cut-offs."""

    machine: Ints
    species: Ints
    score: Floats
    cut: Floats
    """Of each machine, the score below which it is silent; minus infinity if there is none."""


class Sums(NamedTuple):
    """Of each species, how many scores a side of a machine has, their sum, and that of their squares."""

    n: Floats
    total: Floats
    square: Floats


@compiled
def draw_from_prior(rng: np.random.Generator, mean: Floats, precision: Floats, common: Floats) -> None:
    """Draw everything from the prior, in place."""
    for m in range(mean.shape[1]):
        one, other = rng.standard_normal(), rng.standard_normal()
        common[0, m, CENTRE], common[1, m, CENTRE] = max(one, other), min(one, other)
        for side in range(2):
            c = common[side, m]
            c[WIDTH] = max(abs(WIDTH_SCALE * rng.standard_normal()), math.exp(-FAR))
            c[ALIKE] = math.exp(ALIKE_MIDDLE + ALIKE_SPREAD * rng.standard_normal())
            c[TYPICAL] = rng.standard_gamma(TYPICAL_SHAPE) / TYPICAL_RATE
            for k in range(mean.shape[2]):
                mean[side, m, k], precision[side, m, k] = draw_species(rng, c)


@inlined
def log_prior(log: float, which: int) -> float:
    """Return the log density of the logarithm of width, alike or typical, before any score."""
    if abs(log) > FAR:
        return -math.inf
    if which == WIDTH:
        return log - 0.5 * (math.exp(log) / WIDTH_SCALE) ** 2
    if which == ALIKE:
        return -0.5 * ((log - ALIKE_MIDDLE) / ALIKE_SPREAD) ** 2
    return TYPICAL_SHAPE * log - TYPICAL_RATE * math.exp(log)


@inlined
def draw_species(rng: np.random.Generator, c: Floats) -> tuple[float, float]:
    """Draw mean and precision of a species from what species have in common."""
    mean = c[CENTRE] + c[WIDTH] * rng.standard_normal()
    return mean, max(rng.standard_gamma(c[ALIKE]) / (c[ALIKE] * c[TYPICAL]), LEAST)


@inlined
def centre_on_side(rng: np.random.Generator, middle: float, sd: float, side: int, other: float) -> float:
    """Draw a normal centre that is above that of absence, or below that of presence."""
    if side == 0:
        return middle + sd * normal_above(rng, (other - middle) / sd)
    return middle - sd * normal_above(rng, (middle - other) / sd)


@compiled
def normal_above(rng: np.random.Generator, low: float) -> float:
    """Draw from the part of a standard normal distribution above `low` (Robert 1995)."""
    if low < 0.5:
        while True:
            z = rng.standard_normal()
            if z > low:
                return z
    rate = 0.5 * (low + math.sqrt(low * low + 4))
    while True:
        z = low + rng.standard_exponential() / rate
        if rng.standard_exponential() > 0.5 * (z - rate) ** 2:
            return z
