"""Priors: what is believed before any vote is seen. They are explicit, checked, and printed in words.

>>> import dawnchorus as dc
>>> priors = dc.Priors.expecting(species_per_recording=3, n_species=120, tpr=0.85, fpr=0.005)
>>> print(priors.occurrence)
Beta(2, 78): mean 0.025, 90 % between 0.00452 and 0.0586
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
from scipy.special import betaincinv, expit, gammaincinv, logit, ndtri, polygamma

from ..common.errors import AnnotationError

SPECIES_PER_RECORDING = 3.0
SIGHTINGS = 2.0
MOST_RECORDINGS = 100.0
"""By default, the prior of occurrence weighs as much as the recordings that hold a species twice, if not more
than MOST_RECORDINGS."""
RANGE = np.array([0.05, 0.95])
"""The quantiles between which 90 % of a prior lies."""


def _need(holds: bool, what: str, reason: str) -> None:
    if not holds:
        raise AnnotationError(f"{what} is no possible prior: {reason}", "change it")


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
        _need(self.a > 0 and self.b > 0, f"Beta({self.a}, {self.b})", "both numbers have to be above 0")

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
        _need(0 < mean < 1, f"a typical probability of {mean}", "it lies between 0 and 1, both excluded")
        _need(strength > 0, f"a strength of {strength} trials", "it has to be above 0")
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
        _need(math.isfinite(self.mean), f"a mean logit of {self.mean}", "it has to be a finite number")
        _need(self.sd > 0, f"Normal({self.mean}, {self.sd})", "the standard deviation has to be above 0")

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
        _need(self.scale > 0, f"HalfNormal({self.scale})", "the scale has to be above 0")

    def quantiles(self, share: Any) -> Any:
        """Return the quantiles of the spread at these shares."""
        return self.scale * ndtri((1 + np.asarray(share)) / 2)

    def __str__(self) -> str:
        low, high = self.quantiles(RANGE)
        return f"HalfNormal({self.scale:g}): 90 % between {low:.3g} and {high:.3g}"


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
        _need(
            self.shape > 0 and self.rate > 0, f"Gamma({self.shape}, {self.rate})", "both have to be above 0"
        )

    def quantiles(self, share: Any) -> Any:
        """Return the quantiles of the number at these shares."""
        return gammaincinv(self.shape, share) / self.rate

    def __str__(self) -> str:
        low, high = self.quantiles(RANGE)
        mean = self.shape / self.rate
        return f"Gamma({self.shape:g}, {self.rate:g}): mean {mean:.3g}, 90 % between {low:.3g} and {high:.3g}"


Prior = Beta | Normal | HalfNormal | Gamma | int
"""The prior of one quantity; a whole number is taken as known."""


@dataclass(frozen=True)
class Priors:
    """The priors of all quantities; each model uses those that it needs.

    `Priors.expecting` makes them from a few numbers that one knows, `PRIORS` has those of the paper by name.

    Attributes
    ----------
    occurrence
        The probability of a species in a recording (in mixtures: in a component).
    tpr, fpr
        True and false positive rate of an annotator, where these are the same for all species.
    tpr_level, fpr_level
        Overall level of an annotator on the logit scale, where rates differ by species.
    tpr_spread, fpr_spread
        The standard deviation of an annotator's logits over species.
    concentration
        Of the Dirichlet process: the larger, the more components.
    components
        Of the finite mixture: the number of components, more than are needed.

    Raises
    ------
    AnnotationError
        If `components` is not a whole number, 1 or more.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> priors = dc.Priors.expecting(n_species=120, species_per_recording=2.4)
    >>> print(priors.occurrence)
    Beta(2, 98): mean 0.02, 90 % between 0.0036 and 0.047
    >>> priors.replace(fpr=dc.Beta(1, 199)).fpr.mean
    0.005
    """

    occurrence: Beta
    tpr: Beta
    fpr: Beta
    tpr_level: Normal
    fpr_level: Normal
    tpr_spread: HalfNormal = HalfNormal(2)
    fpr_spread: HalfNormal = HalfNormal(2)
    concentration: Gamma = Gamma(0.5, 0.5)
    components: int = 20

    def __post_init__(self) -> None:
        _need(
            self.components == int(self.components) >= 1,
            f"a mixture of {self.components} components",
            "give a whole number, 1 or more",
        )

    @classmethod
    def expecting(
        cls,
        *,
        n_species: int,
        species_per_recording: float = SPECIES_PER_RECORDING,
        tpr: float = 0.8,
        fpr: float = 0.01,
        occurrence_strength: float | None = None,
        tpr_strength: float = 10,
        fpr_strength: float = 100,
        **others: Any,
    ) -> Priors:
        """Return priors that say what one knows.

        Parameters
        ----------
        n_species
            How many species there are.
        species_per_recording
            How many of them a recording is expected to hold.
        tpr, fpr
            How often a typical annotator reports a species that is there, and one that is not.
        occurrence_strength, tpr_strength, fpr_strength
            How sure one is of each: as if one had seen so many trials. By default, the prior of a species
            weighs as much as the recordings in which it would be present twice, but at most 100.
        others
            Other fields of `Priors` as they are.

        Returns
        -------
        Priors

        Raises
        ------
        AnnotationError
            If a number cannot be a prior, or there is no such field.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> dc.Priors.expecting(n_species=100, tpr=0.9, tpr_strength=50).tpr
        Beta(a=45.0, b=5.0)
        """
        _need(n_species >= 1, f"{n_species} species", "there has to be one at least")
        _need(
            species_per_recording > 0,
            f"{species_per_recording} species in a recording",
            "expect more than none",
        )
        mean = min(species_per_recording / n_species, 0.5)
        if occurrence_strength is None:
            occurrence_strength = min(SIGHTINGS / mean, MOST_RECORDINGS)
        occurrence = Beta.around(mean, occurrence_strength)
        true, false = Beta.around(tpr, tpr_strength), Beta.around(fpr, fpr_strength)
        unknown = set(others) - {field.name for field in fields(cls)}
        _need(not unknown, f"a prior of '{', '.join(sorted(unknown))}'", "see the fields of dc.Priors")
        parts: dict[str, Any] = {
            "occurrence": occurrence,
            "tpr": true,
            "fpr": false,
            "tpr_level": true.on_logits(),
            "fpr_level": false.on_logits(),
        }
        return cls(**(parts | others))

    def replace(self, **others: Any) -> Priors:
        """Return these priors with some fields changed.

        Parameters
        ----------
        others
            Fields of `Priors` and their new values.

        Returns
        -------
        Priors

        Examples
        --------
        >>> import dawnchorus as dc
        >>> dc.Priors.expecting(n_species=100).replace(tpr=dc.Beta(9, 1)).tpr.mean
        0.9
        """
        return replace(self, **others)

    def as_dict(self) -> dict[str, str]:
        """Return the priors in words, by name."""
        return {f.name: str(getattr(self, f.name)) for f in fields(self)}


def as_plain(prior: Prior) -> Any:
    """Return a prior as plain values for JSON, from which `from_plain` makes it again.

    >>> from_plain(as_plain(Beta(2, 98)))
    Beta(a=2, b=98)
    """
    return prior if isinstance(prior, int) else {"kind": type(prior).__name__, **asdict(prior)}


def from_plain(values: Any) -> Prior:
    """Return the prior that `as_plain` made plain values of."""
    if isinstance(values, int):
        return values
    kinds = {kind.__name__: kind for kind in (Beta, Normal, HalfNormal, Gamma)}
    return kinds[values["kind"]](**{name: value for name, value in values.items() if name != "kind"})


PRIORS: dict[str, Priors] = {
    "paper-simulation": Priors(
        Beta(2, 98),
        Beta(16.2, 3.8),
        Beta(6, 1194),
        Normal(math.log(0.81 / 0.19), 0.58),
        Normal(math.log(0.005 / 0.995), 0.41),
    ),
    "paper-kerttu": Priors(
        Beta(2, 98),
        Beta(45, 5),
        Beta(5, 995),
        Normal(math.log(0.9 / 0.1), 0.48),
        Normal(math.log(0.005 / 0.995), 0.45),
    ),
}
"""The priors of Wang, Lauha and Dunson: of their simulation study and of their application to Kerttu."""


def find_priors(priors: str | Priors | None, n_species: int) -> Priors:
    """Return the priors of this name, priors as they are, or by default those for so many species."""
    if priors is None or priors == "default":
        return Priors.expecting(n_species=n_species)
    if isinstance(priors, Priors):
        return priors
    name = str(priors).strip().lower()
    if name not in PRIORS:
        raise AnnotationError(
            f"there are no priors named '{priors}'", f"use one of: default, {', '.join(PRIORS)}"
        )
    return PRIORS[name]
