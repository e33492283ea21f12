"""Reflected: rates moved to the other side of their density, with presence in reported cells summed out.

Given the odds, all other rates, and presence in cells that nobody reported, the false positive rate q = σ(x)
of a pair has the density

    f(x) = Normal(x; level, spread²) · (1 − q)^n · ∏ over its votes in reported cells (h + q or h + 1 − q),

with n its silences in absent cells that nobody reported, and h the odds of presence in a cell times
everything but this pair's own term for absence. That of the true positive rate is the same with presence and
absence in each other's place. There may be two modes, "all these reports are true" and "all are false",
and steps would take long from one to the other.

Instead, each rate is reflected on a grid: see ../../reflection.py. A value beyond the grid stays where it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints, Ragged
from ...design import Design
from ...lookups import accepted
from ...rates import MAX_LOGIT, pack_vote, unpack_vote
from ...reflection import reflection
from ..logits.trials import offset_of

FINE = 0.25
"""The distance of grid points, on the logit scale."""
GRID = np.arange(-MAX_LOGIT, MAX_LOGIT + FINE / 2, FINE)
"""Of all points, each rate uses a part."""
STIFF = 0.1
"""A rate stays if the spread is less than this part of the distance of grid points: it could not go far."""
RATE = 1 / (1 + np.exp(-GRID))
LOG_OTHER = -np.logaddexp(0, GRID)


class VotesByRate(NamedTuple):
    """The rates on which votes in reported cells depend, and those votes."""

    rate: Ints
    annotator: Ints
    votes: Ragged
    """Of each such rate, its votes in reported cells: codes, with the cell in place of the rate."""
    silences: Ints
    """Of every rate, silences in cells that nobody reported."""


def votes_by_rate(design: Design) -> VotesByRate:
    """Return the rates on which votes in reported cells depend."""
    reported, n_rates = design.layout.reported, design.n_rates
    rate, report = unpack_vote(reported.vote)
    cell = np.repeat(np.arange(len(reported.vote_start) - 1), np.diff(reported.vote_start))
    votes = Ragged.from_pairs(rate, pack_vote(cell, report), rows=n_rates).take(reported.rates)
    silences = design.silences - np.bincount(rate[report == 0], minlength=n_rates)
    return VotesByRate(reported.rates, design.rate_annotator[reported.rates], votes, silences)


class Side(NamedTuple):
    """Levels, spread and logits of the true or of the false positive rates."""

    level: Floats
    spread: float
    logit: Floats
    own: Floats
    offset: Floats
    """As in `Trials`."""


@compiled
def reflect_logits(
    rng: np.random.Generator,
    side: Side,
    w: Floats,
    by_rate: VotesByRate,
    silent: Ints,
    stride: int,
    needed: int,
    turns: int,
) -> int:
    """Move logits and, with them, the odds `w` of reported cells, in place; return how many have moved.

    For false positive rates these are the odds of presence, and `silent` counts for every rate the silences
    in absent cells that nobody reported; for true positive rates they are the odds of absence, and the cells
    are present. A rate moves only if some vote of it in a reported cell is of the kind `needed`: 1 is a
    report, 0 silence. In each call one of `turns` rates has its turn, beginning
    with the first or a later one at random.
    """
    level, spread_of_all, x, own, offset = side
    rates, owner = by_rate.rate, by_rate.annotator
    vote_start, vote_item = by_rate.votes
    moved = 0
    spacing = FINE * stride
    value, product, rate_at = np.empty(len(GRID)), np.empty(len(GRID)), np.empty(len(GRID))
    # Of silence and report: own term at grid points and at the new value, over that at the present one.
    constant, linear, term = np.zeros(2), np.empty(2), np.empty(2)
    for place in range(int(rng.random() * turns), len(rates), turns):
        rate, low, high = rates[place], vote_start[place], vote_start[place + 1]
        now, n, mean, reports = x[rate], silent[rate], level[owner[place]] + offset_of(offset, rate), 0
        spread = spread_of_all * own[owner[place]]
        if spread < STIFF * spacing:
            continue
        for v in range(low, high):
            reports += unpack_vote(vote_item[v])[1]
        if reports == (0 if needed else high - low):
            continue
        # The grid goes from far below the level to where all reports are of this kind, and a little on.
        top = math.log((reports + 0.5) / (n + 0.5)) + 3 / math.sqrt(1 + 0.25 * reports)
        bottom = min(mean - 3.5 * spread, top - 4)
        first = max(int((bottom + MAX_LOGIT) / FINE), 0)
        points = min(int((top - GRID[first]) / spacing) + 2, (len(GRID) - 1 - first) // stride + 1)
        at = math.floor((now - GRID[first]) / spacing)
        if not 0 <= at < points - 1:
            continue
        # Densities are relative to the present one; products become logarithms before they are too large.
        odds = math.exp(now)
        yes, no, log_no = odds / (1 + odds), 1 / (1 + odds), -math.log1p(odds)
        constant[0], linear[0], linear[1] = 1 / no, -1 / no, 1 / yes
        for g in range(points):
            fine = first + g * stride
            product[g], rate_at[g] = 1.0, RATE[fine]
            value[g] = n * (LOG_OTHER[fine] - log_no) - _penalty(GRID[fine], now, mean, spread)
        left, often = 0, int(300 / (spacing * points + 1))
        for v in range(low, high):
            cell, said = unpack_vote(vote_item[v])
            there = w[cell]
            share = 1 / (there + 1)
            fixed, slope = share * (there + constant[said]), share * linear[said]
            for g in range(points):
                product[g] *= fixed + rate_at[g] * slope
            left += 1
            if left == often:
                left = 0
                for g in range(points):
                    value[g] += math.log(product[g])
                    product[g] = 1.0
        for g in range(points):
            value[g] = product[g] * math.exp(min(value[g], 300.0)) + 1e-300
        to, part, change = reflection(rng, value, points, at, (now - GRID[first]) / spacing - at)
        new = GRID[first] + (to + part) * spacing
        odds = math.exp(new)
        term[0], term[1] = 1 / (1 + odds) / no, odds / (1 + odds) / yes
        gain = change + n * (-math.log1p(odds) - log_no) - _penalty(new, now, mean, spread)
        left, times = 0, 1.0
        for v in range(low, high):
            cell, said = unpack_vote(vote_item[v])
            times *= (w[cell] + term[said]) / (w[cell] + 1)
            left += 1
            if left == often:
                gain, times, left = gain + math.log(times), 1.0, 0
        if accepted(rng, gain + math.log(times)):
            x[rate] = new
            moved += 1
            for v in range(low, high):
                cell, said = unpack_vote(vote_item[v])
                w[cell] /= term[said]
    return moved


@inlined
def _penalty(new: float, now: float, mean: float, spread: float) -> float:
    """Return how much less likely a new value is by the prior, as a logarithm."""
    return 0.5 * (new - now) * (new + now - 2 * mean) / (spread * spread)
