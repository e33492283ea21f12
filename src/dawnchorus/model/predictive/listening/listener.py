"""Listener: the true and the false positive rate of somebody who listens, for every species and draw.

A listener who stands for several annotators has, in every draw, the mean of their logits for the species,
over those of them who have it on their list:

    logit tpr[k] = mean over annotators j of logit tpr[j, k]

Each annotator counts once, however many recordings they visited. Where rates are the same for all species,
so are the listener's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Bools, Floats, Ints, Ragged

SURE = 6e-8
"""Rates are kept so far from 0 and 1: nearer to 1, single precision cannot tell."""


class Listener(NamedTuple):
    """Rates for every species: draws × species."""

    tpr: Floats
    fpr: Floats

    def mean_report(self, mean_probability: float) -> float:
        """Return the mean probability of a report in cells with this mean probability of presence.

        It is exact if presence, rates and species have nothing to do with each other.
        """
        tpr, fpr = float(self.tpr.mean()), float(self.fpr.mean())
        return mean_probability * tpr + (1 - mean_probability) * fpr

    def of_species(self, species: Ints) -> Listener:
        """Return the same listener with these species, by place."""
        return Listener(
            np.ascontiguousarray(self.tpr[:, species]), np.ascontiguousarray(self.fpr[:, species])
        )


def mean_rates(rate: Floats, pairs: Ragged, members: Bools, n_species: int) -> Floats:
    """Return the rate at the mean logit of some annotators: draws × species; NaN where none has a rate.

    Parameters
    ----------
    rate
        The rates of all annotators: draws × annotators or, if rates differ by species, × pairs.
    pairs
        The species list of each annotator if rates differ by species; otherwise empty.
    members
        Which annotators count.
    n_species
        The number of species.

    Examples
    --------
    >>> rates = np.array([[0.2, 0.5, 0.8]])
    >>> mean_rates(rates, Ragged.empty(0), np.array([True, False, True]), 2).round(3).tolist()
    [[0.5, 0.5]]
    """
    if not pairs.rows:
        here = np.flatnonzero(members)
        found = _mean_logits(rate, here, np.zeros(len(here), np.int64), 1)
        return np.repeat(found, n_species, axis=1)
    here = np.flatnonzero(members[pairs.row_of_item()])
    return _mean_logits(rate, here, pairs.item[here].astype(np.int64), n_species)


@compiled
def _mean_logits(rate: Floats, which: Ints, group: Ints, groups: int) -> Floats:
    """Return the rate at the mean logit of each group of rates, by draw."""
    number = np.zeros(groups)
    for place in range(len(which)):
        number[group[place]] += 1
    out = np.empty((len(rate), groups))
    total = np.empty(groups)
    for d in range(len(rate)):
        total[:] = 0.0
        for place in range(len(which)):
            p = min(max(np.float64(rate[d, which[place]]), SURE), 1 - SURE)
            total[group[place]] += math.log(p / (1 - p))
        for g in range(groups):
            out[d, g] = 1 / (1 + math.exp(-total[g] / number[g])) if number[g] else np.nan
    return out
