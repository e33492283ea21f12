"""A scale moves together with the effects on species, each as far as presence lets it.

Given everything else, the effects e of a term on a species are about normal, with precision H and mean
common + step, where H and step are those of Newton's step from the common effects (moves.py). With
H = L·Lᵀ, the scale moves with

    z = Lᵀ·(e − common − step)

held fixed (partial non-centring; Papaspiliopoulos, Roberts and Sköld 2007). Were effects truly normal, the
scale would be drawn as if they were all summed out, so that it moves freely near zero too. Effects that
presence determines hardly move. On the scale of t = log scale, for given z, the log density is

    Σ_species (log likelihood − m·t − |e − common|² / (2·scale²) − log det L) + t + log prior(scale),

m being the number of effects of the term, and log det L the part of de / dz. The step of t is a random one,
and its size is drawn too, so that some are right wherever the scale is.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats
from ...lookups import accepted
from .counts import Given
from .moves import (
    Moves,
    likelihoods_gained,
    move_rows,
    solve_transposed,
    stand_still,
    step_and_factor,
    times_transposed,
)
from .species import Chosen, Room, clear_rows, take_votes, weigh_rows
from .summed_out import ratios_gained
from .terms import Effects, Terms, multiply_odds

NARROW, WIDE = 0.04, 3.0
"""Steps of the logarithm of a scale: of every size between these."""
KNOWN = 12.0
"""But none is wider than this over the root of the number of effects. Of so many effects, a scale is known to
about 1 over that root, and to less if presence says little about each."""


@compiled
def stretch_scale(
    rng: np.random.Generator, effects: Effects, given: Given, t: int, chosen: Chosen, room: Room
) -> bool:
    """Move the scale of a term with the effects on the species whose turn it is; return whether it has."""
    effect, common, scale = effects
    terms, moves, row, now = given.terms, room.moves, given.terms.row[t], scale[t]
    low, high = terms.column_start[t], terms.column_start[t + 1]
    wide = min(WIDE, KNOWN / math.sqrt(len(effect) * (high - low)))
    narrow = min(NARROW, wide)
    move = narrow * (wide / narrow) ** rng.random() * rng.standard_normal()
    new = now * math.exp(move)
    squares, count = 0.0, 0
    for k in range(len(effect)):
        if not chosen.up[k]:
            for b in range(low, high):
                squares += (effect[k, b] - common[b]) ** 2
                count += 1
    gain = (1 - count) * move - 0.5 * squares * (1 / new**2 - 1 / now**2)
    gain -= 0.5 * (new**2 - now**2) / given.pool.scale[t] ** 2
    proposed = np.empty((len(chosen.species), high - low))
    clear_rows(terms, t, room.now)
    clear_rows(terms, t, room.new)
    for s in range(len(chosen.species)):
        k, odds = chosen.species[s], chosen.odds[s]
        take_votes(s, k, given, room)
        for b in range(low, high):
            moves.column[b] = common[b] - effect[k, b]
        move_rows(terms, t, moves)
        clear_rows(terms, t, room.there)
        weigh_rows(row, odds, moves, room, room.there)
        gain += _stretched(effect[k], common, now, new, terms, t, room.there, moves, proposed[s])
        for b in range(low, high):
            moves.column[b] = proposed[s, b - low] - effect[k, b]
        move_rows(terms, t, moves)
        if len(room.ratio) > 0:
            gain += ratios_gained(row, odds, moves.times, room.ratio, room.by_context)
            continue
        weigh_rows(row, odds, moves, room, room.new)
        stand_still(terms, t, moves)
        weigh_rows(row, odds, moves, room, room.now)
    gain += likelihoods_gained(room.now, room.new, terms.row_start[t], terms.row_start[t + 1])
    if not accepted(rng, gain):
        return False
    for s in range(len(chosen.species)):
        k = chosen.species[s]
        for b in range(low, high):
            moves.column[b] = proposed[s, b - low] - effect[k, b]
            effect[k, b] = proposed[s, b - low]
        move_rows(terms, t, moves)
        multiply_odds(row, moves.times, chosen.odds[s])
    scale[t] = new
    return True


@inlined
def _stretched(
    effect: Floats,
    common: Floats,
    now: float,
    new: float,
    terms: Terms,
    t: int,
    there: Floats,
    moves: Moves,
    proposed: Floats,
) -> float:
    """Fill in the effects on a species at the new scale; return what the log density gains, likelihood aside.

    `there` has slope and curvature by row where the effects are the common ones.
    """
    low, high = terms.column_start[t], terms.column_start[t + 1]
    z = moves.column
    log_factor = _at_scale(terms, t, there, now, moves)
    gain = log_factor - (high - low) * math.log(new / now)
    for b in range(low, high):
        z[b] = effect[b] - common[b] - moves.step[b]
        gain += 0.5 * (effect[b] - common[b]) ** 2 / now**2
    times_transposed(terms, t, moves)
    gain -= _at_scale(terms, t, there, new, moves)
    solve_transposed(terms, t, moves)
    for b in range(low, high):
        proposed[b - low] = common[b] + moves.step[b] + z[b]
        gain -= 0.5 * (proposed[b - low] - common[b]) ** 2 / new**2
    return gain


@inlined
def _at_scale(terms: Terms, t: int, there: Floats, scale: float, moves: Moves) -> float:
    """Fill in step and factor at a scale; return log det L."""
    for b in range(terms.column_start[t], terms.column_start[t + 1]):
        moves.pull[b], moves.precision[b] = 0.0, 1 / scale**2
    return step_and_factor(terms, t, there, moves)
