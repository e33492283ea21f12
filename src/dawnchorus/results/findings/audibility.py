"""Audibility: how audible each reported bird is to everybody, given the votes on it; and how deceptive.

In a draw, given that species k is present in recording i, the class c of the bird has a probability in
proportion to share[c] · ∏ over votes P(vote | present, c). So audible[i, k] is the mean, over classes, of
σ(typical[k] + g[c]): the share of typical annotators who would report it. An annotator is typical whose level
is the mean of all levels, for this species if species differ for everyone. Of one vote alone, the class is
mostly what it is for any bird; the interval is over draws of the parameters.

Given that it is absent, the share of typical annotators who would report it all the same is found in the same
way, from false positive rates and classes of deception.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ...annotations.counting import reports_at, votes_at
from ...common.compiled import compiled
from ...common.errors import AnnotationError
from ...common.intervals import interval
from ...common.ragged import Floats, Ints
from ...common.wording import option
from ...model.audibility import CLASSES, SHARE
from ...model.design import ReportedCells
from ...model.expertise.kept import typical_levels
from ...model.predictive.loudness import Loudness, loudness
from ...model.rates import unpack_vote
from ..fitted import Fitted
from ..tables import interval_columns, labelled_cells

DRAWS = 300
"""At most so many draws, evenly spread over all chains, are used."""
CELLS = 20_000
"""So many cells are summarised at a time."""


def audibility(fitted: Fitted, level: float) -> pd.DataFrame:
    """Return how audible each reported bird is, if it is there."""
    if "faint" not in fitted.model.parts:
        raise AnnotationError(
            "the fit did not learn how audible birds are", f"fit with {option('faint', True)}"
        )
    given = fitted.parameters(DRAWS)
    return _would_report(fitted, "tpr", given.tpr, given.faintness, "audible", level)


def deception(fitted: Fitted, level: float, presence: pd.DataFrame) -> pd.DataFrame:
    """Return how deceptive each reported bird is, if it is not there; what misleads most people comes first.

    `presence` has the probability of each of them.
    """
    if "deceptive" not in fitted.model.parts:
        raise AnnotationError(
            "the fit did not learn what misleads people", f"fit with {option('deceptive', True)}"
        )
    given = fitted.parameters(DRAWS)
    table = _would_report(fitted, "fpr", given.fpr, given.deception, "misled", level)
    known = presence[["recording", "species", "probability"]]
    table = table.merge(known, on=["recording", "species"], how="left")
    table.insert(2, "absent", 1 - table.pop("probability"))
    order = np.argsort(-(table["absent"] * table["misled"]).to_numpy(), kind="stable")
    return table.iloc[order].reset_index(drop=True)


def _would_report(
    fitted: Fitted, side: str, rates: Floats, spread: Floats, column: str, level: float
) -> pd.DataFrame:
    """Return the share of typical annotators who would report each reported bird, given presence or absence.

    `side` is tpr or fpr, `rates` are those over all classes, and `spread` is how far classes differ.
    """
    values = fitted.draws.at(fitted.draws.places(DRAWS))
    reported, annotations = fitted.design.layout.reported, fitted.annotations
    wider = 1 + fitted.parameters(DRAWS).unsure_marks
    heard = loudness(rates, np.arange(len(rates)), np.arange(rates.shape[1]), spread)
    difficulty = "difficulty" in fitted.model.parts
    typical = typical_levels(values, side, annotations.n_species, difficulty=difficulty)
    rows = []
    for first in range(0, len(reported.recording), CELLS):
        some = np.arange(first, min(first + CELLS, len(reported.recording)))
        found = _shares(some, reported, heard, wider, typical)
        rows.append(interval_columns(column, found.mean(axis=1), *interval(found.T, level)))
    nothing = interval_columns(column, *np.empty((3, 0)))
    cells = annotations, reported.recording, reported.cells.item
    columns = labelled_cells(*cells), pd.concat(rows or [nothing], ignore_index=True)
    table = pd.concat(columns, axis=1).assign(votes=votes_at(*cells), reports=reports_at(*cells))
    return table[table["reports"] > 0].reset_index(drop=True)


@compiled
def _shares(cells: Ints, reported: ReportedCells, heard: Loudness, wider: Floats, typical: Floats) -> Floats:
    """Return the share of typical annotators who would report each bird, cells × draws."""
    found = np.empty((len(cells), len(typical)))
    for row in range(len(cells)):
        cell = cells[row]
        k = reported.cells.item[cell]
        for d in range(len(typical)):
            total, share, odds = 0.0, 0.0, math.exp(typical[d, k])
            for c in range(len(CLASSES)):
                factor, weight = heard.factor[c, d], SHARE[c]
                for v in range(reported.vote_start[cell], reported.vote_start[cell + 1]):
                    rate, said = unpack_vote(reported.vote[v])
                    there = heard.odds[rate, d] * factor * (1.0 if said else wider[d])
                    weight *= (there if said else 1.0) / (1 + there)
                total += weight
                share += weight * odds * factor / (1 + odds * factor)
            found[row, d] = share / total
    return found
