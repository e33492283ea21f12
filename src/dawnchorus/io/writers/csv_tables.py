"""Writing of tables as CSV files: numbers with six significant digits, missing values blank.

Texts that a spreadsheet would take for formulas get an apostrophe in front, unless told otherwise.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...common.formulas import guarded

TEXTS = ["object", "string", "category"]
"""The kinds of columns in which there may be text."""
AT_ONCE = 1 << 18
"""So many rows are spelt at a time, so that large tables do not need their text in memory."""


def write_table(table: pd.DataFrame, path: Path, *, exact_labels: bool = False) -> None:
    """Write a table to a CSV file in UTF-8, with six significant digits and no index."""
    # Python's csv module does not put a carriage return into quotation marks by itself.
    texts = (value for _, column in table.select_dtypes(TEXTS).items() for value in column.unique())
    returns = any("\r" in text for text in texts if isinstance(text, str))
    table = spelt(table, exact_labels=exact_labels)
    quoting = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    table.to_csv(path, index=False, encoding="utf-8", quoting=quoting)


def spelt(table: pd.DataFrame, *, exact_labels: bool = False) -> pd.DataFrame:
    """Return a table with its floats as text of six significant digits, and without formulas."""
    numbers = {name: _spelt_values(table[name]) for name in table.select_dtypes("floating")}
    if exact_labels:
        return table.assign(**numbers)
    texts = {name: _without_formulas(table[name]) for name in table.select_dtypes(TEXTS)}
    return table.assign(**numbers, **texts).rename(columns=_guarded_text)


def _without_formulas(column: pd.Series) -> Any:
    """Return a column without formulas; each distinct text is looked at once, since many rows share it."""
    texts = [value for value in column.unique() if isinstance(value, str)]
    formulas = {text: guarded(text) for text in texts if guarded(text) != text}
    column = column.astype(object)
    return column.map(lambda value: formulas.get(value, value), na_action="ignore") if formulas else column


def _guarded_text(value: Any) -> Any:
    return guarded(value) if isinstance(value, str) else value


def csv_lines(
    table: pd.DataFrame, *, header: bool = True, exact_labels: bool = False
) -> Iterator[tuple[str, int]]:
    r"""Return the text of a long table of names and numbers in parts, with the rows in each.

    It is what `write_table` writes, in a quarter of the time.

    >>> table = pd.DataFrame({"recording": ["a", "b, c"], "probability": [1 / 3, np.nan], "votes": [1, 2]})
    >>> print(*(text.replace(os.linesep, "\n") for text, _ in csv_lines(table)), sep="", end="")
    recording,probability,votes
    a,0.333333,1
    "b, c",,2
    """
    end = os.linesep
    label = str if exact_labels else guarded
    if header:
        yield ",".join(_quoted(label(str(name))) for name in table) + end, 0
    for start in range(0, len(table), AT_ONCE):
        part = table.iloc[start : start + AT_ONCE]
        columns = [_spelt_values(column, label).tolist() for _, column in part.items()]
        yield end.join(map(",".join, zip(*columns, strict=True))) + end, len(part)


def _spelt_values(column: pd.Series, label: Callable[[str], str] = str) -> Any:
    """Return values as text; each distinct one is formatted once, since many cells share a probability."""
    place, values = pd.factorize(column.to_numpy())
    if column.dtype.kind == "f":
        words = [f"{value:.6g}" for value in (values + 0.0).tolist()]  # so that there is no −0
    elif column.dtype.kind in "iu":
        words = [str(value) for value in values.tolist()]
    else:
        words = [_quoted(label(str(value))) for value in values]
    return np.array([*words, ""], object)[place]  # what is missing has place −1


def _quoted(text: str) -> str:
    """Put a text into quotation marks if that is needed in CSV."""
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator=os.linesep).writerow([text, ""])
    return line.getvalue().removesuffix("," + os.linesep)
