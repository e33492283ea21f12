"""Silences on absent cells as trials: successes and numbers of trials by class (../logits/trials.py).

With y the odds of anything but silence, φ the factor of a class and K = Σ share·φ, one silence that is
independent of others has the probability

    G = 1 / (1 + K·y) + Σ over classes share · (K − φ)²·y² / ((1 + K·y)² · (1 + φ·y)).

So it is *plain*, one trial of factor K without success, or *odd*, with two successes among two trials of
factor K and one of factor φ. Where false reports are rare, nearly all are plain.

A linked cell with silences 1 … m has the probability ∏ G · excess, which is the sum over k = 2 … m of

    ∏ over later silences G · Σ over classes r < s share[r]·share[s] · (A[r] − A[s]) · (g[k, r] − g[k, s]),

with A the product of g over all silences before k, and

    A[r] − A[s] = Σ over l < k ∏ over silences before l g[r] · (g[l, r] − g[l, s]) · ∏ over others g[s],
    g[l, r] − g[l, s] = y·(φ[s] − φ[r]) / ((1 + φ[r]·y) · (1 + φ[s]·y)).

All terms are positive, so that k, r, s and l are drawn in proportion to them. Then silences before l are
trials of class r, those between l and k of class s, l and k are one success each among two trials, of class r
and of class s, and those after k are independent of others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....common.compiled import ZERO, compiled
from ....common.ragged import Floats, Ints, Ragged
from ...lookups import draw_class
from .linked import LARGE, Silences, add_silence, excess_of


class SilentTrials(NamedTuple):
    """Trials that silences on absent cells amount to."""

    rate: Ints
    """Of each trial of a class of its own."""
    drawn: Ints
    """Its class."""
    plain: Ints
    """By rate, the number of trials of factor K."""
    successes: Ints
    """By rate."""


@compiled
def draw_trials(rng: np.random.Generator, linked: Ragged, silent: Ints, silences: Silences) -> SilentTrials:
    """Draw what silences amount to; `silent` counts all on silent cells that are absent, by rate."""
    n_rates, plain = len(silent), silent.copy()
    successes, odd = np.zeros(n_rates, np.int64), np.zeros(n_rates, np.int64)
    room = len(linked.item) + 2 * len(linked.start)
    rate, drawn, found = np.empty(room, np.int64), np.empty(room, np.int8), 0
    for cell in range(len(linked.start) - 1):
        low, high = linked.start[cell], linked.start[cell + 1]
        k, r, s = _pair(rng, silences, linked.item, low, high)
        first = _first(rng, silences, linked.item, low, k, r, s)
        for v in range(low, k + 1):
            of = linked.item[v]
            plain[of] -= 1
            if v <= first or v == k:
                rate[found], drawn[found] = of, r
                found += 1
            if v >= first:
                rate[found], drawn[found] = of, s
                found += 1
            successes[of] += v in (first, k)
    weight = np.empty(len(silences.classes.factor))
    for p in range(n_rates):
        if plain[p] > 0:
            _set_odd(weight, silences, p)
            odd[p] = rng.binomial(plain[p], min(weight.sum() / silences.quiet[p], 1.0))
            plain[p] += odd[p]
            successes[p] += 2 * odd[p]
    more = odd.sum()
    rate, drawn = (
        np.append(rate[:found], np.empty(more, np.int64)),
        np.append(drawn[:found], np.empty(more, np.int8)),
    )
    for p in range(n_rates):
        if odd[p] > 0:
            _set_odd(weight, silences, p)
        for _ in range(odd[p]):
            rate[found], drawn[found] = p, draw_class(rng, weight)
            found += 1
    return SilentTrials(rate, drawn, plain, successes)


@compiled
def _set_odd(weight: Floats, silences: Silences, rate: int) -> None:
    """Set the probability that a silence is odd, by class."""
    factor, share = silences.classes
    y, mean = silences.odds[rate], (share * factor).sum()
    for c in range(len(factor)):
        away = (mean - factor[c]) * y / (1 + mean * y)
        weight[c] = share[c] * away * away / (1 + factor[c] * y)


@compiled
def _pair(
    rng: np.random.Generator, silences: Silences, rates: Ints, low: int, high: int
) -> tuple[int, int, int]:
    """Draw the silence k of a linked cell, and the classes r < s."""
    total, last = excess_of(silences, rates, low, high)
    wanted = rng.random() * total
    silences.room[0] = 0.0
    excess, far, k = 0.0, ZERO, low
    before = silences.room[0].copy()
    for v in range(low, high):
        before[:] = silences.room[0]
        excess, far = add_silence(silences, rates[v], excess, far)
        k = v
        if v > low and excess * LARGE ** float(far - last) >= wanted:
            break
    away, n = silences.room[1], len(before)
    weight = np.zeros(n * n)
    for r in range(n):
        for s in range(r + 1, n):
            both = silences.classes.share[r] * silences.classes.share[s]
            weight[r * n + s] = max(both * (before[r] - before[s]) * (away[r] - away[s]), 0.0)
    chosen = draw_class(rng, weight)
    return k, chosen // n, chosen % n


@compiled
def _first(
    rng: np.random.Generator, silences: Silences, rates: Ints, low: int, k: int, r: int, s: int
) -> int:
    """Draw the silence l before k, one after the other: each may take the place of the one chosen so far."""
    one, other = silences.classes.factor[r], silences.classes.factor[s]
    total, chosen = 0.0, low
    for v in range(low, k):
        y = silences.odds[rates[v]]
        new = (other - one) * y / (1 + other * y)  # 1 − g[s] / g[r]
        total = total * (1 - new) + new
        if rng.random() * total < new:
            chosen = v
    return chosen
