"""Log-odds of species: their prior given everything else, in the one form that all occurrences have.

    log density of x = a·log σ(x) + b·log σ(−x) − precision·(x − mean)² / 2

with σ the logistic function: a Beta distribution of the probability, seen as a logit, or a normal one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...common.compiled import compiled
from ...common.ragged import Floats


class LogOdds(NamedTuple):
    """Log-odds of some species, and their prior."""

    at: Floats
    a: Floats
    b: Floats
    mean: Floats
    precision: Floats


@compiled
def log_odds_density(odds: LogOdds, step: Floats, slope: Floats) -> float:
    """Return the log density of log-odds after a step each, and set its slopes."""
    total = 0.0
    for k in range(len(step)):
        x = odds.at[k] + step[k]
        less = math.log1p(math.exp(-abs(x)))
        p, away = 1 / (1 + math.exp(-x)), x - odds.mean[k]
        total += odds.a[k] * (min(x, 0.0) - less) - odds.b[k] * (max(x, 0.0) + less)
        total -= 0.5 * odds.precision[k] * away * away
        slope[k] = odds.a[k] * (1 - p) - odds.b[k] * p - odds.precision[k] * away
    return total
