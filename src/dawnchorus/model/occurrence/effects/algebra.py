"""Sums over the rows or the columns of a term, and solutions with the Cholesky factor of its curvature."""

from __future__ import annotations

import math

from ....common.compiled import inlined
from ....common.ragged import Floats
from .terms import Terms


@inlined
def sum_columns(terms: Terms, t: int, value: Floats, out: Floats) -> None:
    """Fill in, for each row of a term, the sum of values of its columns times its basis."""
    first, last = terms.row_start[t], terms.row_start[t + 1]
    start, column, basis, dense = terms.basis_start, terms.basis_column, terms.basis, terms.dense
    for r in range(first, last):
        out[r] = 0.0
    if t == 0 and len(dense) > 0:
        for b in range(len(dense)):
            of, here = value[b], dense[b]
            for r in range(last):
                out[r] += here[r] * of
        return
    for r in range(first, last):
        total = 0.0
        for entry in range(start[r], start[r + 1]):
            total += basis[entry] * value[column[entry]]
        out[r] = total


@inlined
def sum_rows(terms: Terms, t: int, value: Floats, out: Floats) -> None:
    """Add to each column of a term the sum of values of its rows times its basis."""
    first, last = terms.row_start[t], terms.row_start[t + 1]
    start, column, basis, dense = terms.basis_start, terms.basis_column, terms.basis, terms.dense
    if t == 0 and len(dense) > 0:
        sum_dense(dense, value[:last], out)
        return
    for r in range(first, last):
        for entry in range(start[r], start[r + 1]):
            out[column[entry]] += basis[entry] * value[r]


@inlined
def sum_dense(dense: Floats, value: Floats, out: Floats) -> None:
    """Add to each column the sum of values of all rows times a dense basis, columns × rows."""
    # Four columns at a time: additions to one have to wait for each other.
    four = len(dense) - len(dense) % 4
    for b in range(0, four, 4):
        x0, x1, x2, x3 = out[b], out[b + 1], out[b + 2], out[b + 3]
        of0, of1, of2, of3 = dense[b], dense[b + 1], dense[b + 2], dense[b + 3]
        for r in range(len(value)):
            x0 += of0[r] * value[r]
            x1 += of1[r] * value[r]
            x2 += of2[r] * value[r]
            x3 += of3[r] * value[r]
        out[b], out[b + 1], out[b + 2], out[b + 3] = x0, x1, x2, x3
    for b in range(four, len(dense)):
        total, here = out[b], dense[b]
        for r in range(len(value)):
            total += here[r] * value[r]
        out[b] = total


@inlined
def cholesky(factor: Floats, m: int) -> None:
    """Replace the lower triangle of a matrix by its Cholesky factor, in place."""
    for a in range(m):
        for b in range(a + 1):
            total = factor[a, b]
            for i in range(b):
                total -= factor[a, i] * factor[b, i]
            factor[a, b] = math.sqrt(total) if a == b else total / factor[b, b]


@inlined
def solve_factor(factor: Floats, value: Floats) -> None:
    """Solve factorᵀ·z = value for z, in place."""
    for a in range(len(value) - 1, -1, -1):
        total = value[a]
        for i in range(a + 1, len(value)):
            total -= factor[i, a] * value[i]
        value[a] = total / factor[a, a]
