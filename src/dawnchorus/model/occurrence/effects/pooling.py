"""Common effects and scales: what species share, and what rare species borrow from.

Given the effects e[k, b] of all species,

    common[b] ~ Normal,    scale ~ slice step on its logarithm,

each from its conditional. Where presence says little about single species, these hardly move, so both move
again together with the effects (interweaving; Yu and Meng 2011). `shift_common` moves common effects and the
effects of all species by the same amount, `stretch_scale` a scale with all (e − common) / scale held fixed.
Species that are not up in this sweep stay where they are, and count by their prior.

A term whose columns can sum to a constant, such as levels, competes with the intercept. `slide` moves as much
as the prior allows from one to the other, which changes no log-odds.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats
from ...lookups import accepted
from .counts import Given, count_one
from .moves import accept_moves, move_rows, propose_moves, stand_still
from .species import Chosen, Room, clear_rows, draw_effects, make_room, weigh_rows
from .terms import Effects, Pool, Terms, multiply_odds

NARROW, WIDE = 0.03, 3.0
"""Steps of the logarithm of a scale: of every size between these."""



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
    """Draw scales, in place, given effects: a slice step on the logarithm of each (Neal 2003)."""
    effect, common, scale = effects
    for t in range(len(scale)):
        low, high = terms.column_start[t], terms.column_start[t + 1]
        squares, count = 0.0, len(effect) * (high - low)
        for k in range(len(effect)):
            for b in range(low, high):
                squares += (effect[k, b] - common[b]) ** 2
        at, width = math.log(scale[t]), 2 / math.sqrt(2 * count + 1)
        height = _scale_density(at, squares, count, pool.scale[t]) - rng.standard_exponential()
        bottom = at - width * rng.random()
        top = bottom + width
        while _scale_density(bottom, squares, count, pool.scale[t]) > height:
            bottom -= width
        while _scale_density(top, squares, count, pool.scale[t]) > height:
            top += width
        while True:
            new = bottom + (top - bottom) * rng.random()
            if _scale_density(new, squares, count, pool.scale[t]) >= height:
                break
            if new < at:
                bottom = new
            else:
                top = new
        scale[t] = math.exp(new)


@inlined
def _scale_density(log_scale: float, squares: float, count: int, prior: float) -> float:
    """Return the log density of the logarithm of a scale, under a half-normal prior."""
    variance = math.exp(2 * log_scale)
    return (1 - count) * log_scale - 0.5 * squares / variance - 0.5 * variance / prior**2


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
    """Move the common effects of a term with those of the species that are up; return the share accepted."""
    effect, common, scale = effects
    terms, pool, moves, row = given.terms, given.pool, room.moves, given.terms.row[t]
    low, high = terms.column_start[t], terms.column_start[t + 1]
    for b in range(low, high):
        moves.precision[b] = 1 / pool.sd[b] ** 2
        moves.pull[b] = (pool.mean[b] - common[b]) / pool.sd[b] ** 2
        for k in range(len(effect)):
            if not chosen.up[k]:
                moves.precision[b] += 1 / scale[t] ** 2
                moves.pull[b] += (effect[k, b] - common[b]) / scale[t] ** 2
    stand_still(terms, t, moves)
    for both in range(2):
        rows = room.new if both else room.now
        clear_rows(terms, t, rows)
        for s in range(len(chosen.species)):
            count_one(chosen.species[s], given, room.n, room.y)
            weigh_rows(row, chosen.odds[s], moves, room.n, room.y, rows)
        if not both:
            propose_moves(rng, terms, t, room.now, moves)
    share = accept_moves(rng, terms, t, room.now, room.new, moves)
    for b in range(low, high):
        common[b] += moves.column[b]
    for s in range(len(chosen.species)):
        for b in range(low, high):
            effect[chosen.species[s], b] += moves.column[b]
        multiply_odds(row, moves.times, chosen.odds[s])
    return share


@compiled
def stretch_scale(
    rng: np.random.Generator, effects: Effects, given: Given, t: int, chosen: Chosen, room: Room
) -> bool:
    """Move the scale of a term with the effects on the species that are up; return whether it has moved.

    The size of a step is drawn too, so that some are right wherever the scale is.
    """
    effect, common, scale = effects
    terms, pool, moves, row = given.terms, given.pool, room.moves, given.terms.row[t]
    low, high = terms.column_start[t], terms.column_start[t + 1]
    width = NARROW * (WIDE / NARROW) ** rng.random()
    move = width * rng.standard_normal()
    times, new = math.exp(move), scale[t] * math.exp(move)
    gain = move - 0.5 * (new**2 - scale[t] ** 2) / pool.scale[t] ** 2
    squares, count = 0.0, 0
    for k in range(len(effect)):
        if not chosen.up[k]:
            for b in range(low, high):
                squares += (effect[k, b] - common[b]) ** 2
                count += 1
    gain -= count * move + 0.5 * squares * (1 / new**2 - 1 / scale[t] ** 2)
    clear_rows(terms, t, room.now)
    clear_rows(terms, t, room.new)
    for s in range(len(chosen.species)):
        k = chosen.species[s]
        count_one(k, given, room.n, room.y)
        stand_still(terms, t, moves)
        weigh_rows(row, chosen.odds[s], moves, room.n, room.y, room.now)
        _stretched(effect[k], common, terms, t, times, room)
        weigh_rows(row, chosen.odds[s], moves, room.n, room.y, room.new)
    for r in range(terms.row_start[t], terms.row_start[t + 1]):
        gain += room.new[0, r] - room.now[0, r]
    if not accepted(rng, gain):
        return False
    for s in range(len(chosen.species)):
        k = chosen.species[s]
        _stretched(effect[k], common, terms, t, times, room)
        for b in range(low, high):
            effect[k, b] += moves.column[b]
        multiply_odds(row, moves.times, chosen.odds[s])
    scale[t] = new
    return True


@inlined
def _stretched(effect: Floats, common: Floats, terms: Terms, t: int, times: float, room: Room) -> None:
    """Fill in the moves of the effects on a species if their distance from the common ones is multiplied."""
    for b in range(terms.column_start[t], terms.column_start[t + 1]):
        room.moves.column[b] = (times - 1) * (effect[b] - common[b])
    move_rows(terms, t, room.moves)


@compiled
def update(rng: np.random.Generator, effects: Effects, given: Given, turns: int) -> tuple[float, float, float]:
    """Draw everything once, in place; return the shares of effects, shifts and stretches accepted.

    One in `turns` species has its turn, and one term, drawn at random, is shifted and stretched.
    """
    terms, pool, n = given.terms, given.pool, len(effects.effect)
    first = int(rng.random() * turns)
    species, up = np.arange(first, n, turns), np.zeros(n, np.bool_)
    up[species] = True
    chosen = Chosen(species, up, np.empty((len(species), terms.row.shape[1])))
    room = make_room(terms)
    moved = draw_effects(rng, effects, given, chosen, room)
    t = int(rng.random() * len(effects.scale))
    shifted = shift_common(rng, effects, given, t, chosen, room)
    stretched = stretch_scale(rng, effects, given, t, chosen, room)
    for t in range(1, len(effects.scale)):
        slide(rng, effects, terms, t, pool)
    draw_common(rng, effects, terms, pool)
    draw_scales(rng, effects, terms, pool)
    return moved, shifted, 1.0 if stretched else 0.0
