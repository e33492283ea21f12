"""Lists of species in one cell, as some programs keep them: one row is made of each species."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ..labels import as_text
from .bad_rows import BadRows
from .columns import Source, resolve
from .reading import native_frame

QUOTED = r"'[^']*'|\"[^\"]*\""
LIST = re.compile(rf"\[\s*(?:(?:{QUOTED})(?:(?:\s*,\s*|\s+)(?:{QUOTED}))*)?\s*,?\s*\]")
"""A list of texts as Python, NumPy and JSON write it: unlike any name of a species."""
LEFT_OUT: list[Any] = []
"""In the place of a list that is bad."""


def listed_texts(text: str) -> list[str] | None:
    """Return the texts in a list that was written as text, or None if it is none.

    >>> listed_texts("['Wren', 'Robin']"), listed_texts("[]"), listed_texts("Wren [song]")
    (['Wren', 'Robin'], [], None)
    """
    if not LIST.fullmatch(text):
        return None
    return [each[1:-1] for each in re.findall(QUOTED, text)]


def one_species_a_row(
    frame: Any, source: Source, columns: Mapping[str, str] | None, bad: BadRows
) -> tuple[Any, Source]:
    """Return a table with one row for each species of a list, and where its rows come from.

    An empty list is one row without a species. A table without lists is returned as it is.

    Raises
    ------
    AnnotationError
        If a list contains something else than names, or has one score for several species.
    """
    table = native_frame(frame, source)
    names = resolve(table.columns, [], ["species", "score"], source, columns)
    lists = _lists(table[names["species"]]) if "species" in names and len(table) else None
    if lists is None:
        return frame, source
    strange = [i for i, each in enumerate(lists) if not all(_is_name(one) for one in each)]
    for i in strange:
        bad.found(
            AnnotationError(
                "a list of species contains something that is neither text nor a number",
                "write a list of names",
                **source.at(i),
            )
        )
        lists[i] = LEFT_OUT
    if "score" in names:
        _refuse_one_score(lists, table[names["score"]].to_list(), source)
    rows = [i for i, each in enumerate(lists) if each is not LEFT_OUT for _ in each or [None]]
    species = [_text(one) for each in lists if each is not LEFT_OUT for one in each or [None]]
    column = nw.new_series(names["species"], species, nw.String, backend=table.implementation)
    long = table.drop(names["species"])[rows]
    if long.implementation.is_pandas():
        native = long.to_native().reset_index(drop=True)
        long = nw.from_native(native, eager_only=True)
    return long.with_columns(column).to_native(), source._replace(
        rows=[source.row(i) for i in rows],
        file=None if source.file is None else np.asarray(source.file)[rows],
    )


def _lists(series: nw.Series[Any]) -> list[list[Any]] | None:
    """Return the list in each row, or None if no row has one."""
    if series.dtype in (nw.List, nw.Array, nw.Object):
        values = series.to_list()
        if not any(map(_is_list, values)):
            return None
        return [list(each) if _is_list(each) else [each] for each in values]
    if series.dtype not in (nw.String, nw.Categorical, nw.Enum):
        return None
    texts = {text for text in series.unique().to_list() if isinstance(text, str) and text.startswith("[")}
    known = {text: found for text in texts if (found := listed_texts(text.strip())) is not None}
    return [known.get(text, [text]) for text in series.to_list()] if known else None


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int | float | np.generic) or value is None or value is pd.NA


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else as_text(value) or None


def _refuse_one_score(lists: list[list[Any]], scores: list[Any], source: Source) -> None:
    for i, (each, score) in enumerate(zip(lists, scores, strict=True)):
        if len(each) > 1 and as_text(score):
            raise AnnotationError(
                f"there is one score for a list of {len(each)} species",
                "make a row of each species, with its own score",
                **source.at(i),
            )
