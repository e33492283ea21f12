"""Centres: logits around levels around their mean, with levels and mean summed out.

    x[p] ~ Normal(centre[p] + level[j], 1 / tight[p]),
    level[j] ~ Normal(mean, sd²),   mean ~ Normal(0, width²)

for the pairs p of annotator j; with a width of 0 the mean is 0. Given logits, level and mean have normal
distributions, with expectations where the density of all is largest. So the density of logits is that
density, but for a volume that logits do not change, and its slope is −tight · (x − centre − expected level).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints


class Centres(NamedTuple):
    """What logits lie around."""

    centre: Floats
    """Of each logit, but for what levels add."""
    tight: Floats
    """Of each logit, the precision around its level."""
    start: Ints
    """Where the logits of each annotator start."""
    sd: float
    """Of levels around their mean."""
    width: float
    """Of the mean; 0 if it does not move."""


@compiled
def expected_levels(given: Centres, x: Floats, weight: Floats) -> tuple[Floats, float, Floats, float]:
    """Return expected levels and their expected mean, given logits with these precisions around levels.

    Then the precision of each level given the mean, and that of the mean. `x` are distances from centres.
    """
    n, sharp = len(given.start) - 1, given.sd**-2
    total, pull, level = np.zeros(n), np.zeros(n), np.empty(n)
    known, up = 0.0, 0.0
    for j in range(n):
        for p in range(given.start[j], given.start[j + 1]):
            total[j] += weight[p]
            pull[j] += weight[p] * x[p]
        known += total[j] * sharp / (total[j] + sharp)
        up += pull[j] * sharp / (total[j] + sharp)
    precision, mean = math.inf, 0.0
    if given.width > 0:
        precision = known + given.width**-2
        mean = up / precision
    for j in range(n):
        level[j] = (pull[j] + sharp * mean) / (total[j] + sharp)
        total[j] += sharp
    return level, mean, total, precision


@compiled
def density(given: Centres, x: Floats, slope: Floats) -> tuple[float, float]:
    """Return the log density of logits, and its slope if all spreads but the width of the mean grow.

    That is a slope with the logarithm of spreads. Set the slope with each logit.
    """
    away = x - given.centre
    level, mean, known, precision = expected_levels(given, away, given.tight)
    total, inner = 0.0, 0.0
    for j in range(len(level)):
        inner += (level[j] - mean) ** 2 / given.sd**2
        total -= 0.5 * math.log(given.sd**2 * known[j])
        for p in range(given.start[j], given.start[j + 1]):
            far = away[p] - level[j]
            inner += given.tight[p] * far * far
            total += 0.5 * math.log(given.tight[p])
            slope[p] = -given.tight[p] * far
    grows = inner - len(x)
    if given.width > 0:
        total -= 0.5 * (mean / given.width) ** 2 + 0.5 * math.log(given.width**2 * precision)
        grows += 1 - 1 / (given.width**2 * precision)
    return total - 0.5 * inner, grows


@compiled
def draw_levels(rng: np.random.Generator, given: Centres, x: Floats) -> tuple[Floats, float]:
    """Draw levels, as they add to centres, and their mean, given logits."""
    level, mean, total, precision = expected_levels(given, x - given.centre, given.tight)
    off = rng.standard_normal() / math.sqrt(precision) if given.width > 0 else 0.0
    for j in range(len(level)):
        level[j] += off / (given.sd**2 * total[j]) + rng.standard_normal() / math.sqrt(total[j])
    return level, mean + off


@compiled
def momentum(rng: np.random.Generator, given: Centres, more: Floats) -> Floats:
    """Draw momenta: the mass is the precision of logits plus a diagonal."""
    n, drawn = len(given.start) - 1, np.empty(len(given.centre))
    mean = given.width * rng.standard_normal()
    for j in range(n):
        middle = mean + given.sd * rng.standard_normal()
        for p in range(given.start[j], given.start[j + 1]):
            drawn[p] = middle + rng.standard_normal() / math.sqrt(given.tight[p])
    level, _, _, _ = expected_levels(given, drawn, given.tight)
    for j in range(n):
        for p in range(given.start[j], given.start[j + 1]):
            drawn[p] = given.tight[p] * (drawn[p] - level[j]) + rng.standard_normal() * math.sqrt(more[p])
    return drawn


@compiled
def answer(given: Centres, more: Floats, push: Floats) -> Floats:
    """Return the velocities that momenta `push` give, if the mass is as in `momentum`."""
    # Velocities v, with what they lie around, are where ½·tight·(v − level)² + ½·more·v² − push·v, with the
    # terms of levels and mean, is least. Without v, levels have the weight tight·more / (tight + more).
    weight = given.tight * more / (given.tight + more)
    level, _, _, _ = expected_levels(given, push / more, weight)
    velocity = np.empty(len(push))
    for j in range(len(level)):
        for p in range(given.start[j], given.start[j + 1]):
            velocity[p] = (given.tight[p] * level[j] + push[p]) / (given.tight[p] + more[p])
    return velocity
