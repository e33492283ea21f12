"""Draws of what scores are like, given presence: sums of scores by side, machine and species, then each side.

A machine without a cut-off is drawn by whole.py, one with a cut-off by cut_off.py.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Bools, Floats, Ints
from .cut_off import draw_cut_off
from .pooling import Placed, State, Sums
from .whole import draw_whole


@compiled
def draw_given_presence(rng: np.random.Generator, state: State, there: Bools, placed: Placed) -> None:
    """Draw everything given presence in the cell of each scored report, in place."""
    sums = np.zeros((2, state.mean.shape[1], 3, state.mean.shape[2]))
    for v in range(len(placed.score)):
        of = sums[0 if there[v] else 1, placed.machine[v], :, placed.species[v]]
        of[0] += 1
        of[1] += placed.score[v]
        of[2] += placed.score[v] * placed.score[v]
    for m in range(state.mean.shape[1]):
        for side in range(2):
            mine = Sums(sums[side, m, 0], sums[side, m, 1], sums[side, m, 2])
            if placed.cut[m] == -math.inf:
                draw_whole(rng, state, mine, side, m)
            else:
                draw_cut_off(rng, state, mine, side, m, placed.cut[m])


@compiled
def log_factors(state: State, log_kept: Floats, placed: Placed, cell: Ints, cells: int) -> Floats:
    """Return for each cell the logarithm of P(its scores | present) / P(its scores | absent).

    `log_kept` has the logarithm of how much of each distribution is not cut off, as `state.mean` is laid out.
    """
    log = np.zeros(cells)
    for v in range(len(placed.score)):
        m, k, score = placed.machine[v], placed.species[v], placed.score[v]
        there, absent = state.precision[0, m, k], state.precision[1, m, k]
        near, far = score - state.mean[0, m, k], score - state.mean[1, m, k]
        log[cell[v]] += 0.5 * (math.log(there / absent) - there * near * near + absent * far * far)
        log[cell[v]] += log_kept[1, m, k] - log_kept[0, m, k]
    return log
