"""Annotations as tables with labels and as a dense array; users call the methods of `Annotations`."""

from __future__ import annotations

from typing import get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..common.errors import AnnotationError
from ..common.ragged import Ints, Ragged
from .arrays import VoteArrays
from .labelled import LabelledVotes
from .labels import place
from .votes import Absence

MOST_ROWS = 100_000_000


def votes(a: LabelledVotes, recording: str, annotator: str) -> pd.Series:
    """Return the votes of one visit, indexed by species."""
    i, j = place(a.recordings.index, recording), place(a.annotators.index, annotator)
    found = a.visits_by_recording.row(i)
    found = found[a.visit_annotator[found] == j]
    if not len(found):
        raise AnnotationError(
            f"annotator '{annotator}' did not visit recording '{recording}'",
            "see `visits()` for a table of all visits",
        )
    species, vote = a.visit_votes(int(found[0]))
    return pd.Series(vote, index=a.species.index[species], name="present")


def visits(a: LabelledVotes, recording: str | None, annotator: str | None) -> pd.DataFrame:
    """Return a table of visits, all or those of one recording or annotator, indexed by position."""
    keep: Ints = np.arange(a.n_visits)
    if recording is not None:
        keep = a.visits_by_recording.row(place(a.recordings.index, recording))
    if annotator is not None:
        keep = keep[a.visit_annotator[keep] == place(a.annotators.index, annotator)]
    return pd.DataFrame(
        {
            "recording": a.recordings.index[a.visit_recording[keep]],
            "annotator": a.annotators.index[a.visit_annotator[keep]],
            "scope": a.scopes.sizes[a.visit_scope[keep]],
            "reports": a.reports.sizes[keep],
            "unsure": a.unsure.sizes[keep],
        },
        index=keep,
    )


def species_lists(a: LabelledVotes) -> pd.DataFrame:
    """Return the species list of every annotator as a long table."""
    lists = a.lists.take(a.annotator_list)
    return pd.DataFrame(
        {"annotator": a.annotators.index[lists.row_of_item()], "species": a.species.index[lists.item]}
    )


def cube(a: VoteArrays, most: int) -> npt.NDArray[np.int8]:
    """Return the votes as a dense array: 1 for present, 0 for absent and −1 for no vote."""
    shape = (a.n_recordings, a.n_annotators, a.n_species)
    if np.prod(shape, dtype=float) > most:
        raise AnnotationError(
            f"a cube of {' × '.join(map(str, shape))} has more than {most:,} cells",
            "select() a part, or take to_frame(), which lists votes alone",
        )
    cells = np.full(shape, -1, np.int8)
    for lists, value in ((a.scopes.take(a.visit_scope), 0), (a.reports, 1), (a.unsure, -1)):
        visit = lists.row_of_item()
        cells[a.visit_recording[visit], a.visit_annotator[visit], lists.item] = value
    return cells


def long_table(a: LabelledVotes, absence: Absence) -> pd.DataFrame:
    """Return a long table of votes and unsure marks; absences are rows only if `absence` is explicit."""
    if absence not in get_args(Absence):
        raise AnnotationError(f"absence is {absence!r}", f"use one of: {', '.join(get_args(Absence))}")
    if absence == "checklist" and not (a.scopes.sizes == a.n_species).all():
        raise AnnotationError("some visits do not answer for every species", "use absence='explicit'")
    if absence == "scope" and not _scopes_are_lists(a):
        raise AnnotationError("scopes differ from the annotators' lists", "use absence='explicit'")
    return _rows(a, absence)[0]


def scoped_tables(a: LabelledVotes) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a long table with the name of each visit's scope, and the table of scopes by these names."""
    table, visit = _rows(a, "scope")
    names = np.array([f"list {i + 1}" if size else "" for i, size in enumerate(a.scopes.sizes)], object)
    lists = pd.DataFrame(
        {"scope": names[a.scopes.row_of_item()], "species": a.species.index.to_numpy(object)[a.scopes.item]}
    )
    return table.assign(scope=names[a.visit_scope[visit]]), lists


def plain_absence(a: LabelledVotes) -> Absence | None:
    """Return the meaning of silence with which a long table is shortest; none if scopes need names."""
    if a.provenance.absence == "explicit":
        return "explicit"
    if (a.scopes.sizes == a.n_species).all():
        return "checklist"
    return "scope" if _scopes_are_lists(a) else None


def _rows(a: LabelledVotes, absence: Absence) -> tuple[pd.DataFrame, Ints]:
    """Return a long table, and the visit of each of its rows."""
    rows = a.n_votes + len(a.unsure.item) if absence == "explicit" else a.n_reports
    if rows > MOST_ROWS:
        raise AnnotationError(
            f"the table would have {rows:,} rows", "select() a part, or use another absence"
        )
    if absence == "explicit":
        votes = a.scopes.take(a.visit_scope)
    else:
        pairs = [(lists.row_of_item(), lists.item) for lists in (a.reports, a.unsure)]
        votes = Ragged.from_pairs(*map(np.concatenate, zip(*pairs, strict=True)), rows=a.n_visits)
    visit = votes.row_of_item()
    present = a.reports.contains(visit, votes.item).astype(float)
    present[a.unsure.contains(visit, votes.item)] = np.nan
    # A visit that would have no row gets one with an empty species.
    silent = np.flatnonzero(votes.sizes == 0)
    visit = np.concatenate([visit, silent])
    order = np.argsort(visit, kind="stable")
    species = np.concatenate([a.species.index.to_numpy(object)[votes.item], [""] * len(silent)])
    present = np.concatenate([present, np.full(len(silent), np.nan)])[order]
    visit = visit[order]
    table = pd.DataFrame(
        {
            "recording": a.recordings.index[a.visit_recording[visit]],
            "annotator": a.annotators.index[a.visit_annotator[visit]],
            "species": species[order],
            "present": pd.array(present, dtype="Int8"),
        }
    )
    if len(a.scores):
        place = np.append(a.reports.find(votes.row_of_item(), votes.item), np.full(len(silent), -1))[order]
        table["score"] = np.where(place < 0, np.nan, a.scores[place])
    return table, visit


def _scopes_are_lists(a: VoteArrays) -> bool:
    pairs = Ragged.from_pairs(a.annotator_list[a.visit_annotator], a.visit_scope, rows=a.lists.rows)
    which = pairs.row_of_item()
    return bool(np.all(pairs.sizes <= 1)) and a.scopes.take(pairs.item).equals(a.lists.take(which))
