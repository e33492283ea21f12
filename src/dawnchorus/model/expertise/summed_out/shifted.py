"""Shifted: all false positive rates of an annotator move at once, with presence in reported cells summed out.

If rates differ little between species, all reports of an annotator may be true, or all false, and no rate can
move alone (as in reflected.py): its prior holds it near the level. Here the level and all logits of an
annotator move by the same amount, a step of level_steps.py or one that is up as likely as down, accepted with
the ratio of

    Normal(level; mean, sd²) · ∏ over pairs (1 − q)^n · ∏ over votes in reported cells (h + q or h + 1 − q),

with n and h as in reflected.py; the density of logits around their level does not change. With a the chance
that a cell is absent, a report in it adds a·(1 − q) to the slope and, as presence is not known, takes
a·(1 − a)·(1 − q)² from the curvature, and silence the same with q in place of 1 − q. An unsure mark is both
(../unsure.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints, Ragged
from ...lookups import accepted
from ...rates import MAX_LOGIT
from ..logits.level_steps import ROOT, level_step, way_back
from ..logits.trials import log_one_plus
from .reflected import MARK, REPORT, SILENCE, Side, VotesByRate

LEAPS = 0.25
"""The share of proposals that do not follow the slope."""
LARGEST = 3.0
"""The standard deviation of the largest of these; each time it is a random part of that."""
SURE = 0.25
"""At least this part of what votes would tell, were presence known, is taken for known."""


class Terms(NamedTuple):
    """By what is said of a cell: P(said | absent) over that before a move, slope and curvature of its log."""

    ratio: Floats
    slope: Floats
    curvature: Floats


def rates_of_annotators(by_rate: VotesByRate, annotators: int) -> Ragged:
    """Return the places in `by_rate` of the rates of each annotator, in order of rates."""
    sizes = np.bincount(by_rate.annotator, minlength=annotators)
    return Ragged.from_sizes(sizes, np.argsort(by_rate.rate, kind="stable"))


@compiled
def shift_annotators(
    rng: np.random.Generator,
    side: Side,
    w: Floats,
    by_rate: VotesByRate,
    silent: Ints,
    pair_start: Ints,
    of_annotator: Ragged,
    prior: tuple[Floats, float, float],
    unsure: float,
    turns: int,
) -> int:
    """Move levels with their logits and, with them, the odds `w` of presence in reported cells, in place.

    `silent` counts for every rate the silences in absent cells that nobody reported, `of_annotator` has the
    places of each annotator's rates in `by_rate`, and `unsure` is as in `VoteRates`. In each call one of
    `turns` annotators has a turn. Return how many have moved.
    """
    level, x = side.level, side.logit
    mean, sd, _ = prior
    start, places = of_annotator
    odds, wider = np.empty(len(x)), 1 + unsure
    terms = Terms(np.empty(3), np.empty(3), np.empty(3))
    moved = 0
    for j in range(int(rng.random() * turns), len(level), turns):
        if start[j] == start[j + 1]:
            continue
        first, last = pair_start[j], pair_start[j + 1]
        low, high = level[j], level[j]
        for p in range(first, last):
            odds[p], low, high = math.exp(x[p]), min(low, x[p]), max(high, x[p])
        mine, away = places[start[j] : start[j + 1]], level[j] - mean[j]
        leap = rng.random() < LEAPS
        now, slope, curvature = _density(
            odds, wider, w, by_rate, silent, first, last, mine, away, sd, 0.0, terms
        )
        move, step = level_step(rng, slope, curvature, ROOT)
        if leap:
            move = LARGEST * rng.random() * rng.standard_normal()
        if min(low, low + move) < -MAX_LOGIT or max(high, high + move) > MAX_LOGIT:
            continue
        if not (leap or step.times > 0):
            continue
        then, back, curved = _density(
            odds, wider, w, by_rate, silent, first, last, mine, away, sd, move, terms
        )
        gain = then - now
        if not leap:
            gain += way_back(step, slope, curvature, back, curved, ROOT)
        if accepted(rng, gain):
            _keep(w, by_rate, odds, wider, move, mine, terms)
            level[j] += move
            for p in range(first, last):
                x[p] += move
            moved += 1
    return moved


@inlined
def _set_terms(terms: Terms, before: float, wider: float, times: float) -> None:
    """Set the terms of what is said where odds are multiplied by `times`."""
    ratio, slope, curvature = terms
    for said, odds in ((REPORT, before), (SILENCE, wider * before)):
        after = odds * times
        q = after / (1 + after)
        ratio[said] = (1 + odds) / (1 + after)
        slope[said], curvature[said] = -q, q * (1 - q)
    ratio[REPORT] *= times
    slope[REPORT] += 1
    ratio[MARK] = ratio[REPORT] * ratio[SILENCE]
    slope[MARK] = slope[REPORT] + slope[SILENCE]
    curvature[MARK] = curvature[REPORT] + curvature[SILENCE]


@inlined
def _density(
    odds: Floats,
    wider: float,
    w: Floats,
    by_rate: VotesByRate,
    silent: Ints,
    first: int,
    last: int,
    mine: Ints,
    away: float,
    sd: float,
    move: float,
    terms: Terms,
) -> tuple[float, float, float]:
    """Return log density, its slope, and about how much it is curved, after a move.

    `odds` are exp(x) before it, and `wider` what they are multiplied by where there is silence; `away` is how
    far the level is from its mean. The pairs from `first` to `last` are the annotator's, and at the places
    `mine` are their rates with votes in reported cells.
    """
    (start, cells), said = by_rate.cells, by_rate.said
    ratios, slopes, curvatures = terms
    times = math.exp(move)
    density, slope = -0.5 * ((away + move) / sd) ** 2, -(away + move) / sd**2
    full, missing = 0.0, 0.0
    for p in range(first, last):
        if silent[p] > 0:
            log, q = log_one_plus(wider * odds[p] * times)
            density -= silent[p] * log
            slope -= silent[p] * q
            full += silent[p] * q * (1 - q)
    product = 1.0
    for place in mine:
        _set_terms(terms, odds[by_rate.rate[place]], wider, times)
        for v in range(start[place], start[place + 1]):
            there, term, known = w[cells[v]], ratios[said[v]], slopes[said[v]]
            absent = term / (there + term)
            product *= (there + term) / (there + 1)
            if not 1e-200 < product < 1e200:
                density, product = density + math.log(product), 1.0
            slope += absent * known
            full += absent * curvatures[said[v]]
            missing += absent * (1 - absent) * known * known
    return density + math.log(product), slope, sd**-2 + max(full - missing, SURE * full)


@inlined
def _keep(
    w: Floats,
    by_rate: VotesByRate,
    odds: Floats,
    wider: float,
    move: float,
    mine: Ints,
    terms: Terms,
) -> None:
    """Set the odds of presence in reported cells to those after a move."""
    (start, cells), said = by_rate.cells, by_rate.said
    times = math.exp(move)
    for place in mine:
        _set_terms(terms, odds[by_rate.rate[place]], wider, times)
        for v in range(start[place], start[place + 1]):
            w[cells[v]] /= terms.ratio[said[v]]
