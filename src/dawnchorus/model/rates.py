"""Rates: their bounds, the likelihood ratio of votes that depend on them, and draws of them given counts.

A vote depends on a rate (of an annotator, or of an annotator and species) and is a report or a silence. Its
*code* says both: `pack_vote` and `unpack_vote`. Arrays by code have silences and reports of each rate one
after the other.

If unsure marks are votes (see expertise/unsure.py), a mark is a report and a silence, and P(silence) is

    (1 − p) / (1 + unsure·p),   p = P(report),

where `unsure` is 0 if marks are no votes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..common.compiled import compiled, inlined, shared
from ..common.ragged import Floats, Ints

MARGIN = 1e-15
"""Rates and probabilities are kept at least so far from 0 and 1."""
MAX_LOGIT = 34.0
"""Logits are kept between −MAX_LOGIT and MAX_LOGIT, which is about the same."""
MIN_SHAPE = 1e-12
"""Shapes of Beta distributions are at least so large."""
FEW, MANY = 3, 19
"""How many candidates an overrelaxed draw chooses among: of any rate, and of one with many votes."""


# Codes of votes


@shared
def pack_vote(place: Any, report: Any) -> Any:
    """Return the code of a vote on a rate (or in a cell): twice its place, plus 1 for a report."""
    return 2 * place + report


@shared
def unpack_vote(code: Any) -> tuple[Any, Any]:
    """Return the place, and 1 for a report or 0 for a silence, of a code."""
    return code // 2, code % 2


@shared
def silences_by_rate(by_code: Ints) -> Ints:
    """Return the part of an array by code that belongs to silences."""
    return by_code[::2]


@shared
def reports_by_rate(by_code: Ints) -> Ints:
    """Return the part of an array by code that belongs to reports."""
    return by_code[1::2]


# Bounds, and likelihood ratios of votes


@inlined
def inside(probability: float) -> float:
    """Return a probability just inside 0 and 1."""
    return min(max(probability, MARGIN), 1 - MARGIN)


def all_inside(probability: Floats) -> Floats:
    """Return probabilities just inside 0 and 1, in double precision; in single precision they may be 1."""
    return np.clip(np.asarray(probability, np.float64), MARGIN, 1 - MARGIN)


@inlined
def inside_logit(logit: float) -> float:
    """Return a logit within its bounds."""
    return min(max(logit, -MAX_LOGIT), MAX_LOGIT)


@compiled
def odds_of(probability: Floats) -> Floats:
    """Return the odds of a table of probabilities, which are kept just inside 0 and 1."""
    odds = np.empty(probability.shape)
    for r in range(len(probability)):
        for k in range(probability.shape[1]):
            p = inside(probability[r, k])
            odds[r, k] = p / (1 - p)
    return odds


@inlined
def silence_of(probability: float, unsure: float) -> float:
    """Return the probability of silence, from that of a report."""
    return (1 - probability) / (1 + unsure * probability)


@compiled
def ratios(tpr: Floats, fpr: Floats, unsure: float) -> Floats:
    """Return P(vote | present) / P(vote | absent) by code."""
    ratio = np.empty(2 * len(tpr))
    for rate in range(len(tpr)):
        p, q = inside(tpr[rate]), inside(fpr[rate])
        ratio[pack_vote(rate, 0)] = silence_of(p, unsure) / silence_of(q, unsure)
        ratio[pack_vote(rate, 1)] = p / q
    return ratio


@compiled
def absent_probabilities(fpr: Floats) -> Floats:
    """Return P(vote | absent) by code."""
    probability = np.empty(2 * len(fpr))
    for rate in range(len(fpr)):
        q = inside(fpr[rate])
        probability[pack_vote(rate, 0)], probability[pack_vote(rate, 1)] = 1 - q, q
    return probability


@compiled
def ratios_from_logits(rates: Ints, tpr: Floats, fpr: Floats, unsure: float) -> Floats:
    """Return the ratios of votes on these rates by code, from logits; those of other rates are not set."""
    ratio, wider = np.empty(2 * len(tpr)), 1 + unsure
    for rate in rates:
        there, wrong = math.exp(inside_logit(tpr[rate])), math.exp(inside_logit(fpr[rate]))
        ratio[pack_vote(rate, 0)] = (1 + wider * wrong) / (1 + wider * there)
        ratio[pack_vote(rate, 1)] = (1 + wrong) / (1 + there) * there / wrong
    return ratio


# Draws


def draw_rates(rng: np.random.Generator, a: Floats, b: Floats) -> Floats:
    """Draw from Beta distributions; shapes may be tiny."""
    return rng.beta(np.maximum(a, MIN_SHAPE), np.maximum(b, MIN_SHAPE))


@inlined
def draw_rate(rng: np.random.Generator, a: float, b: float) -> float:
    """Draw from a Beta distribution, in kernels; shapes may be tiny."""
    return rng.beta(max(a, MIN_SHAPE), max(b, MIN_SHAPE))


@compiled
def overrelaxed_rates(
    rng: np.random.Generator, now: Floats, a: Floats, b: Floats, candidates: Ints
) -> Floats:
    """Draw from Beta distributions, on the other side of the median from where the rates are now.

    Several candidates are drawn and sorted together with the present value, and the one as far from the
    bottom as that is from the top comes next (ordered overrelaxation; Neal 1998). This leaves the
    distribution as it is, and chains that are slow because rates and presence are strongly correlated move
    faster.

    >>> now, shapes = np.array([0.01, 0.99]), np.array([5.0, 5.0])
    >>> overrelaxed_rates(np.random.default_rng(1), now, shapes, shapes, np.array([9, 9])) > 0.5
    array([ True, False])
    """
    chosen = np.empty(len(now))
    ordered = np.empty(candidates.max() + 1)
    for p in range(len(now)):
        ordered[0] = now[p]
        place = 0  # of the present value among those so far, which are in order
        for i in range(1, candidates[p] + 1):
            new = draw_rate(rng, a[p], b[p])
            at = i
            while at > 0 and ordered[at - 1] > new:
                ordered[at] = ordered[at - 1]
                at -= 1
            ordered[at] = new
            place += at <= place
        chosen[p] = ordered[candidates[p] - place]
    return chosen
