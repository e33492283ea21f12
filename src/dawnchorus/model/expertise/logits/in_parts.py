"""In parts: logits, levels and spread of large data, drawn in parts that threads share, with the same draws.

Given the spread and what is expected of levels, annotators are independent of each other. So each part has
some consecutive annotators, with about so many logits, and random numbers of its own; parts depend on the
data alone (common/workers/parts.py). What all logits say of the spread is a sum over parts, the same whoever
does them. Steps and kernels are those of `update` (draws.py) and `stretch_spread` (stretching.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Floats, Ints
from ....common.workers.parts import even_parts, in_threads, new_key, stream
from ...design import Design
from ...lookups import accepted
from .difficulty import Shifts, update_difficulty
from .draws import (
    FEW,
    Moved,
    draw_levels,
    draw_logits,
    draw_untried,
    few_of,
    put_back,
    spread_given,
    squares_of,
)
from .gathered import room_for
from .interweaving import shift_levels
from .small_spreads import POINTS, likely_spreads, prior_of_small, small_sums
from .stretching import (
    approximate,
    choose_kind,
    choose_summed,
    follow,
    keep_tried,
    prior_slope,
    propose,
    slope_of,
    slope_sums,
    way_there_and_back,
)
from .trials import Trials
from .unevenness import balance_spread, draw_own, stretch_own

LOGITS = 1 << 17
"""A part has about so many logits."""
NO_PRIOR = 0.0, 0.0, 0.0
"""What sums of a part start from; those of the first one start from the part of the prior."""


class Annotators(NamedTuple):
    """Which annotators, and which of all logits, are in each part."""

    first: Ints
    logits: Ints
    owner: Sequence[Ints]
    """The owner of each logit of a part, numbered from its first."""
    start: Sequence[Ints]
    """Where the logits of each annotator of a part start among its own."""

    @property
    def n(self) -> int:
        """The number of parts."""
        return len(self.first) - 1

    def people(self, part: int) -> slice:
        """Return the annotators of a part."""
        return slice(*self.first[part : part + 2])

    def trials(self, trials: Trials, part: int) -> tuple[slice, Trials]:
        """Return where the logits of a part are, and their trials."""
        low, high = self.logits[part : part + 2]
        where, start = slice(low, high), trials.classes.start
        classes = trials.classes._replace(start=start[low : high + 1] if len(start) else start)
        offset = trials.offset[where] if len(trials.offset) else trials.offset
        counts = trials.successes[where], trials.trials[where]
        return where, Trials(*counts, self.owner[part], self.start[part], offset, classes)


def parts_of(design: Design) -> Annotators:
    """Return which annotators are in which part."""
    start = design.pairs.start
    first = even_parts(np.diff(start), LOGITS)
    bounds = list(pairwise(first))
    owner = [design.rate_annotator[start[low] : start[high]] - low for low, high in bounds]
    return Annotators(
        first, start[first], owner, [start[low : high + 1] - start[low] for low, high in bounds]
    )


class Part(NamedTuple):
    """Some annotators, and those of their logits that have a trial, or all if most have."""

    x: Floats
    trials: Trials
    level: Floats
    own: Floats
    mean: Floats
    """What is expected of their levels."""
    tried: Ints
    """The places of these logits in the part, if they are few."""


@compiled
def start_part(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    mean: Floats,
    sd: float,
    whole: bool,
) -> tuple[Floats, Trials, Ints, tuple[float, int]]:
    """Draw logits and levels of a part, in place, and sum the squares of distances from levels.

    If few logits have a trial, they are taken out, unless the part has to stay `whole`.
    """
    tried = np.flatnonzero(trials.trials)
    if not whole and len(tried) < FEW * len(x):
        x, trials = x[tried], few_of(trials, tried)
        draw_logits(rng, x, trials, level, spread, own)
    else:
        tried = tried[:0]
    draw_logits(rng, x, trials, level, spread, own)
    draw_levels(rng, x, trials, level, spread, own, mean, sd)
    return x, trials, tried, squares_of(x, trials, level, own)


def update_parts(
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
    annotators: Annotators,
    threads: int,
) -> tuple[float, float, Moved]:
    """Do what `update` does (draws.py), in parts."""
    mean, sd, scale = prior
    key = new_key(rng)

    def begin(place: int) -> tuple[Part, tuple[float, int]]:
        people, (where, told) = annotators.people(place), annotators.trials(trials, place)
        theirs, whole = (level[people], own[people], mean[people]), shifts is not None
        of_prior = spread, theirs[1], theirs[2], sd, whole
        at, counts, tried, found = start_part(stream(key, place), x[where], told, theirs[0], *of_prior)
        return Part(at, counts, *theirs, tried), found

    begun = in_threads(begin, annotators.n, threads)
    parts = [part for part, _ in begun]
    squares = math.fsum(each for _, (each, _) in begun), sum(count for _, (_, count) in begun)
    spread = spread_given(rng, spread, squares, scale, sampled)
    key = new_key(rng)

    def shift(place: int) -> int:
        one = parts[place]
        return int(
            shift_levels(stream(key, place), one.x, one.trials, one.level, spread, one.own, one.mean, sd)
        )

    shifted, stretched = sum(in_threads(shift, len(parts), threads)), False
    own_moved, balanced = 0, False
    if shifts is not None:
        hard = update_difficulty(rng, x, trials, level, spread, own, shifts, hard, (mean, sd))
    if sampled:
        spread, stretched = stretch_parts(rng, parts, spread, scale, threads)
    if uneven is not None:
        key = new_key(rng)

        def draw(place: int) -> int:
            one, mine = parts[place], stream(key, place)
            draw_own(mine, one.x, one.trials, one.level, spread, one.own, uneven)
            prior = one.mean, sd
            return int(stretch_own(mine, one.x, one.trials, one.level, spread, one.own, uneven, prior))

        own_moved = sum(in_threads(draw, len(parts), threads))
        spread, balanced = balance_spread(rng, spread, own, uneven, scale)
    for place, part in enumerate(parts):
        where, _ = annotators.trials(trials, place)
        put_back(x[where], part.tried, part.x)
    return spread, hard, Moved(shifted / len(level), stretched, own_moved / len(level), balanced)


def stretch_parts(
    rng: np.random.Generator, parts: Sequence[Part], spread: float, scale: float, threads: int
) -> tuple[float, bool]:
    """Do what `stretch_spread` does (stretching.py), in parts."""
    bold, close = choose_kind(rng, spread)
    small = close and not bold

    def near(place: int) -> tuple[Floats, Floats, tuple[float, float, float]]:
        one = parts[place]
        weight, pull = approximate(one.trials, one.level, not close, room_for(one.trials))
        before = NO_PRIOR if place else prior_of_small(scale)
        return weight, pull, small_sums(one.trials, weight, pull, one.own, before) if small else NO_PRIOR

    around = in_threads(near, len(parts), threads)
    distance, density = (
        likely_spreads(_total([sums for *_, sums in around])) if small else (0.0, np.zeros(POINTS))
    )
    end = distance * (POINTS - 1)
    summed = choose_summed(rng, spread, end)
    kind = bold, close, summed

    def slope(at: Sequence[Floats], spread: float) -> tuple[float, float]:
        def sums(place: int) -> tuple[float, float, float]:
            one, (weight, pull, _) = parts[place], around[place]
            before = NO_PRIOR if place else prior_slope(spread, scale)
            given = one.trials, one.level, weight, pull, spread, one.own, before, room_for(one.trials)
            found: tuple[float, float, float] = slope_sums(at[place], *given)
            return found

        found: tuple[float, float] = slope_of(_total(in_threads(sums, len(parts), threads)))
        return found

    there = back = 0.0, 1.0
    if not (bold or summed):
        there = slope([part.x for part in parts], spread)
    new, step, ratio = propose(rng, spread, kind, distance, density, *there)
    if not 1e-9 < new < 1e9:
        return spread, False

    def go(place: int) -> tuple[Floats, float]:
        one, (weight, pull, _) = parts[place], around[place]
        given = one.trials, one.level, weight, pull, spread, one.own, new, room_for(one.trials)
        found: tuple[Floats, float] = follow(one.x, *given)
        return found

    gone = in_threads(go, len(parts), threads)
    if not (bold or summed):
        back = slope([then for then, _ in gone], new)
    gain = math.fsum(each for _, each in gone)
    gain += way_there_and_back(spread, new, kind, end, step, ratio, there, back, scale)
    if not accepted(rng, gain):
        return spread, False
    for part, (then, _) in zip(parts, gone, strict=True):
        keep_tried(part.x, part.trials, then)
    return new, True


def _total(sums: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """Return the sums over parts, each exactly rounded."""
    first, second, third = (math.fsum(each) for each in zip(*sums, strict=True))
    return first, second, third


def draw_untried_parts(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    annotators: Annotators,
    threads: int,
) -> None:
    """Draw the logits without a trial, in place, in parts."""
    key = new_key(rng)

    def draw(place: int) -> None:
        people, (where, told) = annotators.people(place), annotators.trials(trials, place)
        draw_untried(stream(key, place), x[where], told, level[people], spread, own[people])

    in_threads(draw, annotators.n, threads)
