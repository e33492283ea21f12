"""Rows: a long table in whole numbers, which becomes labelled votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats, Ints, Ragged
from ...common.warn import warn
from ..assembly import assemble
from ..labelled import LabelledVotes, Provenance
from ..labels import Coded, counted, verb
from ..votes import ABSENT, PRESENT, UNSURE, Absence
from .bad_rows import BadRows
from .columns import Source
from .scopes import Scopes, warn_of_scopes, with_others


class Rows(NamedTuple):
    """A long table with whole numbers in place of labels; `species` is −1 where it is blank."""

    row: Ints
    recording: Ints
    annotator: Ints
    species: Ints
    vote: Ints
    score: Floats
    """NaN where there is none; empty if there is no column of scores."""


def assemble_rows(
    rows: Rows,
    absence: Absence,
    declared: Scopes | None,
    tables: Mapping[str, pd.DataFrame],
    provenance: Provenance,
    source: Source,
    bad: BadRows,
) -> LabelledVotes:
    """Return labelled votes of checked rows; `declared` has the lists of the scope table, if there is one."""
    new = _differs(rows.recording) | _differs(rows.annotator)
    visit = np.cumsum(new) - 1
    visit_recording, visit_annotator = rows.recording[new], rows.annotator[new]
    n_visits, n_species = len(visit_recording), len(tables["species"])
    again = ~(new | _differs(rows.species)) & (rows.species >= 0)
    votes = (rows.species >= 0) & ~again
    visit, species, vote = visit[votes], rows.species[votes], rows.vote[votes]

    def lists(mask: Any) -> Ragged:
        return Ragged.from_pairs(visit[mask], species[mask], rows=n_visits)

    reports, unsure = lists(vote == PRESENT), lists(vote == UNSURE)
    scores = _report_scores(rows, again, source)
    outside = 0
    if absence == "explicit":
        scopes = lists(slice(None))
        visit_scope: Ints = np.arange(n_visits)
    elif absence == "checklist":
        scopes = Ragged.from_sizes([n_species], np.arange(n_species))
        visit_scope = np.zeros(n_visits, np.int64)
    else:
        assert declared is not None
        visit_list = declared.of_visits(rows.row, new, visit_annotator, source, bad)
        beyond = ~declared.lists.contains(visit_list[visit], species)
        listed = declared.lists.sizes[visit_list[visit]] > 0
        outside = int(np.count_nonzero(beyond & listed & (vote == PRESENT)))
        scopes, visit_scope = with_others(declared.lists, visit_list, lists(beyond))
        warn_of_scopes(outside, declared, visit_annotator, tables["annotator"].index, source)
    by_annotator = declared is not None and declared.annotator is not None
    return assemble(
        tables,
        visit_recording,
        visit_annotator,
        scopes=scopes,
        visit_scope=visit_scope,
        reports=reports,
        unsure=unsure,
        known=declared.lists if declared is not None and by_annotator else None,
        annotator_known=declared.annotator if declared is not None and by_annotator else None,
        provenance=replace(provenance, duplicate_rows=int(again.sum()), outside_scope=outside),
        scores=scores,
    )


def _report_scores(rows: Rows, again: Bools, source: Source) -> Floats:
    """Return the scores of reports, the best one of several rows; those of other rows are not used."""
    if not len(rows.score):
        return rows.score
    first = np.flatnonzero(~again)
    best = np.fmax.reduceat(rows.score, first)
    report = (rows.species[first] >= 0) & (rows.vote[first] == PRESENT)
    others = int(np.count_nonzero(~np.isnan(best[~report])))
    if others:
        warn(
            f"{source.name}: {counted(others, 'score')} in rows that report nothing "
            f"{verb(others, 'is', 'are')} not used: below its threshold, a machine is silent"
        )
    return np.asarray(best[report])


def _in_order(rows: Rows, tables: Mapping[str, pd.DataFrame]) -> Rows:
    """Return the rows sorted by recording, annotator and species; equal rows keep their order."""
    annotators, species = len(tables["annotator"]), len(tables["species"]) + 1
    if len(tables["recording"]) * annotators * species < 2**62:
        key = rows.recording.astype(np.int64) * annotators + rows.annotator
        order = np.argsort(key * species + rows.species, kind="stable")
    else:
        order = np.lexsort((rows.species, rows.annotator, rows.recording))
    return Rows(*(column[order] if len(column) else column for column in rows))


def _differs(column: Ints) -> Bools:
    """Return, for each value, whether it differs from the one before it; true for the first."""
    return np.append(True, column[1:] != column[:-1])


def checked_rows(
    rows: Rows,
    tables: Mapping[str, pd.DataFrame],
    source: Source,
    bad: BadRows,
    written: Mapping[str, Coded] | None = None,
) -> Rows:
    """Return rows in order, without those in which one annotator's votes on one species contradict.

    If bad rows are left out, all rows that contradict are, so that their order decides nothing; otherwise
    they are an error. It quotes labels as they were `written`, if that is known.
    """
    rows = _in_order(rows, tables)
    new = _differs(rows.recording) | _differs(rows.annotator) | _differs(rows.species) | (rows.species < 0)
    clash = np.flatnonzero(~new & _differs(rows.vote))
    if not len(clash):
        return rows
    at = clash[np.argmin(rows.row[clash])]
    what = {PRESENT: "present", ABSENT: "absent", UNSURE: "unsure"}
    said = [what[int(rows.vote[i])] for i in (at - 1, at)]
    who, where, which = (
        _as_written(
            tables[word].index[getattr(rows, word)[at]],
            None if written is None else written[word].text[written[word].code[rows.row[at]]],
        )
        for word in ("annotator", "recording", "species")
    )
    error = AnnotationError(
        f"annotator {who} calls species {which} in recording {where} "
        f"both {said[0]} and {said[1]} (see row {source.row(rows.row[at - 1])})",
        "keep the correct row and delete the other",
        **source.at(int(rows.row[at])),
    )
    cell = np.cumsum(new)
    contradicting = np.isin(cell, cell[clash])
    bad.found(error, int(np.count_nonzero(contradicting)))
    if contradicting.all():
        raise bad.all_bad(source.name)
    return Rows(*(column[~contradicting] if len(column) else column for column in rows))


def _as_written(label: str, text: str | None) -> str:
    """Return a label in quotation marks, as it is in its row, with its other name if it got one."""
    if text is None or text.casefold() == label.casefold():
        return f"'{label if text is None else text}'"
    return f"'{text}' (that is '{label}')"
