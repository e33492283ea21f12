"""A formula and the metadata of recordings become a context; new recordings are encoded in the same way."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...common.ragged import Ints
from ...common.warn import warn
from ..context import Context, Term
from .covariates import covariate_texts, covariate_values, refuse_missing, used_metadata
from .encoding import levels_term, nearest_rows, numeric_term
from .parts import Part, read_formula

NAMED = ("site", "station", "location", "plot", "recorder", "habitat")
"""Columns with such names have numbers only as names."""


def read_context(recordings: pd.DataFrame, formula: str) -> Context:
    """Return where and when recordings were made, as the terms of a formula.

    Parameters
    ----------
    recordings
        Metadata, indexed by recording, as in `annotations.recordings`. From a column `time` come `hour` and
        `date` (the day of the year), and with `latitude` and `longitude` also `sunrise` (hours from it).
    formula
        Terms with + between them. A column of text, or `C(…)` of any column, has an effect for each of its
        values; `cc(…)`, `bs(…)` and `cr(…)` are splines; any other number has a straight line.

    Returns
    -------
    Context
        The terms, each with a basis of few rows and the row of each recording.

    Raises
    ------
    AnnotationError
        If the formula is not understood, names something that recordings do not have, or metadata are
        missing, cannot be read or do not vary.
    MissingPackageError
        If formulaic is not installed (`pip install 'dawnchorus[context]'`).

    Warns
    -----
    AnnotationWarning
        If a column such as `site` has numbers and is not in `C(…)`.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> recordings = dc.simulate_portal(recordings=300, sites=5, seed=1).annotations.recordings
    >>> for term in dc.read_context(recordings, "site + cc(hour, df=6)").terms:
    ...     print(term.name, term.kind, term.basis.shape)
    site levels (5, 5)
    cc(hour, df=6) smooth (96, 6)
    """
    parts = read_formula(formula)
    metadata = used_metadata(parts, recordings)
    return Context(formula, tuple(_term(part, metadata) for part in parts))


def context_of_new(context: Context, recordings: pd.DataFrame) -> Context:
    """Return the context of new recordings, in the terms of those that were fitted.

    Names that were not there before, or are missing, have row −1. Numbers outside of what was fitted take
    the nearest end, with a warning; cyclic splines have no end.
    """
    parts = read_formula(context.formula)
    metadata = used_metadata(parts, recordings)
    rows = (_new_rows(part, term, metadata) for part, term in zip(parts, context.terms, strict=True))
    terms = (term._replace(row=row) for term, row in zip(context.terms, rows, strict=True))
    return context._replace(terms=tuple(terms))


def _term(part: Part, metadata: pd.DataFrame) -> Term:
    texts = covariate_texts(part, metadata)
    if texts is not None:
        refuse_missing(str(part.plain), (texts == "").to_numpy(), metadata.index)
        return levels_term(part, texts)
    if not part.spline and part.plain in NAMED:
        warn(
            f"{part.plain} has numbers, so that its effect is a straight line; "
            f"write C({part.plain}) in the formula if they are names"
        )
    return numeric_term(part, covariate_values(part, metadata))


def _new_rows(part: Part, term: Term, metadata: pd.DataFrame) -> Ints:
    if term.kind != "levels":
        return nearest_rows(part, term.value, covariate_values(part, metadata))
    texts = covariate_texts(part._replace(levels=True), metadata)
    return pd.Index(term.rows).get_indexer(pd.Index(texts)).astype(np.int32)
