"""Score ratios: what the scores of machines on a cell say of presence, over draws.

Each scored report multiplies the odds of presence by the ratio of two densities of its score, that where the
species is present and that where it is absent (../expertise/scored). They are normal, or cut off: divided by
how much of the normal distribution is not. All of them together multiply the odds of a cell by no more than
e^FARTHEST.
"""

from __future__ import annotations

import math

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints
from .cell_votes import CellScores
from .parameters import ScoreDraws
from .vote_ratios import Ratios

FARTHEST = 90.0
HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


@inlined
def _log_density(draws: ScoreDraws, side: int, draw: int, scores: CellScores, at: int) -> float:
    """Return the logarithm of the density of a score, but for the constant."""
    m, k = scores.machine[at], scores.species[at]
    sd = float(draws.sd[side, draw, m, k])
    away = (scores.score[at] - float(draws.mean[side, draw, m, k])) / sd
    return -0.5 * away * away - math.log(sd) - float(draws.log_kept[side, draw, m, k])


@compiled
def add_score_ratios(
    log: Floats, scores: CellScores, cell: int, ratios: Ratios, first: int, size: int
) -> None:
    """Add the logarithm of P(scores | present) / P(scores | absent) of a cell, if it has scores."""
    _add_ratios(log, scores, cell, ratios.scores, ratios.draws, first, size)


@compiled
def add_scores_absent(
    to: Floats, sign: float, scores: CellScores, cell: int, ratios: Ratios, first: int, size: int
) -> None:
    """Add (or with a sign of −1, subtract) the logarithm of P(scores | absent) of a cell."""
    _add_absent(to, sign, scores, cell, ratios.scores, ratios.draws, first, size)


# Without scores, `drawn` is None, and none of it is compiled.


@compiled
def _add_ratios(
    log: Floats, scores: CellScores, cell: int, drawn: ScoreDraws | None, draws: Ints, first: int, size: int
) -> None:
    if drawn is None:
        return
    if len(scores.start) == 0 or scores.start[cell] == scores.start[cell + 1]:
        return
    for d in range(size):
        draw, total = draws[first + d], 0.0
        for at in range(scores.start[cell], scores.start[cell + 1]):
            total += _log_density(drawn, 0, draw, scores, at)
            total -= _log_density(drawn, 1, draw, scores, at)
        log[d] += min(max(total, -FARTHEST), FARTHEST)


@compiled
def _add_absent(
    to: Floats,
    sign: float,
    scores: CellScores,
    cell: int,
    drawn: ScoreDraws | None,
    draws: Ints,
    first: int,
    size: int,
) -> None:
    if drawn is None:
        return
    if len(scores.start) == 0:
        return
    for at in range(scores.start[cell], scores.start[cell + 1]):
        for d in range(size):
            one = _log_density(drawn, 1, draws[first + d], scores, at)
            to[d] += sign * (one - HALF_LOG_TWO_PI)
