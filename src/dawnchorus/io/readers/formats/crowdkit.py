"""Reader of tables as Crowd-Kit has them: task, worker, label. Description: https://github.com/Toloka/crowd-kit."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.lists import listed_texts
from ....annotations.frames.long_table import Sources
from ....annotations.labels import as_text
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.wording import no_columns
from ...plain import PlainTables
from ..field_rows import FieldError, json_in
from ..glimpse import Glimpse
from ..inputs import Inputs
from ..long_rows import LongRows
from ..open_tables import opened_table

NEEDED = ["task", "worker", "label"]


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> PlainTables:
    """Crowd-Kit table: columns task, worker and label, in which a label may be a list of labels.

    Parameters
    ----------
    inputs
        The table, or several of them: CSV, TSV, Parquet or Excel.
    absence
        What it means if a worker does not mention a species, as for plain tables. There is no default.
    encoding
        The encoding of text, if it is not UTF-8.
    sheet
        The sheet of an Excel workbook, if it has several.
    """
    rows = LongRows()
    for file in inputs.files:
        rows.file(file.name)
        table = opened_table(file, encoding, sheet=sheet)
        missing = [name for name in NEEDED if table.columns.count(name) != 1]
        if missing:
            raise AnnotationError(
                f"{no_columns(missing)}; the columns are {', '.join(table.columns)[:300]}",
                "rename columns to task, worker and label, each once",
                file=file.name,
                row=table.source.header,
            )
        frame: Any = table.frame(NEEDED, bad)
        frame = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
        for i, (task, worker, label) in enumerate(frame[NEEDED].itertuples(index=False, name=None)):
            row = table.source.row(i)
            try:
                where, who = _name(task, "task"), _name(worker, "worker")
                labels = _labels(label)
            except FieldError as wrong:
                if any(as_text(value) for value in (task, worker) if isinstance(value, str)):
                    bad.found(wrong.at(file, row, "correct the row"))
                continue  # a blank row
            for one in labels or [""]:
                rows.add(where, who, one, row=row)
    if not len(rows):
        raise AnnotationError("all rows are blank", "check that the table is complete", file=inputs.name)
    return PlainTables(rows.frame(), absence, sources=Sources(rows.source(inputs.name)))


def seems(glimpse: Glimpse) -> bool:
    """Return whether a table has the three columns, and lists in the last."""
    table = glimpse.table
    if table is None or not set(NEEDED) <= set(table.columns):
        return False
    labels = table.sample(100).get("label", [])
    return any(not isinstance(each, str | int | float | None) or str(each).startswith("[") for each in labels)


def _name(value: Any, word: str) -> Any:
    if not isinstance(value, str | int | float) or not as_text(value):
        raise FieldError(word, f"the {word} is blank")
    return value


def _labels(value: Any) -> list[str]:
    """Return the labels in a field: a list, a list in text, or one label."""
    if isinstance(value, str) and value.strip().startswith("["):
        found = _listed(value.strip())
    elif isinstance(value, str | int | float | bool) or value is None:
        found = [value]
    else:
        found = list(value)
    if not all(isinstance(each, str | int | float | bool | None) for each in found):
        raise FieldError("label", "a list of labels contains something else")
    return [text for text in map(as_text, found) if text]


def _listed(text: str) -> list[Any]:
    try:
        found = json_in(text)
    except ValueError as error:
        found = listed_texts(text)
        if found is None:
            raise FieldError("label", error) from None
    if not isinstance(found, list):
        raise FieldError("label", "a list of labels is expected")
    return found
