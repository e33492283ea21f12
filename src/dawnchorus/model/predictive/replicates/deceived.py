"""Deceived: votes on absent birds drawn anew, where something in a recording may mislead everybody.

In a class, P(silence) = g; over all classes G. If votes on a cell did not depend on each other, somebody
would not be silent with probability 1 − ∏ G. Silences that depend on each other are likelier, so that

    P(somebody is not silent) = 1 − Σ over classes share · ∏ g  ≤  1 − ∏ G.

So cells that are not silent are drawn as if votes did not depend on each other (votes.py), and each is kept
with the ratio of both. Then its class is drawn, in proportion to share · (1 − ∏ g), and the votes on it,
given that somebody is not silent.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints
from ...audibility import VoteRates, over_classes
from ...lookups import Rates, Visits, draw_class, has_voted, rate_of
from ...rates import inside


@compiled
def not_silent(rates: VoteRates) -> Floats:
    """Return for each rate the probability of a report or unsure mark given absence, over all classes."""
    found = np.empty(len(rates.fpr))
    for rate in range(len(found)):
        q = inside(rates.fpr[rate])
        found[rate] = 1 - over_classes(q / (1 - q), rates.deception, rates.unsure)[0]
    return found


@compiled
def draw_deceived(
    rng: np.random.Generator,
    visits: Visits,
    of: Rates,
    cells: tuple[Ints, Ints],
    rates: VoteRates,
    loud: Floats,
) -> Ints:
    """Draw the votes on cells that would not be silent: visit, species and 1 for a mark, of each."""
    recording, species = cells
    factor, share = rates.deception
    room = 0
    for i in recording:
        room += visits.start[i + 1] - visits.start[i]
    found, number = np.empty((3, room), np.int64), 0
    quiet, weight, wider = np.empty(len(factor)), np.empty(len(factor)), 1 + rates.unsure
    for cell in range(len(recording)):
        i, k, alone = recording[cell], species[cell], 0.0
        quiet[:] = 0.0
        for visit in range(visits.start[i], visits.start[i + 1]):
            if has_voted(visits, visit, k):
                rate = rate_of(of, visits.annotator[visit], k)
                alone += math.log1p(-inside(loud[rate]))
                quiet -= np.log1p(wider * _odds(rates.fpr[rate]) * factor)
        weight[:] = -share * np.expm1(quiet)
        if rng.random() * -math.expm1(alone) >= weight.sum():
            continue
        c = draw_class(rng, weight)
        rest, spoken = quiet[c], False  # log probability that all later visits are silent
        for visit in range(visits.start[i], visits.start[i + 1]):
            if has_voted(visits, visit, k):
                there = _odds(rates.fpr[rate_of(of, visits.annotator[visit], k)]) * factor[c]
                silence = 1 / (1 + wider * there)
                u = rng.random() * (1.0 if spoken else -math.expm1(rest))
                rest -= math.log(silence)
                if u < 1 - silence:
                    spoken = True
                    found[0, number], found[1, number] = visit, k
                    found[2, number] = u >= there / (1 + there)
                    number += 1
    return found[:, :number].copy()


@inlined
def _odds(rate: float) -> float:
    p = inside(rate)
    return p / (1 - p)
