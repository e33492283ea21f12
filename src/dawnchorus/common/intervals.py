"""Equal-tailed credible intervals from posterior draws, with one default level for the whole package."""

from __future__ import annotations

import numpy as np

from .checked import is_number
from .errors import AnnotationError
from .ragged import Floats

LEVEL = 0.9
"""The default level: 90 % of the draws lie inside the interval, 5 % below it and 5 % above it."""


def quantiles_of(level: float) -> tuple[float, float]:
    """Return the two quantiles, (1 − level) / 2 and (1 + level) / 2, that bound an interval of this level.

    >>> [round(q, 3) for q in quantiles_of(0.9)]
    [0.05, 0.95]
    """
    if not (is_number(level) and 0 < level < 1):
        raise AnnotationError(
            f"level is {level!r}, but must be between 0 and 1", "give the share of draws inside, such as 0.9"
        )
    return (1 - level) / 2, (1 + level) / 2


def interval(draws: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return the lower and the upper bound of the equal-tailed interval over the first axis."""
    low, high = np.quantile(draws, quantiles_of(level), axis=0)
    return low, high
