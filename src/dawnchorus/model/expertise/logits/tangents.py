"""Tangents: an exact draw of one logit given its counts.

Its log density is concave, so three tangents lie above it: candidates are drawn from the density under these
and accepted with the ratio of the two (adaptive rejection; Gilks and Wild 1992, with points fixed around the
mode). Where the counts say little beside the prior, which is the usual case, one tangent of their part is
enough, and much cheaper (`draw_tilted`).
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import inlined
from ....common.ragged import Floats, Ints
from .trials import Counts, expected_of_at

TANGENT = 1.4
"""Outer tangents touch so many standard deviations from the mode: the optimum for a normal density."""


@inlined
def draw_logit(
    rng: np.random.Generator,
    x: float,
    counts: Counts,
    number: Ints,
    factor: Floats,
    mean: float,
    precision: float,
) -> float:
    """Draw a logit; `x` is where the search for the mode starts, `number` and `factor` are of all classes."""
    x, curvature = near_mode(x, counts, number, factor, mean, precision)
    width = TANGENT / math.sqrt(curvature)
    top, slope = logit_density(x, counts, number, factor, mean, precision)
    below, above = width, width
    left, left_slope = logit_density(x - below, counts, number, factor, mean, precision)
    while left_slope <= max(slope, 0.0):
        below *= 2
        left, left_slope = logit_density(x - below, counts, number, factor, mean, precision)
    right, right_slope = logit_density(x + above, counts, number, factor, mean, precision)
    while right_slope >= min(slope, 0.0):
        above *= 2
        right, right_slope = logit_density(x + above, counts, number, factor, mean, precision)
    left, right = left - top, right - top
    # Where the outer tangents meet the middle one, as distances from x.
    low = (left + left_slope * below) / (slope - left_slope)
    high = (right - right_slope * above) / (slope - right_slope)
    # Areas under the three tangents, and heights where they meet.
    low_height, high_height = math.exp(slope * low), math.exp(slope * high)
    left_area = low_height / left_slope
    right_area = -high_height / right_slope
    flat = abs(slope) * (high - low) < 1e-8
    middle_area = (high - low) if flat else (high_height - low_height) / slope
    while True:
        u = rng.random() * (left_area + middle_area + right_area)
        if u < left_area:
            move = low + math.log(max(u, 1e-300) / left_area) / left_slope
            hat = left + left_slope * (move + below)
        elif u < left_area + right_area:
            move = high + math.log(max(u - left_area, 1e-300) / right_area) / right_slope
            hat = right + right_slope * (move - above)
        else:
            u = (u - left_area - right_area) / middle_area
            if flat:
                move = low + u * (high - low)
            else:
                move = math.log(low_height + u * (high_height - low_height)) / slope
            hat = slope * move
        density, _ = logit_density(x + move, counts, number, factor, mean, precision)
        if rng.standard_exponential() > hat - (density - top):
            return x + move


@inlined
def near_mode(
    x: float, counts: Counts, number: Ints, factor: Floats, mean: float, precision: float
) -> tuple[float, float]:
    """Return a logit about half a standard deviation from the mode, or nearer, and the curvature there.

    The search starts at x. The mode lies where the slope changes sign: Newton's steps towards it, halved
    intervals where they fail.
    """
    s, n = float(counts.successes), float(counts.trials)
    lowest, highest = mean - (n - s) / precision, mean + s / precision
    x = min(max(x, lowest), highest)
    while True:
        _, hits, curvature = expected_of_at(counts, number, factor, x)
        slope = s - hits - (x - mean) * precision
        curvature += precision
        if slope * slope < 0.3 * curvature:
            return x, curvature
        if slope > 0:
            lowest = x
        else:
            highest = x
        x += slope / curvature
        if not lowest < x < highest:
            x = 0.5 * (lowest + highest)


@inlined
def draw_tilted(
    rng: np.random.Generator,
    counts: Counts,
    number: Ints,
    factor: Floats,
    mean: float,
    spread: float,
    at: float,
    gap: float,
) -> tuple[float, float]:
    """Draw a logit that is close to normal; `at` is near its mode.

    −Σ log(1 + factor·eˣ) lies below its tangent at any point. With the tangent in its place the density is
    normal, with a shifted mean, and candidates from that are kept with probability exp(−distance from the
    tangent). That is the probability that no event of a Poisson process falls into the distance. `gap` is how
    far the next event is, which is returned too, for the next logit: one random number serves many.
    """
    height, slope, _ = expected_of_at(counts, number, factor, at)
    centre = mean + spread * spread * (counts.successes - slope)
    while True:
        x = centre + spread * rng.standard_normal()
        gap -= expected_of_at(counts, number, factor, x)[0] - height - slope * (x - at)
        if gap > 0:
            return x, gap
        gap = rng.standard_exponential()


@inlined
def slight_bound(curvature: float, away: float) -> float:
    """Return a bound of the distance from the tangent at the mean; none if `away` from it by 1 or more."""
    size = abs(away)
    return curvature * size * size * (0.5 + size) if size < 1 else math.inf


@inlined
def draw_slight(
    rng: np.random.Generator,
    counts: Counts,
    number: Ints,
    factor: Floats,
    mean: float,
    move: float,
    spread: float,
    curvature: float,
    gap: float,
    away: float,
) -> tuple[float, float]:
    """Draw a logit of which counts say next to nothing; `curvature` is theirs at the mean.

    As `draw_tilted`, with the tangent at the mean, which it shifts by `move`. But the distance from it
    is only computed if an event falls into a bound of it, curvature · d² · (1/2 + |d|) for a d of at most 1
    from the mean. `away` is how far from the mean the first candidate is.
    """
    while True:
        bound = slight_bound(curvature, away)
        if gap > bound:
            return mean + away, gap - bound
        height, slope, _ = expected_of_at(counts, number, factor, mean)
        distance = expected_of_at(counts, number, factor, mean + away)[0] - height - slope * away
        kept = gap > distance
        gap = gap - distance if bound == math.inf and kept else rng.standard_exponential()
        if kept:
            return mean + away, gap
        away = move + spread * rng.standard_normal()


@inlined
def logit_density(
    x: float, counts: Counts, number: Ints, factor: Floats, mean: float, precision: float
) -> tuple[float, float]:
    """Return the log density of a logit and its slope."""
    log, hits, _ = expected_of_at(counts, number, factor, x)
    away, s = x - mean, counts.successes
    return s * x - log - 0.5 * away * away * precision, s - hits - away * precision
