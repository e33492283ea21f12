"""Known: the cells of a fit that were known from elsewhere, and those where all who voted said otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ...annotations.counting import votes_at
from ...annotations.known import KnownCells
from ...annotations.labelled import LabelledVotes
from ...annotations.labels import counted, verb
from ...common.ragged import Ints
from ..tables import labelled_cells

WORDS = np.array(["", "absent", "present"], object)
"""What the column `known` says of a cell: nothing, or what is known."""


def known_words(known: KnownCells | None, recording: Ints, species: Ints) -> npt.NDArray[np.object_]:
    """Return what is known of each of these cells: present, absent or nothing."""
    return WORDS[np.zeros(len(recording), int) if known is None else known.at(recording, species)]


def known_column(known: KnownCells | None, recording: Ints, species: Ints) -> dict[str, Any]:
    """Return what is known of these cells as a column; nothing if no cell was known in the fit."""
    return {} if known is None else {"known": known_words(known, recording, species)}


def known_table(annotations: LabelledVotes, known: KnownCells | None) -> pd.DataFrame:
    """Return the known cells, with votes, reports, and whether all who voted said otherwise."""
    if known is None:
        known = KnownCells.of(*np.empty((3, 0), np.int64), rows=annotations.n_recordings)
    a, recording, species = annotations, known.recording, known.species
    votes = votes_at(a, recording, species)
    visits = a.visits_by_recording.take(recording)
    cell = visits.row_of_item()
    reports = np.bincount(cell[a.reports.contains(visits.item, species[cell])], minlength=len(species))
    against = np.where(known.present, reports == 0, reports == votes) & (votes > 0)
    columns = {"present": known.present.astype(int), "votes": votes, "reports": reports}
    return labelled_cells(a, recording, species, **columns, contradicted=against)


def known_record(annotations: LabelledVotes, known: KnownCells) -> dict[str, Any]:
    """Return what the record of a fit says about known cells."""
    table = known_table(annotations, known)
    return {
        "as": known.known_as,
        "cells": len(table),
        "present": int(table["present"].sum()),
        "contradicted": int(table["contradicted"].sum()),
    }


def known_in_words(record: dict[str, Any]) -> str:
    """Return how many cells were known, and how many of them all who voted contradict, in a sentence or two.

    >>> known_in_words({"as": "truth", "cells": 12, "present": 7, "contradicted": 1})
    '12 cells were known (as truth), 7 of them present. In 1 cell, all who voted said otherwise.'
    """
    n, against = record["cells"], record["contradicted"]
    words = f"{counted(n, 'cell')} {verb(n, 'was', 'were')} known (as {record['as']}), "
    words += f"{record['present']:,} of them present."
    return f"{words} In {counted(against, 'cell')}, all who voted said otherwise." if against else words
