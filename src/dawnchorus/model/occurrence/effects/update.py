"""One update of all effects, common effects and scales, given presence."""

from __future__ import annotations

import numpy as np

from ....common.compiled import compiled
from .counts import Given
from .pooling import draw_common, draw_scales, shift_common, slide
from .species import Chosen, draw_effects, make_room
from .stretching import stretch_scale
from .terms import Effects

MOST_ROUNDS = 4
WORK = 40_000
"""So many blocks and scales are moved with effects in a sweep; where contexts × species are many, WORK over
these, on average."""


@compiled
def update(
    rng: np.random.Generator, effects: Effects, given: Given, turns: int
) -> tuple[float, float, float]:
    """Draw everything once, in place; return the shares of effects, shifts and stretches accepted.

    One in `turns` species has its turn. One block and the scale of one term, drawn at random, are moved with
    effects; where contexts and species are few, several are, one after the other.
    """
    terms, pool, n = given.terms, given.pool, len(effects.effect)
    first = int(rng.random() * turns)
    species, up = np.arange(first, n, turns), np.zeros(n, np.bool_)
    up[species] = True
    chosen = Chosen(species, up, np.empty((len(species), terms.row.shape[1])))
    room = make_room(given)
    moved = draw_effects(rng, effects, given, chosen, room)
    rounds = min(MOST_ROUNDS, int(WORK / max(chosen.odds.size, 1) + rng.random()))
    shifted, stretched = 0.0, 0.0
    for _ in range(rounds):
        t = int(rng.random() * len(given.blocks.levels))
        shifted += shift_common(rng, effects, given, t, chosen, room)
        t = int(rng.random() * len(effects.scale))
        stretched += stretch_scale(rng, effects, given, t, chosen, room)
    for t in range(1, len(effects.scale)):
        slide(rng, effects, terms, t, pool)
    draw_common(rng, effects, terms, pool)
    draw_scales(rng, effects, terms, pool)
    if rounds == 0:
        return moved, np.nan, np.nan
    return moved, shifted / rounds, stretched / rounds
