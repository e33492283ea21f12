"""Given: distributions of which all numbers are given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv, expit, gammaincinv, logit, ndtri, polygamma

from ...common.checked import is_finite
from ...common.errors import AnnotationError

RANGE = np.array([0.05, 0.95])
"""The quantiles between which 90 % of a prior lies."""


def need(holds: bool, what: str, reason: str) -> None:
    """Raise an error that says why this is no prior, unless what is needed holds."""
    if not holds:
        raise AnnotationError(f"{what} is no possible prior: {reason}", "change it")


def positive(*values: Any) -> bool:
    """Return whether all are finite numbers above 0."""
    return is_finite(*values) and all(value > 0 for value in values)


def _tidy(number: float) -> float:
    """Return a number without rounding errors of multiplication."""
    return float(f"{number:.12g}")


@dataclass(frozen=True)
class Beta:
    """A Beta distribution: the prior of a probability, as if `a` successes and `b` failures had been seen.

    Parameters
    ----------
    a, b
        The shapes, both above 0. The mean is a / (a + b), and a + b is how many trials the prior weighs.

    Raises
    ------
    AnnotationError
        If a shape is not above 0.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.Beta(8, 2))
    Beta(8, 2): mean 0.8, 90 % between 0.571 and 0.959
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        need(positive(self.a, self.b), f"Beta({self.a!r}, {self.b!r})", "both numbers have to be above 0")

    @classmethod
    def around(cls, mean: float, strength: float) -> Beta:
        """Return the prior with this mean that weighs as much as `strength` trials.

        Parameters
        ----------
        mean
            The expected probability, between 0 and 1.
        strength
            How many trials the prior counts for: a + b.

        Returns
        -------
        Beta

        Raises
        ------
        AnnotationError
            If the mean is not between 0 and 1, or the strength not above 0.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> dc.Beta.around(0.9, 50)
        Beta(a=45.0, b=5.0)
        """
        inside = is_finite(mean) and 0 < mean < 1
        need(inside, f"a typical probability of {mean!r}", "it lies between 0 and 1, both excluded")
        need(positive(strength), f"a strength of {strength!r} trials", "it has to be above 0")
        return cls(_tidy(mean * strength), _tidy((1 - mean) * strength))

    @property
    def mean(self) -> float:
        """The expected probability."""
        return self.a / (self.a + self.b)

    def quantiles(self, share: Any) -> Any:
        """Return the quantiles of the probability at these shares, numbers between 0 and 1.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> dc.Beta(1, 1).quantiles([0.25, 0.75])
        array([0.25, 0.75])
        """
        return betaincinv(self.a, self.b, share)

    def on_logits(self) -> Normal:
        """Return a normal prior of the logit, with about the same belief.

        Its mean is the logit of this prior's mean, and its standard deviation that of the logit of a
        probability with this prior, √(ψ′(a) + ψ′(b)) with the trigamma function ψ′.
        """
        sd = math.sqrt(polygamma(1, self.a) + polygamma(1, self.b))
        return Normal(float(logit(self.mean)), sd)

    def __str__(self) -> str:
        low, high = self.quantiles(RANGE)
        return f"Beta({self.a:g}, {self.b:g}): mean {self.mean:.4g}, 90 % between {low:.3g} and {high:.3g}"


@dataclass(frozen=True)
class Normal:
    """A normal distribution: the prior of a rate on the logit scale, log(p / (1 − p)).

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of the logit.

    Raises
    ------
    AnnotationError
        If the mean is not finite, or the standard deviation not above 0.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.Normal(2.2, 0.5))
    Normal(2.2, 0.5) of the logit: median 0.9002, 90 % between 0.799 and 0.954
    """

    mean: float
    sd: float

    def __post_init__(self) -> None:
        need(is_finite(self.mean), f"a mean logit of {self.mean!r}", "it has to be a finite number")
        shown = f"Normal({self.mean!r}, {self.sd!r})"
        need(positive(self.sd), shown, "the standard deviation has to be above 0")

    def quantiles(self, share: Any) -> Any:
        """Return the quantiles of the probability, not of the logit, at these shares."""
        return expit(self.mean + self.sd * ndtri(share))

    def __str__(self) -> str:
        middle = expit(self.mean)
        low, high = self.quantiles(RANGE)
        shown = f"Normal({self.mean:.3g}, {self.sd:.3g}) of the logit"
        return f"{shown}: median {middle:.4g}, 90 % between {low:.3g} and {high:.3g}"


@dataclass(frozen=True)
class HalfNormal:
    """A half-normal distribution: the prior of a spread on the logit scale, |x| with x ~ Normal(0, scale²).

    Parameters
    ----------
    scale
        The spread is below it with probability 0.68, and below twice as much with probability 0.95.

    Raises
    ------
    AnnotationError
        If the scale is not above 0.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.HalfNormal(2))
    HalfNormal(2): 90 % between 0.125 and 3.92
    """

    scale: float

    def __post_init__(self) -> None:
        need(positive(self.scale), f"HalfNormal({self.scale!r})", "the scale has to be above 0")

    def quantiles(self, share: Any) -> Any:
        """Return the quantiles of the spread at these shares."""
        return self.scale * ndtri((1 + np.asarray(share)) / 2)

    def __str__(self) -> str:
        low, high = self.quantiles(RANGE)
        return f"HalfNormal({self.scale:g}): 90 % between {low:.3g} and {high:.3g}"


@dataclass(frozen=True)
class HalfNormalForMost:
    """The prior of a spread for most annotators, half-normal; a few others have even rates.

    It is for false positive rates: somebody who reports at random has a high rate, about the same for all
    species.

    Parameters
    ----------
    scale
        Of the half-normal distribution.
    even
        The expected share of annotators whose rates hardly differ between species.
    times
        What their spread is multiplied by.
    higher
        By how much higher their levels are expected to be, as logits.

    Raises
    ------
    AnnotationError
        If the scale is not above 0, `even` or `times` not between 0 and 1, or `higher` not finite.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.HalfNormalForMost(2))
    HalfNormal(2): 90 % between 0.125 and 3.92; for 5 % of annotators 0.1 times that, odds 33.1 times as high
    """

    scale: float
    even: float = 0.05
    times: float = 0.1
    higher: float = 3.5

    def __post_init__(self) -> None:
        need(positive(self.scale), f"HalfNormalForMost({self.scale!r})", "the scale has to be above 0")
        for name, value in (("even", self.even), ("times", self.times)):
            inside = is_finite(value) and 0 < value < 1
            need(inside, f"HalfNormalForMost with {name}={value!r}", "it lies between 0 and 1, both excluded")
        shown = f"HalfNormalForMost with higher={self.higher!r}"
        need(is_finite(self.higher), shown, "it has to be a finite number")

    @property
    def of_most(self) -> HalfNormal:
        """The prior for most annotators."""
        return HalfNormal(self.scale)

    def quantiles(self, share: Any) -> Any:
        """Return the quantiles, at these shares, of the spread of most annotators."""
        return self.of_most.quantiles(share)

    def __str__(self) -> str:
        others = f"for {100 * self.even:.3g} % of annotators {self.times:g} times that"
        return f"{self.of_most}; {others}, odds {math.exp(self.higher):.3g} times as high"


@dataclass(frozen=True)
class Gamma:
    """A gamma distribution: the prior of a positive number, here of the concentration.

    Parameters
    ----------
    shape, rate
        Both above 0; the mean is shape / rate.

    Raises
    ------
    AnnotationError
        If one of them is not above 0.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.Gamma(2, 1))
    Gamma(2, 1): mean 2, 90 % between 0.355 and 4.74
    """

    shape: float
    rate: float

    def __post_init__(self) -> None:
        shown = f"Gamma({self.shape!r}, {self.rate!r})"
        need(positive(self.shape, self.rate), shown, "both have to be above 0")

    def quantiles(self, share: Any) -> Any:
        """Return the quantiles of the number at these shares."""
        return gammaincinv(self.shape, share) / self.rate

    def __str__(self) -> str:
        low, high = self.quantiles(RANGE)
        mean = self.shape / self.rate
        return f"Gamma({self.shape:g}, {self.rate:g}): mean {mean:.3g}, 90 % between {low:.3g} and {high:.3g}"
