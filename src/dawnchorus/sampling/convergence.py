"""Convergence: whether the chains agree and are long enough, what is worst, and what to do, in words.

R-hat and effective sample size are those of agreement.py.

**The largest of many.** Where chains agree, (B / N) / W, as there, is about M / ESS times a chi-squared
variable with M − 1 degrees of freedom, divided by these. So R-hat² − 1 is proportional to one, and the
largest of P such variables is larger than a single one by chance alone. With q the quantiles of that
chi-squared distribution, the largest R-hat of a family of P parameters may be

    √(1 + (max_rhat² − 1) · q(1 − 0.05 / P) / q(0.95)),

which chains that agree exceed no more often than a single parameter exceeds `max_rhat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtri

from ..common.ragged import Floats
from .agreement import ess_and_rhat

MAX_RHAT = 1.01
MAX_MCSE = 0.01
BY_CHANCE = 0.05
"""Of families of parameters on which chains agree, so many may have an R-hat above the limit by chance."""


class Family(NamedTuple):
    """How well the chains agree on parameters of one kind, and which of them has the worst R-hat."""

    name: str
    number: int
    max_rhat: float
    min_ess: float
    worst: int
    """The place of the parameter with the worst R-hat."""
    called: str = ""
    """That parameter in words."""


@dataclass(frozen=True)
class Diagnostics:
    """How well the chains agree.

    Attributes
    ----------
    max_rhat, min_ess
        The largest R-hat and the smallest effective sample size of all parameters.
    worst_rhat, worst_ess
        The parameters that have them.
    families
        The same for each kind of parameter.
    converged
        Whether sampling reached what was asked for; without `min_ess`, whether it reached what is usually
        asked for.
    """

    max_rhat: float
    min_ess: float
    worst_rhat: str
    worst_ess: str
    families: tuple[Family, ...] = ()
    max_mcse: float = 0.0
    """The largest Monte-Carlo error of the probability of a reported cell; NaN if it is not known."""
    worst_mcse: str = ""
    chains: int = 4
    converged: bool = False

    def reaches(self, min_ess: float, max_rhat: float = MAX_RHAT, max_mcse: float = MAX_MCSE) -> bool:
        """Return whether every parameter and the probability of every reported cell is good enough."""
        return self.min_ess >= min_ess and self.max_mcse <= max_mcse and self.worst_family(max_rhat) is None

    def worst_family(self, max_rhat: float = MAX_RHAT) -> Family | None:
        """Return the family whose largest R-hat is furthest above what is allowed for so many, if any is."""
        families = self.families or (Family("", 1, self.max_rhat, self.min_ess, 0, self.worst_rhat),)

        def excess(family: Family) -> float:
            return family.max_rhat - largest_rhat(max_rhat, family.number, self.chains)

        worst = max(families, key=excess)
        return None if excess(worst) <= 0 else worst

    def __repr__(self) -> str:
        words = "converged" if self.converged else "not converged"
        return (
            f"<Diagnostics: {words}; R-hat at most {self.max_rhat:.3f}, "
            f"effective sample size at least {self.min_ess:,.0f}>"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what is worst as plain values, for fit.json."""
        worst = {"rhat": self.worst_rhat, "ess": self.worst_ess, "mcse": self.worst_mcse}
        return {
            "converged": self.converged,
            "max_rhat": self.max_rhat,
            "min_ess": self.min_ess,
            "max_mcse": self.max_mcse,
            "worst": worst,
        }

    def in_words(
        self,
        min_ess: float = 400,
        max_rhat: float = MAX_RHAT,
        max_mcse: float = MAX_MCSE,
    ) -> str:
        """Return whether the chains have converged, what is worst and what to do, in words.

        Examples
        --------
        >>> print(Diagnostics(1.02, 150.0, "tpr of Aino", "tpr of Aino").in_words())
        Not converged yet: the chains still differ (R-hat 1.020, worst for tpr of Aino; at most 1.01 is
        wanted). Worth 150 independent draws where it is least (tpr of Aino; 400 are wanted).
        What to do: sample longer (more draws, or a larger maximum), or read `dawnchorus docs convergence`.
        """
        if not np.isfinite(self.max_rhat):
            return "Too few draws to tell whether the chains have converged. What to do: sample longer."
        least = f"{self.min_ess:,.0f} independent draws where it is least ({self.worst_ess}"
        reached = self.reaches(min_ess, max_rhat, max_mcse)
        if reached and self.chains == 1:
            return (
                f"One chain, worth {least}). Whether another would agree, it cannot tell.\n"
                "What to do: sample several chains, or read `dawnchorus docs convergence`."
            )
        if reached:
            rhat = f"R-hat at most {self.max_rhat:.3f}"
            return f"Converged: the chains agree ({rhat}), and are worth {least})."
        lines, differs = [], self.worst_family(max_rhat)
        if differs:
            limit = largest_rhat(max_rhat, differs.number, self.chains)
            among = f" for the largest of {differs.number:,}" if differs.number > 1 else ""
            lines.append(
                f"Not converged yet: the chains still differ (R-hat {differs.max_rhat:.3f}, worst for "
                f"{differs.called}; at most {limit:.4g} is wanted{among})."
            )
        else:
            lines.append(
                f"Not converged yet: the chains agree (R-hat at most {self.max_rhat:.3f}), but are too short."
            )
        if self.min_ess < min_ess:
            lines.append(f"Worth {least}; {min_ess:,.0f} are wanted).")
        if self.max_mcse > max_mcse:
            lines.append(
                f"Probabilities are known to ± {self.max_mcse:.3f} where it is worst ({self.worst_mcse}; "
                f"± {max_mcse} is wanted)."
            )
        lines.append(
            "What to do: sample longer (more draws, or a larger maximum), "
            "or read `dawnchorus docs convergence`."
        )
        return "\n".join(lines)


def largest_rhat(max_rhat: float, number: int, chains: int) -> float:
    """Return what the largest R-hat of so many parameters may be, if a single one may be `max_rhat`.

    Examples
    --------
    >>> [round(largest_rhat(1.01, number, chains=4), 3) for number in (1, 100, 10_000)]
    [1.01, 1.018, 1.026]
    """
    freedom = 2 * chains - 1  # each chain is split into halves
    times = chdtri(freedom, BY_CHANCE / max(number, 1)) / chdtri(freedom, BY_CHANCE)
    return float(np.sqrt(1 + (max_rhat**2 - 1) * times))


def diagnose(draws: Mapping[str, Floats], names: Mapping[str, Any], threads: int = 1) -> Diagnostics:
    """Return the worst R-hat and effective sample size of all parameters, and of each kind.

    Parameters
    ----------
    draws
        Arrays by name: chains × draws × any other dimensions.
    names
        Labels of parameters along those other dimensions, by the name of the array.
    threads
        How many threads to use.

    Returns
    -------
    Diagnostics
    """
    chains, found = 1, {}
    for name, values in draws.items():
        if values[0, 0].size:
            chains = len(values)
            found[name] = ess_and_rhat(values.reshape(chains, values.shape[1], -1), threads)
    return worst_of(found, names, chains)


def worst_of(
    found: Mapping[str, tuple[Floats, Floats]], names: Mapping[str, Any], chains: int
) -> Diagnostics:
    """Return the worst R-hat and effective sample size, given both for each parameter, by name of array."""
    worst = {"rhat": (-np.inf, ""), "ess": (np.inf, "")}
    families = []
    for name, (ess, rhat) in found.items():
        high, low = int(np.argmax(rhat)), int(np.argmin(ess))
        if np.isnan(rhat[high]):
            return Diagnostics(np.nan, np.nan, name, name, chains=chains)
        called = _called(name, names, high)
        families.append(Family(name, len(rhat), float(rhat[high]), float(ess[low]), high, called))
        if rhat[high] > worst["rhat"][0]:
            worst["rhat"] = (float(rhat[high]), called)
        if ess[low] < worst["ess"][0]:
            worst["ess"] = (float(ess[low]), _called(name, names, low))
    (max_rhat, worst_rhat), (min_ess, worst_ess) = worst["rhat"], worst["ess"]
    return Diagnostics(max_rhat, min_ess, worst_rhat, worst_ess, tuple(families), chains=chains)


def _called(name: str, names: Mapping[str, Any], place: int) -> str:
    words = name.replace("_", " ")
    return f"{words} of {names[name][place]}" if name in names else words
