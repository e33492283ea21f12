"""Intervals: between which values a share of the draws lies. One default for all."""

from __future__ import annotations

import numpy as np

from .errors import AnnotationError
from .ragged import Floats

LEVEL = 0.9
"""Nine of ten draws lie inside, one half of the rest on either side."""


def quantiles_of(level: float) -> tuple[float, float]:
    """Return the lower and the upper quantile of an interval of this level.

    >>> [round(q, 3) for q in quantiles_of(0.9)]
    [0.05, 0.95]
    """
    if not 0 < level < 1:
        raise AnnotationError(
            f"level is {level!r}; it is the share of draws inside an interval", "give a number such as 0.9"
        )
    return (1 - level) / 2, (1 + level) / 2


def interval(draws: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return the lower and the upper end of the interval over the first axis."""
    low, high = np.quantile(draws, quantiles_of(level), axis=0)
    return low, high
