"""Shapes: those of a Beta prior that is learned, drawn with the probabilities summed out.

Beta(a, b) has a = strength · mean and b = strength · (1 − mean), with normal priors of logit(mean) and
log(strength). Given counts of successes s among n trials, one pair for each probability with this prior,

    p(a, b | s, n) = p(a, b) · ∏ B(a + s, b + n − s) / B(a, b),

with the beta function B. This is drawn by slice steps (Neal 2003), each along one of `DIRECTIONS` in the
plane of logit(mean) and log(strength). The probabilities have to be drawn anew afterwards. Where these have
just moved without counts, shapes move given probabilities.
"""

from __future__ import annotations

import math

import numpy as np

from ..common.compiled import compiled, inlined
from ..common.ragged import Floats, Ints
from .lookups import accepted

OFTEN, IN_BLOCKS = 3, 1.5
"""Shapes are redrawn in one of so many sweeps: it takes time, and probabilities that are drawn with them are
not overrelaxed. In two of three, the second says, where data are large: nothing mixes as slowly there."""
DIRECTIONS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])
"""Of logit(mean) and log(strength). The last one keeps `a` where the mean is small."""
LARGEST = 3.0
"""The standard deviation of the largest steps; each time it is a part of that, more often a small one."""


@inlined
def to_shapes(mean: float, strength: float) -> tuple[float, float]:
    """Return shapes from logit(mean) and log(strength)."""
    total = math.exp(strength)
    return total / (1 + math.exp(-mean)), total / (1 + math.exp(mean))


@compiled
def draw_shapes(
    rng: np.random.Generator,
    shapes: tuple[float, float],
    successes: Ints,
    trials: Ints,
    prior: tuple[float, float, float, float],
) -> tuple[float, float]:
    """Draw shapes given counts, with the probabilities summed out: a slice step in each direction."""
    mean, strength = math.log(shapes[0] / shapes[1]), math.log(shapes[0] + shapes[1])
    density = _density(mean, strength, successes, trials, prior)
    for d in range(len(DIRECTIONS)):
        right, up = DIRECTIONS[d, 0], DIRECTIONS[d, 1]
        height = density - rng.standard_exponential()
        low = -rng.random()
        high = low + 1
        while _density(mean + low * right, strength + low * up, successes, trials, prior) > height:
            low -= 1
        while _density(mean + high * right, strength + high * up, successes, trials, prior) > height:
            high += 1
        while True:
            move = low + (high - low) * rng.random()
            density = _density(mean + move * right, strength + move * up, successes, trials, prior)
            if density >= height:
                break
            if move < 0:
                low = move
            else:
                high = move
        mean, strength = mean + move * right, strength + move * up
    return to_shapes(mean, strength)


@inlined
def _log_prior(mean: float, strength: float, prior: tuple[float, float, float, float]) -> float:
    """Return the log density of logit(mean) and log(strength) before any count."""
    middle, width, usual, factor = prior
    return -0.5 * ((mean - middle) / width) ** 2 - 0.5 * ((strength - usual) / factor) ** 2


@compiled
def _density(
    mean: float, strength: float, successes: Ints, trials: Ints, prior: tuple[float, float, float, float]
) -> float:
    """Return the log density of logit(mean) and log(strength)."""
    density = _log_prior(mean, strength, prior)
    a, b = to_shapes(mean, strength)
    n, known = 0, math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    for p in range(len(trials)):
        if trials[p] > 0:
            n += 1
            density += math.lgamma(a + successes[p]) + math.lgamma(b + (trials[p] - successes[p]))
            density -= math.lgamma(a + b + trials[p])
    return density + n * known


@compiled
def move_shapes(
    rng: np.random.Generator,
    shapes: tuple[float, float],
    probability: Floats,
    prior: tuple[float, float, float, float],
    turns: int,
) -> tuple[float, float]:
    """Move shapes given probabilities, by steps of any size in each direction in turn."""
    mean, strength = math.log(shapes[0] / shapes[1]), math.log(shapes[0] + shapes[1])
    yes, no, n = np.log(probability).sum(), np.log1p(-probability).sum(), len(probability)
    now = _given_probabilities(mean, strength, yes, no, n, prior)
    for turn in range(turns):
        step = LARGEST * rng.random() ** 2 * rng.standard_normal()
        right, up = DIRECTIONS[turn % len(DIRECTIONS)]
        then = _given_probabilities(mean + step * right, strength + step * up, yes, no, n, prior)
        if accepted(rng, then - now):
            mean, strength, now = mean + step * right, strength + step * up, then
    return to_shapes(mean, strength)


@compiled
def _given_probabilities(
    mean: float, strength: float, yes: float, no: float, n: int, prior: tuple[float, float, float, float]
) -> float:
    """Return the log density of logit(mean) and log(strength), given the sums of log(p) and log(1 − p)."""
    density = _log_prior(mean, strength, prior)
    a, b = to_shapes(mean, strength)
    return density + a * yes + b * no + n * (math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))
