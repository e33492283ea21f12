"""Unevenness: how far the rates of one annotator differ between species, where annotators differ in that.

    x[j, k] ~ Normal(centre[j, k], (spread·own[j])²),   log own[j] ~ Normal(0, uneven²)

`draw_own` draws own[j] given logits. Where votes are few, logits say little but own[j] itself, and it
hardly moves. So `stretch_own` moves it a second time, together with its logits, (x − centre) / own held
fixed, but for those that their counts determine; proposals are normal, accepted by Metropolis–Hastings.

A common spread that is larger and own ones that are smaller are the same: `balance_spread` decides on it.

Of rates far below 1, votes tell the mean, about exp(level + (spread·own)²/2), and not how it comes about. So
in half of the steps the level falls by as much as half of the variance grows.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import ZERO, compiled
from ....common.ragged import Floats
from ...lookups import accepted
from ...spreads import log_normal_spread
from .gathered import find_logs, room_for
from .trials import Trials, informed, offset_of

LARGEST = 1.5
"""The standard deviation of the largest steps of the logarithm; each time it is a random part of that."""


@compiled
def draw_own(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    uneven: float,
) -> None:
    """Draw what each annotator's spread is multiplied by, in place, given logits."""
    n, start = trials.trials, trials.start
    for j in range(len(level)):
        squares, count = 0.0, 0
        for p in range(start[j], start[j + 1]):
            if n[p] > 0:
                squares += ((x[p] - level[j] - offset_of(trials.offset, p)) / spread) ** 2
                count += 1
        own[j] = log_normal_spread(rng, own[j], squares, count, uneven)


@compiled
def stretch_own(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    uneven: float,
    prior: tuple[Floats, float],
) -> int:
    """Move what each annotator's spread is multiplied by, and logits with it, in place; return how many.

    `prior` is the mean of levels by annotator and their standard deviation; levels move in half of the steps.
    """
    s, n, start, offset = trials.successes, trials.trials, trials.start, trials.offset
    room = room_for(trials)
    place, at_x, log = room.place, room.x, room.log
    mean, sd = prior
    moved = 0
    for j in range(len(level)):
        count = ZERO
        step, now = LARGEST * rng.random() * rng.standard_normal(), math.log(own[j])
        times, variance = math.exp(step), (spread * own[j]) ** 2
        lower = 0.5 * variance * (times**2 - 1) if rng.random() < 0.5 else 0.0
        gain = 0.5 * (now**2 - (now + step) ** 2) / uneven**2
        gain += 0.5 * ((level[j] - mean[j]) ** 2 - (level[j] - lower - mean[j]) ** 2) / sd**2
        for p in range(start[j], start[j + 1]):
            if n[p] == 0:
                continue
            away = x[p] - level[j] - offset_of(offset, p)
            if informed(s[p], n[p]):
                gain += 0.5 * (away**2 - ((away + lower) / times) ** 2) / variance - step
            else:
                place[count], at_x[count] = p, x[p]
                count += 1
        find_logs(room, trials, count, 0.0)
        for at in range(count):
            move = (times - 1) * (at_x[at] - level[j] - offset_of(offset, place[at])) - lower
            gain += s[place[at]] * move + log[at]
            at_x[at] += move
        find_logs(room, trials, count, 0.0)
        for at in range(count):
            gain -= log[at]
        if accepted(rng, gain):
            moved += 1
            for at in range(count):
                x[place[at]] = at_x[at]
            own[j] *= times
            level[j] -= lower
    return moved


@compiled
def balance_spread(
    rng: np.random.Generator, spread: float, own: Floats, uneven: float, scale: float
) -> tuple[float, bool]:
    """Draw the common spread with each annotator's product of both held fixed; return it, and if it moved.

    Logits do not change. Given the products, the logarithm of the common spread is normal, but for its
    half-normal prior: this decides whether a draw from the normal distribution is accepted.
    """
    middle = math.log(spread) + np.mean(np.log(own))
    new = math.exp(middle + rng.standard_normal() * uneven / math.sqrt(len(own)))
    if not accepted(rng, math.log(new / spread) - 0.5 * (new**2 - spread**2) / scale**2):
        return spread, False
    own *= spread / new
    return new, True
