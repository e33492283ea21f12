"""Reader of tables of scores: one row a window, one column a species, as Perch and others give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.columns import Source, resolve
from ....annotations.frames.long_table import Sources
from ....annotations.frames.reading import SAMPLE
from ....annotations.labels import as_text
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed, option
from ...plain import PlainTables, told_absence
from ..field_rows import tidy
from ..inputs import Inputs
from ..open_tables import Table, opened_table
from ..windows import Windows, recording_of

STARTS = ("start_s", "start", "start_time", "start_time_s", "begin_time_s", "offset", "offset_s",
          "window_start", "timestamp_s", "time_offset")  # fmt: skip
ENDS = ("end_s", "end", "end_time", "end_time_s", "window_end")
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
    """Table of a classifier's scores: a column of files, one of times, and one column a species.

    Parameters
    ----------
    inputs
        The table, or several of them: CSV, TSV, Parquet or Excel.
    absence
        Not needed: what scores below the threshold is absent, and an empty field is no vote.
    threshold
        The smallest score of a report, in the unit of the scores (0 to 1, or a logit). There is no default.
    window
        The length of windows in seconds; by default from the columns of beginning and end. Without any
        column of times, each row is a recording.
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
    parts, rows, file = [], [], []
    species: dict[str, None] = {}
    logits = False
    for number, each in enumerate(inputs.files):
        table = opened_table(each, encoding, sheet=sheet)
        long, row, found, far = _long(table, columns, threshold, window, machine, bad)
        logits |= far
        parts.append(long)
        rows.append(row)
        file.append(np.full(len(row), number))
        species |= dict.fromkeys(found)
    source = Source(inputs.name, rows=np.concatenate(rows), code=None)
    if len(parts) > 1:
        files = tuple(each.name for each in inputs.files)
        source = source._replace(files=files, file=np.concatenate(file))
    return PlainTables(
        pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0],
        "checklist",
        species=pd.DataFrame({"species": sorted(species)}),
        sources=Sources(source),
        score_scale="logit" if logits else None,
        score_thresholds={machine: threshold},
    )


def _long(
    table: Table,
    columns: Mapping[str, str] | None,
    threshold: float,
    window: float | None,
    machine: str,
    bad: BadRows,
) -> tuple[pd.DataFrame, Any, list[str], bool]:
    """Return the votes of a table as a long one, the row of each, the species, and if scores are logits.

    They are if any, reported or not, is outside 0 and 1.
    """
    recording = resolve(table.columns, ["recording"], [], table.source, columns)["recording"]
    times = {tidy(name): name for name in table.columns if tidy(name) in (*STARTS, *ENDS)}
    start = next((times[name] for name in STARTS if name in times), None)
    end = next((times[name] for name in ENDS if name in times), None)
    species = _species(table, [recording, *times.values()])
    numbers = [*times.values(), *species]
    kinds = {recording: "category", **dict.fromkeys(numbers, "float")}
    frame: Any = table.frame([recording, *numbers], bad, kinds)
    frame = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    keep = np.array([bool(as_text(value)) for value in frame[recording]])
    begins, ends = (_optional(frame, name, table.source, bad) for name in (start, end))
    names = _names(frame[recording], begins, ends, window)
    visit, which = [np.flatnonzero(keep)], [np.full(keep.sum(), -1)]  # a row for each visit
    vote, score = [np.full(keep.sum(), 2)], [np.full(keep.sum(), np.nan)]
    logits = False
    for k, column in enumerate(species):
        values = _numbers(frame[column], column, table.source, bad)
        logits |= bool(((values < 0) | (values > 1)).any())
        said = np.flatnonzero(keep & ((values >= threshold) | np.isnan(values)))
        visit.append(said)
        which.append(np.full(len(said), k))
        vote.append(np.where(np.isnan(values[said]), 2, 1))
        score.append(values[said])
    row = np.concatenate(visit)
    code, texts = pd.factorize(np.array(names, object))
    long = pd.DataFrame(
        {
            "recording": pd.Categorical.from_codes(code[row], texts),
            "annotator": pd.Categorical([machine] * len(row)),
            "species": pd.Categorical.from_codes(np.concatenate(which), species),
            "present": pd.Categorical.from_codes(np.concatenate(vote), ["0", "1", ""]),
            "score": np.concatenate(score),
        }
    )
    return long, row + table.source.header + 1, species, logits


def _names(recordings: pd.Series, start: Any, end: Any, window: float | None) -> list[str]:
    """Return the name of the window of each row."""
    files = [recording_of(as_text(value)) for value in recordings]
    if start is None:
        return files
    if window is None:
        lengths = (end if end is not None else np.roll(start, -1)) - start
        window = float(np.nanmin(lengths[lengths > 0], initial=np.inf)) if (lengths > 0).any() else None
    windows = Windows(window)
    seconds = window or 1.0
    return [
        windows.name(name, int((0.0 if np.isnan(first) else first) // seconds + 1e-9))
        for name, first in zip(files, start + 1e-6, strict=True)
    ]


def _optional(frame: pd.DataFrame, name: str | None, source: Source, bad: BadRows) -> Any:
    return None if name is None else _numbers(frame[name], name, source, bad)


def _species(table: Table, others: list[str]) -> list[str]:
    """Return the columns of scores: those in which most values are numbers."""
    again = [name for i, name in enumerate(table.columns) if not name or name in table.columns[:i]]
    if again:
        raise AnnotationError(
            f"two columns have the name '{again[0]}'" if again[0] else "a column has no name",
            "rename it, or remove it",
            file=table.source.name,
            row=table.source.header,
        )
    sample = table.sample(SAMPLE)
    found: list[str] = []
    left: list[str] = []
    for column in table.columns:
        if column in others:
            continue
        values = pd.Series([as_text(value) for value in sample.get(column, ())], dtype=object)
        values = values[values != ""]
        known = pd.to_numeric(values, errors="coerce").notna().sum()
        (found if 2 * known >= max(len(values), 1) else left).append(column)
    if not found:
        raise AnnotationError(
            f"no column contains scores; the columns are {listed(table.columns)}",
            "give a table with one column of scores a species",
            file=table.source.name,
            row=table.source.header,
        )
    if left:
        warn(f"{table.source.name}: columns that contain no scores are not used: {listed(left)}")
    return found


def _numbers(column: pd.Series, name: str, source: Source, bad: BadRows) -> Any:
    """Return a column as numbers, NaN where it is empty."""
    if column.dtype.kind == "f" and not np.isinf(column).any():
        return column.to_numpy()
    texts = column.astype(object).map(as_text, na_action="ignore").fillna("")
    values = pd.to_numeric(texts.where(texts != "", None), errors="coerce").to_numpy(float)
    values = np.where(np.isfinite(values), values, np.nan)
    wrong = np.flatnonzero(np.isnan(values) & (texts != "").to_numpy())
    if len(wrong):
        error = AnnotationError(
            f"'{texts.iloc[wrong[0]][:40]}' is not a finite number",
            "write a number, or nothing for no vote",
            **source.at(int(wrong[0])),
            field=name,
        )
        bad.found(error, len(wrong))
    return values
