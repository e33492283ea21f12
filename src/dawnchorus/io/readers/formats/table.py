"""Reader of plain tables: CSV, TSV, Parquet or Excel files with one row per report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.columns import Source, resolve, tell_unread
from ....annotations.frames.long_table import Sources
from ....annotations.frames.reading import SAMPLE
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ...plain import PlainTables
from ..inputs import Inputs, PathLike
from ..open_tables import Table, open_table, opened_table

COLUMNS: dict[str, tuple[list[str], list[str]]] = {
    "frame": (["recording", "annotator", "species"], ["present", "score"]),
    "scope": (["species"], ["annotator", "scope"]),
    "recordings": (["recording"], []),
    "annotators": (["annotator"], []),
    "species": (["species"], []),
}
"""The columns that each table needs, and those that it may have."""


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    scope: PathLike | None = None,
    recordings: PathLike | None = None,
    annotators: PathLike | None = None,
    species: PathLike | None = None,
) -> PlainTables:
    """CSV, TSV, Parquet or Excel with columns recording, annotator, species and (optional) present.

    Parameters
    ----------
    inputs
        The table, several of them, or `"-"` for standard input. A row with an empty species is a visit that
        reported nothing. Reports of a machine may have a score.
    absence
        What it means if a visit does not mention a species: `"explicit"`, no vote; `"scope"`, absent if the
        species is in the annotator's scope table, otherwise no vote; `"checklist"`, absent. There is no
        default.
    columns
        The names of columns where they differ, as in `{"recording": "clip_name"}`.
    encoding
        The encoding of the text tables, if it is not UTF-8 (or UTF-16 with a byte-order mark).
    sheet
        The sheet of an Excel workbook, if it has several.
    scope
        Path of a table with the species that each annotator, or each named scope, answers for.
    recordings, annotators, species
        Paths of tables with metadata.
    """
    sides = {"scope": scope, "recordings": recordings, "annotators": annotators, "species": species}
    tables = {word: open_table(path, encoding) for word, path in sides.items() if path is not None}
    frames = [opened_table(file, encoding, sheet=sheet) for file in inputs.files]
    by_name = absence == "scope" and "scope" in tables and "scope" in tables["scope"].columns
    names = long_columns(frames, tables, columns, by_name=by_name)
    votes, source = _joined(frames, names, inputs.name, bad)
    tell_unread_columns(frames, names, inputs.name, absence)
    return PlainTables(
        votes,
        absence,
        columns=names[0] if len(frames) == 1 else None,
        sources=Sources(source, **{word: table.source for word, table in tables.items()}),
        **{word: table.frame() for word, table in tables.items()},
    )


def tell_unread_columns(
    tables: Sequence[Table], names: Sequence[Mapping[str, str]], name: str, absence: Absence | None
) -> None:
    """Warn once of columns of several tables that are not read; while `absence` is open, a scope may be."""
    found = dict.fromkeys(column for table in tables for column in table.columns)
    read = {column for each in names for column in each.values()} | ({"scope"} if absence is None else set())
    votes = all("present" in each for each in names)
    tell_unread(found, read, Source(name), votes=votes, sample=partial(tables[0].sample, SAMPLE))


def _joined(
    tables: Sequence[Table], names: Sequence[Mapping[str, str]], name: str, bad: BadRows
) -> tuple[Any, Source]:
    """Return the long table of one file as it is, or those of several files below each other."""
    if len(tables) == 1:
        table = tables[0]
        return table.frame(names[0].values(), bad), table.source
    needed, optional = COLUMNS["frame"]
    words = [word for word in (*needed, *optional, "scope") if any(word in each for each in names)]
    parts = []
    for table, each in zip(tables, names, strict=True):
        if (set(each) ^ set(names[0])) - {"score"}:  # reports of people have none
            raise AnnotationError(
                f"its columns are {', '.join(each)}, but {tables[0].source.name} has {', '.join(names[0])}",
                "give files that have the same columns",
                file=table.source.name,
                row=table.source.header,
            )
        frame = table.frame(each.values(), bad)
        frame = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
        frame = frame.rename(columns={column: word for word, column in each.items()})
        parts.append(frame.reindex(columns=words))
    rows = np.concatenate(
        [np.arange(len(part)) + table.source.header + 1 for part, table in zip(parts, tables, strict=True)]
    )
    file = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    files = tuple(table.source.name for table in tables)
    guarded = any(table.source.guarded for table in tables)
    commas = all(table.source.commas for table in tables)
    source = Source(name, rows=rows, guarded=guarded, code=None, files=files, file=file, commas=commas)
    return pd.concat([part.astype(object) for part in parts], ignore_index=True), source


def long_columns(
    frames: Sequence[Table],
    tables: Mapping[str, Table],
    columns: Mapping[str, str] | None,
    *,
    by_name: bool,
) -> list[dict[str, str]]:
    """Return the columns of the long tables; if columns of any table are missing, raise one error for all.

    Only headers are looked at, so that this comes before errors in the rows, such as a broken encoding.
    """
    names: list[dict[str, str]] = []
    errors = []
    needed, optional = COLUMNS["frame"]
    needed = [*needed, *(["scope"] if by_name else [])]
    for table in frames:
        sample = partial(table.sample, SAMPLE)
        try:
            names.append(resolve(table.columns, needed, optional, table.source, columns, sample=sample))
        except AnnotationError as error:
            errors.append(error)
    for word, table in tables.items():
        needed, optional = COLUMNS[word]
        if word == "scope" and "scope" not in table.columns:
            needed = ["annotator", *needed]
        try:
            resolve(table.columns, needed, optional, table.source, side=True)
        except AnnotationError as error:
            errors.append(error)
    AnnotationError.raise_all(errors)
    return names
