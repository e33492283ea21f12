"""Evenness: annotators who report at random, with rates that are high and hardly differ between species.

    P(j is even) = share
    level[j] ~ Normal(mean + higher, sd²),   x[j, k] ~ Normal(level[j], (spread·times)²)   if j is even
    level[j] ~ Normal(mean, sd²),            x[j, k] ~ Normal(level[j], spread²)           otherwise

own[j] is `times` or 1, and centres may have an offset (trials.py). With one spread for all, it would be that
of whoever has the most to say: a few dozen rates of one who reports much and at random are known to be alike,
and then those of all others would seem to be, of whom less is known. Were those who are even not expected to
be higher, the few false reports of a careful annotator could come about in this way as well, and chains would
take long to find out.

Who is even is drawn with the logits summed out: own[j] flips with a probability that depends on

    ∏ over k of ∫ exp(s·x − Σ over trials log(1 + factor·eˣ)) · Normal(x; centre, (spread·own)²) dx,

and if it does, logits are drawn anew. Integrands are log-concave and smooth, so that the sum over points that
are a part of a standard deviation apart is the integral, to about 1e-6 (trapezoidal rule).

In half of the flips the level is moved by `higher`, which is best if votes say little. In others it rises by
a random part of the half of the variance that is lost, or falls by it on the way back: of rates far below 1,
votes tell the mean, about exp(level + (spread·own)²/2), and not how it comes about. Those who are even are
asked in every sweep; others as often as their level lets one think so, or nearly all answers would be no.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import ZERO, compiled, inlined
from ....common.ragged import Bools, Floats, Ints
from ...predictive.parameters import Values
from .tangents import draw_logit, logit_density, near_mode
from .trials import Counts, Trials, counts_of, offset_of

GAP = 0.7
"""How far points are from each other, in standard deviations, and at most as logits: e^x bends as quickly."""
FALL = 18.0
"""Points whose density is e^18 times smaller than in the middle are left out."""
LEAST, FEWEST = 0.02, 4.0
"""Everybody is asked whether they are even in at least this part of sweeps; but of many annotators only about
so many in a sweep, because that takes time, and those who may well be even are asked anyway."""


class Even(NamedTuple):
    """Annotators who report at random."""

    share: float
    """How many there are, a priori."""
    times: float
    """What their spread is multiplied by, below 1."""
    higher: float
    """By how much their levels are expected to be higher."""


def even_draws(values: Values, name: str, even: Even) -> Bools:
    """Return who is even in which of these draws, draws × annotators; `name` is tpr or fpr."""
    own = values(f"{name}_unevenness") / values(f"{name}_spread")[:, None]
    return np.asarray(own < 0.5 * (1 + even.times))


@compiled
def flip_even(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    even: Even,
    prior: tuple[Floats, float],
) -> int:
    """Let some annotators become even or cease to be, in place; return how many did.

    Their levels, logits and own spreads change and, in `prior`, the mean of levels by annotator; it also has
    their standard deviation.
    """
    s, n, _, start, offset, (class_start, number, factor) = trials
    (share, times, higher), (mean, sd) = even, prior
    flipped, least = ZERO, min(LEAST, FEWEST / max(len(level), 1))
    for j in range(len(level)):
        is_even = own[j] < 1
        sign, new = (-1.0, 1.0) if is_even else (1.0, times)
        rise = higher
        if rng.random() < 0.5:
            rise = 0.5 * rng.random() * spread**2 * (1 - times**2)
        then, then_mean = level[j] + sign * rise, mean[j] + sign * higher
        lower, lower_mean = (then, then_mean) if is_even else (level[j], mean[j])
        odds = share / (1 - share) * math.exp(min(higher * (lower - lower_mean - 0.5 * higher) / sd**2, 99.0))
        asked = min(max(odds, least), 1.0)  # if not even
        if not is_even and rng.random() >= asked:
            continue
        gain = sign * math.log(share / ((1 - share) * asked))
        gain += 0.5 * ((level[j] - mean[j]) ** 2 - (then - then_mean) ** 2) / sd**2
        before, after = (spread * own[j]) ** -2, (spread * new) ** -2
        for p in range(start[j], start[j + 1]):
            if n[p] > 0:
                counts, more = counts_of(s, n, class_start, p), offset_of(offset, p)
                gain += log_integral(counts, number, factor, then + more, after)
                gain -= log_integral(counts, number, factor, level[j] + more, before)
        if math.log(rng.random()) < gain:
            own[j], level[j], mean[j] = new, then, then_mean
            for p in range(start[j], start[j + 1]):
                if n[p] > 0:
                    counts, centre = counts_of(s, n, class_start, p), then + offset_of(offset, p)
                    x[p] = draw_logit(rng, centre, counts, number, factor, centre, after)
            flipped += 1
    return flipped


@inlined
def log_integral(counts: Counts, number: Ints, factor: Floats, mean: float, precision: float) -> float:
    """Return how likely the counts of a logit are, with the logit summed out, as a logarithm.

    The logit has this mean and precision a priori; `number` and `factor` are of all classes.
    """
    middle, curvature = near_mode(mean, counts, number, factor, mean, precision)
    step = GAP * min(1 / math.sqrt(curvature), 1.0)
    top, _ = logit_density(middle, counts, number, factor, mean, precision)
    total = 1.0
    for sign in (step, -step):
        at, height = middle + sign, 0.0
        while height > -FALL:
            density, _ = logit_density(at, counts, number, factor, mean, precision)
            height = density - top
            total += math.exp(height)
            at += sign
    return top + math.log(total * step) + 0.5 * math.log(precision / (2 * math.pi))
