"""Small spreads: how likely they are, with logits summed out.

Given level and counts, a logit is about normal around its level with the information `weight` and the slope
`pull` of its counts there. Were it truly so, the counts would have, at a spread s with v = s², the likelihood

    ∏ (1 + weight·v)^(−1/2) · exp(pull²·v / (2·(1 + weight·v))),

whose logarithm is, for small v, a·v − b·v² + c·v³ with sums over all logits

    a = Σ (pull² − weight)/2,   b = Σ weight·(2·pull² − weight)/4,   c = Σ weight²·(3·pull² − weight)/6.

If rates do not differ between species, nothing but this says how small the spread is: it is about as likely
at 0 as a little above, and steps of its logarithm would lead to ever smaller ones, and take long to return.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats
from .trials import Trials

POINTS = 60
"""The number of grid points."""
UNLIKELY = 12.0
"""The grid ends where a spread is e^12 times less likely than at best."""
AWAY = 6.0
"""A spread is not small if 0 is more than e^6 times less likely than the best spread."""
OFF = 3.0
"""Nor is it if the next term of the series changes the log likelihood there by more than this."""


@inlined
def prior_of_small(scale: float) -> tuple[float, float, float]:
    """Return what the sums a, b and c start from: the part of the prior."""
    return -0.5 / scale**2, 0.0, 0.0


@compiled
def small_sums(
    trials: Trials, weight: Floats, pull: Floats, own: Floats, before: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Add to the sums a, b and c of the series."""
    n, start = trials.trials, trials.start
    a, b, c = before
    for j in range(len(own)):
        times = own[j] * own[j]
        for p in range(start[j], start[j + 1]):
            if n[p] > 0:
                w, squared = weight[p] * times, pull[p] * pull[p] * times
                a += 0.5 * (squared - w)
                b += 0.25 * w * (2 * squared - w)
                c += w * w * (3 * squared - w) / 6
    return a, b, c


@compiled
def likely_spreads(sums: tuple[float, float, float]) -> tuple[float, Floats]:
    """Return the distance of grid points, of which the first is 0, and the density of the spread at each.

    The distance is 0 if the spread cannot be taken for small.
    """
    a, b, c = sums
    density = np.empty(POINTS)
    if b <= 0:
        return 0.0, density
    best = max(a, 0.0) ** 2 / (4 * b)
    end = (a + math.sqrt(a * a + 4 * b * (UNLIKELY - best))) / (2 * b) if best < AWAY else 0.0
    if end <= 0 or abs(c) * end**3 > OFF:
        return 0.0, density
    distance = math.sqrt(end) / (POINTS - 1)
    for g in range(POINTS):
        v = (g * distance) ** 2
        density[g] = math.exp(a * v - b * v * v - best)
    return distance, density
