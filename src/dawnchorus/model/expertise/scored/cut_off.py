"""Draws of what scores are like where those below a cut-off are missing, for one machine and one side.

A machine that is silent below the score c has scores of a normal distribution that is cut off there. With
q = 1 / sd² of a species and the normal distribution function Φ, n scores with mean x and squares of distances
from it r have the density

    q^(n/2) · exp(−q · (r + n·(x − mean)²) / 2) / Φ(√q · (mean − c))^n,

but for a constant. Nothing can be integrated out, so everything moves by slice steps (Neal 2003) under this
density and the priors of pooling.py. A mean far below c with a large sd, and a mean near c with a smaller
one, may describe the same scores. So each species moves, by d,

    mean     the mean;
    spread   log(q);
    slope    log(q), with mean = x + (mean − x) · exp(−d), volume exp(−d): the slope of the log density at x,
             q · (x − mean), stays.

What species have in common is drawn given means and precisions,

    centre ~ Normal(Σ mean / width² / h, 1 / h) on its side of the other centre,   h = 1 + K / width²,
    typical ~ Gamma(2 + K·alike, rate = 4 + alike · Σ q),

for K species with scores, and width and alike by slice steps. Where species have few scores, their means and
precisions are strongly correlated with these. So they move again, by d, with all species:

    shift    centre and all means by d;
    stretch  log(width), with mean = centre + (mean − centre) · exp(d);
    scale    log(typical), with log(q) by −d;
    even     log(alike), with log(q · typical) · exp(−d/2), volume exp(−K·d/2);
    tilt     log(q) by d, log(typical) and log(width) by −d, and distances of means and centre from the mean
             of all scores times exp(−d), volume exp(−(K + 1)·d): the slope of all species together.

In all but `even`, (mean − centre) / width and q · typical stay. So the density of means and precisions given
what species have in common changes as volumes of the K means do, and both cancel: what is left are the priors
of what species have in common, exp(−d) of `tilt`, and the density of scores. Species without a score on this
side are drawn from what species have in common.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints
from ...spreads import half_normal_spread
from .pooling import (
    ALIKE,
    CENTRE,
    FAR,
    LEAST,
    TYPICAL,
    TYPICAL_RATE,
    TYPICAL_SHAPE,
    WIDTH,
    WIDTH_SCALE,
    State,
    Sums,
    centre_on_side,
    draw_species,
    log_prior,
)

MEAN, SPREAD, SLOPE, SHIFT, STRETCH, SCALE, EVEN, TILT, ALONE = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""The moves: the first three of a species, the others of all; `ALONE` is alike given precisions."""
STEP = 1.0
"""The first width of a slice, on the logarithmic scale."""
DEEP = -30.0
"""Below it, the tail of the normal distribution is a series."""
HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class Side(NamedTuple):
    """One side of a machine; what moves is changed in place."""

    common: Floats
    mean: Floats
    precision: Floats
    n: Floats
    """Of each species the number of scores, their mean, and the squares of their distances from it."""
    middle: Floats
    squares: Floats
    some: Ints
    """The species with scores."""
    cut: float
    average: float
    """The mean of all scores."""
    low: float
    """The centre lies between `low` and `high`."""
    high: float


@compiled
def draw_cut_off(rng: np.random.Generator, state: State, sums: Sums, side: int, m: int, cut: float) -> None:
    """Draw one side of a machine given its scores, all at or above a cut-off, in place."""
    s = _side(state, sums, side, m, cut)
    c = s.common
    for k in s.some:
        move(rng, MEAN, s, k, 2 / math.sqrt(1 / c[WIDTH] ** 2 + s.n[k] * s.precision[k]))
        for which in (SPREAD, SLOPE):
            move(rng, which, s, k, 2 / math.sqrt(c[ALIKE] + 0.5 * s.n[k]))
    draw_common(rng, s, side)
    sure = 1.0
    for k in s.some:
        sure += s.n[k] * s.precision[k]
    move(rng, SHIFT, s, 0, 2 / math.sqrt(sure))
    for which in (STRETCH, SCALE, EVEN, TILT):
        move(rng, which, s, 0, STEP)
    for k in range(len(s.n)):
        if s.n[k] == 0:
            s.mean[k], s.precision[k] = draw_species(rng, c)


@compiled
def _side(state: State, sums: Sums, side: int, m: int, cut: float) -> Side:
    """Return one side of a machine with what is needed of its scores."""
    n = sums.n
    middle, squares = np.zeros(len(n)), np.zeros(len(n))
    some = np.flatnonzero(n)
    for k in some:
        middle[k] = sums.total[k] / n[k]
        squares[k] = max(sums.square[k] - n[k] * middle[k] * middle[k], 0.0)
    other = state.common[1 - side, m, CENTRE]
    low, high = (other, math.inf) if side == 0 else (-math.inf, other)
    c, mean, q = state.common[side, m], state.mean[side, m], state.precision[side, m]
    average = sums.total.sum() / max(n.sum(), 1.0)
    return Side(c, mean, q, n, middle, squares, some, cut, average, low, high)


@compiled
def draw_common(rng: np.random.Generator, s: Side, side: int) -> None:
    """Draw what species have in common given means and precisions of those with scores."""
    c, n = s.common, len(s.some)
    total, precisions, squares = 0.0, 0.0, 0.0
    for k in s.some:
        total += s.mean[k]
        precisions += s.precision[k]
    sure = 1 / c[WIDTH] ** 2
    h = 1 + n * sure
    c[CENTRE] = centre_on_side(rng, sure * total / h, 1 / math.sqrt(h), side, s.low if side == 0 else s.high)
    for k in s.some:
        squares += (s.mean[k] - c[CENTRE]) ** 2
    c[WIDTH] = max(half_normal_spread(rng, c[WIDTH], squares, n, WIDTH_SCALE), math.exp(-FAR))
    move(rng, ALONE, s, 0, STEP)
    shape, rate = TYPICAL_SHAPE + n * c[ALIKE], TYPICAL_RATE + c[ALIKE] * precisions
    c[TYPICAL] = rng.standard_gamma(shape) / rate


@compiled
def move(rng: np.random.Generator, which: int, s: Side, k: int, step: float) -> None:
    """Move by a slice step, in place; `k` is the species, if only one moves."""
    height = _log_density(0.0, which, s, k) - rng.standard_exponential()
    low = -step * rng.random()
    high = low + step
    while _log_density(low, which, s, k) > height:
        low -= step
    while _log_density(high, which, s, k) > height:
        high += step
    by = low + (high - low) * rng.random()
    while not _log_density(by, which, s, k) >= height:
        low, high = (by, high) if by < 0 else (low, by)
        by = low + (high - low) * rng.random()
    if which <= SLOPE:
        s.mean[k], s.precision[k] = _moved(by, which, s, k)
        return
    if which != ALONE:
        for k in s.some:
            s.mean[k], s.precision[k] = _moved(by, which, s, k)
    c = s.common
    c[CENTRE], c[WIDTH], c[ALIKE], c[TYPICAL] = _moved_common(by, which, s)


@inlined
def _moved(by: float, which: int, s: Side, k: int) -> tuple[float, float]:
    """Return mean and precision of a species after a move."""
    mean, q, c = s.mean[k], s.precision[k], s.common
    if which in (MEAN, SHIFT):
        return mean + by, q
    if which == SPREAD:
        return mean, q * math.exp(by)
    if which == SLOPE:
        return _nearer(mean, s.middle[k], by), q * math.exp(by)
    if which == TILT:
        return _nearer(mean, s.average, by), q * math.exp(by)
    if which == STRETCH:
        return _nearer(mean, c[CENTRE], -by), q
    if which == SCALE:
        return mean, q * math.exp(-by)
    return mean, math.exp(math.log(q * c[TYPICAL]) * math.exp(-0.5 * by)) / c[TYPICAL]


@inlined
def _moved_common(by: float, which: int, s: Side) -> tuple[float, float, float, float]:
    """Return what species have in common after a move of all."""
    c = s.common
    centre, width, alike, typical = c[CENTRE], c[WIDTH], c[ALIKE], c[TYPICAL]
    if which == SHIFT:
        return centre + by, width, alike, typical
    if which == STRETCH:
        return centre, width * math.exp(by), alike, typical
    if which == SCALE:
        return centre, width, alike, typical * math.exp(by)
    if which == TILT:
        return _nearer(centre, s.average, by), width * math.exp(-by), alike, typical * math.exp(-by)
    return centre, width, alike * math.exp(by), typical


@inlined
def _nearer(value: float, anchor: float, by: float) -> float:
    """Return a value whose distance from an anchor is exp(−by) times what it was."""
    return anchor + (value - anchor) * math.exp(-by)


@compiled
def _log_density(by: float, which: int, s: Side, k: int) -> float:
    """Return the log density of a move by so much, volume included, but for a constant."""
    c = s.common
    if which <= SLOPE:
        mean, q = _moved(by, which, s, k)
        away = (mean - c[CENTRE]) / c[WIDTH]
        density = c[ALIKE] * (math.log(q) - c[TYPICAL] * q) - 0.5 * away * away
        density += log_likelihood(mean, q, s, k)
        return density - by if which == SLOPE else density
    centre, width, alike, typical = _moved_common(by, which, s)
    if not s.low < centre < s.high:
        return -math.inf
    density = log_prior(math.log(width), WIDTH) + log_prior(math.log(typical), TYPICAL)
    density += log_prior(math.log(alike), ALIKE) - 0.5 * centre * centre
    if density == -math.inf:
        return density
    if which == TILT:
        density -= by
    if which in (EVEN, ALONE):
        density += len(s.some) * (alike * math.log(alike * typical) - math.lgamma(alike))
    if which == EVEN:
        density -= 0.5 * by * len(s.some)
    for k in s.some:
        mean, q = (s.mean[k], s.precision[k]) if which == ALONE else _moved(by, which, s, k)
        if which in (EVEN, ALONE):
            density += alike * (math.log(q) - typical * q)
        if which != ALONE:
            density += log_likelihood(mean, q, s, k)
    return density


@inlined
def log_likelihood(mean: float, q: float, s: Side, k: int) -> float:
    """Return the log density of a species' scores, but for a constant; −infinity for precisions near 0."""
    if not LEAST <= q < math.inf:
        return -math.inf
    away, n = s.middle[k] - mean, s.n[k]
    kept = log_kept(math.sqrt(q) * (mean - s.cut))
    return n * (0.5 * math.log(q) - kept) - 0.5 * q * (s.squares[k] + n * away * away)


@inlined
def log_kept(z: float) -> float:
    """Return log Φ(z), how much of a distribution is above a cut-off that is z standard deviations below it.

    >>> round(log_kept(0.0), 4), round(log_kept(-40.0), 4)
    (-0.6931, -804.6084)
    """
    if z > DEEP:
        return math.log(0.5 * math.erfc(-z / math.sqrt(2)))
    w = 1 / (z * z)
    return -0.5 * z * z - HALF_LOG_TWO_PI - math.log(-z) + math.log1p(-w * (1 - 3 * w * (1 - 5 * w)))
