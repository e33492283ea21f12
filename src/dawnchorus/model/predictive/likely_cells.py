"""Likely cells: reported, known or maybe probable ones, found without computing their probability.

Silence multiplies the odds of presence by P(silence | present) / P(silence | absent), in no draw by more than
the largest.
For each species, and each group of recordings where occurrence differs by recording, there is a factor by
which odds have to be multiplied in every draw for the mean probability to reach the wanted minimum. A silent
cell whose votes cannot reach that factor is left out. If birds differ in how audible they are, all silences
on a cell multiply the odds by no more than one of them does, times 1 / P(silence | absent) of all others. If
absent birds differ in how deceptive they are, silences on one of them are likelier than one by one, so that
all this holds.
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
from .shared_occurrence import occurrence_in


class Bounds(NamedTuple):
    """What decides whether a silent cell is left out, as logarithms.

    The group of each recording, or a single one; the factor that each species needs, by group; the species
    of each group, those that need least first; the largest that silence of each rate comes to; and the same
    of each annotator, but no less than 0; and, where birds differ in how audible they are, the largest
    1 / P(silence | absent) of each rate.
    """

    group: Ints

    needed: Floats
    species: Ints
    silence: Floats
    raised: Floats
    unheard: Floats


class LikelyCells:
    """The cells that were reported, are known or may be as probable as `least`."""

    def __init__(self, votes: Votes, pairs: Ragged, parameters: Parameters, least: float) -> None:
        self.votes, self.pairs = votes, pairs
        group, needed = occurrence_in(parameters).needed(least)
        silence = largest_silences(parameters)
        order = np.argsort(needed, axis=1, kind="stable").astype(np.int32)
        unheard = largest_silences(parameters, present=False) if len(parameters.faintness) else np.empty(0)
        raised = most_raised(unheard if len(unheard) else silence, pairs)
        self.bounds = Bounds(group, needed, order, silence, raised, unheard)

    def of(self, first: int, last: int) -> Ragged:
        """Return the species, ascending, of each of these recordings."""
        return Ragged.from_sizes(*_likely(self.votes, self.pairs, self.bounds, first, last))

    def count(self, block: int = 20_000) -> int:
        """Count the cells."""
        n = self.votes.n_recordings
        return sum(len(self.of(i, min(i + block, n)).item) for i in range(0, n, block))


def largest_silences(parameters: Parameters, *, present: bool = True) -> Floats:
    """Return for each rate the logarithm of the largest P(silence | present) / P(silence | absent).

    If not `present`, P(silence | present) counts as 1. If birds differ in how audible they are, 1 − TPR is at
    least as large as it: an unsure mark is possible too.
    """
    largest, faint = np.full(parameters.tpr.shape[1], -np.inf), len(parameters.faintness) > 0
    for tpr, fpr, unsure in zip(parameters.tpr, parameters.fpr, parameters.unsure_marks, strict=True):
        there, absent = all_inside(tpr), all_inside(fpr)
        one = (1 - there) / (1 if faint else 1 + unsure * there) if present else 1.0
        np.maximum(largest, np.log(one * (1 + unsure * absent) / (1 - absent)), out=largest)
    return largest


def most_raised(silence: Floats, pairs: Ragged) -> Floats:
    """Return how far silence of each annotator can raise odds, on any species."""
    raised = np.maximum(silence, 0.0)
    if not pairs.rows:
        return raised
    most = np.zeros(pairs.rows)
    np.maximum.at(most, pairs.row_of_item(), raised)
    return most


@compiled
def _likely(votes: Votes, pairs: Ragged, bounds: Bounds, first: int, last: int) -> tuple[Ints, Ints]:
    """Return how many species are likely in each recording, and which."""
    by_species, n_species = len(pairs.start) > 1, bounds.needed.shape[1]
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
        if len(votes.known.start) > 1:
            for place in range(votes.known.start[i], votes.known.start[i + 1]):
                k = votes.known.item[place]
                if not reported[k]:
                    reported[k] = True
                    found[total] = k
                    total += 1
        end, raised = total, 0.0
        for visit in range(low, high):
            raised += bounds.raised[votes.annotator[visit]]
        group = bounds.group[i] if len(bounds.group) > 1 else 0
        needed = bounds.needed[group]
        for k in bounds.species[group]:
            if needed[k] > raised:
                break
            if reported[k]:
                continue
            factor, strongest = 0.0, 0.0
            for visit in range(low, high):
                j = votes.annotator[visit]
                if not voted_on(votes.scopes, votes.scope[visit], votes.unsure, visit, k):
                    continue
                rate = j
                if by_species:
                    rate = lower(pairs.item, pairs.start[j], pairs.start[j + 1], k)
                if len(bounds.unheard) > 0:
                    factor += bounds.unheard[rate]
                    strongest = min(strongest, bounds.silence[rate] - bounds.unheard[rate])
                else:
                    factor += bounds.silence[rate]
            if factor + strongest >= needed[k]:
                found[total] = k
                total += 1
        for place in range(begin, end):
            reported[found[place]] = False
        found[begin:total].sort()
        sizes[i - first] = total - begin
    return sizes, found[:total].copy()
