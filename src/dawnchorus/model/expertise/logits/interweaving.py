"""Interweaving: levels, and the spread, move together with their logits (Yu and Meng 2011).

Where votes are few, a level given its logits hardly moves, because these say little but the level itself.
`shift_levels` moves each level, and `shift_group` anything else that the centres of some logits contain,
with the distances of logits from their centres held fixed. Logits that their counts determine better than the
prior does stay where they are, since otherwise no large move would be accepted.

`stretch_spread` moves the spread, and each logit follows as far as its counts let it. Given level and
spread, a logit is about normal, with precision P = weight + 1/spread² and mean level + pull/P, where weight
and pull come from its counts. The spread moves with z = (x − mean)·√P held fixed (partial non-centring;
Papaspiliopoulos, Roberts and Sköld 2007). If the spread is small, a Newton step from the level gives weight
and pull; if it is not, one from where counts lead a logit whose spread is 1. Were logits truly normal, the
spread would be drawn as if all were summed out. For given z, on the scale of t = log spread,

    dx/dt = (1 − r)·(x − level + pull/P),    r = weight/P,

and the log density has the slope

    Σ (s − expected)·dx/dt + (x − level)²/spread² − (x − level)/spread²·dx/dt − r,

with the number of successes that x lets one expect, plus that of the prior; −r is −1 for the density of x and
1 − r for dx/dz. The information is about Σ 2·r².

Both propose a Newton step plus noise, accepted by Metropolis–Hastings. Far from where it belongs, a spread is
not helped by Newton's steps, since none leads back: now and then it takes a bold step of any size instead.
Close to 0 it is mostly reflected on the grid of small_spreads.py.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints
from ...lookups import accepted
from ...reflection import reflection
from .level_steps import level_step, root_for, way_back
from .small_spreads import POINTS, likely_spreads
from .trials import INFORMED, Trials, counts_of, expected_of, informed, odds_at_logit, offset_of

BOLD = 0.125
"""The share of steps of a spread that do not follow the slope."""
TIGHT = 0.15
"""Up to about this spread, logits are so close to their level that a Newton step leads to their mode."""
SUMMED = 0.8
"""The share of steps of a spread that is close to 0 that go where it is likely with logits summed out."""


@compiled
def shift_levels(
    rng: np.random.Generator,
    x: Floats,
    odds: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    mean: Floats,
    sd: float,
) -> int:
    """Move each level together with its logits that are not informed, in place; return how many moved.

    `odds` are exp(x), and stay so. `mean` and `sd` are of the prior of levels, `mean` by annotator.
    """
    start, moved = trials.start, 0
    everything = np.empty(0, np.int64)
    for j in range(len(level)):
        group = everything, start[j], start[j + 1]
        move = shift_group(rng, x, odds, trials, level, spread, own, group, (level[j] - mean[j]) / sd, sd)
        level[j] += move
        moved += move != 0
    return moved


@inlined
def shift_group(
    rng: np.random.Generator,
    x: Floats,
    odds: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    group: tuple[Ints, int, int],
    away: float,
    sd: float,
) -> float:
    """Move those logits of a group that are not informed, in place; return by how much, or 0.

    What moves with them is a value that all their centres contain. It is `away` from its prior's mean, in
    standard deviations `sd`. The `group` has the numbers of the logits, and which part of these is meant; all
    logits of this part if there are no numbers.
    """
    s, n, owner = trials.successes, trials.trials, trials.owner
    item, low, high = group
    now, slope, curvature = _shifted(x, odds, trials, level, spread, own, group, 0.0, away, sd)
    successes, tried = 0, 0
    for i in range(low, high):
        p = item[i] if len(item) > 0 else i
        successes, tried = successes + s[p], tried + n[p]
    root = root_for(successes, tried)
    move, step = level_step(rng, slope, curvature, root)
    if step.times == 0:
        return 0.0
    then, back, curved = _shifted(x, odds, trials, level, spread, own, group, move, away, sd)
    if not accepted(rng, then - now + way_back(step, slope, curvature, back, curved, root)):
        return 0.0
    times = math.exp(move)
    for i in range(low, high):
        p = item[i] if len(item) > 0 else i
        if not informed(s[p], n[p], max(INFORMED, (spread * own[owner[p]]) ** -2)):
            x[p] += move
            odds[p] *= times
    return move


@inlined
def _shifted(
    x: Floats,
    odds: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    group: tuple[Ints, int, int],
    move: float,
    away: float,
    sd: float,
) -> tuple[float, float, float]:
    """Return log density, slope and curvature with a group of logits moved."""
    s, n, owner, _, offset, (class_start, number, factor) = trials
    item, low, high = group
    away += move / sd
    density, slope, curvature = -0.5 * away * away, -away / sd, 1 / sd**2
    times = math.exp(move)
    for i in range(low, high):
        p = item[i] if len(item) > 0 else i
        if n[p] == 0:
            continue
        tight = (spread * own[owner[p]]) ** -2
        if informed(s[p], n[p], max(INFORMED, tight)):
            far = x[p] - level[owner[p]] - offset_of(offset, p) - move
            density -= 0.5 * far * far * tight
            slope += far * tight
            curvature += tight
        else:
            log, hits, curved = expected_of(counts_of(s, n, class_start, p), number, factor, odds[p] * times)
            density += s[p] * (x[p] + move) - log
            slope += s[p] - hits
            curvature += curved
    return density, slope, curvature


@compiled
def stretch_spread(
    rng: np.random.Generator,
    x: Floats,
    odds: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    scale: float,
) -> tuple[float, bool]:
    """Move the spread, and logits with it, in place; return it, and whether it moved.

    `odds` are exp(x) before the move, and are not needed afterwards.
    """
    n = trials.trials
    bold = rng.random() < BOLD
    close = bold or rng.random() < _closeness(spread)
    weight, pull = _approximate(trials, level, not close)
    slope, information, step, ratio, distance, density = 0.0, 1.0, 0.0, 1.0, 0.0, weight
    if close and not bold:
        distance, density = likely_spreads(trials, weight, pull, own, scale)
    end = distance * (POINTS - 1)
    summed = spread < end and rng.random() < SUMMED
    if summed:
        at = min(int(spread / distance), POINTS - 2)
        to, part, ratio = reflection(rng, density, POINTS, at, spread / distance - at)
        new = (to + part) * distance
    elif bold:
        step = rng.standard_normal() * rng.random() ** 2
        new = spread * math.exp(step)
    else:
        slope, information = _slope(x, odds, trials, level, weight, pull, spread, own, scale)
        step = slope / information + rng.standard_normal() / math.sqrt(information)
        new = spread * math.exp(step)
    if not 1e-9 < new < 1e9:
        return spread, False
    then, gain = _follow(x, odds, trials, level, weight, pull, spread, own, new)
    gain += math.log(ratio) + step - 0.5 * (new**2 - spread**2) / scale**2
    if not bold:  # on the way back, the same kind of step has to be chosen
        was, then_close = _closeness(spread), _closeness(new)
        gain += math.log(then_close / was) if close else math.log((1 - then_close) / (1 - was))
    if not (bold or summed):
        gain += math.log(1 - SUMMED) * ((new < end) - (spread < end))
        back, informative = _slope(then, odds, trials, level, weight, pull, new, own, scale)
        gain += 0.5 * math.log(informative / information)
        gain += 0.5 * information * (step - slope / information) ** 2
        gain -= 0.5 * informative * (step + back / informative) ** 2
    if not accepted(rng, gain):
        return spread, False
    for p in range(len(x)):
        if n[p] > 0:
            x[p] = then[p]
    return new, True


@inlined
def _closeness(spread: float) -> float:
    """Return the probability that a step takes logits for close to their level."""
    return 1 / (1 + (spread / TIGHT) ** 2)


@inlined
def _approximate(trials: Trials, level: Floats, wide: bool) -> tuple[Floats, Floats]:
    """Return weight and pull of each logit."""
    s, n, _, start, offset, (class_start, number, factor) = trials
    several = len(class_start) > 0
    weight, pull = np.zeros(len(s)), np.zeros(len(s))
    for j in range(len(level)):
        rate = 1 / (1 + math.exp(-level[j]))
        for p in range(start[j], start[j + 1]):
            centre = level[j] + offset_of(offset, p)
            if len(offset) > 0:
                rate = 1 / (1 + math.exp(-centre))
            if not wide:
                expect, weight[p] = n[p] * rate, n[p] * rate * (1 - rate)
                if several:
                    _, expect, weight[p] = expected_of(
                        counts_of(s, n, class_start, p), number, factor, odds_at_logit(centre)
                    )
                pull[p] = s[p] - expect
            elif n[p] > 0:  # a spread of 1 is worth 1 / (rate · (1 − rate)) trials
                hits, misses = s[p] + 1 / (1 - rate), n[p] - s[p] + 1 / rate
                near = hits / (hits + misses)
                expect, weight[p] = n[p] * near, n[p] * near * (1 - near)
                if several:
                    _, expect, weight[p] = expected_of(
                        counts_of(s, n, class_start, p), number, factor, hits / misses
                    )
                pull[p] = s[p] - expect + weight[p] * (math.log(hits / misses) - centre)
    return weight, pull


@inlined
def _slope(
    x: Floats,
    odds: Floats,
    trials: Trials,
    level: Floats,
    weight: Floats,
    pull: Floats,
    spread: float,
    own: Floats,
    scale: float,
) -> tuple[float, float]:
    """Return the slope of the log density of log spread, and about how much is known of it."""
    s, n, _, start, offset, (class_start, number, factor) = trials
    slope, information, missed = 1 - (spread / scale) ** 2, 1.0, 0.0
    for j in range(len(level)):
        tight = (spread * own[j]) ** -2
        for p in range(start[j], start[j + 1]):
            if n[p] > 0:
                away, share = x[p] - level[j] - offset_of(offset, p), weight[p] / (weight[p] + tight)
                follows = (1 - share) * (away + pull[p] / (weight[p] + tight))
                _, hits, curved = expected_of(counts_of(s, n, class_start, p), number, factor, odds[p])
                slope += (s[p] - hits) * follows + away * (away - follows) * tight - share
                information += 2 * share * share
                missed += (curved - weight[p]) * follows * follows
    return slope, max(information + missed, 0.5 * information)


@inlined
def _follow(
    x: Floats,
    odds: Floats,
    trials: Trials,
    level: Floats,
    weight: Floats,
    pull: Floats,
    spread: float,
    own: Floats,
    new: float,
) -> tuple[Floats, float]:
    """Return the logits that follow a spread, and the gain in log density; set `odds` to theirs."""
    s, n, _, start, offset, (class_start, number, factor) = trials
    then, gain, scaled = x.copy(), 0.0, 1.0
    for j in range(len(level)):
        tight, tighter = (spread * own[j]) ** -2, (new * own[j]) ** -2
        for p in range(start[j], start[j + 1]):
            if n[p] == 0:
                continue
            before, after = weight[p] + tight, weight[p] + tighter
            centre = level[j] + offset_of(offset, p)
            away = x[p] - centre
            moved = pull[p] / after + (away - pull[p] / before) * math.sqrt(before / after)
            then[p] = centre + moved
            was, _, _ = expected_of(counts_of(s, n, class_start, p), number, factor, odds[p])
            odds[p] = odds_at_logit(then[p])
            log, _, _ = expected_of(counts_of(s, n, class_start, p), number, factor, odds[p])
            gain += s[p] * (moved - away) - (log - was)
            gain += 0.5 * (tight * away * away - tighter * moved * moved)
            scaled *= before / after * (spread / new) ** 2
            if not 1e-200 < scaled < 1e200:
                gain, scaled = gain + 0.5 * math.log(scaled), 1.0
    return then, gain + 0.5 * math.log(scaled)
