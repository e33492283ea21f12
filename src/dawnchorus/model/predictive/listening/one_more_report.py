"""One more report: the chance that a listener would report a species, given the votes on a cell, in one draw.

    P(report | votes) = P(present | votes) · tpr + (1 − P(present | votes)) · fpr

with the true and the false positive rate of the listener for this species in that draw. If birds differ in
how audible they are (../../audibility.py), the votes on a bird also tell how loud it is, and the true
positive rate is

    Σ over classes share · ∏ over votes P(vote | present, class) · P(report | present, class)

over the same sum without the last term. If absent birds differ in how deceptive they are, so is the false
positive rate, with absence in place of presence. If unsure marks are votes, rates of anything but a mark are
asked for in the same way. This is the only place that knows how a further report depends on presence: the
tables of what a listener would say and the prediction of held-out visits both use it.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints
from ...audibility import SHARE
from ...rates import silence_of, unpack_vote
from ..loudness import Loudness, Together
from ..vote_ratios import RatioTable


def chances_of_report(
    present: Floats,
    unit: Ints,
    listener: tuple[Floats, Floats, Ints],
    draws: Ints,
    heard: tuple[Ints, Ints, Ints, RatioTable] | None = None,
    unsure: Floats | None = None,
) -> Floats:
    """Return the chance of one more report or, given `unsure`, of a report or silence: rows × draws.

    Parameters
    ----------
    present
        The probability of presence given the votes: cells × draws.
    unit
        The cell of each row.
    listener
        True and false positive rates, all draws × rates, and which of these rates each row depends on.
    draws
        Which of all draws those of `present` are.
    heard
        Where votes on a cell depend on each other: the number of each row among lists of votes, where these
        lists start, their codes, and the table that has what they depend on.
    unsure
        How many unsure marks there are for a report, in all draws.
    """
    out = np.empty((len(unit), len(draws)), np.float32)
    tpr, fpr, rate = listener
    more = np.empty(0) if unsure is None else unsure[draws]
    if heard is None:
        _fill(present, unit, (tpr, fpr), rate, draws, more, out)
        return out
    row, start, code, table = heard
    ratios, (code,), _ = table.of(code)
    assert ratios.together is not None
    which, place = np.unique(rate, return_inverse=True)
    own, votes = table.together(tpr, fpr, which), (row, start, code)
    there, wrong = (np.ascontiguousarray(of[draws][:, which].T, np.float64) for of in (tpr, fpr))
    _fill_given_votes(
        present, unit, (there, wrong), own, place.reshape(-1), votes, ratios.together, more, out
    )
    return out


@compiled
def _fill_given_votes(
    present: Floats,
    unit: Ints,
    rates: tuple[Floats, Floats],
    own: Together,
    rate: Ints,
    votes: tuple[Ints, Ints, Ints],
    voters: Together,
    unsure: Floats,
    out: Floats,
) -> None:
    row_of, start, code = votes
    tpr, fpr = rates
    for row in range(len(unit)):
        cast = code[start[row_of[row]] : start[row_of[row] + 1]]
        for d in range(out.shape[1]):
            p, at = np.float64(present[unit[row], d]), rate[row]
            if len(own.heard.odds) > 0:
                there = _rate_given_votes(own.heard, voters.heard, voters.wider, at, cast, unsure, d)
            else:
                there = _said(tpr[at, d], unsure, d)
            if len(own.deceived.odds) > 0:
                absent = _rate_given_votes(own.deceived, voters.deceived, voters.wider, at, cast, unsure, d)
            else:
                absent = _said(fpr[at, d], unsure, d)
            out[row, d] = p * there + (1 - p) * absent


@compiled
def _rate_given_votes(
    own: Loudness, voters: Loudness, wider: Floats, rate: int, cast: Ints, unsure: Floats, d: int
) -> float:
    """Return the chance of a report, over classes of cells as the votes on this one tell."""
    weight = np.empty(len(SHARE))
    for c in range(len(SHARE)):
        weight[c] = math.log(SHARE[c])
        for vote in cast:
            voter, said = unpack_vote(vote)
            there = voters.odds[voter, d] * voters.factor[c, d]
            if not said and len(wider) > 0:
                there *= wider[d]
            weight[c] += (math.log(there) if said else 0.0) - math.log1p(there)
    most, total, hit = weight.max(), 0.0, 0.0
    for c in range(len(SHARE)):
        share, there = math.exp(weight[c] - most), own.odds[rate, d] * own.factor[c, d]
        total += share
        hit += share * _said(there / (1 + there), unsure, d)
    return hit / total


@compiled
def _fill(
    present: Floats,
    unit: Ints,
    rates: tuple[Floats, Floats],
    rate: Ints,
    draws: Ints,
    unsure: Floats,
    out: Floats,
) -> None:
    tpr, fpr = rates
    for row in range(len(unit)):
        for d in range(len(draws)):
            p = np.float64(present[unit[row], d])
            there = _said(tpr[draws[d], rate[row]], unsure, d)
            out[row, d] = p * there + (1 - p) * _said(fpr[draws[d], rate[row]], unsure, d)


@inlined
def _said(rate: float, unsure: Floats, draw: int) -> float:
    """Return the probability of a report or, given `unsure`, of a report or silence."""
    return rate + silence_of(rate, unsure[draw]) if len(unsure) > 0 else rate
