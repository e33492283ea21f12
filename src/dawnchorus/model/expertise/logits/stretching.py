"""Stretching: the spread moves, and each logit follows as far as its counts let it.

Given level and spread, a logit is about normal, with precision P = weight + 1/spread² and mean
level + pull/P, where weight and pull come from its counts. The spread moves with z = (x − mean)·√P held fixed
(partial non-centring; Papaspiliopoulos, Roberts and Sköld 2007). If the spread is small, a Newton step from
the level gives weight and pull; if it is not, one from where counts lead a logit whose spread is 1. Were
logits truly normal, the spread would be drawn as if all were summed out. For given z, on the scale of
t = log spread,

    dx/dt = (1 − r)·(x − level + pull/P),    r = weight/P,

and the log density has the slope

    Σ (s − expected)·dx/dt + (x − level)²/spread² − (x − level)/spread²·dx/dt − r,

with the number of successes that x lets one expect, plus that of the prior; −r is −1 for the density of x and
1 − r for dx/dz. The information is about Σ 2·r².

The spread takes a Newton step plus noise, accepted by Metropolis–Hastings. Far from where it belongs, it is
not helped by Newton's steps, since none leads back: now and then it takes a bold step of any size instead.
Close to 0 it is mostly reflected on the grid of small_spreads.py.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import ZERO, compiled, inlined
from ....common.ragged import Floats
from ...lookups import accepted
from ...reflection import reflection
from .gathered import Gathered, find_hits, find_logs, room_for
from .small_spreads import POINTS, likely_spreads, prior_of_small, small_sums
from .trials import Trials, offset_of

BOLD = 0.125
"""The share of steps of a spread that do not follow the slope."""
TIGHT = 0.15
"""Up to about this spread, logits are so close to their level that a Newton step leads to their mode."""
SUMMED = 0.8
"""The share of steps of a spread that is close to 0 that go where it is likely with logits summed out."""


@compiled
def stretch_spread(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    scale: float,
) -> tuple[float, bool]:
    """Move the spread, and logits with it, in place; return it, and whether it moved.

    The same, in parts that threads share: see in_parts.py.
    """
    room = room_for(trials)
    bold, close = choose_kind(rng, spread)
    weight, pull = approximate(trials, level, not close, room)
    distance, density = 0.0, weight
    if close and not bold:
        sums = small_sums(trials, weight, pull, own, prior_of_small(scale))
        distance, density = likely_spreads(sums)
    end = distance * (POINTS - 1)
    summed, slope, information = choose_summed(rng, spread, end), 0.0, 1.0
    if not (bold or summed):
        sums = slope_sums(x, trials, level, weight, pull, spread, own, prior_slope(spread, scale), room)
        slope, information = slope_of(sums)
    kind = bold, close, summed
    new, step, ratio = propose(rng, spread, kind, distance, density, slope, information)
    if not 1e-9 < new < 1e9:
        return spread, False
    then, gain = follow(x, trials, level, weight, pull, spread, own, new, room)
    back, informative = 0.0, 1.0
    if not (bold or summed):
        sums = slope_sums(then, trials, level, weight, pull, new, own, prior_slope(new, scale), room)
        back, informative = slope_of(sums)
    gain += way_there_and_back(
        spread, new, kind, end, step, ratio, (slope, information), (back, informative), scale
    )
    if not accepted(rng, gain):
        return spread, False
    keep_tried(x, trials, then)
    return new, True


@compiled
def choose_kind(rng: np.random.Generator, spread: float) -> tuple[bool, bool]:
    """Choose whether a step is bold, and whether it takes logits for close to their level."""
    bold = rng.random() < BOLD
    return bold, bold or rng.random() < _closeness(spread)


@compiled
def choose_summed(rng: np.random.Generator, spread: float, end: float) -> bool:
    """Choose whether a step goes where a spread that is below `end` is likely with logits summed out."""
    return spread < end and rng.random() < SUMMED


@compiled
def propose(
    rng: np.random.Generator,
    spread: float,
    kind: tuple[bool, bool, bool],
    distance: float,
    density: Floats,
    slope: float,
    information: float,
) -> tuple[float, float, float]:
    """Return a new spread, the step of its logarithm (0 if it is summed out), and a ratio of densities."""
    bold, _, summed = kind
    if summed:
        at = min(int(spread / distance), POINTS - 2)
        to, part, ratio = reflection(rng, density, POINTS, at, spread / distance - at)
        return (to + part) * distance, 0.0, ratio
    if bold:
        step = rng.standard_normal() * rng.random() ** 2
    else:
        step = slope / information + rng.standard_normal() / math.sqrt(information)
    return spread * math.exp(step), step, 1.0


@compiled
def way_there_and_back(
    spread: float,
    new: float,
    kind: tuple[bool, bool, bool],
    end: float,
    step: float,
    ratio: float,
    there: tuple[float, float],
    back: tuple[float, float],
    scale: float,
) -> float:
    """Return how much likelier the way back is than the way there, as a logarithm, with the prior's part.

    `there` and `back` are slope and information before and after a step that follows the slope.
    """
    bold, close, summed = kind
    gain = math.log(ratio) + step - 0.5 * (new**2 - spread**2) / scale**2
    if not bold:  # on the way back, the same kind of step has to be chosen
        was, then_close = _closeness(spread), _closeness(new)
        gain += math.log(then_close / was) if close else math.log((1 - then_close) / (1 - was))
    if not (bold or summed):
        (slope, information), (then_slope, informative) = there, back
        gain += math.log(1 - SUMMED) * ((new < end) - (spread < end))
        gain += 0.5 * math.log(informative / information)
        gain += 0.5 * information * (step - slope / information) ** 2
        gain -= 0.5 * informative * (step + then_slope / informative) ** 2
    return gain


@inlined
def _closeness(spread: float) -> float:
    """Return the probability that a step takes logits for close to their level."""
    return 1 / (1 + (spread / TIGHT) ** 2)


@inlined
def prior_slope(spread: float, scale: float) -> tuple[float, float, float]:
    """Return what the sums of the slope start from: the part of the prior."""
    return 1 - (spread / scale) ** 2, 1.0, 0.0


@compiled
def slope_of(sums: tuple[float, float, float]) -> tuple[float, float]:
    """Return the slope of the log density of log spread, and about how much is known of it, from sums."""
    slope, information, missed = sums
    return slope, max(information + missed, 0.5 * information)


@compiled
def keep_tried(x: Floats, trials: Trials, then: Floats) -> None:
    """Take over logits with a trial, in place."""
    n = trials.trials
    for p in range(len(x)):
        if n[p] > 0:
            x[p] = then[p]


@compiled
def approximate(trials: Trials, level: Floats, wide: bool, room: Gathered) -> tuple[Floats, Floats]:
    """Return weight and pull of each logit."""
    s, n, start, offset = trials.successes, trials.trials, trials.start, trials.offset
    place, at_x, hits, curved = room.place, room.x, room.hits, room.curved
    weight, pull = np.zeros(len(s)), np.zeros(len(s))
    alike = not wide and len(offset) == 0 and len(trials.classes.start) == 0
    for j in range(len(level)):
        rate, count = 1 / (1 + math.exp(-level[j])), ZERO
        if alike:  # all logits of an annotator are approximated at the same place
            for p in range(start[j], start[j + 1]):
                weight[p], pull[p] = n[p] * (rate * (1 - rate)), s[p] - n[p] * rate
            continue
        for p in range(start[j], start[j + 1]):
            if n[p] == 0:
                continue
            near = level[j] + offset_of(offset, p)
            if wide:  # a spread of 1 is worth 1 / (rate · (1 − rate)) trials
                if len(offset) > 0:
                    rate = 1 / (1 + math.exp(-near))
                near = math.log((s[p] + 1 / (1 - rate)) / (n[p] - s[p] + 1 / rate))
            place[count], at_x[count] = p, near
            count += 1
        find_hits(room, trials, count, 0.0)
        for at in range(count):
            p = place[at]
            weight[p] = curved[at]
            pull[p] = s[p] - hits[at] + weight[p] * (at_x[at] - level[j] - offset_of(offset, p))
    return weight, pull


@compiled
def slope_sums(
    x: Floats,
    trials: Trials,
    level: Floats,
    weight: Floats,
    pull: Floats,
    spread: float,
    own: Floats,
    before: tuple[float, float, float],
    room: Gathered,
) -> tuple[float, float, float]:
    """Add to the sums that slope and information are made of (`slope_of`)."""
    s, n, start, offset = trials.successes, trials.trials, trials.start, trials.offset
    place, at_x, hits, curved = room.place, room.x, room.hits, room.curved
    slope, information, missed = before
    for j in range(len(level)):
        tight, count = (spread * own[j]) ** -2, ZERO
        for p in range(start[j], start[j + 1]):
            if n[p] > 0:
                place[count], at_x[count] = p, x[p]
                count += 1
        find_hits(room, trials, count, 0.0)
        for at in range(count):
            p = place[at]
            over = 1 / (weight[p] + tight)
            away, share = x[p] - level[j] - offset_of(offset, p), weight[p] * over
            follows = (1 - share) * (away + pull[p] * over)
            slope += (s[p] - hits[at]) * follows + away * (away - follows) * tight - share
            information += 2 * share * share
            missed += (curved[at] - weight[p]) * follows * follows
    return slope, information, missed


@compiled
def follow(
    x: Floats,
    trials: Trials,
    level: Floats,
    weight: Floats,
    pull: Floats,
    spread: float,
    own: Floats,
    new: float,
    room: Gathered,
) -> tuple[Floats, float]:
    """Return the logits that follow a spread, and the gain in log density."""
    s, n, start, offset = trials.successes, trials.trials, trials.start, trials.offset
    place, at_x, log = room.place, room.x, room.log
    then, gain, scaled, narrower = x.copy(), 0.0, 1.0, (spread / new) ** 2
    for j in range(len(level)):
        tight, tighter, count = (spread * own[j]) ** -2, (new * own[j]) ** -2, ZERO
        for p in range(start[j], start[j + 1]):
            if n[p] > 0:
                place[count], at_x[count] = p, x[p]
                count += 1
        find_logs(room, trials, count, 0.0)
        for at in range(count):
            p = place[at]
            gain += log[at]
            before, over = weight[p] + tight, 1 / (weight[p] + tighter)
            centre, wider = level[j] + offset_of(offset, p), before * over
            away = x[p] - centre
            moved = pull[p] * over + (away - pull[p] / before) * math.sqrt(wider)
            then[p] = at_x[at] = centre + moved
            gain += s[p] * (moved - away) + 0.5 * (tight * away * away - tighter * moved * moved)
            scaled *= wider * narrower
            if not 1e-200 < scaled < 1e200:
                gain, scaled = gain + 0.5 * math.log(scaled), 1.0
        find_logs(room, trials, count, 0.0)
        for at in range(count):
            gain -= log[at]
    return then, gain + 0.5 * math.log(scaled)
