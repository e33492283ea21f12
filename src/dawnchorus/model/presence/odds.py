"""Odds of presence before any vote: what an occurrence gives to the draw of presence.

Odds may differ from recording to recording, but a table of recordings × species is never made. Odds are
products of terms, each a row of a table,

    odds(i, k) = ∏_t factor[row[i, t], k],

one term in mixtures (the row of a recording is its component), several with contexts (a row for the site,
a row for the hour). Silent cells are drawn by candidates, which need a bound: recordings are in groups,
and odds(i, k) ≤ max_odds[group[i], k].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints
from ..rates import odds_of


class Odds(NamedTuple):
    """Odds of presence by recording and species, as products; each product is between 1e-75 and 1e75."""

    factor: Floats
    """The rows of all terms, rows × species."""
    row: Ints
    """The row of each recording and term, recordings × terms."""
    group: Ints
    """The group of each recording."""
    max_odds: Floats
    """An upper bound of the odds, groups × species; the tighter, the faster."""
    sizes: Ints
    """The number of recordings in each group. It decides which groups get a table of candidates of their own,
    and does not change the distribution of draws."""
    own_tables: bool = False
    """Whether every group gets a table of its own, at the cost that all annotators share a list of species in
    it; worth it where odds differ much between groups. It does not change the distribution of draws."""

    def table(self) -> Floats:
        """Return recordings × species, for small data."""
        return self.factor[self.row].prod(axis=1)


@compiled
def grouped_odds(probability: Floats, group: Ints) -> Odds:
    """Return odds that are the same for all recordings of a group, from probabilities, groups × species."""
    odds = odds_of(probability)
    sizes = np.zeros(len(odds), np.int64)
    for g in group:
        sizes[g] += 1
    return Odds(odds, group.reshape(-1, 1), group, odds, sizes, False)


@inlined
def odds_at(factor: Floats, row: Ints, i: int, k: int) -> float:
    """Return the odds of species k in recording i."""
    odds = factor[row[i, 0], k]
    for term in range(1, row.shape[1]):
        odds *= factor[row[i, term], k]
    return odds
