"""Reader of wide tables: one row per visit, one column per species."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.columns import Source, resolve
from ....annotations.frames.long_table import Sources
from ....annotations.frames.reading import SAMPLE
from ....annotations.frames.wide import species_columns
from ....annotations.labels import as_text
from ....annotations.votes import VOTES, Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed
from ...plain import PlainTables, told_absence
from ..glimpse import Glimpse
from ..inputs import Inputs
from ..open_tables import Table, opened_table

UNKNOWN, NO_VOTE = -2, -1


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> PlainTables:
    """CSV, TSV, Parquet or Excel with columns recording, annotator and one column per species (1, 0, empty).

    Parameters
    ----------
    inputs
        The table, or several of them.
    absence
        Not needed: 0 is absent, and an empty field is no vote.
    columns
        The names of the columns of recordings and annotators, as in `{"recording": "clip_name"}`.
    encoding
        The encoding of text, if it is not UTF-8.
    sheet
        The sheet of an Excel workbook, if it has several.
    """
    told_absence(absence, None, ("explicit",), "in a wide table, 0 is absent and an empty field is no vote")
    parts, rows, file, files, species = [], [], [], [], []
    for number, each in enumerate(inputs.files):
        table = opened_table(each, encoding, sheet=sheet)
        _check_names(table)
        names = resolve(table.columns, ["recording", "annotator"], [], table.source, columns)
        found = _species(table, names)
        long, row = _long(table, names, found, bad)
        parts.append(long)
        rows.append(row)
        file.append(np.full(len(row), number))
        files.append(table.source.name)
        species += found
    source = Source(inputs.name, rows=np.concatenate(rows), guarded=True, code=None)
    if len(files) > 1:
        source = source._replace(files=tuple(files), file=np.concatenate(file))
    return PlainTables(
        pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0],
        "explicit",
        species=pd.DataFrame({"species": sorted(set(species))}),
        sources=Sources(source),
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether a table has no column of species, but several of votes."""
    table = glimpse.table
    if table is None:
        return False
    try:
        names = resolve(table.columns, ["recording", "annotator"], ["species", "present"], table.source)
    except AnnotationError:
        return False
    return "species" not in names and bool(species_columns(table.sample(SAMPLE), names))


def _check_names(table: Table) -> None:
    """Raise an error if a column has no name, or that of another."""
    wrong = [name for i, name in enumerate(table.columns) if not name or name in table.columns[:i]]
    if wrong:
        raise AnnotationError(
            f"two columns have the name '{wrong[0]}'" if wrong[0] else "a column has no name",
            "rename it, or remove it",
            file=table.source.name,
            row=table.source.header,
        )


def _species(table: Table, names: Mapping[str, str]) -> list[str]:
    """Return the columns of species: those in which most values are votes."""
    sample = table.sample(SAMPLE)
    others = [column for column in table.columns if column not in names.values()]
    found = []
    for column in others:
        texts = [as_text(value).lower() for value in sample.get(column, ())]
        texts = [text for text in texts if text]
        if 2 * sum(text in VOTES for text in texts) >= len(texts):
            found.append(column)
    if not found:
        raise AnnotationError(
            f"no column contains votes; the columns are {listed(table.columns)}",
            "give a table with one column per species, with 1, 0 or nothing in it",
            file=table.source.name,
            row=table.source.header,
        )
    left = [column for column in others if column not in found]
    if left:
        warn(f"{table.source.name}: columns that contain no votes are not used: {listed(left)}")
    return found


def _long(
    table: Table, names: Mapping[str, str], species: list[str], bad: BadRows
) -> tuple[pd.DataFrame, Any]:
    """Return the long table, and the number of the row of each vote."""
    wanted = [*names.values(), *species]
    frame: Any = table.frame(wanted, bad, dict.fromkeys(wanted, "category"))
    frame = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    labels = {word: _coded(frame[column]) for word, column in names.items()}
    visit, which, vote = [], [], []
    for k, column in enumerate(species):
        votes = _votes(frame[column], table.source, column, bad)
        voted = np.flatnonzero(votes >= 0).astype(np.int32)
        visit.append(voted)
        which.append(np.full(len(voted), k, np.int16))
        vote.append(votes[voted])
    silent = np.setdiff1d(
        np.arange(len(frame), dtype=np.int32), np.concatenate(visit)
    )  # visits that voted on nothing
    row = np.concatenate([*visit, silent])
    columns = {
        word: pd.Categorical.from_codes(code[row], pd.Index(texts, dtype=object))
        for word, (code, texts) in labels.items()
    }
    nothing = np.full(len(silent), -1, np.int8)
    columns["species"] = pd.Categorical.from_codes(np.concatenate([*which, nothing]), species)
    words = pd.Index(["0", "1", ""])  # in the order of the codes of votes
    columns["present"] = pd.Categorical.from_codes(np.concatenate([*vote, nothing]), words)
    return pd.DataFrame(columns), row + table.source.header + 1


def _coded(column: pd.Series) -> tuple[Any, Any]:
    """Return a column as codes (−1 for missing) and the different values."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(), column.cat.categories
    return pd.factorize(column.astype(object))


def _votes(column: pd.Series, source: Source, name: str, bad: BadRows) -> Any:
    code, texts = _coded(column)
    words = [as_text(text).lower() for text in texts]
    meaning = [VOTES.get(word, UNKNOWN) if word else NO_VOTE for word in words]
    votes = np.array([*meaning, NO_VOTE], np.int8)[code]  # what is missing has the code −1
    unknown = np.flatnonzero(votes == UNKNOWN)
    if len(unknown):
        error = AnnotationError(
            f"the vote is '{texts[code[unknown[0]]]}'",
            "write 1 for present, 0 for absent, unsure, or nothing for no vote",
            **source.at(int(unknown[0])),
            field=name,
        )
        bad.found(error, len(unknown))
        votes[unknown] = NO_VOTE
    return votes
