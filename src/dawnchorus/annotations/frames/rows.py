"""Rows: a long table in whole numbers, which becomes labelled votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Bools, Ints, Ragged
from ...common.warn import warn
from ...common.wording import listed
from ..assembly import assemble
from ..labelled import LabelledVotes, Provenance
from ..labels import Coded, counted
from ..votes import ABSENT, PRESENT, UNSURE, Absence
from .columns import Source


class Rows(NamedTuple):
    """A long table with whole numbers in place of labels; `species` is −1 where it is blank."""

    row: Ints
    recording: Ints
    annotator: Ints
    species: Ints
    vote: Ints


def assemble_rows(
    rows: Rows,
    absence: Absence,
    declared: Mapping[str, Coded],
    tables: Mapping[str, pd.DataFrame],
    provenance: Provenance,
    source: Source,
) -> LabelledVotes:
    """Return labelled votes; `declared` has the scope table, if there is one."""
    rows = _in_order(rows, tables)
    new = _differs(rows.recording) | _differs(rows.annotator)
    visit = np.cumsum(new) - 1
    visit_recording, visit_annotator = rows.recording[new], rows.annotator[new]
    n_visits, n_species = len(visit_recording), len(tables["species"])
    again = ~(new | _differs(rows.species)) & (rows.species >= 0)
    _refuse_contradiction(rows, again, tables, source)
    votes = (rows.species >= 0) & ~again
    visit, species, vote = visit[votes], rows.species[votes], rows.vote[votes]

    def lists(mask: Any) -> Ragged:
        return Ragged.from_pairs(visit[mask], species[mask], rows=n_visits)

    reports, unsure = lists(vote == PRESENT), lists(vote == UNSURE)
    known = _declared_lists(declared, tables) if declared else None
    outside = 0
    if absence == "explicit":
        scopes = lists(slice(None))
        visit_scope: Ints = np.arange(n_visits)
    elif absence == "checklist":
        scopes = Ragged.from_sizes([n_species], np.arange(n_species))
        visit_scope = np.zeros(n_visits, np.int64)
    else:
        assert known is not None
        beyond = ~known.contains(visit_annotator[visit], species)
        outside = int(np.count_nonzero(beyond & (vote == PRESENT)))
        scopes, visit_scope = _scopes_with(known, visit_annotator, lists(beyond))
        _warn_of_scope(outside, known, visit_annotator, tables["annotator"].index, source)
    return assemble(
        tables,
        visit_recording,
        visit_annotator,
        scopes=scopes,
        visit_scope=visit_scope,
        reports=reports,
        unsure=unsure,
        known=known,
        annotator_known=None if known is None else np.arange(known.rows),
        provenance=replace(provenance, duplicate_rows=int(again.sum()), outside_scope=outside),
    )


def _in_order(rows: Rows, tables: Mapping[str, pd.DataFrame]) -> Rows:
    """Return the rows sorted by recording, annotator and species; equal rows keep their order."""
    annotators, species = len(tables["annotator"]), len(tables["species"]) + 1
    if len(tables["recording"]) * annotators * species < 2**62:
        key = rows.recording.astype(np.int64) * annotators + rows.annotator
        order = np.argsort(key * species + rows.species, kind="stable")
    else:
        order = np.lexsort((rows.species, rows.annotator, rows.recording))
    return Rows(*(column[order] for column in rows))


def _differs(column: Ints) -> Bools:
    """Return, for each value, whether it differs from the one before it; true for the first."""
    return np.append(True, column[1:] != column[:-1])


def _refuse_contradiction(
    rows: Rows, again: Bools, tables: Mapping[str, pd.DataFrame], source: Source
) -> None:
    """Raise an error if an annotator has two different votes on one species in one recording."""
    clash = np.flatnonzero(again & _differs(rows.vote))
    if not len(clash):
        return
    at = clash[np.argmin(rows.row[clash])]
    what = {PRESENT: "present", ABSENT: "absent", UNSURE: "unsure"}
    said = [what[int(rows.vote[i])] for i in (at - 1, at)]
    who, where, which = (
        tables[word].index[getattr(rows, word)[at]] for word in ("annotator", "recording", "species")
    )
    raise AnnotationError(
        f"annotator '{who}' calls species '{which}' in recording '{where}' "
        f"both {said[0]} and {said[1]} (see row {source.row(rows.row[at - 1])})",
        "keep the correct row and delete the other",
        file=source.name,
        row=source.row(rows.row[at]),
    )


def _declared_lists(declared: Mapping[str, Coded], tables: Mapping[str, pd.DataFrame]) -> Ragged:
    """Return the species that each annotator declared; rows with a blank are ignored."""
    who, what = (declared[word].codes_in(tables[word].index) for word in ("annotator", "species"))
    use = (who >= 0) & (what >= 0)
    return Ragged.from_pairs(who[use], what[use], rows=len(tables["annotator"]))


def _scopes_with(known: Ragged, visit_annotator: Ints, beyond: Ragged) -> tuple[Ragged, Ints]:
    """Return the scope of each visit: that of its annotator, with any reported species outside it added."""
    special = np.flatnonzero(beyond.sizes)
    base, more = known.take(visit_annotator[special]), beyond.take(special)
    wider = Ragged.from_pairs(
        np.concatenate([base.row_of_item(), more.row_of_item()]),
        np.concatenate([base.item, more.item]),
        rows=len(special),
    )
    visit_scope = visit_annotator.copy()
    visit_scope[special] = known.rows + np.arange(len(special))
    return known.stack(wider), visit_scope


def _warn_of_scope(
    outside: int, known: Ragged, visit_annotator: Ints, index: pd.Index, source: Source
) -> None:
    without = [index[j] for j in np.unique(visit_annotator) if not known.sizes[j]]
    if without:
        warn(
            f"{source.name}: {counted(len(without), 'annotator')} {'has' if len(without) == 1 else 'have'} "
            "visits but no row in the scope table, so species they do not mention get no vote: "
            f"{listed(without, 5)}"
        )
    if outside:
        warn(
            f"{source.name}: {counted(outside, 'report')} {'is' if outside == 1 else 'are'} of a species "
            "outside the annotator's scope; the species is added to the scope of that visit"
        )
