"""Reader of tables of scores: one row per window, one column per species, as Perch and others give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.columns import Source
from ....annotations.frames.long_table import Sources
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.wording import option
from ...plain import PlainTables, told_absence
from ..inputs import Inputs
from ..machines.score_tables import ScoreTable, score_table
from ..open_tables import opened_table
from ..windows import Recordings, check_length, windows_of_rows

NO_SCOPE = "a table of scores answers for all its columns of species"


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    threshold: float | None = None,
    window: float | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    machine: str = "machine",
) -> PlainTables:
    """Table of a classifier's scores: a column of files, one of times, and one column per species.

    Parameters
    ----------
    inputs
        The table, or several of them: CSV, TSV, Parquet or Excel.
    absence
        Not needed: what scores below the threshold is absent, and an empty field is no vote.
    threshold
        The smallest score of a report, in the unit of the scores (0 to 1, or a logit). There is no default.
    window
        Cut recordings into windows of so many seconds; a row counts in every window that it overlaps. By
        default, windows are from the beginning to the end of each row. Without any column of times, each row
        is a recording.
    columns
        The name of the column of files, as in `{"recording": "sound"}`.
    encoding
        The encoding of text, if it is not UTF-8.
    sheet
        The sheet of an Excel workbook, if it has several.
    machine
        The name of the annotator.
    """
    told_absence(absence, None, ("checklist",), NO_SCOPE)
    if threshold is None:
        raise AnnotationError(
            "it is not told from which score on a species is reported",
            f"give {option('threshold', 0.5)}, or 0 for logits",
            file=inputs.name,
        )
    check_length("window", window)
    recordings = Recordings()
    opened = (opened_table(each, encoding, sheet=sheet) for each in inputs.files)
    tables = [score_table(table, columns, threshold, recordings, bad) for table in opened]
    names = recordings.named(inputs.name)
    species = sorted({name for table in tables for name in table.species})
    visits = _visits(tables, [_windows(table, names, window) for table in tables])
    at, which, score = _reports(tables, visits, species)
    nothing = np.full(len(visits.row), -1)  # each visit has a row that reports nothing
    row = np.concatenate([np.arange(len(nothing)), at])
    report = np.arange(len(row)) >= len(nothing)
    votes = pd.DataFrame(
        {
            "recording": pd.Categorical.from_codes(visits.recording[row], visits.names),
            "annotator": pd.Categorical.from_codes(np.zeros(len(row), np.int8), [machine]),
            "species": pd.Categorical.from_codes(np.concatenate([nothing, which]), species),
            "present": pd.Categorical.from_codes(np.where(report, 1, 2), ["0", "1", ""]),
            "score": np.concatenate([np.full(len(nothing), np.nan), score]),
        }
    )
    whole = all(table.known is None and len(table.species) == len(species) for table in tables)
    scope = None
    if not whole and len(row):
        lists, scope = _scopes(tables, visits, species)
        votes["scope"] = lists[row]
    source = Source(inputs.name, rows=visits.number[row], code=None)
    if len(tables) > 1:
        files = tuple(each.name for each in inputs.files)
        source = source._replace(files=files, file=visits.table[row])
    return PlainTables(
        votes,
        "checklist" if scope is None else "scope",
        scope=scope,
        species=pd.DataFrame({"species": species}),
        sources=Sources(source),
        score_scale="logit" if any(table.logits for table in tables) else None,
        score_thresholds={machine: threshold},
    )


class Visits(NamedTuple):
    """The windows of all tables: one a row, or several where a row overlaps several."""

    recording: Any
    """The position of its name in `names`."""
    names: Any
    table: Any
    row: Any
    """The position of the row in its table."""
    number: Any
    """The number of the row in a spreadsheet."""


def _windows(table: ScoreTable, names: Mapping[str, str], window: float | None) -> tuple[Any, Any, list[str]]:
    """Return the windows of a table: the row and the window of each, and the names of windows."""
    texts = [names.get(key, "") for key in table.recordings]
    rows = np.arange(len(table.row))
    if np.isnan(table.start).all():
        return rows, table.recording, texts
    end = table.end
    if np.isinf(end).any():
        if not window and (table.start == 0).all():
            return rows, table.recording, texts
        if not window:
            raise AnnotationError(
                "nothing tells how long windows are",
                f"give {option('window', 5)}, or add a column of their ends",
                file=table.source.name,
            )
        end = table.start
    try:
        row, span, spans = windows_of_rows(table.start, end, window)
    except AnnotationError as error:
        raise AnnotationError(error.problem, error.remedy, file=table.source.name) from None
    code, pairs = pd.factorize(table.recording[row] * len(spans) + span)
    which = zip(*np.divmod(pairs, max(len(spans), 1)), strict=True)
    return row, code, [texts[i] + spans[j] for i, j in which]


def _visits(tables: list[ScoreTable], windows: list[tuple[Any, Any, list[str]]]) -> Visits:
    """Return the windows of all tables together."""
    code, names = pd.factorize(np.array([name for *_, texts in windows for name in texts], object))
    before = np.cumsum([0, *(len(texts) for *_, texts in windows)])
    return Visits(
        np.concatenate(
            [code[first + window] for first, (_, window, _) in zip(before, windows, strict=False)]
        ),
        names,
        np.concatenate([np.full(len(row), i) for i, (row, *_) in enumerate(windows)]),
        np.concatenate([row for row, *_ in windows]),
        np.concatenate([table.row[row] for table, (row, *_) in zip(tables, windows, strict=True)]),
    )


def _reports(tables: list[ScoreTable], visits: Visits, species: list[str]) -> tuple[Any, Any, Any]:
    """Return the visit, the species and the score of each report."""
    found = []
    for i, table in enumerate(tables):
        first, last = np.searchsorted(visits.table, [i, i + 1])
        rows = visits.row[first:last]
        at, which, score = table.reports
        number = np.bincount(rows, minlength=len(table.row))[at]  # it counts in all windows of its row
        start = first + np.searchsorted(rows, at) - (np.cumsum(number) - number)
        place = np.searchsorted(species, table.species)[which]
        visit = np.repeat(start, number) + np.arange(number.sum())
        found.append((visit, np.repeat(place, number), np.repeat(score, number)))
    visit, place, score = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return visit, place, score


def _scopes(
    tables: list[ScoreTable], visits: Visits, species: list[str]
) -> tuple[pd.Categorical, pd.DataFrame]:
    """Return the scope of each visit, and a table of scopes: the species that have a score there.

    Several rows of a recording answer for all species that have a score in any of them.
    """
    bits = []
    for i, table in enumerate(tables):
        known = np.zeros((len(table.row), len(species)), bool)
        has = True if table.known is None else np.unpackbits(table.known, axis=1, count=len(table.species))
        known[:, np.searchsorted(species, table.species)] = has
        bits.append(np.packbits(known, axis=1)[visits.row[visits.table == i]])
    _, recording = np.unique(visits.recording, return_inverse=True)
    order = np.argsort(recording, kind="stable")
    first = np.flatnonzero(np.diff(recording[order], prepend=-1))
    found = np.bitwise_or.reduceat(np.concatenate(bits)[order], first, axis=0)
    lists, which = np.unique(found, axis=0, return_inverse=True)
    names = [str(i) if known.any() else "" for i, known in enumerate(lists, start=1)]
    scope, item = np.nonzero(np.unpackbits(lists, axis=1, count=len(species)))
    pairs = {
        "scope": pd.Categorical.from_codes(scope, names),
        "species": pd.Categorical.from_codes(item, species),
    }
    return pd.Categorical.from_codes(which.ravel()[recording], names), pd.DataFrame(pairs)
