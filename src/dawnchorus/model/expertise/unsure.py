"""Unsure is a vote: less than a report, more than silence, by one step that is the same for everybody.

With x the logit of a report, given presence or given absence,

    P(report) = σ(x),   P(report or unsure) = σ(x + step),   step ~ half-normal.

An unsure mark is then a report together with a silence, but for a constant,

    P(unsure) = σ(x + step) − σ(x) = σ(x) · (1 − σ(x + step)) · unsure,   unsure = exp(step) − 1,

so that it is two trials of a logit, and says of presence what a report and a silence say together; the
constant is the same given presence and absence. It tells how many marks there are for a report, where both
are rare. Trials that are silences have the odds of others times 1 + unsure.

Given logits, presence and m marks, and with q = σ(x) for each silence, r = log(unsure) has the density

    exp(m·r) · ∏ over silences 1 / (1 + q·exp(r)) · half-normal(step) · d step / d r,

with step = log(1 + exp(r)), which a slice step follows (Neal 2003). Silences in absent cells are counts by
rate, like all others. If some birds are deceptive, some of the trials that silences are made of are successes
(deceptive/silences.py), each of which has the odds of a silence: 1 + unsure times as large.
"""

from __future__ import annotations

import math

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints
from ..rates import inside_logit
from .kinds import Kinds
from .logits.trials import log_one_plus

WORDS = "an unsure mark is a vote, less than a report and more than silence"
SMALLEST = 1e-9
"""The step is at least so large."""


@compiled
def draw_step(
    rng: np.random.Generator,
    step: float,
    marks: int,
    scale: float,
    present: tuple[Floats, Kinds],
    absent: tuple[Floats, Kinds],
    successes: int = 0,
) -> float:
    """Return a new step, given the logits and kinds of trials of both sides.

    `scale` is that of the half-normal prior of the step, and `successes` are those among silences.
    """
    chance, times = _silences(present, absent)
    now = math.log(math.expm1(max(step, SMALLEST)))
    height = _log_density(now, marks, successes, scale, chance, times) - rng.standard_exponential()
    width = 3 / math.sqrt(1 + marks)
    low = now - width * rng.random()
    high = low + width
    while _log_density(low, marks, successes, scale, chance, times) > height:
        low -= width
    while _log_density(high, marks, successes, scale, chance, times) > height:
        high += width
    while True:
        new = low + (high - low) * rng.random()
        if _log_density(new, marks, successes, scale, chance, times) >= height:
            return max(math.log1p(math.exp(new)), SMALLEST)
        if new < now:
            low = new
        else:
            high = new


@compiled
def _silences(present: tuple[Floats, Kinds], absent: tuple[Floats, Kinds]) -> tuple[Floats, Ints]:
    """Return the chance of a report where there was silence, and how many silences have it."""
    n = present[1].silent.sum() + absent[1].silent.sum()
    chance, times, found = np.empty(n), np.empty(n, np.int64), 0
    for logit, kinds in (present, absent):
        start, trials, factor = kinds.classes
        for rate in range(len(logit)):
            for at in range(start[rate], start[rate + 1]):
                if kinds.silent[at]:
                    odds = math.exp(inside_logit(logit[rate])) * factor[at]
                    chance[found], times[found] = odds / (1 + odds), trials[at]
                    found += 1
    return chance, times


@inlined
def _log_density(at: float, marks: int, successes: int, scale: float, chance: Floats, times: Ints) -> float:
    """Return the log density of the logarithm of `unsure`."""
    unsure = math.exp(at)
    step = math.log1p(unsure)
    total = marks * at + successes * step - 0.5 * (step / scale) ** 2 + at - step
    for place in range(len(chance)):
        total -= times[place] * log_one_plus(chance[place] * unsure)[0]
    return total
