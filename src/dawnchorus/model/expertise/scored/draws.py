"""Draws of what scores are like, given presence, for one machine and one side at a time.

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
from ....common.ragged import Bools, Floats, Ints

CENTRE, WIDTH, ALIKE, TYPICAL = 0, 1, 2, 3
"""The places of what species have in common."""
WIDTH_SCALE = 0.5
TYPICAL_SHAPE, TYPICAL_RATE = 2.0, 4.0
ALIKE_MIDDLE, ALIKE_SPREAD = math.log(5.0), 0.7
STEP = 1.0
"""The first width of a slice, on the logarithmic scale."""
FAR = 12.0
"""Logarithms of what species have in common stay between −FAR and FAR."""
LEAST = 1e-9
"""Precisions are at least so large."""


class Data(NamedTuple):
    """Of each species, how many scores a side has, their sum, precision, and squares of distances."""

    n: Floats
    total: Floats
    precision: Floats
    squares: Floats


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
                mean[side, m, k] = c[CENTRE] + c[WIDTH] * rng.standard_normal()
                drawn = rng.standard_gamma(c[ALIKE]) / (c[ALIKE] * c[TYPICAL])
                precision[side, m, k] = max(drawn, LEAST)


@compiled
def draw_given_presence(
    rng: np.random.Generator,
    mean: Floats,
    precision: Floats,
    common: Floats,
    there: Bools,
    machine: Ints,
    species: Ints,
    score: Floats,
) -> None:
    """Draw everything given presence in the cell of each scored report, in place."""
    sums = np.zeros((2, mean.shape[1], mean.shape[2], 3))
    for v in range(len(score)):
        of = sums[0 if there[v] else 1, machine[v], species[v]]
        of[0] += 1
        of[1] += score[v]
        of[2] += score[v] * score[v]
    for m in range(mean.shape[1]):
        for side in range(2):
            n, total, square = sums[side, m, :, 0], sums[side, m, :, 1], sums[side, m, :, 2]
            c, x, q = common[side, m], mean[side, m], precision[side, m]
            some = np.flatnonzero(n)
            squares = np.zeros(len(x))
            data = Data(n, total, q, squares)
            c[WIDTH] = _slice(rng, WIDTH, c, data, some)
            c[CENTRE] = _centre(rng, c, data, some, side, common[1 - side, m, CENTRE])
            for k in range(len(x)):
                sure = 1 / c[WIDTH] ** 2
                h = sure + n[k] * q[k]
                x[k] = (sure * c[CENTRE] + q[k] * total[k]) / h + rng.standard_normal() / math.sqrt(h)
            for k in range(len(x)):
                squares[k] = max(square[k] - 2 * x[k] * total[k] + n[k] * x[k] * x[k], 0.0)
            for which in (ALIKE, TYPICAL):
                c[which] = _slice(rng, which, c, data, some)
            for k in range(len(x)):
                rate = c[ALIKE] * c[TYPICAL] + 0.5 * squares[k]
                q[k] = max(rng.standard_gamma(c[ALIKE] + 0.5 * n[k]) / rate, LEAST)


@compiled
def _centre(rng: np.random.Generator, c: Floats, data: Data, some: Ints, side: int, other: float) -> float:
    """Draw the centre, means of species integrated out: above that of absence, or below that of presence."""
    h, weighed = 1.0, 0.0
    for k in some:
        sure = 1 / (c[WIDTH] ** 2 + 1 / (data.n[k] * data.precision[k]))
        h += sure
        weighed += sure * data.total[k] / data.n[k]
    middle, sd = weighed / h, 1 / math.sqrt(h)
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
    if abs(log) > FAR:
        return -math.inf
    value, n, total, q, squares = math.exp(log), data.n, data.total, data.precision, data.squares
    if which == WIDTH:
        density = log - 0.5 * (value / WIDTH_SCALE) ** 2
        for k in some:
            v, away = value * value + 1 / (n[k] * q[k]), total[k] / n[k] - c[CENTRE]
            density -= 0.5 * (math.log(v) + away * away / v)
        return density
    alike, typical = c[ALIKE], c[TYPICAL]
    if which == ALIKE:
        alike, density = value, -0.5 * ((log - ALIKE_MIDDLE) / ALIKE_SPREAD) ** 2
    else:
        typical, density = value, TYPICAL_SHAPE * log - TYPICAL_RATE * value
    rate = alike * typical
    once = alike * math.log(rate) - math.lgamma(alike)
    for k in some:
        shape = alike + 0.5 * n[k]
        density += once + math.lgamma(shape) - shape * math.log(rate + 0.5 * squares[k])
    return density


@compiled
def log_factors(
    mean: Floats, precision: Floats, machine: Ints, species: Ints, score: Floats, cell: Ints, cells: int
) -> Floats:
    """Return for each cell the logarithm of P(its scores | present) / P(its scores | absent)."""
    log = np.zeros(cells)
    for v in range(len(score)):
        m, k = machine[v], species[v]
        there, absent = precision[0, m, k], precision[1, m, k]
        near, far = score[v] - mean[0, m, k], score[v] - mean[1, m, k]
        log[cell[v]] += 0.5 * (math.log(there / absent) - there * near * near + absent * far * far)
    return log
