"""Overall: what a fit says about all recordings together, as sums, to which those of parts add up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...common.ragged import Bools, Floats, Ints
from ...model.design import Design
from ...model.rates import unpack_vote
from .encounters import Encounters
from .information import in_doubt

MET = 1.0
"""With fewer expected encounters than this, the share of misses is not computed."""


class Overall(NamedTuple):
    """Sums over recordings, or over cells, which are those that are listed (encounters.py)."""

    in_doubt: int
    """The cells that are in doubt."""
    overruled: int
    """Those where the probability and the majority of votes disagree."""
    shared: int
    """Those that somebody reported, and on which others voted as well,"""
    disputed: int
    """and those among them that not all reported."""
    visited_once: int
    never_visited: int
    fresh: float
    """The information of a visit, in bits, in recordings that nobody has visited."""
    expected: Floats
    """Of each species, the expected number of recordings with it,"""
    met: Floats
    """of votes on it where it is present,"""
    found: Floats
    """and of right reports."""
    right: Floats
    """Of each annotator, the expected number of right reports."""

    def plus(self, other: Overall) -> Overall:
        """Return the sums over two parts of the data."""
        mine: Any = self
        return Overall(*(one + two for one, two in zip(mine, other, strict=True)))


def overall_of(found: Encounters) -> Overall:
    """Return the sums over all recordings of a fit."""
    a, cells = found.annotations, found.cells
    visits = a.visits_by_recording.sizes
    right = found.right
    return Overall(
        int(np.count_nonzero(in_doubt(cells.probability))),
        len(found.overruled_cells[0]),
        *(_shared(found.fitted.design) if a.n_votes else (0, 0)),
        int(np.count_nonzero(visits == 1)),
        int(np.count_nonzero(visits == 0)),
        float(found.information[visits[cells.recording] == 0].sum()),
        np.bincount(cells.species, cells.probability, a.n_species),
        np.asarray(found.voted.sum(axis=0)).ravel(),
        np.asarray(right.sum(axis=0)).ravel(),
        np.bincount(a.visit_annotator, np.asarray(right.sum(axis=1)).ravel(), a.n_annotators),
    )


def _shared(design: Design) -> tuple[int, int]:
    """Return how many reported cells have several votes, and how many of those are not all reports."""
    reported = design.layout.reported
    votes: Ints = np.diff(reported.vote_start)
    _, report = unpack_vote(reported.vote)
    reports = np.bincount(np.repeat(np.arange(len(votes)), votes), report, len(votes))
    shared = (votes > 1) & (reports > 0)
    return int(np.count_nonzero(shared)), int(np.count_nonzero(reports[shared] != votes[shared]))


def species_table(
    names: pd.Index,
    overall: Overall,
    recordings: int,
    reports: Ints,
    occurrence: Floats,
    tpr: Floats | None = None,
) -> pd.DataFrame:
    """Return the table of `Findings.species`.

    `tpr` are mean true positive rates, if not all cells are listed: then occurrence and these take the place
    of what the cells that are not listed would add.
    """
    expected, met, found = overall.expected, overall.met, overall.found
    missed = _share(met - found, met, met >= MET)
    if tpr is not None:
        expected = np.maximum(expected, occurrence * recordings)
        missed = np.where(met >= MET, 1 - tpr, np.nan)
    return pd.DataFrame(
        {
            "species": names,
            "reports": reports,
            "recordings_expected": expected,
            "believed": _share(found, reports, reports > 0),
            "missed": missed,
        }
    )


def _share(part: Floats, whole: Floats, known: Bools) -> Floats:
    return np.divide(part, whole, out=np.full(len(known), np.nan), where=known)
