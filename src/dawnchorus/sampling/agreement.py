"""Agreement: R-hat, how far chains agree, and how many independent draws they are worth.

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
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.special import ndtri

from ..common.compiled import compiled
from ..common.ragged import Floats

AT_ONCE = 50
"""So many parameters are ranked at a time."""
FEWEST = 8
"""With fewer draws than this in a chain, R-hat and effective sample size are NaN."""


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
