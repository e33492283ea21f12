"""Joined data: the annotations and known cells of a fit together with new ones, and what is new in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...annotations.annotations import Annotations, check_annotations
from ...annotations.arrays import VoteArrays
from ...annotations.joining import joined
from ...annotations.known import KnownCells
from ...annotations.labelled import LabelledVotes
from ...annotations.labels import counted
from ...common.errors import AnnotationError
from ...common.wording import listed, option
from ...io.truth import read_known
from ..fitted import Fitted


def join_annotations(fitted: Fitted, new: LabelledVotes) -> Annotations:
    """Return the annotations of a fit with new ones; a visit that is in both has to be the same."""
    check_annotations(new)
    old = fitted.annotations
    names = old.provenance.names
    before = [name for name in new.species.index if name in names and name not in old.species.index]
    if before:
        raise AnnotationError(
            f"the names table of the fit has other names for {listed(before, 3)}",
            f"read the new annotations with the same table ({option('names')})",
            file=new.provenance.source,
        )
    fold_case = old.provenance.fold_case or new.provenance.fold_case
    return Annotations.of(joined(old, new, fold_case=fold_case, checklists=True))


def what_is_new(fitted: Fitted, annotations: VoteArrays, known: Any, folder: Path | None) -> dict[str, Any]:
    """Return, for the record, the fit that was updated and how much is new; an error if nothing is."""
    old, now = fitted.annotations, annotations
    new = {
        "new_visits": now.n_visits - old.n_visits,
        "new_recordings": now.n_recordings - old.n_recordings,
        "new_annotators": now.n_annotators - old.n_annotators,
        "new_species": now.n_species - old.n_species,
    }
    if not any(new.values()) and known is None:
        raise AnnotationError(
            f"nothing is new: the fit has all of these visits among its {counted(old.n_visits, 'visit')}",
            "give annotations that it has not seen",
        )
    return {"from": None if folder is None else str(folder), "visits": old.n_visits, **new}


def join_known(fitted: Fitted, annotations: LabelledVotes, known: Any) -> KnownCells | None:
    """Return the cells that the fit knew, and those in a new table, by their places in all annotations."""
    old, then = fitted.known_cells, fitted.annotations
    if known is None and old is None:
        return None
    known_as = old.known_as if old else "truth"
    parts: list[Any] = []
    if old is not None:
        places = (
            now.index.get_indexer(before.index)
            for before, now in (
                (then.recordings, annotations.recordings),
                (then.species, annotations.species),
            )
        )
        recording, species = places
        parts.append((recording[old.recording], species[old.species], old.present))
    if known is not None:
        more = read_known(known, annotations, known_as)
        parts.append((more.recording, more.species, more.present))
    recording, species, present = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((present, species, recording))
    recording, species, present = recording[order], species[order], present[order]
    again = np.zeros(len(order), bool)
    again[1:] = (recording[1:] == recording[:-1]) & (species[1:] == species[:-1])
    differ = np.flatnonzero(again[1:] & (present[1:] != present[:-1]))
    if len(differ):
        r, s = recording[differ[0]], species[differ[0]]
        raise AnnotationError(
            f"'{annotations.species.index[s]}' in '{annotations.recordings.index[r]}' is known to be present "
            "and to be absent: the fit and the new table differ",
            "correct the table, or fit all data together with a table that is right",
        )
    kept = recording[~again], species[~again], present[~again]
    return KnownCells.of(*kept, rows=annotations.n_recordings, known_as=known_as)
