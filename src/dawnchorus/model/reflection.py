"""Reflection: a value is moved to the other side of its density f, which is known at the points of a grid.

f at these points, joined by straight lines, is a density g whose distribution function G can be inverted.
With u = G(x), a new value is proposed at G⁻¹(v), where v is 1 − u give or take a little, folded back at 0
and 1. From v one comes to u as easily, so it is accepted with probability min(1, f(new) g(x) / (f(x) g(new)))
(Metropolis and Hastings). That is nearly always, if the lines are close to f. Values that follow each other
lie on opposite sides of the median, so a mean over many is closer than one over as many independent draws
(overrelaxation; Neal 1998).
"""

from __future__ import annotations

import math

import numpy as np

from ..common.compiled import inlined
from ..common.ragged import Floats

JITTER = 0.3
"""How far v may be from 1 − u, either way."""


@inlined
def reflection(
    rng: np.random.Generator, value: Floats, points: int, at: int, part: float
) -> tuple[int, float, float]:
    """Propose where to go from a part of the way between two grid points, given the density at all.

    Return the point below, which part of the way to the next, and g(x) / g(new).
    """
    total, below = 0.0, 0.0
    for g in range(points - 1):
        if g == at:
            below = total
        total += value[g] + value[g + 1]
    here = value[at] + part * (value[at + 1] - value[at])
    u = (below + part * (value[at] + here)) / total
    v = abs(1 - u + JITTER * (2 * rng.random() - 1))
    rest = (2 - v if v > 1 else v) * total
    to = 0
    while to < points - 2 and rest >= value[to] + value[to + 1]:
        rest -= value[to] + value[to + 1]
        to += 1
    # part · (2 · lower + part · (upper − lower)) = rest
    lower, upper = value[to], value[to + 1]
    part = min(rest / (lower + math.sqrt(max(lower * lower + (upper - lower) * rest, 0.0))), 1.0)
    return to, part, here / (lower + part * (upper - lower))
