"""Learned: distributions of which centre and width are themselves learned from the data.

A `LearnedBeta` is Beta(a, b) with a = strength · mean and b = strength · (1 − mean), where

    logit(mean) ~ Normal(logit(centre), width²),   log(strength) ~ Normal(log(guess), log(factor)²).

A `LearnedNormal` is Normal(mean, sd²) with mean ~ Normal(centre, width²) and sd ~ half-normal(spread).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri

from ...common.checked import is_finite
from .given import RANGE, need, positive

SAMPLES = (np.arange(2000) + 0.5) / 2000


@dataclass(frozen=True)
class LearnedBeta:
    """A prior of probabilities, of which mean and strength are learned from the data.

    Parameters
    ----------
    centre
        The mean that one would guess, between 0 and 1.
    width
        How far off that guess may be: a standard deviation on the logit scale. With 1.5, the odds may well be
        twenty times as large or as small.
    strength
        The strength that one would guess: how many trials the prior weighs.
    factor
        How far off that guess may be: by this factor, or more with a probability of one third.

    Raises
    ------
    AnnotationError
        If a number cannot be part of a prior.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.LearnedBeta(0.02))
    learned from the data: mean about 0.02 (90 % between 0.00173 and 0.194), worth about 10 trials
    """

    centre: float
    width: float = 1.5
    strength: float = 10
    factor: float = 4

    def __post_init__(self) -> None:
        inside = is_finite(self.centre) and 0 < self.centre < 1
        need(inside, f"a typical probability of {self.centre!r}", "it lies between 0 and 1, both excluded")
        need(positive(self.width), f"a width of {self.width!r}", "it has to be above 0")
        need(positive(self.strength), f"a strength of {self.strength!r} trials", "it has to be above 0")
        need(
            positive(self.factor) and self.factor > 1, f"a factor of {self.factor!r}", "it has to be above 1"
        )

    @property
    def mean(self) -> float:
        """The probability that one would guess."""
        return self.centre

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """Mean and standard deviation of logit(mean), then of log(strength), for kernels."""
        return float(logit(self.centre)), self.width, math.log(self.strength), math.log(self.factor)

    def quantiles(self, share: Any) -> Any:
        """Return about the quantiles of a probability at these shares, with mean and strength unknown."""
        rng = np.random.default_rng(0)
        mean = expit(logit(self.centre) + self.width * ndtri(rng.permutation(SAMPLES)))
        strength = self.strength * self.factor ** ndtri(rng.permutation(SAMPLES))
        return np.quantile(rng.beta(mean * strength, (1 - mean) * strength), share)

    def __str__(self) -> str:
        low, high = expit(logit(self.centre) + self.width * ndtri(RANGE))
        shown = f"mean about {self.centre:.4g} (90 % between {low:.3g} and {high:.3g})"
        return f"learned from the data: {shown}, worth about {self.strength:g} trials"


@dataclass(frozen=True)
class LearnedNormal:
    """A prior of levels on the logit scale, of which mean and standard deviation are learned from the data.

    Parameters
    ----------
    centre
        The mean logit that one would guess.
    width
        How far off that guess may be: a standard deviation.
    spread
        How much levels may differ: the scale of a half-normal prior of their standard deviation.
    uneven
        How much annotators may differ in how far their rates for single species are from their level: the
        standard deviation of the logarithm of that spread. With 0, it is the same for all.

    Raises
    ------
    AnnotationError
        If the centre is not finite, or one of the others too small.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.LearnedNormal(1.4, 1))
    learned from the data: typical rate about 0.8022 (90 % between 0.439 and 0.955)
    """

    centre: float
    width: float = 1.5
    spread: float = 1.0
    uneven: float = 0.7

    def __post_init__(self) -> None:
        need(is_finite(self.centre), f"a mean logit of {self.centre!r}", "it has to be a finite number")
        need(positive(self.width), f"a width of {self.width!r}", "it has to be above 0")
        need(positive(self.spread), f"a spread of {self.spread!r}", "it has to be above 0")
        fine = is_finite(self.uneven) and self.uneven >= 0
        need(fine, f"unevenness of {self.uneven!r}", "it has to be 0 or more")

    def quantiles(self, share: Any) -> Any:
        """Return about the quantiles of the probability at these shares, with mean and sd unknown."""
        rng = np.random.default_rng(0)
        mean, sd, each = (ndtri(rng.permutation(SAMPLES)) for _ in range(3))
        return np.quantile(expit(self.centre + self.width * mean + self.spread * np.abs(sd) * each), share)

    def __str__(self) -> str:
        low, high = expit(self.centre + self.width * ndtri(RANGE))
        shown = f"typical rate about {expit(self.centre):.4g} (90 % between {low:.3g} and {high:.3g})"
        return f"learned from the data: {shown}"
