"""Common effects and scales: what species share, and what rare species borrow from.

Given the effects e[k, b] of all species,

    common[b] ~ Normal,    scale ~ slice step on its logarithm,

each from its conditional. Where presence says little about single species, these hardly move, so both move
again together with the effects (interweaving; Yu and Meng 2011). `shift_common` moves common effects and the
effects of all species by the same amount; for scales see stretching.py. Species whose turn it is not stay
where they are, and count by their prior.

A term whose columns can sum to a constant, such as levels, competes with the intercept. `slide` moves as much
as the prior allows from one to the other, which changes no log-odds.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled
from ...spreads import half_normal_spread
from .counts import Given
from .moves import accept_moves, propose_moves, stand_still
from .species import Chosen, Room, clear_rows, precision_by_column, take_votes, weigh_rows
from .terms import Effects, Pool, Terms, multiply_odds


@compiled
def draw_common(rng: np.random.Generator, effects: Effects, terms: Terms, pool: Pool) -> None:
    """Draw common effects, in place, given the effects of all species."""
    effect, common, scale = effects
    for t in range(len(scale)):
        for b in range(terms.column_start[t], terms.column_start[t + 1]):
            total = 0.0
            for k in range(len(effect)):
                total += effect[k, b]
            precision = 1 / pool.sd[b] ** 2 + len(effect) / scale[t] ** 2
            centre = (pool.mean[b] / pool.sd[b] ** 2 + total / scale[t] ** 2) / precision
            common[b] = centre + rng.standard_normal() / math.sqrt(precision)


@compiled
def draw_scales(rng: np.random.Generator, effects: Effects, terms: Terms, pool: Pool) -> None:
    """Draw scales, in place, given effects."""
    effect, common, scale = effects
    for t in range(len(scale)):
        low, high = terms.column_start[t], terms.column_start[t + 1]
        squares, count = 0.0, len(effect) * (high - low)
        for k in range(len(effect)):
            for b in range(low, high):
                squares += (effect[k, b] - common[b]) ** 2
        scale[t] = half_normal_spread(rng, scale[t], squares, count, pool.scale[t])


@compiled
def slide(rng: np.random.Generator, effects: Effects, terms: Terms, t: int, pool: Pool) -> None:
    """Move from effects of a term to intercepts, in place, so that no log-odds change.

    First for each species alone, then for all together with the common effects.
    """
    effect, common, scale = effects
    low, high, part = terms.column_start[t], terms.column_start[t + 1], terms.constant
    squares, prior_squares = 0.0, 0.0
    for b in range(low, high):
        squares += part[b] ** 2
        prior_squares += (part[b] / pool.sd[b]) ** 2
    if squares == 0:
        return
    precision = 1 / scale[0] ** 2 + squares / scale[t] ** 2
    for k in range(len(effect)):
        pull = (common[0] - effect[k, 0]) / scale[0] ** 2
        for b in range(low, high):
            pull += part[b] * (effect[k, b] - common[b]) / scale[t] ** 2
        move = pull / precision + rng.standard_normal() / math.sqrt(precision)
        effect[k, 0] += move
        for b in range(low, high):
            effect[k, b] -= part[b] * move
    precision = 1 / pool.sd[0] ** 2 + prior_squares
    pull = (pool.mean[0] - common[0]) / pool.sd[0] ** 2
    for b in range(low, high):
        pull += part[b] * (common[b] - pool.mean[b]) / pool.sd[b] ** 2
    move = pull / precision + rng.standard_normal() / math.sqrt(precision)
    common[0] += move
    for b in range(low, high):
        common[b] -= part[b] * move
    for k in range(len(effect)):
        effect[k, 0] += move
        for b in range(low, high):
            effect[k, b] -= part[b] * move


@compiled
def shift_common(
    rng: np.random.Generator, effects: Effects, given: Given, t: int, chosen: Chosen, room: Room
) -> float:
    """Move the common effects of a block with those on the chosen species; return the share accepted."""
    effect, common, _ = effects
    blocks, pool, moves = given.blocks, given.pool, room.moves
    low, high, row = blocks.column_start[t], blocks.column_start[t + 1], blocks.row[t]
    precision_by_column(effects, given.terms, moves.precision)
    for b in range(low, high):
        precision, total = moves.precision[b], 1 / pool.sd[b] ** 2
        moves.pull[b] = (pool.mean[b] - common[b]) / pool.sd[b] ** 2
        for k in range(len(effect)):
            if not chosen.up[k]:
                total += precision
                moves.pull[b] += (effect[k, b] - common[b]) * precision
        moves.precision[b] = total
    stand_still(blocks, t, moves)
    for both in range(2):
        rows = room.new if both else room.now
        clear_rows(blocks, t, rows)
        for s in range(len(chosen.species)):
            take_votes(s, chosen.species[s], given, room)
            weigh_rows(row, chosen.odds[s], moves, room, rows)
        if not both:
            propose_moves(rng, blocks, t, room.now, moves)
    share = accept_moves(rng, blocks, t, room.now, room.new, moves, False)
    for b in range(low, high):
        common[b] += moves.column[b]
    for s in range(len(chosen.species)):
        for b in range(low, high):
            effect[chosen.species[s], b] += moves.column[b]
        multiply_odds(row, moves.times, chosen.odds[s])
    return share
