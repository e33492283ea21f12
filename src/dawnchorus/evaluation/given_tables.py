"""Given tables: the probabilities that are evaluated, checked and found for the cells of a truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..annotations.frames.columns import Source
from ..annotations.frames.reading import native_frame, read_columns
from ..annotations.labels import Names, as_pandas, counted, names_of, verb
from ..common.errors import AnnotationError
from ..common.protocols import offers
from ..common.ragged import Floats
from ..common.warn import warn
from ..results.listening.fit_reports import FitReports
from ..results.parts.posterior_in_parts import PosteriorInParts
from ..results.result import COLUMNS, Result, no_reports


def table_of(presence: Any, as_: str) -> Any:
    """Return the table of a result that has what is to be compared; any other table as it is."""
    check_compared(as_)
    if not offers(presence, Result):
        return presence
    if as_ == "present":
        return presence.presence()
    if not isinstance(presence, FitReports):
        raise no_reports(presence.name)
    return presence.would_report()


def cells_in_parts(posterior: PosteriorInParts, truth: pd.DataFrame) -> pd.DataFrame:
    """Return presence in the cells of a truth that a result in parts has, NaN where it is not listed.

    Only the rows of recordings in the truth are read.
    """
    found = posterior.known_recordings(truth["recording"].unique())
    known = truth["recording"].isin(found) & truth["species"].isin(posterior.annotations.species.index)
    if not known.any():
        raise _nothing_compared()
    return truth[known].merge(posterior.presence(recordings=found), "left", ["recording", "species"])


def check_compared(as_: str) -> None:
    """Raise an error if probabilities cannot be compared as this."""
    if as_ not in COLUMNS:
        raise AnnotationError(
            f"probabilities cannot be compared as {as_!r}", f"use one of: {', '.join(COLUMNS)}"
        )


def presence_frame(presence: Any, column: str) -> pd.DataFrame:
    """Check a presence table, and return it with labels as text and probabilities between 0 and 1."""
    source = Source("the presence table")
    cells = read_columns(presence, ["recording", "species"], [], source, keep_na=True)[1]
    table = pd.DataFrame({word: column.text[column.code] for word, column in cells.items()})
    native = native_frame(presence, source)
    if column not in native.columns:
        tables = {
            "probability": "a table like that of .presence()",
            "would_report": "a table like that of .would_report(); majority vote has none",
        }
        raise AnnotationError(f"there is no column '{column}'", f"give {tables[column]}", file=source.name)
    values = as_pandas(native[column]).reset_index(drop=True)
    table["probability"] = pd.to_numeric(values, errors="coerce").to_numpy(float)
    wrong = ~table["probability"].between(0, 1)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise AnnotationError(
            f"a probability is '{values[i]}'",
            "give probabilities between 0 and 1",
            file=source.name,
            row=source.row(i),
        )
    return table


def label_index(names: Names) -> pd.Index:
    """Return labels, or a single one, as an index, each once."""
    return pd.Index(pd.unique(np.array(names_of(names), object)), dtype=object)


def probabilities(presence: pd.DataFrame, known: dict[str, pd.Index], places: dict[str, Any]) -> Floats:
    """Return the probability of each cell of the truth, NaN if the presence table does not list it."""
    width = len(known["species"])
    listed = [known[word].get_indexer(presence[word]) for word in ("recording", "species")]
    inside = (listed[0] >= 0) & (listed[1] >= 0)
    cells = pd.Index(listed[0][inside].astype(np.int64) * width + listed[1][inside])
    if not cells.is_unique:
        raise AnnotationError("a cell is listed twice in the presence table", "give each cell one row")
    wanted = places["recording"].astype(np.int64) * width + places["species"]
    wanted[(places["recording"] < 0) | (places["species"] < 0)] = -1
    at = cells.get_indexer(wanted)
    values = presence["probability"].to_numpy(float)[inside]
    if not len(values):
        return np.full(len(at), np.nan)
    return np.where((at >= 0) & (wanted >= 0), values[at], np.nan)


def tell_unknown(unknown: dict[str, tuple[str, ...]], cells: int, total: int) -> None:
    """Warn of labels of the truth that are not in the result; an error if none of its cells is."""
    if cells == total:
        raise _nothing_compared()
    told = [
        f"{counted(len(labels), f'{word} label')} ({', '.join(labels[:3])}{', …' if len(labels) > 3 else ''})"
        for word, labels in unknown.items()
        if labels
    ]
    labels_in_all = sum(map(len, unknown.values()))
    if told:
        warn(
            f"{cells:,} of {counted(total, 'cell')} of the truth {verb(cells, 'was', 'were')} not compared: "
            f"{' and '.join(told)} {verb(labels_in_all, 'is', 'are')} not in the result"
        )


def _nothing_compared() -> AnnotationError:
    return AnnotationError(
        "no cell of the truth is in the result",
        "check that both use the same labels for recordings and species",
    )
