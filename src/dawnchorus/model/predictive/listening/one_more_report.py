"""One more report: the chance that a listener would report a species, given the votes on a cell, in one draw.

    P(report | votes) = P(present | votes) · tpr + (1 − P(present | votes)) · fpr

with the true and the false positive rate of the listener for this species in that draw. If birds differ in
how audible they are (../../audibility.py), the votes on a bird also tell how loud it is, and the true
positive rate is

    Σ over classes share · ∏ over votes P(vote | present, class) · P(report | present, class)

over the same sum without the last term. This is the only place that knows how a further report depends on
presence: the tables of what a listener would say and the prediction of held-out visits both use it.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Floats, Ints
from ...audibility import SHARE
from ...rates import unpack_vote
from ..loudness import Loudness, loudness
from ..vote_ratios import RatioTable


def chances_of_report(
    present: Floats,
    unit: Ints,
    listener: tuple[Floats, Floats, Ints],
    draws: Ints,
    heard: tuple[Ints, Ints, Ints, RatioTable, Floats] | None = None,
) -> Floats:
    """Return the chance of one more report: rows × draws.

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
        Where birds differ in how audible they are: the number of each row among lists of votes, where these
        lists start, their codes, the table that has their loudness, and `faintness` of all draws.
    """
    out = np.empty((len(unit), len(draws)), np.float32)
    tpr, fpr, rate = listener
    if heard is None:
        _fill(present, unit, tpr, fpr, rate, draws, out)
        return out
    row, start, code, table, faintness = heard
    ratios, (code,), _ = table.of(code)
    which, place = np.unique(rate, return_inverse=True)
    own = loudness(tpr, fpr, draws, which, faintness)
    _fill_given_votes(present, unit, own, place.reshape(-1), (row, start, code), ratios.loudness, out)
    return out


@compiled
def _fill_given_votes(
    present: Floats,
    unit: Ints,
    own: Loudness,
    rate: Ints,
    votes: tuple[Ints, Ints, Ints],
    voters: Loudness,
    out: Floats,
) -> None:
    row_of, start, code = votes
    weight = np.empty(len(SHARE))
    for row in range(len(unit)):
        low, high = start[row_of[row]], start[row_of[row] + 1]
        for d in range(out.shape[1]):
            for c in range(len(SHARE)):
                weight[c] = math.log(SHARE[c])
                for v in range(low, high):
                    voter, said = unpack_vote(code[v])
                    there = voters.odds[voter, d] * voters.factor[c, d]
                    weight[c] += (math.log(there) if said else 0.0) - math.log1p(there)
            most, total, hit = weight.max(), 0.0, 0.0
            for c in range(len(SHARE)):
                share, there = math.exp(weight[c] - most), own.odds[rate[row], d] * own.factor[c, d]
                total += share
                hit += share * there / (1 + there)
            p = np.float64(present[unit[row], d])
            out[row, d] = p * hit / total + (1 - p) * own.absent[rate[row], d]


@compiled
def _fill(
    present: Floats, unit: Ints, tpr: Floats, fpr: Floats, rate: Ints, draws: Ints, out: Floats
) -> None:
    for row in range(len(unit)):
        for d in range(len(draws)):
            p = np.float64(present[unit[row], d])
            there, absent = tpr[draws[d], rate[row]], fpr[draws[d], rate[row]]
            out[row, d] = p * there + (1 - p) * absent
