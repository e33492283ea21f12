"""One update of all effects, common effects and scales, given presence."""

from __future__ import annotations

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Ints
from .counts import Given
from .pooling import draw_common, draw_scales, shift_common, slide
from .species import Chosen, draw_effects, make_room
from .stretching import stretch_scale
from .terms import Effects


@compiled
def update(
    rng: np.random.Generator, effects: Effects, given: Given, species: Ints, rounds: int
) -> tuple[float, float, float]:
    """Draw everything once, in place; return the shares of effects, shifts and stretches accepted.

    These species have their turn. In every round, one block and the scale of one term, drawn at random, are
    moved with effects.
    """
    terms, pool, up = given.terms, given.pool, np.zeros(len(effects.effect), np.bool_)
    up[species] = True
    chosen = Chosen(species, up, np.empty((len(species), terms.row.shape[1])))
    room = make_room(given)
    moved = draw_effects(rng, effects, given, chosen, room)
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
