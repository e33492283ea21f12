"""Logits: exact draws for binomial counts whose logits vary around a level.

For counts of successes s among n trials, with logit x ~ Normal(centre, spread²),

    log p(x | s, n) = s·x − n·log(1 + eˣ) − (x − centre)² / (2·spread²) + constant,

which is concave; so it is if trials are of several classes (trials.py). The centre is the level of its owner,
plus an offset if species differ for everyone (difficulty.py). `draw_logits` samples it exactly (see
tangents.py). Levels and the spread are drawn twice: given logits, and together with them (interweaving.py).

Logits without a trial carry no information: all functions leave them out, and `draw_untried` draws them
from their prior, when everything else has been drawn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import ZERO, compiled, inlined
from ....common.ragged import Floats, Ints
from ...spreads import half_normal_spread
from .difficulty import Shifts, update_difficulty
from .interweaving import shift_levels
from .stretching import stretch_spread
from .tangents import draw_logit, draw_slight, draw_tilted, slight_bound
from .trials import Classes, Trials, counts_of, expected_of, odds_at_logit, offset_of
from .unevenness import balance_spread, draw_own, stretch_own

LIGHT, NEAR = 1.5, 1.0
"""A logit is close to normal if the curvature of its counts is at most so many times that of the prior, and
Newton's step from the level to the mode no longer than NEAR."""
SLIGHT = 0.03
"""Counts say little if their slope and curvature, times the variance of the prior, are below this."""
FEW = 0.5
"""If fewer than this part of logits have a trial, these are taken out and put back."""


class Moved(NamedTuple):
    """The shares of proposed moves that were accepted."""

    levels: float
    spread: float
    own: float
    """Of own spreads, if they differ; and of the common spread with all products held fixed."""
    balanced: float


@compiled
def update(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    uneven: float | None,
    prior: tuple[Floats, float, float],
    sampled: bool,
    shifts: Shifts | None,
    hard: float,
) -> tuple[float, float, Moved]:
    """Draw logits, levels and spread in turn, the first two in place; return the spread and acceptance.

    Logits without a trial stay, and have to be drawn afterwards (`draw_untried`).

    `own` is what each annotator's spread is multiplied by, and is drawn, in place, if it is `uneven`. `prior`
    is the mean of levels by annotator, their standard deviation, and the scale of the spread. If there are
    `shifts` of species, they are drawn, in place, and their scale `hard`, which is returned after the spread.
    What is None is not compiled either, and most models need neither.
    """
    tried = np.flatnonzero(trials.trials)
    if shifts is None and len(tried) < FEW * len(x):
        few, their = few_of(trials, tried), x[tried]
        draw_logits(rng, their, few, level, spread, own)  # so few that most can be drawn
        spread, hard, moved = _update_tried(
            rng, their, few, level, spread, own, uneven, prior, sampled, shifts, hard
        )
        put_back(x, tried, their)
    else:
        spread, hard, moved = _update_tried(
            rng, x, trials, level, spread, own, uneven, prior, sampled, shifts, hard
        )
    return spread, hard, moved


@compiled
def few_of(trials: Trials, tried: Ints) -> Trials:
    """Return trials without those logits that have none, which need not be gone through then."""
    return Trials(
        trials.successes[tried],
        trials.trials[tried],
        trials.owner[tried],
        np.searchsorted(tried, trials.start),
        trials.offset,
        _classes_of(trials.classes, tried),
    )


@compiled
def put_back(x: Floats, tried: Ints, their: Floats) -> None:
    """Put logits back to their places, in place."""
    for place in range(len(tried)):  # all at once, numba would compile its error message too, for seconds
        x[tried[place]] = their[place]


@inlined
def _classes_of(classes: Classes, tried: Ints) -> Classes:
    """Return the classes of all logits with a trial, which are all that there are."""
    start = classes.start
    if len(start) > 0:
        start = np.append(start[tried], start[-1])
    return Classes(start, classes.trials, classes.factor)


@compiled
def _update_tried(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    uneven: float | None,
    prior: tuple[Floats, float, float],
    sampled: bool,
    shifts: Shifts | None,
    hard: float,
) -> tuple[float, float, Moved]:
    """Do the same as `update`, for these logits."""
    mean, sd, scale = prior
    draw_logits(rng, x, trials, level, spread, own)
    draw_levels(rng, x, trials, level, spread, own, mean, sd)
    spread = next_spread(rng, x, trials, level, spread, own, scale, sampled)
    shifted, stretched = shift_levels(rng, x, trials, level, spread, own, mean, sd), False
    own_moved, balanced = ZERO, False
    if shifts is not None:
        hard = update_difficulty(rng, x, trials, level, spread, own, shifts, hard, (mean, sd))
    if sampled:
        spread, stretched = stretch_spread(rng, x, trials, level, spread, own, scale)
    if uneven is not None:
        draw_own(rng, x, trials, level, spread, own, uneven)
        own_moved = stretch_own(rng, x, trials, level, spread, own, uneven, (mean, sd))
        spread, balanced = balance_spread(rng, spread, own, uneven, scale)
    n = len(level)
    return (
        spread,
        hard,
        Moved(shifted / n, 1.0 if stretched else 0.0, own_moved / n, 1.0 if balanced else 0.0),
    )


@compiled
def next_spread(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    scale: float,
    sampled: bool,
) -> float:
    """Draw the spread given levels and logits or, as in the paper, set it to what fits them best."""
    return spread_given(rng, spread, squares_of(x, trials, level, own), scale, sampled)


@compiled
def spread_given(
    rng: np.random.Generator, spread: float, found: tuple[float, int], scale: float, sampled: bool
) -> float:
    """Do the same given the sum of squares of distances, and their number."""
    squares, count = found
    if sampled:
        return half_normal_spread(rng, spread, squares, count, scale)
    return max(math.sqrt(squares / count), 1e-3) if count > 0 else spread


@compiled
def squares_of(x: Floats, trials: Trials, level: Floats, own: Floats) -> tuple[float, int]:
    """Sum the squares of the distances of logits from their levels, over `own`; return their number too."""
    n, owner = trials.trials, trials.owner
    squares, count = 0.0, 0
    for p in range(len(x)):
        if n[p] > 0:
            away = x[p] - level[owner[p]] - offset_of(trials.offset, p)
            squares += (away / own[owner[p]]) ** 2
            count += 1
    return squares, count


@compiled
def draw_logits(
    rng: np.random.Generator, x: Floats, trials: Trials, level: Floats, spread: float, own: Floats
) -> None:
    """Draw every second logit, in place, given the level of its owner and the spread.

    Which half is random. Logits mix well and take most of the time of a sweep, so that half of them suffices.
    """
    s, n, _, start, offset, (class_start, number, factor) = trials
    second, gap = int(rng.random() < 0.5), rng.standard_exponential()
    for j in range(len(level)):
        mean, rate, sd = level[j], 1 / (1 + math.exp(-level[j])), spread * own[j]
        variance = sd**2
        for p in range(start[j] + (start[j] + second) % 2, start[j + 1], 2):
            if n[p] == 0:
                continue
            if len(offset) > 0:
                mean = level[j] + offset[p]
                rate = 1 / (1 + math.exp(-mean))
            counts = counts_of(s, n, class_start, p)
            hits, curvature = n[p] * rate, n[p] * rate * (1 - rate)
            if len(class_start) > 0:
                _, hits, curvature = expected_of(counts, number, factor, odds_at_logit(mean))
            move = variance * (s[p] - hits)
            if variance * curvature < SLIGHT and abs(move) < SLIGHT:
                away = move + sd * rng.standard_normal()
                bound = slight_bound(curvature, away)
                if gap > bound:  # nearly always, so it is done here: a call would take five times as long
                    x[p], gap = mean + away, gap - bound
                else:
                    x[p], gap = draw_slight(rng, counts, number, factor, mean, move, sd, curvature, gap, away)
                continue
            move /= 1 + variance * curvature  # Newton's step to the mode
            if variance * curvature < LIGHT and abs(move) < NEAR:
                x[p], gap = draw_tilted(rng, counts, number, factor, mean, sd, mean + move, gap)
            else:
                x[p] = draw_logit(rng, x[p], counts, number, factor, mean, 1 / variance)


@compiled
def draw_levels(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    mean: Floats,
    sd: float,
) -> None:
    """Draw each level, in place, given its logits: normal times normal, over the logits with a trial."""
    n, owner = trials.trials, trials.owner
    total, count = np.zeros(len(level)), np.zeros(len(level))
    for p in range(len(x)):
        if n[p] > 0:
            total[owner[p]] += x[p] - offset_of(trials.offset, p)
            count[owner[p]] += 1
    for j in range(len(level)):
        variance = (spread * own[j]) ** 2
        precision = 1 / sd**2 + count[j] / variance
        centre = (mean[j] / sd**2 + total[j] / variance) / precision
        level[j] = centre + rng.standard_normal() / math.sqrt(precision)


@compiled
def draw_spread(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    scale: float,
) -> float:
    """Draw the spread given levels and logits, under a half-normal prior: a slice step on its logarithm."""
    squares, count = squares_of(x, trials, level, own)
    return half_normal_spread(rng, spread, squares, count, scale)


@compiled
def draw_untried(
    rng: np.random.Generator, x: Floats, trials: Trials, level: Floats, spread: float, own: Floats
) -> None:
    """Draw the logits without a trial, in place, from their prior."""
    n, owner = trials.trials, trials.owner
    for p in range(len(x)):
        if n[p] == 0:
            centre = level[owner[p]] + offset_of(trials.offset, p)
            x[p] = centre + spread * own[owner[p]] * rng.standard_normal()
