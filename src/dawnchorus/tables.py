"""Tables: a user's frame, checked and in codes, whatever library it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from .columns import Source, resolve
from .errors import AnnotationError
from .labels import Coded, as_pandas, as_text, coded, label_index


def read_columns(
    frame: Any,
    required: list[str],
    optional: list[str],
    source: Source,
    columns: Mapping[str, str] | None = None,
) -> tuple[dict[str, str], dict[str, Coded]]:
    """Find and code the columns of a table: their names and contents, by our word."""
    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise TypeError(
            f"{source.name}: expected a pandas or polars frame or an Arrow table, "
            f"got {type(frame).__name__} (collect a lazy frame first)"
        ) from None
    names = resolve(table.columns, required, optional, source, columns)
    cells = {word: coded(table[name]) for word, name in names.items()}
    if len(table) == 0:
        raise AnnotationError(
            "there is a header but not a single row",
            "check that the table is whole",
            file=source.name,
            row=source.first_row - 1,
        )
    return names, cells


def metadata(frame: Any, word: str, source: Source) -> pd.DataFrame | None:
    """Read a table of labels and whatever is known of them, indexed by label."""
    if frame is None:
        return None
    if isinstance(frame, pd.DataFrame) and frame.index.name == word:  # as Annotations holds it
        if not len(frame):
            return frame
        frame = frame.reset_index()
    names, cells = read_columns(frame, [word], [], source)
    label = cells[word]
    table = nw.from_native(frame, eager_only=True)
    other = {name: table[name] for name in table.columns if name != names[word]}
    use = np.ones(len(label.code), bool)
    for i in np.flatnonzero(label.blank):
        if any(as_text(column[int(i)]) for column in other.values()):
            raise AnnotationError(
                f"the {word} is blank",
                f"fill in the {word}, or delete the row",
                file=source.name,
                row=source.row(int(i)),
            )
        use[i] = False
    again = pd.Series(label.code).duplicated().to_numpy() & use
    if again.any():
        i = np.argmax(again)
        raise AnnotationError(
            f"the {word} '{label.text[label.code[i]]}' comes a second time",
            f"give each {word} one row",
            file=source.name,
            row=source.row(int(i)),
        )
    return pd.DataFrame(
        {name: _metadata_column(column)[use] for name, column in other.items()},
        index=pd.Index(label.text[label.code[use]], name=word, dtype=object),
    )


def with_labels(word: str, table: pd.DataFrame | None, *found: Any) -> pd.DataFrame:
    """Give a table of labels that holds also those found elsewhere."""
    index = label_index(word, None if table is None else table.index, *found)
    return pd.DataFrame(index=index) if table is None else table.reindex(index)


def _metadata_column(series: nw.Series[Any]) -> Any:
    """Give a column as pandas has it; text becomes numbers where all of it is numbers."""
    values = as_pandas(series)
    if isinstance(values.dtype, pd.CategoricalDtype) or values.dtype == object:
        values = values.astype(object).where(values.notna(), None)
        values = values.map(lambda value: None if value == "" else value)
        with suppress(ValueError, TypeError):
            values = pd.to_numeric(values)
    return values.to_numpy()
