"""Likely cells: those that were reported or may be probable, found without computing their probability.

Silence multiplies the odds of presence by (1 − TPR) / (1 − FPR), in no draw by more than the largest.
For each species there is a factor by which its odds have to be multiplied in every draw for the mean
probability to reach the wanted minimum. A silent cell whose votes cannot reach that factor is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged
from ..lookups import lower, voted_on
from ..rates import all_inside
from .cell_votes import Votes
from .parameters import Parameters

HALVINGS = 30
MARGIN = 1e-3
"""Factors are compared with so much room, in logarithms, for rounding."""


class Bounds(NamedTuple):
    """What decides whether a silent cell is left out, as logarithms.

    The factor that each species needs; the largest that silence of each rate comes to; the same of each
    annotator, but no less than 0; and the species that may be probable, those that need least first.
    """

    needed: Floats
    silence: Floats
    raised: Floats
    species: Ints


class LikelyCells:
    """The cells that were reported or may be as probable as `least`."""

    def __init__(self, votes: Votes, pairs: Ragged, parameters: Parameters, least: float) -> None:
        self.votes, self.pairs = votes, pairs
        self.needed = needed_factors(parameters, least)
        self.silence = largest_silences(parameters)
        possible = np.flatnonzero(np.isfinite(self.needed))
        self.species = possible[np.argsort(self.needed[possible], kind="stable")].astype(np.int32)
        self.raised = most_raised(self.silence, pairs)

    def of(self, first: int, last: int) -> Ragged:
        """Return the species, ascending, of each of these recordings."""
        bounds = Bounds(self.needed, self.silence, self.raised, self.species)
        return Ragged.from_sizes(*_likely(self.votes, self.pairs, bounds, first, last))

    def count(self, block: int = 20_000) -> int:
        """Count the cells."""
        n = self.votes.n_recordings
        return sum(len(self.of(i, min(i + block, n)).item) for i in range(0, n, block))


def largest_silences(parameters: Parameters) -> Floats:
    """Return for each rate the logarithm of the largest (1 − TPR) / (1 − FPR) of all draws."""
    largest = np.full(parameters.tpr.shape[1], -np.inf)
    for tpr, fpr in zip(parameters.tpr, parameters.fpr, strict=True):
        one, other = (1 - all_inside(rate) for rate in (tpr, fpr))
        np.maximum(largest, np.log(one / other), out=largest)
    return largest


def most_raised(silence: Floats, pairs: Ragged) -> Floats:
    """Return how far silence of each annotator can raise odds, on any species."""
    raised = np.maximum(silence, 0.0)
    if not pairs.rows:
        return raised
    most = np.zeros(pairs.rows)
    np.maximum.at(most, pairs.row_of_item(), raised)
    return most


def needed_factors(parameters: Parameters, least: float) -> Floats:
    """Return for each species the logarithm of the factor that makes its mean probability `least`.

    In mixtures, the component with the largest probability counts in every draw. The factor is infinite where
    no finite one is enough.
    """
    number = parameters.occurrence.shape[1]
    beyond = np.arange(number)[None] >= parameters.components[:, None]
    largest = parameters.occurrence[:, 0].astype(np.float64)
    for r in range(1, number):
        here = np.where(beyond[:, r, None], 0.0, parameters.occurrence[:, r])
        np.maximum(largest, here, out=largest)
    needed = np.full(largest.shape[1], np.inf)
    for k in range(largest.shape[1]):
        p = np.minimum(largest[:, k], 1.0)
        low, high = -40.0, 40.0
        if _mean(p, high) < least:
            continue
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if _mean(p, middle) >= least else (middle, high)
        needed[k] = low - MARGIN if low > -40 else -np.inf
    needed[np.isneginf(needed)] = -1e300
    return needed


def _mean(p: Floats, log_factor: float) -> float:
    there = p * np.exp(log_factor)
    return float(np.mean(there / np.maximum(1 - p + there, 1e-300)))


@compiled
def _likely(votes: Votes, pairs: Ragged, bounds: Bounds, first: int, last: int) -> tuple[Ints, Ints]:
    """Return how many species are likely in each recording, and which."""
    by_species, n_species = len(pairs.start) > 1, len(bounds.needed)
    sizes = np.zeros(last - first, np.int64)
    found = np.empty(max(1024, n_species), np.int32)
    reported = np.zeros(n_species, np.bool_)
    total = 0
    for i in range(first, last):
        if total + n_species > len(found):
            found = np.concatenate((found, np.empty(max(len(found), n_species), np.int32)))
        begin, low, high = total, votes.visits[i], votes.visits[i + 1]
        for v in range(votes.reports.start[low], votes.reports.start[high]):
            k = votes.reports.item[v]
            if not reported[k]:
                reported[k] = True
                found[total] = k
                total += 1
        end, raised = total, 0.0
        for visit in range(low, high):
            raised += bounds.raised[votes.annotator[visit]]
        for k in bounds.species:
            if bounds.needed[k] > raised:
                break
            if reported[k]:
                continue
            factor = 0.0
            for visit in range(low, high):
                j = votes.annotator[visit]
                if not voted_on(votes.scopes, votes.scope[visit], votes.unsure, visit, k):
                    continue
                rate = j
                if by_species:
                    rate = lower(pairs.item, pairs.start[j], pairs.start[j + 1], k)
                factor += bounds.silence[rate]
            if factor >= bounds.needed[k]:
                found[total] = k
                total += 1
        for place in range(begin, end):
            reported[found[place]] = False
        found[begin:total].sort()
        sizes[i - first] = total - begin
    return sizes, found[:total].copy()
