"""Draws of what scores are like where none is cut off, for one machine and one side at a time.

Of species k there are n scores with sum t, and q = 1 / sd². Given all q, means of species are integrated out,

    t/n ~ Normal(centre, width² + 1 / (n·q)),

for a slice step of log(width) (Neal 2003) and the draw of centre, a normal distribution cut off at the centre
of the other side. Then means are drawn,

    mean ~ Normal((centre / width² + q·t) / h, 1 / h),   h = 1 / width² + n·q.

Given all means, with r the sum of the squares of n distances from them, q is integrated out,

    (alike·typical)^alike · Γ(alike + n/2) / Γ(alike) / (alike·typical + r/2)^(alike + n/2),

for slice steps of log(alike) and log(typical). Then q ~ Gamma(alike + n/2, rate = alike·typical + r/2).
Species without a score on this side take no part in what species have in common, and are drawn from it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints
from .pooling import ALIKE, CENTRE, LEAST, TYPICAL, WIDTH, State, Sums, centre_on_side, log_prior

STEP = 1.0
"""The first width of a slice, on the logarithmic scale."""


class Data(NamedTuple):
    """Of each species, how many scores a side has, their sum, precision, and squares of distances."""

    n: Floats
    total: Floats
    precision: Floats
    squares: Floats


@compiled
def draw_whole(rng: np.random.Generator, state: State, sums: Sums, side: int, m: int) -> None:
    """Draw one side of a machine given its scores, in place."""
    c, x, q = state.common[side, m], state.mean[side, m], state.precision[side, m]
    n, total, square = sums
    some = np.flatnonzero(n)
    squares = np.zeros(len(x))
    data = Data(n, total, q, squares)
    c[WIDTH] = _slice(rng, WIDTH, c, data, some)
    c[CENTRE] = _centre(rng, c, data, some, side, state.common[1 - side, m, CENTRE])
    for k in range(len(x)):
        x[k] = draw_mean(rng, c, n[k], total[k], q[k])
    for k in range(len(x)):
        squares[k] = max(square[k] - 2 * x[k] * total[k] + n[k] * x[k] * x[k], 0.0)
    for which in (ALIKE, TYPICAL):
        c[which] = _slice(rng, which, c, data, some)
    for k in range(len(x)):
        q[k] = draw_precision(rng, c, n[k], squares[k])


@inlined
def draw_mean(rng: np.random.Generator, c: Floats, n: float, total: float, q: float) -> float:
    """Draw the mean of a species' scores, given their precision."""
    sure = 1 / c[WIDTH] ** 2
    h = sure + n * q
    return (sure * c[CENTRE] + q * total) / h + rng.standard_normal() / math.sqrt(h)


@inlined
def draw_precision(rng: np.random.Generator, c: Floats, n: float, squares: float) -> float:
    """Draw the precision of a species' scores, given the squares of their distances from the mean."""
    rate = c[ALIKE] * c[TYPICAL] + 0.5 * squares
    return max(rng.standard_gamma(c[ALIKE] + 0.5 * n) / rate, LEAST)


@compiled
def _centre(rng: np.random.Generator, c: Floats, data: Data, some: Ints, side: int, other: float) -> float:
    """Draw the centre, means of species integrated out: above that of absence, or below that of presence."""
    h, weighed = 1.0, 0.0
    for k in some:
        sure = 1 / (c[WIDTH] ** 2 + 1 / (data.n[k] * data.precision[k]))
        h += sure
        weighed += sure * data.total[k] / data.n[k]
    return centre_on_side(rng, weighed / h, 1 / math.sqrt(h), side, other)


@compiled
def _slice(rng: np.random.Generator, which: int, c: Floats, data: Data, some: Ints) -> float:
    """Return a new width, alike or typical, by a slice step of its logarithm."""
    now = math.log(c[which])
    height = _log_density(now, which, c, data, some) - rng.standard_exponential()
    low = now - STEP * rng.random()
    high = low + STEP
    while _log_density(low, which, c, data, some) > height:
        low -= STEP
    while _log_density(high, which, c, data, some) > height:
        high += STEP
    while True:
        new = low + (high - low) * rng.random()
        if _log_density(new, which, c, data, some) >= height:
            return math.exp(new)
        low, high = (new, high) if new < now else (low, new)


@inlined
def _log_density(log: float, which: int, c: Floats, data: Data, some: Ints) -> float:
    """Return the log density of a logarithm: means integrated out for width, precisions for the others."""
    density = log_prior(log, which)
    if density == -math.inf:
        return density
    value, n, total, q, squares = math.exp(log), data.n, data.total, data.precision, data.squares
    if which == WIDTH:
        for k in some:
            v, away = value * value + 1 / (n[k] * q[k]), total[k] / n[k] - c[CENTRE]
            density -= 0.5 * (math.log(v) + away * away / v)
        return density
    alike, typical = (value, c[TYPICAL]) if which == ALIKE else (c[ALIKE], value)
    rate = alike * typical
    once = alike * math.log(rate) - math.lgamma(alike)
    for k in some:
        shape = alike + 0.5 * n[k]
        density += once + math.lgamma(shape) - shape * math.log(rate + 0.5 * squares[k])
    return density
