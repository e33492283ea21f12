"""Reflected: rates moved to the other side of their density, with presence in reported cells summed out.

Given the odds, all other rates, and presence in cells that nobody reported, the false positive rate q = σ(x)
of a pair has the density

    f(x) = Normal(x; level, spread²) · (1 − q)^n · ∏ over its votes in reported cells (h + q or h + 1 − q),

with n its silences in absent cells that nobody reported, and h the odds of presence in a cell times
everything but this pair's own term for absence. If unsure marks are votes, 1 − q is the probability
1 − σ(x + step) of silence everywhere, and a mark has the term h + q·(1 − σ(x + step)); see ../unsure.py. That
of the true positive rate is the same with presence and absence in each other's place. There may be two modes,
"all these reports are true" and "all are false", and steps would take long from one to the other.

Instead, each rate is reflected on a grid: see ../../reflection.py. A value beyond the grid stays where it is.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined, shared
from ....common.ragged import Floats, Ints, Ragged
from ...design import Design
from ...lookups import accepted
from ...rates import MAX_LOGIT, unpack_vote
from ...reflection import reflection
from ..logits.trials import offset_of

FINE = 0.25
"""The distance of grid points, on the logit scale."""
GRID = np.arange(-MAX_LOGIT, MAX_LOGIT + FINE / 2, FINE)
"""Of all points, each rate uses a part."""
STIFF = 0.1
"""A rate stays if the spread is less than this part of the distance of grid points: it could not go far."""
SILENCE, REPORT, MARK = 0, 1, 2
"""What somebody said of a cell."""


@shared
def pack_said(cell: Any, said: Any) -> Any:
    """Return the code of what was said of a cell."""
    return 3 * cell + said


@shared
def unpack_said(code: Any) -> tuple[Any, Any]:
    """Return a cell, and what was said of it."""
    return code // 3, code % 3


class VotesByRate(NamedTuple):
    """The rates on which votes in reported cells depend, and those votes."""

    rate: Ints
    annotator: Ints
    votes: Ragged
    """Of each such rate, what was said of reported cells, as `pack_said` has it."""
    silences: Ints
    """Of every rate, silences in cells that nobody reported."""


def votes_by_rate(design: Design) -> VotesByRate:
    """Return the rates on which votes in reported cells depend."""
    reported, n_rates = design.layout.reported, design.n_rates
    rate, report = unpack_vote(reported.vote)
    cell = np.repeat(np.arange(len(reported.vote_start) - 1), np.diff(reported.vote_start))
    # A mark is a report and a silence of the same rate in the same cell.
    key, said = cell * n_rates + rate, np.where(report, REPORT, SILENCE)
    said[(report == 1) & np.isin(key, key[report == 0])] = MARK
    other = (report == 1) | ~np.isin(key, key[report == 1])
    votes = Ragged.from_pairs(rate[other], pack_said(cell, said)[other], rows=n_rates).take(reported.rates)
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
    unsure: float,
    stride: int,
    needed: int,
    turns: int,
) -> int:
    """Move logits and, with them, the odds `w` of reported cells, in place; return how many have moved.

    For false positive rates these are the odds of presence, and `silent` counts for every rate the silences
    in absent cells that nobody reported; for true positive rates they are the odds of absence, and the cells
    are present. `unsure` is as in `VoteRates`. A rate moves only if some vote of it in a reported cell is of
    the kind `needed`: 1 is a report (or a mark), 0 silence. In each call one of `turns` rates has its turn,
    beginning with the first or a later one at random.
    """
    level, spread_of_all, x, own, offset = side
    rates, owner = by_rate.rate, by_rate.annotator
    vote_start, vote_item = by_rate.votes
    moved = 0
    spacing = FINE * stride
    value, product = np.empty(len(GRID)), np.empty(len(GRID))
    yes_at, no_at, log_no_at = _grid_terms(unsure)
    # Of silence, report and mark: own term at grid points and at the new value, over that at the present one.
    term_at, term = np.empty((3, len(GRID))), np.empty(3)
    for place in range(int(rng.random() * turns), len(rates), turns):
        rate, low, high = rates[place], vote_start[place], vote_start[place + 1]
        now, n, mean, reports = x[rate], silent[rate], level[owner[place]] + offset_of(offset, rate), 0
        spread = spread_of_all * own[owner[place]]
        if spread < STIFF * spacing:
            continue
        for v in range(low, high):
            reports += unpack_said(vote_item[v])[1] != SILENCE
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
        yes, no, log_no = own_terms(now, unsure)
        for g in range(points):
            fine = first + g * stride
            product[g], term_at[SILENCE, g], term_at[REPORT, g] = 1.0, no_at[fine] / no, yes_at[fine] / yes
            term_at[MARK, g] = term_at[SILENCE, g] * term_at[REPORT, g]
            value[g] = n * (log_no_at[fine] - log_no) - _penalty(GRID[fine], now, mean, spread)
        left, often = 0, int(300 / (spacing * points + 1))
        for v in range(low, high):
            cell, said = unpack_said(vote_item[v])
            there, own_term = w[cell], term_at[said]
            share = 1 / (there + 1)
            fixed = share * there
            for g in range(points):
                product[g] *= fixed + own_term[g] * share
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
        new_yes, new_no, new_log_no = own_terms(new, unsure)
        term[SILENCE], term[REPORT] = new_no / no, new_yes / yes
        term[MARK] = term[SILENCE] * term[REPORT]
        gain = change + n * (new_log_no - log_no) - _penalty(new, now, mean, spread)
        left, times = 0, 1.0
        for v in range(low, high):
            cell, said = unpack_said(vote_item[v])
            times *= (w[cell] + term[said]) / (w[cell] + 1)
            left += 1
            if left == often:
                gain, times, left = gain + math.log(times), 1.0, 0
        if accepted(rng, gain + math.log(times)):
            x[rate] = new
            moved += 1
            for v in range(low, high):
                cell, said = unpack_said(vote_item[v])
                w[cell] /= term[said]
    return moved


@inlined
def own_terms(logit: float, unsure: float) -> tuple[float, float, float]:
    """Return the probability of a report, that of silence, and its logarithm."""
    odds = math.exp(logit)
    wider = (1 + unsure) * odds
    return odds / (1 + odds), 1 / (1 + wider), -math.log1p(wider)


@compiled
def _grid_terms(unsure: float) -> tuple[Floats, Floats, Floats]:
    """Return the same at all points of the grid."""
    yes, no, log_no = np.empty(len(GRID)), np.empty(len(GRID)), np.empty(len(GRID))
    for g in range(len(GRID)):
        yes[g], no[g], log_no[g] = own_terms(GRID[g], unsure)
    return yes, no, log_no


@inlined
def _penalty(new: float, now: float, mean: float, spread: float) -> float:
    """Return how much less likely a new value is by the prior, as a logarithm."""
    return 0.5 * (new - now) * (new + now - 2 * mean) / (spread * spread)
