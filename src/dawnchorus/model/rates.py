"""Rates: draws of probabilities given successes and failures."""

from __future__ import annotations

import numpy as np

from ..common.compiled import compiled
from ..common.ragged import Floats, Ints

LEAST = 1e-12
"""Shapes are no smaller."""
FEW, MANY = 3, 19
"""How many candidates an overrelaxed draw chooses among: of any rate, and of one that holds others fast."""


def draw_rates(rng: np.random.Generator, a: Floats, b: Floats) -> Floats:
    """Draw from Beta distributions; shapes may be tiny."""
    return rng.beta(np.maximum(a, LEAST), np.maximum(b, LEAST))


def overrelaxed_rates(
    rng: np.random.Generator, now: Floats, a: Floats, b: Floats, candidates: Ints | int
) -> Floats:
    """Draw from Beta distributions, on the other side of the median from where the rates are now.

    Several candidates are drawn and sorted together with the present value, and the one as far from the
    bottom as that is from the top comes next (ordered overrelaxation; Neal 1998). This leaves the
    distribution as it is, and chains that creep because rates and presence hold each other move faster.

    >>> now, shapes = np.array([0.01, 0.99]), np.array([5.0, 5.0])
    >>> overrelaxed_rates(np.random.default_rng(1), now, shapes, shapes, candidates=9) > 0.5
    array([ True, False])
    """
    return _overrelaxed(rng, now, a, b, np.broadcast_to(candidates, now.shape))


@compiled
def _overrelaxed(rng: np.random.Generator, now: Floats, a: Floats, b: Floats, candidates: Ints) -> Floats:
    chosen = np.empty(len(now))
    ordered = np.empty(candidates.max() + 1)
    for p in range(len(now)):
        ordered[0] = now[p]
        place = 0  # of the present value among those so far, which are in order
        for i in range(1, candidates[p] + 1):
            new = rng.beta(max(a[p], LEAST), max(b[p], LEAST))
            at = i
            while at > 0 and ordered[at - 1] > new:
                ordered[at] = ordered[at - 1]
                at -= 1
            ordered[at] = new
            place += at <= place
        chosen[p] = ordered[candidates[p] - place]
    return chosen
