"""Audibility: how audible each reported bird is to everybody, given the votes on it.

In a draw, given that species k is present in recording i, the class c of the bird has a probability in
proportion to share[c] · ∏ over votes P(vote | present, c). So audible[i, k] is the mean, over classes, of
σ(typical[k] + g[c]): the share of typical annotators who would report it. An annotator is typical whose level
is the mean of all levels, for this species if species differ for everyone. Of one vote alone, the class is
mostly what it is for any bird; the interval is over draws of the parameters.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ...common.compiled import compiled
from ...common.errors import AnnotationError
from ...common.intervals import interval
from ...common.ragged import Floats, Ints
from ...common.wording import option
from ...model.audibility import CLASSES, SHARE
from ...model.design import ReportedCells
from ...model.predictive.loudness import Loudness, loudness
from ...model.rates import unpack_vote
from ..fitted import Fitted
from ..tables import interval_columns

DRAWS = 300
"""At most so many draws, evenly spread over all chains, are used."""
CELLS = 20_000
"""So many cells are summarised at a time."""


def audibility(fitted: Fitted, level: float) -> pd.DataFrame:
    """Return how audible each reported bird is."""
    if "faintness" not in fitted.draws:
        raise AnnotationError(
            "the fit did not learn how audible birds are", f"fit with {option('faint', True)}"
        )
    values = fitted.draws.at(fitted.draws.places(DRAWS))
    given = fitted.parameters(DRAWS)
    reported, annotations = fitted.design.layout.reported, fitted.annotations
    every = np.arange(len(given.tpr))
    heard = loudness(given.tpr, given.fpr, every, np.arange(given.tpr.shape[1]), given.faintness)
    typical = np.repeat(values("tpr_level").mean(axis=1)[:, None], annotations.n_species, axis=1)
    if "typical_tpr_level" in fitted.draws:
        typical = values("typical_tpr_level")
    rows = []
    for first in range(0, len(reported.recording), CELLS):
        cells = np.arange(first, min(first + CELLS, len(reported.recording)))
        audible = _audible(cells, reported, heard, typical)
        rows.append(interval_columns("audible", audible.mean(axis=1), *interval(audible.T, level)))
    nothing = interval_columns("audible", *np.empty((3, 0)))
    votes, said = np.diff(reported.vote_start), unpack_vote(reported.vote)[1]
    table = pd.concat(rows or [nothing], ignore_index=True)
    table.insert(0, "recording", annotations.recordings.index[reported.recording])
    table.insert(1, "species", annotations.species.index[reported.cells.item])
    table["votes"] = votes
    table["reports"] = np.bincount(np.repeat(np.arange(len(votes)), votes), said, len(votes)).astype(int)
    return table


@compiled
def _audible(cells: Ints, reported: ReportedCells, heard: Loudness, typical: Floats) -> Floats:
    """Return the share of typical annotators who would report each bird, cells × draws."""
    found = np.empty((len(cells), len(typical)))
    for row in range(len(cells)):
        cell = cells[row]
        k = reported.cells.item[cell]
        for d in range(len(typical)):
            total, audible, odds = 0.0, 0.0, math.exp(typical[d, k])
            for c in range(len(CLASSES)):
                factor, weight = heard.factor[c, d], SHARE[c]
                for v in range(reported.vote_start[cell], reported.vote_start[cell + 1]):
                    rate, said = unpack_vote(reported.vote[v])
                    there = heard.odds[rate, d] * factor
                    weight *= (there if said else 1.0) / (1 + there)
                total += weight
                audible += weight * odds * factor / (1 + odds * factor)
            found[row, d] = audible / total
    return found
