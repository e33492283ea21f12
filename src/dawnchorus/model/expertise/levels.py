"""Levels: mean and standard deviation of annotators' levels, where they are learned.

    level[j] ~ Normal(mean, sd²),   mean ~ Normal(centre, width²),   sd ~ half-normal(spread)

Given levels, this is the same problem as that of levels given logits: see logits.py.
"""

from __future__ import annotations

import numpy as np

from ...common.ragged import Floats
from ..distributions import LearnedNormal, Normal
from .logits import draw_levels, draw_spread
from .trials import Trials


def next_normal(
    rng: np.random.Generator, prior: Normal | LearnedNormal, among: Floats, level: Floats
) -> Floats:
    """Return mean and standard deviation of levels, drawn given these if they are learned."""
    if isinstance(prior, Normal):
        return among
    n, centre, same = len(level), among[:1].copy(), np.ones(1)
    one, nobody = np.ones(n, np.int64), np.zeros(n, np.int64)
    every = Trials(nobody, one, nobody, np.array([0, n]), np.empty(0))  # all count, whatever the votes
    sd = draw_spread(rng, level, every, centre, float(among[1]), same, prior.spread)
    draw_levels(rng, level, every, centre, sd, same, np.array([prior.centre], float), float(prior.width))
    return np.array([centre[0], sd])
