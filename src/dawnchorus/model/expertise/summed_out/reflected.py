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
from typing import NamedTuple

import numpy as np

from ....common.arithmetic import exp_of
from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints, Ragged
from ...design import Design
from ...lookups import accepted
from ...rates import MAX_LOGIT, unpack_vote
from ...reflection import reflection
from ..logits.trials import log_one_plus, offset_of

FINE = 0.25
"""The distance of grid points, on the logit scale."""
GRID = np.arange(-MAX_LOGIT, MAX_LOGIT + FINE / 2, FINE)
"""Of all points, each rate uses a part."""
STIFF = 0.1
"""A rate stays if the spread is less than this part of the distance of grid points: it could not go far."""
SILENCE, REPORT, MARK = 0, 1, 2
"""What somebody said of a cell."""


class VotesByRate(NamedTuple):
    """The rates on which votes in reported cells depend, and those votes."""

    rate: Ints
    annotator: Ints
    cells: Ragged
    """Of each such rate, the reported cells that it has a vote in."""
    said: Ints
    """What was said of each of these cells."""
    reports: Ints
    """How many of these votes are reports or marks, by rate."""
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
    votes = Ragged.from_pairs(rate[other], np.flatnonzero(other), rows=n_rates).take(reported.rates)
    heard = np.bincount(rate[other & (said != SILENCE)], minlength=n_rates)[reported.rates]
    silences = design.silences - np.bincount(rate[report == 0], minlength=n_rates)
    return VotesByRate(
        reported.rates,
        design.rate_annotator[reported.rates],
        Ragged.from_sizes(votes.sizes, cell[votes.item]),
        said[votes.item],
        heard,
        silences,
    )


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
    rates, owner, (start, cells), said, reports_by_rate, _ = by_rate
    moved = 0
    spacing = FINE * stride
    value, product, shares = np.empty(len(GRID)), np.empty(len(GRID)), np.empty(_most(start))
    yes_at, no_at, log_no_at = _grid_terms(unsure)
    # Of silence, report and mark: own term at grid points and at the new value, over that at the present one.
    term_at, term = np.empty((3, len(GRID))), np.empty(3)
    for place in range(int(rng.random() * turns), len(rates), turns):
        rate, low, high, reports = rates[place], start[place], start[place + 1], reports_by_rate[place]
        spread = spread_of_all * own[owner[place]]
        if reports == (0 if needed else high - low) or spread < STIFF * spacing:
            continue
        now, n, mean = x[rate], silent[rate], level[owner[place]] + offset_of(offset, rate)
        # The grid goes from far below the level to where all reports are of this kind, and a little on.
        top = math.log((reports + 0.5) / (n + 0.5)) + 3 / math.sqrt(1 + 0.25 * reports)
        bottom = min(mean - 3.5 * spread, top - 4)
        first = max(int((bottom + MAX_LOGIT) / FINE), 0)
        points = min(int((top - GRID[first]) / spacing) + 2, (len(GRID) - 1 - first) // stride + 1)
        where = (now - GRID[first]) / spacing
        at = math.floor(where)
        if not 0 <= at < points - 1:
            continue
        # Densities are relative to the present one; products become logarithms before they are too large.
        yes, no, log_no = own_terms(now, unsure)
        over_yes, over_no, tight = 1 / yes, 1 / no, 0.5 / (spread * spread)
        for g in range(points):
            fine = first + g * stride
            product[g], term_at[SILENCE, g], term_at[REPORT, g] = (
                1.0,
                no_at[fine] * over_no,
                yes_at[fine] * over_yes,
            )
            term_at[MARK, g] = term_at[SILENCE, g] * term_at[REPORT, g]
            value[g] = n * (log_no_at[fine] - log_no) - tight * _farther(GRID[fine], now, mean)
        left, often = 0, int(300 / (spacing * points + 1))
        for v in range(low, high):
            there, own_term = w[cells[v]], said[v]
            share = 1 / (there + 1)
            fixed, shares[v - low] = share * there, share
            for g in range(points):
                product[g] *= fixed + term_at[own_term, g] * share
            left += 1
            if left == often:
                left = 0
                for g in range(points):
                    value[g] += math.log(product[g])
                    product[g] = 1.0
        for g in range(points):
            value[g] = product[g] * exp_of(min(value[g], 300.0)) + 1e-300
        to, part, times = reflection(rng, value, points, at, where - at)
        new = GRID[first] + (to + part) * spacing
        new_yes, new_no, new_log_no = own_terms(new, unsure)
        term[SILENCE], term[REPORT] = new_no * over_no, new_yes * over_yes
        term[MARK] = term[SILENCE] * term[REPORT]
        gain = n * (new_log_no - log_no) - tight * _farther(new, now, mean)
        left = 0
        for v in range(low, high):
            times *= (w[cells[v]] + term[said[v]]) * shares[v - low]
            left += 1
            if left == often:
                gain, times, left = gain + math.log(times), 1.0, 0
        if accepted(rng, gain + math.log(times)):
            x[rate] = new
            moved += 1
            for v in range(low, high):
                w[cells[v]] /= term[said[v]]
    return moved


@inlined
def _most(start: Ints) -> int:
    """Return how many there are in the largest row."""
    most = 0
    for row in range(len(start) - 1):
        most = max(most, start[row + 1] - start[row])
    return most


@inlined
def own_terms(logit: float, unsure: float) -> tuple[float, float, float]:
    """Return the probability of a report, that of silence, and its logarithm."""
    odds = math.exp(logit)
    wider = (1 + unsure) * odds
    log, _ = log_one_plus(wider)
    return odds / (1 + odds), 1 / (1 + wider), -log


@compiled
def _grid_terms(unsure: float) -> tuple[Floats, Floats, Floats]:
    """Return the same at all points of the grid."""
    yes, no, log_no = np.empty(len(GRID)), np.empty(len(GRID)), np.empty(len(GRID))
    for g in range(len(GRID)):
        yes[g], no[g], log_no[g] = own_terms(GRID[g], unsure)
    return yes, no, log_no


@inlined
def _farther(new: float, now: float, mean: float) -> float:
    """Return how much farther a new value is from the mean, squared."""
    return (new - now) * (new + now - 2 * mean)
