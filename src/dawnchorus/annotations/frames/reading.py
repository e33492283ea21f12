"""Reading of a user's data frame (pandas, polars or Arrow): columns are found, checked and coded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.formulas import restored
from ...common.ragged import Ints
from ...common.warn import warn
from ...common.wording import listed, option
from ..labels import Coded, as_pandas, as_text, coded, counted, label_index, verb
from .bad_rows import BadRows, BadTableRows
from .columns import Source, resolve

LABELS = ("recording", "annotator", "species")
LONGEST = 1000
"""The largest number of characters in a label."""
SAMPLE = 1000
"""So many rows are looked at to recognise a wide table."""


def read_columns(
    frame: Any,
    required: list[str],
    optional: list[str],
    source: Source,
    columns: Mapping[str, str] | None = None,
    *,
    keep_na: bool,
    side: bool = False,
    bad: BadRows | None = None,
) -> tuple[dict[str, str], dict[str, Coded], BadTableRows]:
    """Return the names and the coded contents of the columns of a table, by word, and its bad rows.

    Unless `keep_na`, labels such as NA are missing values.
    """
    table = native_frame(frame, source)
    if source.code == "frame" and not table.implementation.is_pandas():
        source = source._replace(code="frame.to_pandas()")
    names = resolve(
        table.columns,
        required,
        optional,
        source,
        columns,
        side=side,
        sample=lambda: {name: table[name].head(SAMPLE).to_list() for name in table.columns},
    )
    if len(table) == 0:
        if bad is not None and bad.first is not None:
            raise bad.all_bad(source.name)
        raise AnnotationError(
            "there is a header but no row",
            "check that the table is complete",
            file=source.name,
            row=source.header,
        )
    wrong = BadTableRows(len(table), bad or BadRows())
    cells = {
        word: _coded_column(table[name], word, source, wrong)
        for word, name in names.items()
        if word != "score"  # that is a number, see scores.py
    }
    if not keep_na:
        cells |= {word: cells[word].without_missing() for word in LABELS if word in cells}
    return names, cells, wrong


def native_frame(frame: Any, source: Source) -> nw.DataFrame[Any]:
    """Return any data frame as a narwhals frame; raise an error if two columns have the same name."""
    try:
        table = nw.from_native(frame, eager_only=True)
        names = table.columns
    except nw.exceptions.DuplicateError:
        names = list(getattr(frame, "column_names", frame.columns))
    except TypeError:
        lazy = " (collect it first)" if hasattr(frame, "collect") or hasattr(frame, "compute") else ""
        raise TypeError(
            f"{source.name}: expected a pandas or polars frame or an Arrow table, "
            f"got {type(frame).__name__}{lazy}"
        ) from None
    again = [name for i, name in enumerate(names) if name in names[:i]]
    if again:
        raise AnnotationError(
            f"two columns have the name '{again[0]}'", "rename one", file=source.name, row=source.header
        )
    return table


def _coded_column(series: nw.Series[Any], word: str, source: Source, wrong: BadTableRows) -> Coded:
    try:
        if series.dtype.is_nested() or series.dtype == nw.Binary:
            raise TypeError
        column = coded(series, guarded=source.guarded)
    except (TypeError, ValueError, OverflowError):
        raise AnnotationError(
            f"the column '{series.name}' contains values that are neither text nor numbers",
            f"convert it to text before using it as {word}; if these are lists, make rows of them first"
            + (f", as {source.code}.explode({str(series.name)!r}) does" if source.code else ""),
            file=source.name,
        ) from None
    broken = column.broken[column.code]
    if broken.any():
        error = AnnotationError(
            f"the {word} contains a line break",
            "look for a quotation mark that is not closed, or remove the line break",
            **source.at(int(np.argmax(broken))),
        )
        wrong.found(broken, error)
    long = np.array([len(text) > LONGEST for text in column.text])
    if word in LABELS and long.any():
        i = int(np.argmax(long[column.code]))
        error = AnnotationError(
            f"the {word} has {len(column.text[column.code[i]]):,} characters, but at most {LONGEST:,} are "
            f"allowed: '{column.text[column.code[i]][:40]}…'",
            "shorten it, or look for a quotation mark that is not closed or for a column of another kind",
            **source.at(i),
        )
        wrong.found(long[column.code], error)
    return column


class LabelTable(NamedTuple):
    """A table of labels with metadata."""

    word: str
    label: Coded
    other: dict[str, nw.Series[Any]]
    source: Source
    written: Coded
    """The labels as they are in the table, before they got other names or spellings."""

    @classmethod
    def read(cls, frame: Any, word: str, source: Source, *, keep_na: bool) -> LabelTable | None:
        """Return a table of metadata, if there is one; labels are a column or the index of a pandas frame."""
        if frame is None:
            return None
        if isinstance(frame, pd.DataFrame) and frame.index.name == word and word not in frame:
            frame = frame.reset_index()
            if not len(frame):
                label = coded(nw.from_native(frame)[word])
                return cls(word, label, _others(frame, word, source), source, label)
        names, cells, _ = read_columns(frame, [word], [], source, keep_na=keep_na, side=True)
        return cls(word, cells[word], _others(frame, names[word], source), source, cells[word])

    def renamed(self, names: Mapping[str, str]) -> LabelTable:
        """Return the table with other names; of rows with one name, the one that had it before is kept."""
        label, source = self.label.renamed(names), self.source
        before, after = self.label.text[self.label.code], label.text[label.code]
        other_name = before != after
        order = np.argsort(other_name, kind="stable")
        again = np.zeros(len(order), bool)
        again[order] = pd.Series(after[order]).duplicated().to_numpy()
        keep = np.flatnonzero(~(again & other_name))
        return self._replace(
            label=label._replace(code=label.code[keep]),
            other={name: column[keep.tolist()] for name, column in self.other.items()},
            source=source._replace(rows=[source.row(int(i)) for i in keep]),
            written=self.written._replace(code=self.written.code[keep]),
        )

    def indexed(self) -> pd.DataFrame:
        """Return the metadata, indexed by label; raise an error if a label is blank or occurs twice."""
        label, word, source = self.label, self.word, self.source
        use = np.ones(len(label.code), bool)
        for i in np.flatnonzero(label.blank):
            if any(as_text(column[int(i)]) for column in self.other.values()):
                raise _blank(word, source, label, np.array([i]))
            use[i] = False
        tell_missing({word: label}, [word], source)
        texts = label.text[label.code]
        again = pd.Series(texts).duplicated().to_numpy() & use
        if again.any():
            i = np.argmax(again)
            first = int(np.argmax(texts == texts[i]))
            raise AnnotationError(
                f"the {word} '{self.written.text[self.written.code[i]]}' has more than one row (see row "
                f"{source.row(first)})",
                f"keep one row for each {word}",
                **source.at(int(i)),
            )
        return pd.DataFrame(
            {
                restored(name) if source.guarded else name: _metadata_column(column, source)[use]
                for name, column in self.other.items()
            },
            index=pd.Index(texts[use], name=word, dtype=object),
        )


def _others(frame: Any, label: str, source: Source) -> dict[str, nw.Series[Any]]:
    """Return all columns but that of labels."""
    table = native_frame(frame, source)
    return {name: table[name] for name in table.columns if name != label}


def refuse_blank(
    cells: Mapping[str, Coded], words: Iterable[str], row: Ints, source: Source, wrong: BadTableRows
) -> None:
    """Raise an error, or leave rows out, if one of these columns is blank in any of the rows in `row`."""
    for word in words:
        blank = row[cells[word].blank[row]]
        if len(blank):
            mask = np.zeros(len(wrong.mask), bool)
            mask[blank] = True
            wrong.found(mask, _blank(word, source, cells[word], blank))


def _blank(word: str, source: Source, column: Coded, rows: Ints) -> AnnotationError:
    words = column.missing_words(rows)
    first = column.missing[column.code[rows[0]]]
    also = f", as in {counted(len(rows) - 1, 'more row')}" if len(rows) > 1 else ""
    names = f"{listed(words, last=' and ')} {'is a name' if len(words) == 1 else 'are names'}"
    return AnnotationError(
        (f"the {word} is missing ('{first}')" if first else f"the {word} is blank") + also,
        f"fill in the {word}, or delete the row"
        + (f", or use {option('keep_na', True)} if {names}" if words else ""),
        **source.at(int(rows[0])),
    )


def tell_missing(cells: Mapping[str, Coded], words: Iterable[str], source: Source) -> None:
    """Warn of rows that are left out since a word such as NA is in the place of a label."""
    for word in words:
        found = cells[word].missing_words(np.arange(len(cells[word].code)))
        if found:
            total, told = sum(found.values()), ", ".join(f"'{text}' {n:,}" for text, n in found.items())
            names = "this is a name" if len(found) == 1 else "these are names"
            warn(
                f"{source.name}: the {word} is missing in {counted(total, 'row')} ({told}), which "
                f"{verb(total, 'is', 'are')} left out; use {option('keep_na', True)} if {names}"
            )


def with_labels(word: str, table: pd.DataFrame | None, *found: Any) -> pd.DataFrame:
    """Return a table of metadata, extended by the labels that were found in other tables."""
    index = label_index(word, None if table is None else table.index, *found)
    return pd.DataFrame(index=index) if table is None else table.reindex(index)


NUMBER = r"-?(0|[1-9]\d{0,17})(\.\d+)?"


def _metadata_column(series: nw.Series[Any], source: Source) -> Any:
    """Return a column as a pandas array; text is converted to numbers if all of it is numbers."""
    values = as_pandas(series)
    if values.dtype != object:
        return values.array
    values = values.where(values.notna() & (values != ""), None)
    if source.guarded:
        values = values.map(restored, na_action="ignore")
    if source.commas and values.dropna().astype(str).str.fullmatch(NUMBER.replace(r"\.", "[.,]")).all():
        values = values.map(lambda text: str(text).replace(",", "."), na_action="ignore")
    known = values.dropna()
    if not len(known) or not known.astype(str).str.fullmatch(NUMBER).all():
        return values.array
    kind = "float" if known.astype(str).str.contains(".", regex=False).any() else "int"
    if len(known) == len(values):
        return pd.to_numeric(values).astype(f"{kind}64").array
    return pd.to_numeric(values.astype("string")).astype(f"{kind.capitalize()}64").array
