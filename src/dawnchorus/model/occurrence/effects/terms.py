"""Terms laid out for kernels: the rows and columns of all terms one after the other, the intercept first.

The intercept is a term too, with one row and one column, and the mean of intercepts is its common effect. So
intercepts and effects, their common effects and their scales are drawn by the same kernels.

Terms that are not levels are correlated with each other and with the intercept: where a species sings only at
dawn, its intercept and its effects of the hour are known together rather than each. So they are also laid out
as one *block*, with a row for each combination of their rows, to be moved together.

A basis is sparse: a level has one column that is not 0, a row of a spline a few.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Bools, Floats, Ints
from ...context import Context

MAX_ODDS = 1e300
MAX_EXPONENT = 690.0
"""Odds, and the logarithms of factors, are no larger, since they would overflow."""
LARGE = 1e100
"""Products are no larger than the square of this."""


class Terms(NamedTuple):
    """All terms, for kernels."""

    context: Ints
    """The context of each recording."""
    row: Ints
    """The row of each term in each context, terms × contexts; rows are numbered through all terms."""
    row_start: Ints
    """Where the rows of each term start."""
    column_start: Ints
    """Where the columns of each term start."""
    levels: Bools
    """Of each term, whether each row has a column of its own."""
    basis_start: Ints
    """Where the entries of each row start."""
    basis_column: Ints
    """The column of each entry, numbered through all terms."""
    basis: Floats
    """The value of each entry."""
    dense: Floats
    """The basis of the first term, columns × rows, if it is none of levels and most of it is not 0; otherwise
    empty. Kernels go through it much faster."""
    constant: Floats
    """By column: multiplied by these, the columns of a term sum to 1 in every row; 0 where none do."""


class Effects(NamedTuple):
    """The effects of all terms, in the order of their columns; kernels draw them in place."""

    effect: Floats
    """Species × columns."""
    common: Floats
    """What effects vary around, by column."""
    scale: Floats
    """How much they vary, by term."""


class Pool(NamedTuple):
    """The priors of common effects, by column, and of scales, by term."""

    mean: Floats
    sd: Floats
    scale: Floats


def in_order(context: Context) -> Context:
    """Return the context with levels after all other terms, as kernels have them."""
    return context._replace(terms=tuple(sorted(context.terms, key=lambda term: term.kind == "levels")))


def lay_out(context: Context) -> Terms:
    """Return the terms of a context that is in order."""
    which, rows = context.distinct()
    rows = np.concatenate([np.zeros((1, rows.shape[1]), np.int64), rows])
    bases = [np.ones((1, 1)), *(np.asarray(term.basis, np.float64) for term in context.terms)]
    return _laid_out(which, rows, bases, [True, *(term.kind == "levels" for term in context.terms)])


def lay_out_blocks(context: Context, terms: Terms) -> Terms:
    """Return the same with the intercept and all terms that are not levels as one block."""
    dense = [t for t, term in enumerate(context.terms) if term.kind != "levels"]
    rows = terms.row - terms.row_start[:-1, None]
    bases = [np.asarray(term.basis, np.float64) for term in context.terms]
    joint, place = np.unique(rows[[0, *(1 + t for t in dense)]], axis=1, return_inverse=True)
    block = [np.ones((joint.shape[1], 1)), *(bases[t][joint[1 + t]] for t in dense)]
    levels = range(len(dense), len(bases))
    return _laid_out(
        terms.context,
        np.stack([place.reshape(-1), *(rows[1 + t] for t in levels)]),
        [np.concatenate(block, axis=1), *(bases[t] for t in levels)],
        [not dense, *(True for _ in levels)],
    )


def _laid_out(which: Ints, rows: Ints, bases: list[Floats], levels: list[bool]) -> Terms:
    """Return terms, given the rows of each context, terms × contexts, and the basis of each term."""
    row_start = _starts([basis.shape[0] for basis in bases])
    column_start = _starts([basis.shape[1] for basis in bases])
    sizes, columns, values = [], [], []
    for basis, first in zip(bases, column_start, strict=False):
        at, column = np.nonzero(basis)
        sizes.append(np.bincount(at, minlength=len(basis)))
        columns.append(first + column)
        values.append(basis[at, column])
    return Terms(
        which,
        np.ascontiguousarray(rows + row_start[:-1, None], np.int32),  # so that kernels are compiled once
        row_start,
        column_start,
        np.array(levels),
        _starts(np.concatenate(sizes)),
        np.concatenate(columns).astype(np.int32),
        np.concatenate(values),
        _dense(bases[0], levels=levels[0]),
        np.concatenate([_constant(basis) for basis in bases]),
    )


def _dense(basis: Floats, *, levels: bool) -> Floats:
    """Return a basis as columns × rows, or nothing: see `Terms`."""
    if levels or 2 * np.count_nonzero(basis) < basis.size:
        return np.empty((0, 0))
    return np.ascontiguousarray(basis.T)


def _starts(sizes: Ints | list[int]) -> Ints:
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


def _constant(basis: Floats) -> Floats:
    """Return what columns are to be multiplied by to sum to 1 in every row; 0 if nothing does that."""
    found = np.linalg.lstsq(basis, np.ones(len(basis)), rcond=None)[0]
    exact = len(basis) and np.abs(basis @ found - 1).max() < 1e-9
    return found if exact else np.zeros(basis.shape[1])


@compiled
def context_odds(terms: Terms, effect: Floats, by_row: Floats, out: Floats) -> None:
    """Fill in the odds of a species in each context, from its effects; `by_row` is working memory."""
    row, start, column, basis = terms.row, terms.basis_start, terms.basis_column, terms.basis
    for r in range(len(by_row)):
        total = 0.0
        for entry in range(start[r], start[r + 1]):
            total += basis[entry] * effect[column[entry]]
        by_row[r] = math.exp(min(total, MAX_EXPONENT))
    out[:] = by_row[0]
    for t in range(1, len(row)):
        multiply_odds(row[t], by_row, out)


@compiled
def multiply_odds(row: Ints, times: Floats, odds: Floats) -> None:
    """Multiply the odds in contexts by what belongs to their rows of a term."""
    for c in range(len(odds)):
        odds[c] = min(odds[c] * times[row[c]], MAX_ODDS)
