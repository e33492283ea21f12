"""Scales: the sd of levels and the spread of logits around them, with levels and their mean summed out.

They move in two ways. Given logits, votes say no more: one of both is multiplied by a factor, or one is
multiplied and the other divided, since only both together are known well if annotators have few species. And
together with logits, which come nearer to their mean or go away from it: with

    y = x − centre,   new y = mean of y + factor · (y − mean of y),

volumes grow by factor^(number of logits − 1), and votes say how likely that is (trajectories.py). This is
what moves them where votes tell little of single logits.
"""

from __future__ import annotations

import math

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats
from ..lookups import accepted
from .centres import Centres, density, expected_levels
from .trajectories import Given, Position, log_density

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
    now = log_scaled(given, x, spread, scales)
    for turn in range(turns):
        factor = math.exp(LARGEST * rng.random() ** 2 * rng.standard_normal())
        sd = given.sd * factor if scales[0] > 0 and turn % 3 != 0 else given.sd
        other = spread / factor if scales[1] > 0 and turn % 3 != 1 else spread
        if not (_inside(given.sd, spread) and _inside(sd, other)):
            continue
        new = _scaled(given, sd, other / spread)
        then = log_scaled(new, x, other, scales)
        if accepted(rng, then - now):
            given, spread, now = new, other, then
    return given, spread


@compiled
def stretch(
    rng: np.random.Generator,
    given: Given,
    at: Position,
    side: int,
    spread: float,
    scales: tuple[float, float],
    turns: int,
) -> tuple[Given, Position, float, int]:
    """Move the same two together with the logits of a side, 0 or 1; return all, and how many moves there were.

    `spread` is that of this side.
    """
    moved = 0
    if scales[0] == 0 and scales[1] == 0:
        return given, at, spread, moved
    around = given.fpr if side else given.tpr
    x = at.fpr if side else at.tpr
    now = log_density(given, at)[0] - density(around, x, np.empty(len(x)))
    now += log_scaled(around, x, spread, scales)
    for _ in range(turns):
        around, x = given.fpr if side else given.tpr, at.fpr if side else at.tpr
        factor = math.exp(LARGEST * rng.random() ** 2 * rng.standard_normal())
        sd = around.sd * factor if scales[0] > 0 else around.sd
        other = spread * factor if scales[1] > 0 else spread
        if not (_inside(around.sd, spread) and _inside(sd, other)):
            continue
        new, middle = _scaled(around, sd, other / spread), (x - around.centre).mean()
        y = around.centre + middle + factor * (x - around.centre - middle)
        told = _with_side(given, new, side)
        there = Position(at.tpr, y, at.spread, at.raised) if side else Position(y, *at[1:])
        then = log_density(told, there)[0] - density(new, y, np.empty(len(y))) + log_scaled(new, y, other, scales)
        if accepted(rng, then - now + (len(y) - 1) * math.log(factor)):
            given, at, spread, now, moved = told, there, other, then, moved + 1
    return given, at, spread, moved


@compiled
def log_scaled(given: Centres, x: Floats, spread: float, scales: tuple[float, float]) -> float:
    """Return the log density of logits and of the logarithms of both spreads."""
    total = density(given, x, np.empty(len(x)))
    _, _, known, precision = expected_levels(given, x, given.tight)
    total += 0.5 * np.log(given.tight).sum() - 0.5 * np.log(given.sd**2 * known).sum()
    if given.width > 0:
        total -= 0.5 * math.log(given.width**2 * precision)
    if scales[0] > 0:
        total += math.log(given.sd) - 0.5 * (given.sd / scales[0]) ** 2
    if scales[1] > 0:
        total += math.log(spread) - 0.5 * (spread / scales[1]) ** 2
    return total


@compiled
def _scaled(given: Centres, sd: float, times: float) -> Centres:
    """Return the same with another sd of levels, and with spreads of logits around them multiplied."""
    return Centres(given.centre, given.tight / times**2, given.start, sd, given.width)


@compiled
def _with_side(given: Given, new: Centres, side: int) -> Given:
    """Return the same with what the logits of a side lie around."""
    cells, odds, known, unsure, tpr, fpr, scale, before = given
    if side:
        return Given(cells, odds, known, unsure, tpr, new, scale, before)
    return Given(cells, odds, known, unsure, new, fpr, scale, before)


@compiled
def _inside(sd: float, spread: float) -> bool:
    """Return whether both lie within the bounds."""
    return min(sd, spread) > LEAST and max(sd, spread) < MOST
