"""Tables of scores, with one row per window and one column per species: recordings, times and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ....annotations.frames.bad_rows import BadRows, BadTableRows
from ....annotations.frames.columns import Source, resolve
from ....annotations.frames.reading import SAMPLE
from ....annotations.labels import as_text
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed
from ..field_rows import tidy
from ..open_tables import Table
from ..windows import NEARLY, Recordings

STARTS = ("start_s", "start", "start_time", "start_time_s", "begin_time_s", "offset", "offset_s",
          "window_start", "timestamp_s", "time_offset")  # fmt: skip
ENDS = ("end_s", "end", "end_time", "end_time_s", "window_end")
SECONDS = "write seconds from the beginning of the recording, as a number"


class ScoreTable(NamedTuple):
    """What a table says: rows with a recording and with times, and scores that are reports."""

    source: Source
    recordings: list[str]
    """What stands for each recording, as `Recordings` has it."""
    recording: Any
    """For each row, the position of its recording."""
    row: Any
    """The number of each row in a spreadsheet."""
    start: Any
    end: Any
    species: list[str]
    reports: tuple[Any, Any, Any]
    """Position of the row, position of the species, and score."""
    known: Any
    """For each row and species, whether there is a score, eight to a byte; nothing if all are there."""
    logits: bool
    """Whether any score, reported or not, is outside 0 and 1."""


def score_table(
    table: Table, columns: Mapping[str, str] | None, threshold: float, recordings: Recordings, bad: BadRows
) -> ScoreTable:
    """Return what a table says."""
    source = table.source
    recording = resolve(table.columns, ["recording"], [], source, columns)["recording"]
    times = {tidy(name): name for name in table.columns if tidy(name) in (*STARTS, *ENDS)}
    start, end = (next((times[name] for name in names if name in times), None) for names in (STARTS, ENDS))
    species = _species(table, [recording, *times.values()])
    numbers = [*times.values(), *species]
    kinds = {recording: "category", **dict.fromkeys(numbers, "float")}
    frame: Any = table.frame([recording, *numbers], bad, kinds)
    frame = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    code, values = pd.factorize(frame[recording])
    keys = [recordings.key(as_text(value)) for value in values]
    keep = np.append(np.array(keys, object) != "", False)[code]  # what is missing has the code −1
    begins, ends = _times(frame, code, start, end, keep, source, bad)
    rows = np.flatnonzero(keep)
    visit, which, score, known = [], [], [], []
    logits = False
    for k, column in enumerate(species):
        found = _numbers(frame[column], column, source, bad)[rows]
        logits |= bool(((found < 0) | (found > 1)).any())
        said = np.flatnonzero(found >= threshold)
        visit.append(said)
        which.append(np.full(len(said), k))
        score.append(found[said])
        known.append(~np.isnan(found))
    whole = all(each.all() for each in known)
    return ScoreTable(
        source,
        keys,
        code[rows],
        rows + source.header + 1,
        begins[rows],
        ends[rows],
        species,
        (np.concatenate(visit), np.concatenate(which), np.concatenate(score)),
        None if whole else np.packbits(np.column_stack(known), axis=1),
        logits,
    )


def _times(
    frame: pd.DataFrame,
    recording: Any,
    start: str | None,
    end: str | None,
    keep: Any,
    source: Source,
    bad: BadRows,
) -> tuple[Any, Any]:
    """Return beginning and end of each row, if they are told, and leave bad rows out of those to `keep`.

    Without a column of ends, every row is as long as the shortest time from one beginning to the next.
    """
    if start is None:
        return np.full(len(frame), np.nan), np.full(len(frame), np.nan)
    wrong = BadTableRows(len(frame), bad)

    def check(mask: Any, name: str, problem: Callable[[int], str]) -> None:
        if (mask & keep).any():
            i = int(np.argmax(mask & keep))
            wrong.found(mask & keep, AnnotationError(problem(i), SECONDS, **source.at(i), field=name))

    def seconds(name: str) -> Any:
        texts = frame[name]
        values = _as_numbers(texts)
        check(np.isnan(values), name, lambda i: f"'{as_text(texts.iloc[i])[:40]}' is no time in seconds")
        return values

    begins = seconds(start)
    check(begins < 0, start, lambda i: f"the window begins at {begins[i]:g}")
    if end is not None:
        ends = seconds(end)
        check(ends <= begins, end, lambda i: f"the window is from {begins[i]:g} to {ends[i]:g} seconds")
        keep &= ~wrong.mask
        return begins, ends
    keep &= ~wrong.mask
    rows = np.flatnonzero(keep)
    rows = rows[np.lexsort((begins[rows], recording[rows]))]
    gaps = np.diff(begins[rows])[np.diff(recording[rows]) == 0]
    return begins, begins + np.min(gaps[gaps > NEARLY], initial=np.inf)


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
            "give a table with one column of scores per species",
            file=table.source.name,
            row=table.source.header,
        )
    if left:
        warn(f"{table.source.name}: columns that contain no scores are not used: {listed(left)}")
    return found


def _as_numbers(column: pd.Series) -> Any:
    """Return a column as numbers, NaN where it is empty or something else."""
    if column.dtype.kind == "f" and not np.isinf(column).any():
        return column.to_numpy()
    texts = column.astype(object).map(as_text, na_action="ignore")
    values = pd.to_numeric(texts, errors="coerce").to_numpy(float)
    return np.where(np.isfinite(values), values, np.nan)


def _numbers(column: pd.Series, name: str, source: Source, bad: BadRows) -> Any:
    """Return a column of scores, NaN where it is empty."""
    values = _as_numbers(column)
    if column.dtype.kind == "f":
        missing = column.isna().to_numpy()
    else:
        missing = np.array([not as_text(value) for value in column])
    wrong = np.flatnonzero(np.isnan(values) & ~missing)
    if len(wrong):
        error = AnnotationError(
            f"'{as_text(column.iloc[wrong[0]])[:40]}' is not a finite number",
            "write a number, or nothing for no vote",
            **source.at(int(wrong[0])),
            field=name,
        )
        bad.found(error, len(wrong))
    return values
