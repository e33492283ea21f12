"""Votes on every cell: their probability with presence and classes summed out.

    log P(votes) = Σ over cells log((odds · P(votes | present) + P(votes | absent)) / (1 + odds)),
    P(votes | present) = Σ over classes share · ∏ over votes P(vote | present, class),

and so given absence (../audibility.py). Silent cells are listed too, which is why this is for data of which
every vote can be gone through many times in a sweep. Where a species is known to be present, or absent, only
that term stays; what an expert says multiplies the odds (../design.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints, Ragged
from ..audibility import CLASSES, SHARE
from ..design import Design
from ..lookups import FEW
from ..presence.odds import Odds, odds_at
from ..rates import inside_logit, pack_vote, unpack_vote


class AllCells(NamedTuple):
    """Every cell that somebody voted on, the reported ones first; nothing if votes are too many."""

    recording: Ints
    species: Ints
    votes: Ragged
    """The votes on each, by code."""
    moving: Ints
    """The species with a vote, in ascending order."""
    place: Ints
    """That of each cell among them."""
    known_well: Floats
    """Of every rate, about how much its votes tell of its logit, if half of them are on this side."""


TINY = 1e-300
MOST = 100_000
"""With more votes than that, or more rates, cells are not listed."""


def all_cells(design: Design) -> AllCells:
    """Return every cell that somebody voted on, if votes are not too many."""
    a, reported = design.annotations, design.layout.reported
    number = design.totals.reports + design.totals.silences
    if number.sum() + len(number) > MOST:
        nothing = np.zeros(0, np.int64)
        return AllCells(nothing, nothing, Ragged.empty(0), nothing, nothing, np.empty(0))
    scopes = a.scopes.take(a.visit_scope)
    visit, species = scopes.row_of_item(), scopes.item
    voted = a.has_voted(visit, species)
    visit, species = visit[voted], species[voted]
    key = a.visit_recording[visit].astype(np.int64) * a.n_species + species
    listed = reported.recording.astype(np.int64) * a.n_species + reported.cells.item
    silent = ~np.isin(key, listed)
    cell, place = np.unique(key[silent], return_inverse=True)
    codes = pack_vote(design.rates_at(a.visit_annotator[visit], species)[silent], 0)
    order = np.argsort(place, kind="stable")
    quiet = Ragged.from_sizes(np.bincount(place, minlength=len(cell)), codes[order])
    votes = Ragged(reported.vote_start, reported.vote.astype(np.int64)).stack(quiet)
    recording, species = np.divmod(np.append(listed, cell), a.n_species)
    moving, place = np.unique(species, return_inverse=True)
    rate = (design.totals.reports + 1) / (number + 2)
    return AllCells(recording, species, votes, moving, place, 0.5 * number * rate * (1 - rate) + 0.05)


@compiled
def odds_in(cells: AllCells, odds: Odds) -> Floats:
    """Return the odds of presence in each cell before any vote."""
    found = np.empty(len(cells.recording))
    for cell in range(len(found)):
        found[cell] = odds_at(odds.factor, odds.row, cells.recording[cell], cells.species[cell])
    return found


class Slopes(NamedTuple):
    """By how much the log probability of votes grows with logits and spread of a side."""

    logit: Floats
    spread: Floats
    """One number."""


@compiled
def log_votes(
    cells: AllCells,
    odds: Floats,
    further: Floats,
    tpr: Floats,
    faintness: float,
    fpr: Floats,
    deception: float,
    unsure: float,
    there: Slopes,
    gone: Slopes,
    chance: Floats,
) -> float:
    """Return the log probability of all votes, from odds by cell, and logits and spreads of both sides.

    `further` is as in `ReportedCells`, `unsure` as in `VoteRates`. Set slopes given presence, given absence,
    and the chance that each cell is present.
    """
    present, absent = _chances(tpr, faintness, unsure), _chances(fpr, deception, unsure)
    for slopes in (there, gone):
        slopes.logit[:], slopes.spread[:] = 0.0, 0.0
    yes, no, up = np.empty(len(SHARE)), np.empty(len(SHARE)), np.empty(len(SHARE))
    votes, total = cells.votes.item, 0.0
    for cell in range(len(odds)):
        low, high = cells.votes.start[cell], cells.votes.start[cell + 1]
        told = further[cell] if cell < len(further) else 1.0
        with_it = math.log(odds[cell]) + _log_together(yes, present, votes, low, high)
        without = _log_together(no, absent, votes, low, high)
        total -= math.log1p(odds[cell])
        if told == math.inf:
            chance[cell] = 1.0
            total += with_it
        elif told == 0:
            chance[cell] = 0.0
            total += without
        else:
            with_it += math.log(told)
            total += max(with_it, without) + math.log1p(math.exp(-abs(with_it - without)))
            chance[cell] = 1 / (1 + math.exp(min(without - with_it, 700.0)))
        _add_slopes(there, chance[cell], yes, present, votes, low, high, up)
        _add_slopes(gone, 1 - chance[cell], no, absent, votes, low, high, up)
    return total


@compiled
def _chances(logit: Floats, spread: float, unsure: float) -> Floats:
    """Return the probability of each vote, by code and class."""
    factor, chance = np.exp(spread * CLASSES), np.empty((2 * len(logit), len(SHARE)))
    for rate in range(len(logit)):
        odds = math.exp(inside_logit(logit[rate]))
        for c in range(len(factor)):
            there = odds * factor[c]
            chance[pack_vote(rate, 0), c] = 1 / (1 + (1 + unsure) * there)
            chance[pack_vote(rate, 1), c] = there / (1 + there)
    return chance


@inlined
def _log_together(room: Floats, chance: Floats, vote: Ints, low: int, high: int) -> float:
    """Return the log probability of the votes on a cell, classes summed out; set that of each class."""
    room[:] = SHARE
    far = 0.0
    for v in range(low, high):
        code = vote[v]
        for c in range(len(room)):
            room[c] *= chance[code, c]
        if (v - low) % FEW == FEW - 1:
            most = max(room.max(), TINY)
            room /= most
            far += math.log(most)
    total = max(room.sum(), TINY)
    room /= total
    return far + math.log(total)


@inlined
def _add_slopes(
    slopes: Slopes,
    weight: float,
    room: Floats,
    chance: Floats,
    vote: Ints,
    low: int,
    high: int,
    up: Floats,
) -> None:
    """Add what the votes on a cell add to slopes, with the chance that it is of this kind, and of a class."""
    up[:] = 0.0
    for v in range(low, high):
        rate, said = unpack_vote(vote[v])
        code, sign, total = vote[v], 1.0 if said else -1.0, 0.0
        for c in range(len(room)):
            total += room[c] * (1 - chance[code, c])
        for c in range(len(room)):
            up[c] += sign * (1 - chance[code, c])
        slopes.logit[rate] += weight * sign * total
    for c in range(len(room)):
        slopes.spread[0] += weight * room[c] * CLASSES[c] * up[c]
