"""By cell: how far cells differ for everybody, and the class of each, given the votes on them.

Cells are present ones, which differ in how audible birds are (faint.py), or absent ones, which differ in how
deceptive they are (deceptive/). The spread is drawn with classes summed out: of a cell that one or two people
voted on, votes hardly tell the class, so that the spread given classes would barely move. It takes
Metropolis–Hastings steps of many sizes on the scale of logarithms, alone and with all logits, which are
multiplied so that rates over all cells stay about as they are.

Then each cell draws its class, and the votes on it are trials whose odds have the factor of the class
(kinds.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged
from ..audibility import CLASSES, SHARE, Audibility, Varied, add_vote, add_votes, over_all_classes
from ..lookups import FEW, draw_class
from ..rates import inside_logit
from .sides import Side, SidePrior

LARGEST = 1.5
"""The standard deviation of the largest; each time it is a part of that, more often a small one."""
LEAST, MOST = 1e-9, 1e2
"""Bounds of the spread."""
FLATTER = 0.346
"""Over cells of all classes, a rate with logit x in an average cell has about the logit
x / √(1 + FLATTER·spread²)."""


def update_spread(
    rng: np.random.Generator,
    prior: SidePrior,
    side: Side,
    density: Callable[[Floats, float], float],
    *,
    stretch: bool,
) -> tuple[Side, tuple[float, float]]:
    """Return a side whose spread over cells moved, with logits if asked to, and alone; and if it did.

    `density` is the log density of logits and spread, but for the prior of logits.
    """
    with_logits = 0.0
    now = density(side.logit, float(side.varied))
    if stretch:
        spread = float(side.varied)
        new, step = _proposed(rng, spread)
        then, gain = prior.stretched(side, flattened(new) / flattened(spread))
        there = density(then.logit, new)
        if rng.standard_exponential() > now - there - gain - step:
            side, now, with_logits = then._replace(varied=np.array(new)), there, 1.0
    new, step = _proposed(rng, float(side.varied))
    there = density(side.logit, new)
    alone = rng.standard_exponential() > now - there - step
    return side._replace(varied=np.array(new)) if alone else side, (with_logits, float(alone))


def flattened(spread: float) -> float:
    """Return how many times as large logits in an average cell are as those over all cells."""
    return math.sqrt(1 + FLATTER * spread**2)


def _proposed(rng: np.random.Generator, spread: float) -> tuple[float, float]:
    """Return a new spread, and how far away its logarithm is."""
    step = LARGEST * rng.random() ** 2 * rng.standard_normal()
    new = min(max(spread * math.exp(step), LEAST), MOST)
    return new, math.log(new / spread)


@compiled
def odds_of_average(logit: Floats) -> Floats:
    """Return the odds of a report in average cells."""
    odds = np.empty(len(logit))
    for rate in range(len(logit)):
        odds[rate] = math.exp(inside_logit(logit[rate]))
    return odds


@compiled
def _given(odds: Floats, spread: float) -> Varied:
    """Return what votes on a cell depend on together."""
    return Varied(odds, Audibility(np.exp(spread * CLASSES), SHARE), np.empty(len(SHARE)))


class Chances(NamedTuple):
    """The probabilities of votes, worked out once for all cells with a vote of the same code."""

    by_class: Floats
    """Of each code and class; not set for votes that are on no cell."""
    alone: Floats
    """Of each code, over cells of all classes."""


@compiled
def _chances(side: Varied, over: Floats, unsure: float, votes: Ints) -> Chances:
    """Return the probabilities of these votes, over as much as in `add_votes`."""
    share, factor, by_rate = side.classes.share, side.classes.factor, side.odds
    by_class, alone, done = (
        np.empty((len(over), len(share))),
        np.empty(len(over)),
        np.zeros(len(over), np.bool_),
    )
    for code in votes:
        if not done[code]:
            one, done[code] = by_class[code], True
            one[:] = 1.0
            add_vote(one, factor, by_rate, over, unsure, code, False)
            alone[code] = (share * one).sum()
    return Chances(by_class, alone)


@compiled
def log_density(votes: Ragged, odds: Floats, spread: float, scale: float, unsure: float) -> float:
    """Return the log density of the spread, which is half-normal, given the votes on cells, by code."""
    side, total, product = _given(odds, spread), -0.5 * (spread / scale) ** 2, 1.0
    over, share, (start, item) = np.ones(2 * len(odds)), side.classes.share, votes
    by_class, alone = _chances(side, over, unsure, item)
    for cell in range(len(start) - 1):
        low, high = start[cell], start[cell + 1]
        if high - low == 1:
            product *= alone[item[low]]
        elif high - low < FEW:
            product *= over_all_classes(share, by_class, item, low, high)
        else:
            far = add_votes(side, over, unsure, item, low, high)
            product *= side.room.sum() * (math.exp(max(far, -550.0)) if far != 0.0 else 1.0)
        if product < 1e-100:
            total, product = total + math.log(max(product, 1e-300)), 1.0
    return total + math.log(product)


@compiled
def draw_classes(
    rng: np.random.Generator, votes: Ragged, logit: Floats, spread: float, unsure: float
) -> tuple[Ints, Floats]:
    """Draw the class of each cell; return that of each vote, and the factor of odds by class."""
    side, over = _given(odds_of_average(logit), spread), np.ones(2 * len(logit))
    room, share, (start, item) = side.room, side.classes.share, votes
    by_class, _ = _chances(side, over, unsure, item)
    drawn = np.empty(len(item), np.int8)
    for cell in range(len(start) - 1):
        low, high = start[cell], start[cell + 1]
        if high - low < FEW:
            for c in range(len(room)):
                room[c] = share[c]
                for v in range(low, high):
                    room[c] *= by_class[item[v], c]
        else:
            add_votes(side, over, unsure, item, low, high)
        c = draw_class(rng, room)
        for v in range(low, high):
            drawn[v] = c
    return drawn, side.classes.factor
