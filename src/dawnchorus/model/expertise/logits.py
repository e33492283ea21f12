"""Logits: exact draws for binomial counts whose logits vary around a level.

For counts of successes s among n trials, with logit x ~ Normal(level, spread²),

    log p(x | s, n) = s·x − n·log(1 + eˣ) − (x − level)² / (2·spread²) + constant,

which is concave. `draw_logits` samples it exactly (see tangents.py). Levels and the spread are drawn twice:
given logits, and together with them (interweaving.py).

Logits without a trial carry no information: all functions leave them out, and `draw_untried` draws them
from their prior at the end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats
from .interweaving import shift_levels, stretch_spread
from .tangents import draw_logit, draw_tilted
from .trials import Trials

LIGHT, NEAR = 1.5, 1.0
"""A logit is close to normal if the curvature of its counts is at most so many times that of the prior, and
Newton's step from the level to the mode no longer than NEAR."""


class Moved(NamedTuple):
    """The shares of proposed moves of levels, and of the spread, that were accepted."""

    levels: float
    spread: float


@compiled
def update(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    prior: tuple[float, float, float],
    sampled: bool,
) -> tuple[float, Moved]:
    """Draw logits, levels and spread in turn, the first two in place; return the spread and acceptance.

    `prior` is the mean and standard deviation of levels and the scale of the spread.
    """
    mean, sd, scale = prior
    draw_logits(rng, x, trials, level, spread)
    draw_levels(rng, x, trials, level, spread, mean, sd)
    spread = next_spread(rng, x, trials, level, spread, scale, sampled)
    odds = np.exp(np.minimum(x, 700.0))  # larger ones overflow
    shifted, stretched = shift_levels(rng, x, odds, trials, level, spread, mean, sd), False
    if sampled:
        spread, stretched = stretch_spread(rng, x, odds, trials, level, spread, scale)
    draw_untried(rng, x, trials, level, spread)
    return spread, Moved(shifted / len(level), 1.0 if stretched else 0.0)


@compiled
def next_spread(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    scale: float,
    sampled: bool,
) -> float:
    """Draw the spread given levels and logits or, as in the paper, set it to what fits them best."""
    if sampled:
        return draw_spread(rng, x, trials, level, spread, scale)
    squares, count = _squares(x, trials, level)
    return max(math.sqrt(squares / count), 1e-3) if count > 0 else spread


@inlined
def _squares(x: Floats, trials: Trials, level: Floats) -> tuple[float, int]:
    """Sum the squared distances of logits from their levels; return their number too."""
    n, owner = trials.trials, trials.owner
    squares, count = 0.0, 0
    for p in range(len(x)):
        if n[p] > 0:
            squares += (x[p] - level[owner[p]]) ** 2
            count += 1
    return squares, count


@compiled
def draw_logits(rng: np.random.Generator, x: Floats, trials: Trials, level: Floats, spread: float) -> None:
    """Draw every second logit, in place, given the level of its owner and the spread.

    Which half is random. Logits mix well and take most of the time of a sweep, so that half of them suffices.
    """
    s, n, _, start = trials
    variance, second, gap = spread**2, int(rng.random() < 0.5), rng.standard_exponential()
    for j in range(len(level)):
        mean, rate = level[j], 1 / (1 + math.exp(-level[j]))
        curvature = variance * rate * (1 - rate)
        for p in range(start[j] + (start[j] + second) % 2, start[j + 1], 2):
            if n[p] == 0:
                continue
            move = variance * (s[p] - n[p] * rate) / (1 + n[p] * curvature)  # Newton's step to the mode
            if n[p] * curvature < LIGHT and abs(move) < NEAR:
                x[p], gap = draw_tilted(rng, float(s[p]), float(n[p]), mean, spread, mean + move, gap)
            else:
                x[p] = draw_logit(rng, x[p], float(s[p]), float(n[p]), mean, 1 / variance)


@compiled
def draw_levels(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    mean: float,
    sd: float,
) -> None:
    """Draw each level, in place, given its logits: normal times normal, over the logits with a trial."""
    n, owner = trials.trials, trials.owner
    total, count = np.zeros(len(level)), np.zeros(len(level))
    for p in range(len(x)):
        if n[p] > 0:
            total[owner[p]] += x[p]
            count[owner[p]] += 1
    for j in range(len(level)):
        precision = 1 / sd**2 + count[j] / spread**2
        centre = (mean / sd**2 + total[j] / spread**2) / precision
        level[j] = centre + rng.standard_normal() / math.sqrt(precision)


@compiled
def draw_spread(
    rng: np.random.Generator, x: Floats, trials: Trials, level: Floats, spread: float, scale: float
) -> float:
    """Draw the spread given levels and logits, under a half-normal prior: a slice step on its logarithm."""
    squares, count = _squares(x, trials, level)
    at = math.log(spread)
    height = _spread_density(at, squares, count, scale) - rng.standard_exponential()
    width = 2 / math.sqrt(2 * count + 1)
    low = at - width * rng.random()
    high = low + width
    while _spread_density(low, squares, count, scale) > height:
        low -= width
    while _spread_density(high, squares, count, scale) > height:
        high += width
    while True:
        new = low + (high - low) * rng.random()
        if _spread_density(new, squares, count, scale) >= height:
            return math.exp(new)
        if new < at:
            low = new
        else:
            high = new


@inlined
def _spread_density(log_spread: float, squares: float, count: int, scale: float) -> float:
    """Return the log density of the logarithm of the spread."""
    variance = math.exp(2 * log_spread)
    return (1 - count) * log_spread - 0.5 * squares / variance - 0.5 * variance / scale**2


@compiled
def draw_untried(rng: np.random.Generator, x: Floats, trials: Trials, level: Floats, spread: float) -> None:
    """Draw the logits without a trial, in place, from their prior."""
    n, owner = trials.trials, trials.owner
    for p in range(len(x)):
        if n[p] == 0:
            x[p] = level[owner[p]] + spread * rng.standard_normal()
