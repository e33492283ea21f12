"""Effects of context on species, drawn block by block given presence.

With y[c] present among n[c] voted recordings of context c, and log-odds x[c] that are the sum of the values
of its rows, the log density of the effects e of a block of terms on a species, given all others, is

    Σ_c (y[c]·x[c] − n[c]·log(1 + exp(x[c]))) − Σ_b (e[b] − common[b])² / (2·scale[b]²).

Absences enter only through the sum over contexts. Moves are those of moves.py.

With presence summed out, the few reports of a rare species may all be false. Then votes say hardly anything,
and its effects are as uncertain as their prior. So a random part of the curvature that reports would have,
were they true, makes the proposal: some are narrow, some nearly as wide as the prior. The part does not
depend on effects, so that it is the same on the way back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Bools, Floats, Ints
from .counts import Given, count_one
from .moves import Moves, accept_moves, factor_of, make_moves, propose_moves, stand_still
from .summed_out import weigh_ratios
from .terms import LARGE, MAX_ODDS, Effects, Terms, context_odds, multiply_odds

FIXED = 0.85
"""So often a block is proposed with a curvature that depends on counts alone. Where odds are far below the
mode, the curvature there is small, and what it proposes is rarely accepted."""
BOLD = 0.7
"""So often, of these, only a part of the curvature is used for a species whose reports may all be false."""


class Chosen(NamedTuple):
    """The species whose turn it is in a sweep."""

    species: Ints
    up: Bools
    """Of all species, whether it is their turn."""
    odds: Floats
    """Their odds, these species × contexts."""


class Room(NamedTuple):
    """Working memory: counts by context, and sums by row."""

    n: Floats
    y: Floats
    ratio: Floats
    """What votes say of a species in each recording, if presence is summed out; otherwise empty."""
    by_context: Floats
    """Three numbers of each context, if presence is summed out; otherwise of none."""
    by_row: Floats
    now: Floats
    """Each row's part of the log likelihood, less the logarithm of a product, which is the last of the four;
    between them slope and curvature."""
    new: Floats
    """The same at the proposal."""
    there: Floats
    """The same where the effects are the common ones; or counts by row."""
    moves: Moves


@compiled
def make_room(given: Given) -> Room:
    """Return working memory."""
    contexts = given.terms.row.shape[1]
    rows = max(given.terms.row_start[-1], given.blocks.row_start[-1])
    return Room(
        np.empty(contexts),
        np.empty(contexts),
        np.empty(given.summed_out.ratio.shape[1]),
        np.empty((3, given.summed_out.ratio.shape[1])),
        np.empty(given.terms.row_start[-1]),
        np.empty((4, rows)),
        np.empty((4, rows)),
        np.empty((4, rows)),
        make_moves(given.blocks, rows),
    )


@inlined
def take_votes(s: int, k: int, given: Given, room: Room) -> None:
    """Fill in what votes, or presence, say of species k, the chosen one of this place."""
    if len(given.summed_out.ratio) == 0:
        count_one(k, given, room.n, room.y)
        return
    ratio = given.summed_out.ratio[s]
    for i in range(len(room.ratio)):
        room.ratio[i] = min(ratio[i], LARGE)


@compiled
def weigh_rows(row: Ints, odds: Floats, moves: Moves, room: Room, out: Floats, curved: bool = True) -> None:
    """Add up the log likelihood, its slope and its curvature by row of a term, after its moves.

    The curvature may be left out if presence is summed out: it is often not needed then.

    The log likelihood is that of the log-odds before the moves but for a constant, Σ y·(log-odds). Logarithms
    take long, so where recordings are few the probabilities of absence are multiplied first.
    """
    if len(room.ratio) > 0:
        weigh_ratios(row, odds, moves.times, room.ratio, room.by_context, curved, out)
        return
    move, times, n, y = moves.row, moves.times, room.n, room.y
    value, slope, curvature, product = out
    for c in range(len(odds)):
        r, voted, present = row[c], n[c], y[c]
        new = min(odds[c] * times[r], MAX_ODDS)
        either = 1 + new
        absent = 1 / either
        expected = voted * new * absent
        value[r] += present * move[r]
        slope[r] += present - expected
        curvature[r] += expected * absent
        if voted == 1 and either < LARGE:
            product[r] *= either
        elif voted == 2 and either < LARGE:
            product[r] *= either * either
        else:
            value[r] -= voted * math.log1p(new)
        if product[r] > LARGE:
            value[r] -= math.log(product[r])
            product[r] = 1.0


@inlined
def clear_rows(terms: Terms, t: int, out: Floats) -> None:
    """Set the sums of the rows of a term to 0, and their products to 1."""
    for r in range(terms.row_start[t], terms.row_start[t + 1]):
        out[0, r], out[1, r], out[2, r], out[3, r] = 0.0, 0.0, 0.0, 1.0


@compiled
def draw_effects(
    rng: np.random.Generator, effects: Effects, given: Given, chosen: Chosen, room: Room
) -> float:
    """Draw the effects on the chosen species, in place, and fill in their odds; return the share accepted."""
    effect, common, _ = effects
    blocks, moves, share = given.blocks, room.moves, 0.0
    precision_by_column(effects, given.terms, moves.precision)
    for s in range(len(chosen.species)):
        k, odds = chosen.species[s], chosen.odds[s]
        take_votes(s, k, given, room)
        context_odds(given.terms, effect[k], room.by_row, odds)
        part = _part_of_curvature(rng, given.summed_out.doubtful, k)
        for t in range(len(blocks.levels)):
            low, high = blocks.column_start[t], blocks.column_start[t + 1]
            for b in range(low, high):
                moves.pull[b] = (common[b] - effect[k, b]) * moves.precision[b]
            stand_still(blocks, t, moves)
            clear_rows(blocks, t, room.now)
            fixed = rng.random() < FIXED
            weigh_rows(blocks.row[t], odds, moves, room, room.now, not fixed)
            ready = fixed and len(given.summed_out.matrix) > 0 and not blocks.levels[t]
            if ready:
                factor_of(given.summed_out.matrix[k], part, moves, low)
            elif fixed:
                expect_curvature(k, t, given, room, part)
                take_curvature(blocks, t, room.there, room.now)
            propose_moves(rng, blocks, t, room.now, moves, ready)
            clear_rows(blocks, t, room.new)
            weigh_rows(blocks.row[t], odds, moves, room, room.new, not fixed)
            if fixed and not ready:
                take_curvature(blocks, t, room.there, room.new)
            share += accept_moves(rng, blocks, t, room.now, room.new, moves, fixed)
            for b in range(low, high):
                effect[k, b] += moves.column[b]
            multiply_odds(blocks.row[t], moves.times, odds)
    return share / max(len(chosen.species) * len(blocks.levels), 1)


@inlined
def _part_of_curvature(rng: np.random.Generator, doubtful: Bools, k: int) -> float:
    """Return which part of the curvature of reports makes the proposals for a species."""
    if len(doubtful) == 0 or not doubtful[k] or rng.random() >= BOLD:
        return 1.0
    return rng.random() ** 2


@compiled
def expect_curvature(k: int, t: int, given: Given, room: Room, part: float) -> None:
    """Fill in a curvature of each row that depends on counts alone.

    It is that of the share of recordings with the species, taken with one more recording that has it as often
    as all recordings do; with presence summed out, a part of that of the share with a report.
    """
    blocks = given.blocks
    first, last, n, y = blocks.row_start[t], blocks.row_start[t + 1], room.n, room.y
    if len(given.summed_out.curvature) > 0:
        for r in range(first, last):
            room.there[2, r] = part * given.summed_out.curvature[k, r]
        return
    voted, present, row = room.there[0], room.there[1], blocks.row[t]
    for r in range(first, last):
        voted[r], present[r] = 0.0, 0.0
    all_voted, all_present = 1.0, 0.5
    for c in range(len(n)):
        voted[row[c]] += n[c]
        present[row[c]] += y[c]
        all_voted += n[c]
        all_present += y[c]
    for r in range(first, last):
        share = (present[r] + all_present / all_voted) / (voted[r] + 1)
        room.there[2, r] = voted[r] * share * (1 - share)


@inlined
def take_curvature(blocks: Terms, t: int, rows: Floats, out: Floats) -> None:
    """Take the curvature of rows from others."""
    for r in range(blocks.row_start[t], blocks.row_start[t + 1]):
        out[2, r] = rows[2, r]


@inlined
def precision_by_column(effects: Effects, terms: Terms, out: Floats) -> None:
    """Fill in the precision of the effects of each column around the common one."""
    for t in range(len(effects.scale)):
        for b in range(terms.column_start[t], terms.column_start[t + 1]):
            out[b] = 1 / effects.scale[t] ** 2
