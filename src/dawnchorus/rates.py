"""Rates: draws of probabilities given successes and failures."""

from __future__ import annotations

import numpy as np

from .ragged import Floats

OTHERS = 7
"""An overrelaxed draw chooses among so many candidates."""


def draw_rates(rng: np.random.Generator, a: Floats, b: Floats) -> Floats:
    """Draw from Beta distributions; shapes may be tiny."""
    return rng.beta(np.maximum(a, 1e-12), np.maximum(b, 1e-12))


def overrelaxed_rates(rng: np.random.Generator, now: Floats, a: Floats, b: Floats) -> Floats:
    """Draw from Beta distributions, on the other side of the median from where the rates are now.

    Several candidates are drawn and sorted together with the present value, and the one as far from the
    bottom as that is from the top comes next (ordered overrelaxation; Neal 1998). This leaves the
    distribution as it is, and chains that creep because rates and presence hold each other move faster.

    >>> now, shapes = np.array([0.01, 0.99]), np.array([5.0, 5.0])
    >>> overrelaxed_rates(np.random.default_rng(1), now, shapes, shapes) > 0.5
    array([ True, False])
    """
    shape = (OTHERS, *np.shape(now))
    drawn = draw_rates(rng, np.broadcast_to(a, shape), np.broadcast_to(b, shape))
    below = (drawn < now).sum(axis=0)
    drawn.sort(axis=0)
    # With the present value in place `below` of all in order, the opposite place is OTHERS − below.
    opposite = OTHERS - below
    place = opposite - (opposite > below)
    chosen = np.take_along_axis(drawn, np.minimum(place, OTHERS - 1)[None], axis=0)[0]
    return np.where(opposite == below, now, chosen)
