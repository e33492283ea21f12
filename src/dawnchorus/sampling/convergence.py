"""Convergence: whether the chains agree, and how many independent draws their draws are worth.

Rank-normalised split R-hat and bulk effective sample size of Vehtari, Gelman, Simpson, Carpenter and Bürkner
(Bayesian Analysis 2021), the same numbers that ArviZ computes, for thousands of parameters at once.

**Split and rank-normalised.** Each chain is split into halves, which gives M chains of N draws, S = M·N in
all. Draws are replaced by normal scores of their ranks among all S (equal values share the average rank),

    z = Φ⁻¹((rank − 3/8) / (S + 1/4)).

**R-hat.** With z̄[m] and s²[m] the mean and variance of chain m, and z̄ the mean of all,

    W = mean of s²[m],   B / N = Σ_m (z̄[m] − z̄)² / (M − 1),
    R-hat = √((N − 1) / N + (B / N) / W).

Reported is the larger of that of the draws and that of the folded draws |x − median|, which shows chains
that agree on the mean but not on the spread. It is 1 where chains agree.

**Effective sample size.** With V = W (N − 1) / N + B / N, and c[t] the mean over chains of the autocovariance
(1 / N) Σ_i (z[m, i] − z̄[m]) (z[m, i + t] − z̄[m]), the autocorrelation at lag t is

    ρ[t] = 1 − (W − c[t]) / V.

Sums of adjacent pairs P[s] = ρ[2s] + ρ[2s + 1] are positive and decreasing in theory. Geyer's initial
monotone sequence (Geyer 1992) takes them as long as they are positive, up to P[k], and replaces each that is
larger than the one before by that one. Then

    τ = −1 + 2 Σ_{s ≤ k} P[s] + max(ρ[2k + 2], 0),   ESS = S / max(τ, 1 / log₁₀ S).

A parameter that is the same in all draws counts as converged, with an effective sample size of S.

**The largest of many.** Where chains agree, (B / N) / W is about M / ESS times a chi-squared variable with
M − 1 degrees of freedom, divided by these. So R-hat² − 1 is proportional to one, and the largest of P such
variables is larger than a single one by chance alone. With q the quantiles of that chi-squared distribution,
the largest R-hat of a family of P parameters may be

    √(1 + (max_rhat² − 1) · q(1 − 0.05 / P) / q(0.95)),

which chains that agree exceed no more often than a single parameter exceeds `max_rhat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtri, ndtri

from ..common.compiled import compiled
from ..common.ragged import Floats

AT_ONCE = 50
"""So many parameters are ranked at a time."""
MAX_RHAT = 1.01
MAX_MCSE = 0.01
BY_CHANCE = 0.05
"""Of families of parameters on which chains agree, so many may have an R-hat above the limit by chance."""
FEWEST = 8
"""With fewer draws than this in a chain, R-hat and effective sample size are NaN."""


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
    """The largest Monte-Carlo error of the probability of a reported cell."""
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


def ess_and_rhat(draws: Floats, threads: int = 1) -> tuple[Floats, Floats]:
    """Return bulk effective sample size and R-hat of each parameter, from chains × draws × parameters."""
    _, length, n = draws.shape
    if length < FEWEST:
        return np.full(n, np.nan), np.full(n, np.nan)
    half = length // 2
    split = np.concatenate([draws[:, :half], draws[:, length - half :]])

    def part(first: int) -> tuple[Floats, Floats]:
        x = np.ascontiguousarray(split[:, :, first : first + AT_ONCE].transpose(2, 0, 1), np.float64)
        scores = _normal_scores(x)
        median = np.median(x.reshape(len(x), -1), axis=1)[:, None, None]
        folded = _normal_scores(np.abs(x - median))
        return _ess(scores), np.maximum(_rhat(scores), _rhat(folded))

    parts = [part(0)]  # kernels are compiled before there are threads
    with ThreadPoolExecutor(threads) as pool:
        parts += pool.map(part, range(AT_ONCE, n, AT_ONCE))
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def _called(name: str, names: Mapping[str, Any], place: int) -> str:
    words = name.replace("_", " ")
    return f"{words} of {names[name][place]}" if name in names else words


def _normal_scores(x: Floats) -> Floats:
    """Return the normal scores z of the ranks of values among all chains; equal values share a rank."""
    flat = x.reshape(len(x), -1)
    size = flat.shape[1]
    order = np.argsort(flat, axis=1)
    ascending, place = np.take_along_axis(flat, order, axis=1), np.arange(size)
    new = np.ones((len(flat), size + 1), bool)
    new[:, 1:-1] = ascending[:, 1:] != ascending[:, :-1]
    first = np.maximum.accumulate(np.where(new[:, :-1], place, 0), axis=1)
    last = np.minimum.accumulate(np.where(new[:, 1:], place, size)[:, ::-1], axis=1)[:, ::-1]
    table = ndtri((np.arange(2 * size + 1) / 2 - 0.375) / (size + 0.25))
    scores = np.empty(flat.shape)
    np.put_along_axis(scores, order, table[first + last + 2], axis=1)
    return scores.reshape(x.shape)


@compiled
def _rhat(x: Floats) -> Floats:
    """Return R-hat of normal scores, parameters × chains × draws."""
    n, chains, length = x.shape
    rhat = np.ones(n)
    for p in range(n):
        means, within = np.empty(chains), 0.0
        for c in range(chains):
            means[c] = x[p, c].mean()
            within += ((x[p, c] - means[c]) ** 2).sum() / (length - 1) / chains
        between = ((means - means.mean()) ** 2).sum() / (chains - 1)
        if within > 0:
            rhat[p] = np.sqrt(between / within + (length - 1) / length)
        elif between > 0:
            rhat[p] = np.inf
    return rhat


@compiled
def _ess(x: Floats) -> Floats:
    """Return the effective sample size of normal scores, by Geyer's initial monotone sequence."""
    n, chains, length = x.shape
    ess = np.empty(n)
    for p in range(n):
        total = chains * length
        means = np.empty(chains)
        for c in range(chains):
            means[c] = x[p, c].mean()
        variance = _covariance(x[p], means, 0) * length / (length - 1)
        plus = variance * (length - 1) / length + ((means - means.mean()) ** 2).sum() / (chains - 1)
        if not plus > 1e-300:
            ess[p] = total
            continue
        rho = np.zeros(length)
        even, odd = 1.0, 1 - (variance - _covariance(x[p], means, 1)) / plus
        rho[0], rho[1] = even, odd
        lag = 1
        while lag < length - 3 and even + odd > 0:
            even = 1 - (variance - _covariance(x[p], means, lag + 1)) / plus
            odd = 1 - (variance - _covariance(x[p], means, lag + 2)) / plus
            if even + odd >= 0:
                rho[lag + 1], rho[lag + 2] = even, odd
            lag += 2
        last = lag - 2
        if even > 0:
            rho[last + 1] = even
        lag = 1
        while lag <= last - 2:
            if rho[lag + 1] + rho[lag + 2] > rho[lag - 1] + rho[lag]:
                rho[lag + 1] = (rho[lag - 1] + rho[lag]) / 2
                rho[lag + 2] = rho[lag + 1]
            lag += 2
        tau = -1 + 2 * rho[: last + 1].sum() + rho[last + 1]
        ess[p] = total / max(tau, 1 / np.log10(total))
    return ess


@compiled
def _covariance(x: Floats, means: Floats, lag: int) -> float:
    """Return the autocovariance at this lag, c[t], averaged over chains."""
    chains, length = x.shape
    total = 0.0
    for c in range(chains):
        for t in range(length - lag):
            total += (x[c, t] - means[c]) * (x[c, t + lag] - means[c])
    return total / length / chains
