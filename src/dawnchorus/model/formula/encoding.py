"""Encoding: the values of a covariate become rows of a basis.

Numbers are rounded to a fine grid: hours to quarters, dates to days, others to steps of which at most a
hundred make up their range. The basis has a row for every value of the grid, also where there is no
recording. So a curve can be drawn from it, and new recordings need no more than to find their rows.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...annotations.labels import counted, in_order
from ...common.errors import AnnotationError
from ...common.ragged import Floats, Ints
from ...common.warn import warn
from ..context import Term
from .parts import BOUNDS, FORMULAIC, Part
from .subjects import RECORDINGS, Subjects

STEPS = {"hour": 0.25, "sunrise": 0.25, "date": 1.0}
MOST = 100
"""The grid of another covariate has at most so many steps."""


def levels_term(part: Part, texts: pd.Series, of: Subjects = RECORDINGS) -> Term:
    """Return a term with an effect for each of the names."""
    code, levels = pd.factorize(texts.to_numpy(object))
    names = in_order(np.asarray(levels, object))
    row = pd.Index(names).get_indexer(pd.Index(levels))[code]
    refuse_constant(part, row, names, of)
    return Term(
        part.name,
        "levels",
        row.astype(np.int32),
        np.identity(len(names)),
        tuple(names),
        tuple(names),
        np.full(len(names), np.nan),
    )


def numeric_term(part: Part, values: Floats, of: Subjects = RECORDINGS) -> Term:
    """Return a term with the effect of a number: a spline of it, or a straight line."""
    grid = _grid(part, values)
    row = nearest_rows(part, grid, values, of)
    words = tuple(f"{value:.10g}" for value in grid)
    refuse_constant(part, row, words, of)
    basis = _spline(part, grid, row) if part.spline else _line(grid, row)
    several = basis.shape[1] > 1
    columns = tuple(f"{part.name}[{b + 1}]" if several else part.name for b in range(basis.shape[1]))
    return Term(part.name, "smooth" if part.spline else "linear", row, basis, words, columns, grid)


def nearest_rows(part: Part, grid: Floats, values: Floats, of: Subjects = RECORDINGS) -> Ints:
    """Return the row of the nearest value of the grid; warn of values that lie outside it."""
    step = grid[1] - grid[0] if len(grid) > 1 else 1.0
    place = np.rint((values - grid[0]) / step).astype(np.int64)
    if part.period:
        return (place % len(grid)).astype(np.int32)
    outside = int(np.count_nonzero((place < 0) | (place >= len(grid))))
    if outside:
        warn(
            f"{part.inside} of {counted(outside, of.word)} is outside of what was fitted, "
            f"{grid[0]:.10g} to {grid[-1]:.10g}; the nearest end is used instead"
        )
    return np.clip(place, 0, len(grid) - 1).astype(np.int32)


def refuse_constant(part: Part, row: Ints, words: object, of: Subjects) -> None:
    """Raise an error if all have the same row."""
    used = np.unique(row)
    if len(used) < 2:
        same = f" ({words[used[0]]})" if len(used) else ""  # type: ignore[index]
        raise AnnotationError(
            f"{part.inside} is the same {of.everywhere}{same}, so that it explains nothing",
            f"leave {part.name} out of the formula",
        )


def _grid(part: Part, values: Floats) -> Floats:
    """Return the values to which a covariate is rounded, in even steps."""
    first, last = part.period or (values.min(), values.max())
    step = STEPS.get(part.plain or "") or _step(last - first)
    if part.period:
        return np.linspace(first, last, max(round((last - first) / step), 2), endpoint=False)
    return np.asarray(np.arange(np.rint(first / step), np.rint(last / step) + 1) * step)


def _step(span: float) -> float:
    """Return a step of 1, 2, 2.5 or 5 times a power of ten, of which at most a hundred make up the span.

    >>> _step(24), _step(900), _step(0)
    (0.25, 10.0, 1.0)
    """
    if span <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(span / MOST))
    return float(next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= span / MOST * (1 - 1e-9)))


def _line(grid: Floats, row: Ints) -> Floats:
    """Return the covariate with mean 0 and standard deviation 1 over recordings."""
    values = grid[row]
    return np.asarray((grid - values.mean()) / values.std())[:, None]


def _spline(part: Part, grid: Floats, row: Ints) -> Floats:
    """Return the columns of a spline, as many as its df, with mean 0 over recordings.

    The knots lie where formulaic puts them for these recordings. At first the spline has one column more,
    and the columns add up to a constant, which is the intercept's. Centring removes that constant, and no
    single column: so independent effects of the columns favour neither end of the covariate.
    """
    options = dict(part.options)
    if "df" in options and not {"constraints", "include_intercept"} & {*options}:
        options["df"] += 1
    if part.spline == "bs":
        options.setdefault("include_intercept", True)
    if part.period:
        options |= dict(zip(BOUNDS, part.period, strict=True))
    code = f"0 + {part.spline}(x, {', '.join(f'{name}={value!r}' for name, value in options.items())})"
    try:
        fitted = FORMULAIC.model_matrix(
            code, pd.DataFrame({"x": grid[row]}), context={}, ensure_full_rank=False
        )
        basis = np.asarray(fitted.model_spec.get_model_matrix(pd.DataFrame({"x": grid}), context={}), float)
    except (FORMULAIC.errors.FormulaicError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        why = str(error.__cause__ or error).partition("\n")[0].rstrip(".")
        raise AnnotationError(f"{part.name} cannot be calculated ({why})", _fewer(part)) from None
    basis, used = _centred(basis, row), np.unique(row)
    if np.linalg.matrix_rank(basis[used]) < basis.shape[1]:
        raise AnnotationError(
            f"{part.name} has {counted(basis.shape[1], 'column')}, which is too many for "
            f"{counted(len(used), 'distinct value')} of {part.inside}",
            _fewer(part),
        )
    return basis


def _fewer(part: Part) -> str:
    other = f"{part.spline}({part.inside}, df=4)"
    return f"give another df, as in {other}, or take its values as names: C({part.inside})"


def _centred(basis: Floats, row: Ints) -> Floats:
    """Return columns with mean 0 over recordings; one less if together they make up a constant."""
    mean = basis[row].mean(axis=0)
    ones = np.ones(len(basis))
    weights, *_ = np.linalg.lstsq(basis, ones, rcond=None)
    if np.abs(basis @ weights - ones).max() > 1e-8:
        return np.asarray(basis - mean)
    rotation, _ = np.linalg.qr(mean[:, None], mode="complete")
    return np.asarray(basis @ rotation[:, 1:])
