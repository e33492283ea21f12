"""A formula and the metadata of annotators become terms; new annotators are encoded in the same way.

Whoever has not said something has row −1 in its terms, and no effect.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...annotations.labels import as_text, counted
from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats, Ints
from ...common.warn import warn
from ..context import Context, Term
from .covariates import covariate_texts, covariate_values, used_metadata
from .encoding import levels_term, nearest_rows, numeric_term
from .parts import Part, names_in, read_formula
from .subjects import ANNOTATORS


def read_skill(annotators: pd.DataFrame, formula: str) -> Context:
    """Return what annotators say of themselves, as the terms of a formula.

    Parameters
    ----------
    annotators
        Metadata, indexed by annotator, as in `annotations.annotators`; they may be missing for some.
    formula
        Terms with + between them, as in `read_context`.

    Returns
    -------
    Context
        The terms, with columns that have mean 0 over annotators; row −1 where metadata are missing.

    Raises
    ------
    AnnotationError
        If the formula is not understood, names something that annotators do not have, or metadata cannot
        be read, are all missing or do not vary.

    Examples
    --------
    >>> names = ["Aino", "Elli", "Onni", "Ilmari"]
    >>> annotators = pd.DataFrame({"level": ["low", "low", "high", None]}, index=names)
    >>> term, = read_skill(annotators, "level").terms
    >>> term.columns, term.row.tolist(), term.basis.round(2).tolist()
    (('high', 'low'), [1, 1, 0, -1], [[0.67, -0.67], [-0.33, 0.33]])
    """
    parts = read_formula(formula, ANNOTATORS)
    metadata = used_metadata(parts, annotators, ANNOTATORS)
    return Context(formula, tuple(_term(part, metadata) for part in parts))


def skill_of_new(said: Context, annotators: pd.DataFrame) -> Context:
    """Return what new annotators say of themselves, in the terms of those who were fitted.

    What is missing, or was not there before, has row −1.
    """
    terms = []
    for part, term in zip(read_formula(said.formula), said.terms, strict=True):
        row = np.full(len(annotators), -1, np.int32)
        if all(name in annotators for name in names_in(part)):
            metadata = used_metadata([part], annotators, ANNOTATORS)
            known = _known(part, metadata)
            row[known] = _new_rows(part, term, metadata[known])
        terms.append(term._replace(row=row))
    return said._replace(terms=tuple(terms))


def note_missing(said: Context) -> None:
    """Warn of annotators who have not said something."""
    for term in said.terms:
        missing = int(np.count_nonzero(term.row < 0))
        if missing:
            warn(
                f"{term.name} is not known for {counted(missing, 'annotator')} of {len(term.row):,}, "
                "who are taken for average"
            )


def _term(part: Part, metadata: pd.DataFrame) -> Term:
    known = _known(part, metadata)
    if not known.any():
        raise AnnotationError(
            f"{part.inside} is missing for all annotators",
            f"fill it in, or leave {part.name} out of the formula",
            file=ANNOTATORS.table,
        )
    texts = covariate_texts(part, metadata[known])
    if texts is None:
        term = numeric_term(part, covariate_values(part, metadata[known], ANNOTATORS), ANNOTATORS)
    else:
        term = levels_term(part, texts, ANNOTATORS)
        term = term._replace(basis=_centred(term))
    row = np.full(len(known), -1, np.int32)
    row[known] = term.row
    return term._replace(row=row)


def _centred(term: Term) -> Floats:
    """Return one column for each value, with mean 0 over annotators; the columns of a row add up to 0."""
    share = np.bincount(term.row, minlength=len(term.rows)) / len(term.row)
    return np.asarray(term.basis - share)


def _known(part: Part, metadata: pd.DataFrame) -> Bools:
    """Return for whom all columns of a part are there."""
    there = [[as_text(value) != "" for value in metadata[name]] for name in names_in(part)]
    return np.all(there, axis=0)


def _new_rows(part: Part, term: Term, metadata: pd.DataFrame) -> Ints:
    if term.kind != "levels":
        return nearest_rows(part, term.value, covariate_values(part, metadata, ANNOTATORS), ANNOTATORS)
    texts = covariate_texts(part._replace(levels=True), metadata)
    return pd.Index(term.rows).get_indexer(pd.Index(texts)).astype(np.int32)
