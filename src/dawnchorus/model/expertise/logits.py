"""Logits: exact draws for binomial counts whose logits vary around a level.

For counts of successes s among n trials, with logit x ~ Normal(level, spread²),

    log p(x | s, n) = s·x − n·log(1 + eˣ) − (x − level)² / (2·spread²) + constant,

which is concave. `draw_logits` samples it exactly (see tangents.py). `shift_levels` and `stretch_spread` move
a level, or the spread, with the standardised offsets (x − level) / spread held fixed, so that logits move
along (interweaving; Yu and Meng 2011); logits that many votes determine stay where they are, since otherwise
no large move would be accepted. The proposal is a Newton step plus noise, accepted by Metropolis–Hastings.

Logits without a trial carry no information: all functions leave them out, and `draw_untried` draws them
from their prior at the end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints
from ..lookups import accepted
from .tangents import draw_logit, draw_tilted, log_one_plus

LIGHT, NEAR = 1.5, 1.0
"""A logit is close to normal if the curvature of its counts is at most so many times that of the prior, and
Newton's step from the level to the mode no longer than NEAR."""
INFORMED = 4
"""A logit whose counts have at least this precision, s·(n − s) / n, stays where it is in interweaving."""


class Trials(NamedTuple):
    """The counts of each logit, and the annotator who owns it; logits of an owner are adjacent."""

    successes: Ints
    trials: Ints
    owner: Ints
    start: Ints
    """Where the logits of each owner start."""


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


@inlined
def informed(s: int, n: int) -> bool:
    """Return whether the counts alone determine a logit, with a standard error of at most one half."""
    return s * (n - s) >= INFORMED * n


@compiled
def shift_levels(
    rng: np.random.Generator,
    x: Floats,
    odds: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    mean: float,
    sd: float,
) -> int:
    """Move each level together with its logits that are not informed, in place; return how many moved.

    `odds` are exp(x), and stay so.
    """
    s, n, _, start = trials
    moved = 0
    for j in range(len(level)):
        part = start[j], start[j + 1]
        now, slope, curvature = _shifted(x, odds, s, n, part, 0.0, level[j], spread, mean, sd)
        move = slope / curvature + rng.standard_normal() / math.sqrt(curvature)
        then, back, curved = _shifted(x, odds, s, n, part, move, level[j], spread, mean, sd)
        forth = 0.5 * math.log(curvature) - 0.5 * curvature * (move - slope / curvature) ** 2
        reverse = 0.5 * math.log(curved) - 0.5 * curved * (move + back / curved) ** 2
        if accepted(rng, then - now - forth + reverse):
            level[j] += move
            times = math.exp(move)
            for p in range(start[j], start[j + 1]):
                if not informed(s[p], n[p]):
                    x[p] += move
                    odds[p] *= times
            moved += 1
    return moved


@inlined
def _shifted(
    x: Floats,
    odds: Floats,
    s: Ints,
    n: Ints,
    part: tuple[int, int],
    move: float,
    level: float,
    spread: float,
    mean: float,
    sd: float,
) -> tuple[float, float, float]:
    """Return log density, slope and curvature with a level and its logits moved."""
    away = (level + move - mean) / sd
    density, slope, curvature = -0.5 * away * away, -away / sd, 1 / sd**2
    times = math.exp(move)
    for p in range(*part):
        if n[p] == 0:
            continue
        if informed(s[p], n[p]):
            away = (x[p] - level - move) / spread
            density -= 0.5 * away * away
            slope += away / spread
            curvature += 1 / spread**2
        else:
            log, q = log_one_plus(odds[p] * times)
            density += s[p] * (x[p] + move) - n[p] * log
            slope += s[p] - n[p] * q
            curvature += n[p] * q * (1 - q)
    return density, slope, curvature


@compiled
def stretch_spread(
    rng: np.random.Generator,
    x: Floats,
    odds: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    scale: float,
) -> tuple[float, bool]:
    """Move the spread together with the logits that are not informed; return it, and whether it moved.

    `odds` are exp(x) before the move, and are not needed afterwards.
    """
    s, n, owner, _ = trials
    now, slope, curvature = _stretched(x, odds, trials, level, spread, spread, scale)
    new = spread + slope / curvature + rng.standard_normal() / math.sqrt(curvature)
    if new <= 0:
        return spread, False
    for p in range(len(x)):
        if n[p] > 0 and not informed(s[p], n[p]):
            odds[p] = math.exp(level[owner[p]] + (x[p] - level[owner[p]]) * new / spread)
    then, back, curved = _stretched(x, odds, trials, level, spread, new, scale)
    forth = 0.5 * math.log(curvature) - 0.5 * curvature * (new - spread - slope / curvature) ** 2
    reverse = 0.5 * math.log(curved) - 0.5 * curved * (spread - new - back / curved) ** 2
    if not accepted(rng, then - now - forth + reverse):
        return spread, False
    for p in range(len(x)):
        if not informed(s[p], n[p]):
            x[p] = level[owner[p]] + (x[p] - level[owner[p]]) * new / spread
    return new, True


@inlined
def _stretched(
    x: Floats, odds: Floats, trials: Trials, level: Floats, spread: float, new: float, scale: float
) -> tuple[float, float, float]:
    """Return log density, slope and a curvature above zero of a spread, given odds stretched to it."""
    s, n, owner, _ = trials
    density, slope, curvature = -0.5 * (new / scale) ** 2, -new / scale**2, 1 / scale**2
    for p in range(len(x)):
        if n[p] == 0:
            continue
        away = x[p] - level[owner[p]]
        if informed(s[p], n[p]):
            square = (away / new) ** 2
            density -= math.log(new / spread) + 0.5 * square
            slope += (square - 1) / new
            curvature += 2 / new**2  # as expected; the true one may be below zero
        else:
            offset = away / spread
            log, q = log_one_plus(odds[p])
            density += s[p] * offset * new - n[p] * log
            slope += offset * (s[p] - n[p] * q)
            curvature += offset * offset * n[p] * q * (1 - q)
    return density, slope, curvature


@compiled
def draw_untried(rng: np.random.Generator, x: Floats, trials: Trials, level: Floats, spread: float) -> None:
    """Draw the logits without a trial, in place, from their prior."""
    n, owner = trials.trials, trials.owner
    for p in range(len(x)):
        if n[p] == 0:
            x[p] = level[owner[p]] + spread * rng.standard_normal()
