"""Scores of a machine: a column of numbers, each a probability or each a logit."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats
from ...common.warn import warn
from ...common.wording import option
from ..arrays import NO_SCORES
from ..labels import as_pandas, as_text
from ..votes import ScoreScale
from .bad_rows import BadTableRows
from .columns import Source, write_number
from .reading import native_frame

SHOWN = 40


def read_scores(
    frame: Any, column: str | None, scale: ScoreScale | None, source: Source, wrong: BadTableRows
) -> tuple[Floats, str]:
    """Return the scores of all rows, NaN where there is none, and their scale; nothing if no row has any.

    Raises
    ------
    AnnotationError
        If a score is no finite number, or not between 0 and 1 where it is a probability. The message names
        the row.
    """
    if scale is not None and scale not in get_args(ScoreScale):
        raise AnnotationError(
            f"scores cannot be each a '{scale}'", f"use one of: {', '.join(get_args(ScoreScale))}"
        )
    if column is None:
        return NO_SCORES, ""
    values, texts, written = _numbers(as_pandas(native_frame(frame, source)[column]), source)
    no_number = written & ~np.isfinite(values)
    first = texts.iloc[int(np.argmax(no_number))] if no_number.any() else ""
    remedy = write_number(first, _NO_NUMBER)
    _refuse(no_number, texts, "is not a finite number", remedy, source, wrong)
    known = np.isfinite(values) & ~wrong.mask
    outside = known & ((values < 0) | (values > 1))
    if scale == "probability":
        remedy = f"correct it, or use {option('score_scale', 'logit')} if scores are logits"
        _refuse(outside, texts, "is not between 0 and 1", remedy, source, wrong)
        known &= ~outside
    elif scale is None and outside.any():
        first = int(np.argmax(outside))
        warn(
            f"{source.name}: scores are taken for logits, since some are not between 0 and 1, such as "
            f"{values[first]:g} in row {source.row(first)}; {option('score_scale')} tells what they are"
        )
    if not known.any():
        return NO_SCORES, ""
    told = scale or ("logit" if outside.any() else "probability")
    return np.where(known, values, np.nan), told


_NO_NUMBER = (
    "write a number, or nothing where there is none; rename the column if it is no score of a machine"
)


def _numbers(column: pd.Series, source: Source) -> tuple[Floats, pd.Series, Bools]:
    """Return a column as numbers, as it was written, and where anything was written."""
    if column.dtype.kind in "fiu":
        values = column.to_numpy(float)
        return values, column, ~np.isnan(values)
    texts = column.astype(object).map(as_text)
    texts = texts.str.removeprefix("'")  # numbers below 0 that are guarded against spreadsheets
    return source.numbers(texts), texts, (texts != "").to_numpy(bool)


def _refuse(
    mask: Bools, texts: pd.Series, problem: str, remedy: str, source: Source, wrong: BadTableRows
) -> None:
    """Raise an error about the first of these rows, or leave all of them out."""
    mask = mask & ~wrong.mask
    if mask.any():
        i = int(np.argmax(mask))
        error = AnnotationError(
            f"'score' is '{str(texts.iloc[i])[:SHOWN]}', which {problem}", remedy, **source.at(i)
        )
        wrong.found(mask, error)
