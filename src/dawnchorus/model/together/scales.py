"""Scales: the sd of levels and the spread of logits around them, given logits; levels are summed out.

If annotators have few species, only both together are known well: each move multiplies one of them by a
factor, or one and divides the other.
"""

from __future__ import annotations

import math

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats
from ..lookups import accepted
from .centres import Centres, density

LARGEST = 1.5
"""The standard deviation of the largest steps of logarithms; each is a part of that, often a small one."""
LEAST, MOST = 1e-6, 1e3
"""Spreads beyond these bounds stay."""


@compiled
def move_scales(
    rng: np.random.Generator,
    given: Centres,
    x: Floats,
    spread: float,
    scales: tuple[float, float],
    turns: int,
) -> tuple[Centres, float]:
    """Move the sd of levels, and the spread that all `tight` are made of; return what they are now.

    Both have half-normal priors with these scales; one with a scale of 0 stays.
    """
    now = _log_scaled(given, x, spread, scales)
    for turn in range(turns):
        factor = math.exp(LARGEST * rng.random() ** 2 * rng.standard_normal())
        sd = given.sd * factor if scales[0] > 0 and turn % 3 != 0 else given.sd
        other = spread / factor if scales[1] > 0 and turn % 3 != 1 else spread
        if min(given.sd, spread, sd, other) < LEAST or max(given.sd, spread, sd, other) > MOST:
            continue
        new = Centres(given.centre, given.tight * (spread / other) ** 2, given.start, sd, given.width)
        then = _log_scaled(new, x, other, scales)
        if accepted(rng, then - now):
            given, spread, now = new, other, then
    return given, spread


@compiled
def _log_scaled(given: Centres, x: Floats, spread: float, scales: tuple[float, float]) -> float:
    """Return the log density of logits and of the logarithms of both spreads."""
    total = density(given, x, np.empty(len(x)))[0]
    if scales[0] > 0:
        total += math.log(given.sd) - 0.5 * (given.sd / scales[0]) ** 2
    if scales[1] > 0:
        total += math.log(spread) - 0.5 * (spread / scales[1]) ** 2
    return total
