"""Spreads: the standard deviation of normal values around their centres, drawn given these.

With the sum of the squares of `count` distances, the density of a spread s is

    s^(−count) · exp(−squares / (2·s²)) · prior(s),

and a slice step moves its logarithm (Neal 2003).
"""

from __future__ import annotations

import math

import numpy as np

from ..common.compiled import inlined

LEAST = 1e-30
"""Squares are at least this: with all values exactly at their centres, a spread would shrink for ever."""


@inlined
def half_normal_spread(
    rng: np.random.Generator, now: float, squares: float, count: int, scale: float
) -> float:
    """Return a new spread, under a half-normal prior with this scale."""
    return _slice(rng, now, squares, count, scale, 0.0)


@inlined
def log_normal_spread(
    rng: np.random.Generator, now: float, squares: float, count: int, width: float
) -> float:
    """Return a new spread, under a log-normal prior with median 1 and this width of the logarithm."""
    return _slice(rng, now, squares, count, 0.0, width)


@inlined
def _slice(
    rng: np.random.Generator, now: float, squares: float, count: int, scale: float, width: float
) -> float:
    """Return a new spread, by a slice step on its logarithm; one of `scale` and `width` is 0."""
    at, squares = math.log(now), max(squares, LEAST)
    height = _density(at, squares, count, scale, width) - rng.standard_exponential()
    step = 2 / math.sqrt(2 * count + 1)
    low = at - step * rng.random()
    high = low + step
    while _density(low, squares, count, scale, width) > height:
        low -= step
    while _density(high, squares, count, scale, width) > height:
        high += step
    while True:
        new = low + (high - low) * rng.random()
        if _density(new, squares, count, scale, width) >= height:
            return math.exp(new)
        if new < at:
            low = new
        else:
            high = new


@inlined
def _density(log_spread: float, squares: float, count: int, scale: float, width: float) -> float:
    """Return the log density of the logarithm of a spread."""
    variance = math.exp(2 * log_spread)
    if width > 0:
        return -count * log_spread - 0.5 * squares / variance - 0.5 * (log_spread / width) ** 2
    return (1 - count) * log_spread - 0.5 * squares / variance - 0.5 * variance / scale**2
