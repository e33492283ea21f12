"""Reading of a user's data frame (pandas, polars or Arrow): columns are found, checked and coded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Ints
from ..labels import Coded, as_pandas, as_text, coded, label_index
from .columns import Source, resolve


def read_columns(
    frame: Any,
    required: list[str],
    optional: list[str],
    source: Source,
    columns: Mapping[str, str] | None = None,
    *,
    side: bool = False,
) -> tuple[dict[str, str], dict[str, Coded]]:
    """Return the names and the coded contents of the columns of a table, by word."""
    table = native_frame(frame, source)
    names = resolve(table.columns, required, optional, source, columns, side=side)
    if len(table) == 0:
        raise AnnotationError(
            "there is a header but no row", "check that the table is complete", file=source.name, row=1
        )
    return names, {word: _coded_column(table[name], word, source) for word, name in names.items()}


def native_frame(frame: Any, source: Source) -> nw.DataFrame[Any]:
    """Return any data frame as a narwhals frame; raise an error if two columns have the same name."""
    try:
        table = nw.from_native(frame, eager_only=True)
        names = table.columns
    except nw.exceptions.DuplicateError:
        names = list(getattr(frame, "column_names", frame.columns))
    except TypeError:
        raise TypeError(
            f"{source.name}: expected a pandas or polars frame or an Arrow table, "
            f"got {type(frame).__name__} (collect a lazy frame first)"
        ) from None
    again = [name for i, name in enumerate(names) if name in names[:i]]
    if again:
        raise AnnotationError(
            f"two columns have the name '{again[0]}'", "rename one", file=source.name, row=1
        )
    return table


def _coded_column(series: nw.Series[Any], word: str, source: Source) -> Coded:
    try:
        if series.dtype.is_nested() or series.dtype == nw.Binary:
            raise TypeError
        column = coded(series)
    except (TypeError, ValueError, OverflowError):
        raise AnnotationError(
            f"the column '{series.name}' contains values that are neither text nor numbers",
            f"convert it to text before using it as {word}",
            file=source.name,
        ) from None
    broken = column.broken[column.code]
    if broken.any():
        raise AnnotationError(
            f"the {word} contains a line break",
            "look for a quotation mark that is not closed, or remove the line break",
            file=source.name,
            row=source.row(int(np.argmax(broken))),
        )
    return column


def metadata(frame: Any, word: str, source: Source) -> pd.DataFrame | None:
    """Return a table of metadata, indexed by label."""
    if frame is None:
        return None
    if isinstance(frame, pd.DataFrame) and frame.index.name == word and word not in frame:
        if not len(frame):
            return frame
        frame = frame.reset_index()
    names, cells = read_columns(frame, [word], [], source, side=True)
    label = cells[word]
    table = native_frame(frame, source)
    other = {name: table[name] for name in table.columns if name != names[word]}
    use = np.ones(len(label.code), bool)
    for i in np.flatnonzero(label.blank):
        if any(as_text(column[int(i)]) for column in other.values()):
            raise _blank(word, source, int(i))
        use[i] = False
    again = pd.Series(label.code).duplicated().to_numpy() & use
    if again.any():
        i = np.argmax(again)
        raise AnnotationError(
            f"the {word} '{label.text[label.code[i]]}' has more than one row",
            f"keep one row for each {word}",
            file=source.name,
            row=source.row(int(i)),
        )
    return pd.DataFrame(
        {name: _metadata_column(column)[use] for name, column in other.items()},
        index=pd.Index(label.text[label.code[use]], name=word, dtype=object),
    )


def refuse_blank(cells: Mapping[str, Coded], words: Iterable[str], row: Ints, source: Source) -> None:
    """Raise an error if one of these columns is blank in any of the rows in `row`."""
    for word in words:
        blank = row[cells[word].blank[row]]
        if len(blank):
            raise _blank(word, source, int(blank[0]))


def _blank(word: str, source: Source, position: int) -> AnnotationError:
    return AnnotationError(
        f"the {word} is blank",
        f"fill in the {word}, or delete the row",
        file=source.name,
        row=source.row(position),
    )


def with_labels(word: str, table: pd.DataFrame | None, *found: Any) -> pd.DataFrame:
    """Return a table of metadata, extended by the labels that were found in other tables."""
    index = label_index(word, None if table is None else table.index, *found)
    return pd.DataFrame(index=index) if table is None else table.reindex(index)


NUMBER = r"-?(0|[1-9]\d{0,17})(\.\d+)?"


def _metadata_column(series: nw.Series[Any]) -> Any:
    """Return a column as a pandas array; text is converted to numbers if all of it is numbers."""
    values = as_pandas(series)
    if values.dtype != object:
        return values.array
    values = values.where(values.notna() & (values != ""), None)
    known = values.dropna()
    if not len(known) or not known.astype(str).str.fullmatch(NUMBER).all():
        return values.array
    kind = "float" if known.astype(str).str.contains(".", regex=False).any() else "int"
    if len(known) == len(values):
        return pd.to_numeric(values).astype(f"{kind}64").array
    return pd.to_numeric(values.astype("string")).astype(f"{kind.capitalize()}64").array
