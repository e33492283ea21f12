"""Audibility: some birds are faint for everybody, so that votes on a cell depend on each other.

Given that species k is present in recording i, all who listen have the same effect g[i, k] on their logits,

    P(report of j | present) = σ(x[j, k] + g[i, k]),   g[i, k] ~ Normal(0, spread²),

summed out by quadrature: g = spread·z for *classes* z, evenly spaced from −REACH to REACH, with shares in
proportion to the normal density. In a class, the odds of a report are multiplied by the factor exp(spread·z).
What all votes on a cell say of presence is then no product of what each of them says, but

    Σ over classes share · ∏ over votes P(vote | present, class)  /  ∏ over votes P(vote | absent).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..common.compiled import compiled, inlined
from ..common.ragged import Floats, Ints
from .lookups import FEW, odds_from, weighed
from .rates import inside, inside_logit, pack_vote, ratios, ratios_from_logits, unpack_vote

REACH = 3.6
"""Classes lie within so many standard deviations of the mean."""
CLASSES = np.linspace(-REACH, REACH, 15)
"""How loud birds of each class are, in standard deviations. With n votes on a cell, more classes than √n in a
standard deviation would make no difference."""
SHARE = np.exp(-0.5 * CLASSES**2) / np.exp(-0.5 * CLASSES**2).sum()
NONE = np.empty(0)


class Audibility(NamedTuple):
    """The factor of odds of a report in each class, and its share; empty if all birds are equally audible."""

    factor: Floats
    share: Floats


ALIKE = Audibility(NONE, NONE)


class VoteRates(NamedTuple):
    """What votes depend on: true positive rates, for a bird of average loudness; false ones; loudness."""

    tpr: Floats
    fpr: Floats
    audibility: Audibility = ALIKE


def audibility(spread: float) -> Audibility:
    """Return classes of birds that differ in how audible they are, by a spread on the logit scale.

    >>> heard = audibility(2.0)
    >>> z = np.log(heard.factor) / 2
    >>> len(z), round(float(heard.share @ z**2), 3)
    (15, 0.998)
    """
    return Audibility(np.exp(spread * CLASSES), SHARE)


@compiled
def heard_rates(logit: Floats, heard: Audibility) -> Floats:
    """Return rates over birds of all classes; `logit` is for a bird of average loudness."""
    rate = np.empty(len(logit))
    for p in range(len(logit)):
        odds = math.exp(inside_logit(logit[p]))
        if len(heard.factor) == 0:
            rate[p] = odds / (1 + odds)
            continue
        total = 0.0
        for c in range(len(heard.factor)):
            there = odds * heard.factor[c]
            total += heard.share[c] * there / (1 + there)
        rate[p] = total
    return rate


class Evidence(NamedTuple):
    """What votes say of presence, for kernels."""

    ratio: Floats
    """P(vote | present) / P(vote | absent) of a single vote, by code."""
    odds: Floats
    """By rate, odds of a report given presence, for a bird of average loudness; empty if all are alike."""
    absent: Floats
    """P(vote | absent) by code; empty if all are alike."""
    audibility: Audibility
    room: Floats
    """For a number of each class."""


@compiled
def evidence(rates: VoteRates) -> Evidence:
    """Return what votes say of presence."""
    ratio, heard = ratios(rates.tpr, rates.fpr), rates.audibility
    odds, absent = np.empty(0), np.empty(0)
    if len(heard.factor) > 0:
        odds, absent = np.empty(len(rates.tpr)), np.empty(2 * len(rates.tpr))
        for rate in range(len(odds)):
            p, q = inside(rates.tpr[rate]), inside(rates.fpr[rate])
            _set(ratio, odds, absent, heard, rate, p / (1 - p), q)
    return Evidence(ratio, odds, absent, heard, np.empty(len(heard.factor)))


@compiled
def evidence_from_logits(which: Ints, tpr: Floats, fpr: Floats, heard: Audibility) -> Evidence:
    """Return what votes that depend on some of the rates say; of others it is not set."""
    odds, absent = np.empty(0), np.empty(0)
    ratio = ratios_from_logits(which, tpr, fpr)
    if len(heard.factor) > 0:
        odds, absent = np.empty(len(tpr)), np.empty(2 * len(tpr))
        for rate in which:
            q = 1 / (1 + math.exp(-inside_logit(fpr[rate])))
            _set(ratio, odds, absent, heard, rate, math.exp(inside_logit(tpr[rate])), q)
    return Evidence(ratio, odds, absent, heard, np.empty(len(heard.factor)))


@inlined
def _set(
    ratio: Floats, odds: Floats, absent: Floats, heard: Audibility, rate: int, report: float, q: float
) -> None:
    odds[rate], absent[pack_vote(rate, 0)], absent[pack_vote(rate, 1)] = report, 1 - q, q
    silence, hit = 0.0, 0.0
    for c in range(len(heard.factor)):
        there = report * heard.factor[c]
        silence += heard.share[c] / (1 + there)
        hit += heard.share[c] * there / (1 + there)
    ratio[pack_vote(rate, 0)], ratio[pack_vote(rate, 1)] = silence / (1 - q), hit / q


@inlined
def cell_odds(prior: float, says: Evidence, vote: Ints, low: int, high: int) -> float:
    """Return the odds of presence in a cell, given its votes from `low` to `high`, by code."""
    if len(says.odds) == 0 or high - low == 1:
        return weighed(prior, says.ratio, vote, low, high)
    return odds_from(prior * votes_on_cell(says, vote, low, high), 0)


@inlined
def votes_on_cell(says: Evidence, vote: Ints, low: int, high: int) -> float:
    """Return P(votes | present) / P(votes | absent) of a cell; `room` is then in proportion to each class."""
    says.room[:] = says.audibility.share
    far = 0.0
    for v in range(low, high):
        far += add_vote(says, vote[v], (v - low) % FEW == FEW - 1)
    return says.room.sum() * (math.exp(min(max(far, -550.0), 550.0)) if far != 0.0 else 1.0)


@inlined
def add_vote(says: Evidence, code: int, rescale: bool) -> float:
    """Multiply `room` by what a vote says of each class, over P(vote | absent).

    If asked to, keep it from overflow, and return the logarithm that it was divided by.
    """
    room, factor = says.room, says.audibility.factor
    rate, said = unpack_vote(code)
    odds, over = says.odds[rate], 1 / says.absent[code]
    for c in range(len(room)):
        there = odds * factor[c]
        room[c] *= (there if said else 1.0) * over / (1 + there)
    if not rescale:
        return 0.0
    most = room.max()
    room /= most
    return math.log(most)
