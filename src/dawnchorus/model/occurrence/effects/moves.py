"""Moves of the effects of a term: Newton's step plus noise, accepted by Metropolis and Hastings.

The log likelihood is a sum over rows of the term, with a slope and a curvature in each. The prior is normal:
a move d of the effects adds Σ_b (pull[b]·d[b] − precision[b]·d[b]² / 2). With slope g and curvature H of both
together,

    d ~ Normal(step, H⁻¹),    step = H⁻¹·g, shortened to at most REACH in any row,

and slope and curvature at the proposal give the density of the way back. Curvature that is negative, as it
may be with presence summed out, is taken for 0. What is moved is concave and close
to normal; without votes it is the prior, and every move is accepted. Levels share no recording, so each of
them is accepted or rejected on its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats
from ...lookups import accepted
from .algebra import cholesky, solve_factor, sum_columns, sum_dense, sum_rows
from .terms import LARGE, MAX_EXPONENT, Terms

REACH = 2.0
"""Newton's steps move log-odds by at most so much: far from the mode they would lead beyond it."""


class Moves(NamedTuple):
    """Working memory for moves of the effects of one term at a time; numbered through all terms."""

    pull: Floats
    """The slope of the log prior, by column."""
    precision: Floats
    """The precision of the prior, by column."""
    column: Floats
    """How far each column moves."""
    row: Floats
    """How far each row moves with its columns."""
    times: Floats
    """What the odds are multiplied by in each row: the exponential of its move."""
    step: Floats
    """Newton's step, by column."""
    root: Floats
    """The square root of the curvature, by column of levels."""
    factor: Floats
    """The Cholesky factor of the curvature of any other term."""
    far: Floats
    """How far Newton's step would move each row; or any other number of each."""


@compiled
def make_moves(terms: Terms, rows: int) -> Moves:
    """Return working memory, with room for so many rows and the largest of these terms."""
    columns, most = terms.column_start[-1], 1
    for t in range(len(terms.levels)):
        if not terms.levels[t]:
            most = max(most, terms.column_start[t + 1] - terms.column_start[t])
    return Moves(
        np.empty(columns),
        np.empty(columns),
        np.zeros(columns),
        np.zeros(rows),
        np.ones(rows),
        np.empty(columns),
        np.empty(columns),
        np.empty((most, most)),
        np.empty(rows),
    )


@inlined
def stand_still(terms: Terms, t: int, moves: Moves) -> None:
    """Set the moves of the rows of a term to 0."""
    for r in range(terms.row_start[t], terms.row_start[t + 1]):
        moves.row[r], moves.times[r] = 0.0, 1.0


@compiled
def propose_moves(
    rng: np.random.Generator, terms: Terms, t: int, now: Floats, moves: Moves, ready: bool = False
) -> None:
    """Fill in moves of the columns and rows of a term; `now` has slope and curvature by row.

    `ready` says that the factor of the curvature is there already.
    """
    if ready:
        _step(terms, t, now, moves)
    else:
        step_and_factor(terms, t, now, moves)
    low, high = terms.column_start[t], terms.column_start[t + 1]
    for b in range(low, high):
        moves.column[b] = rng.standard_normal()
    solve_transposed(terms, t, moves)
    for b in range(low, high):
        moves.column[b] += moves.step[b]
    move_rows(terms, t, moves)


@compiled
def accept_moves(
    rng: np.random.Generator, terms: Terms, t: int, now: Floats, new: Floats, moves: Moves, fixed: bool
) -> float:
    """Set moves that are rejected to 0; return the share that is accepted.

    `now` and `new` have log likelihood, slope, curvature and product by row, before and after the moves;
    `fixed` says that the curvature of both is the same.
    """
    first, last = terms.row_start[t], terms.row_start[t + 1]
    low, high = terms.column_start[t], terms.column_start[t + 1]
    if terms.levels[t]:
        share = 0.0
        for r in range(first, last):
            b, move = low + r - first, moves.row[r]
            pull, precision = moves.pull[b], moves.precision[b]
            step, total = _level_step(now[1, r], now[2, r], pull, precision)
            back, back_total = _level_step(new[1, r], new[2, r], pull - precision * move, precision)
            gain = likelihood_gain(now, new, r) + pull * move - 0.5 * precision * move**2
            gain += 0.5 * math.log(back_total / total)
            gain += 0.5 * ((move - step) ** 2 * total - (move + back) ** 2 * back_total)
            if accepted(rng, gain):
                share += 1 / (last - first)
            else:
                moves.column[b], moves.row[r], moves.times[r] = 0.0, 0.0, 1.0
        return share
    gain = -_log_proposal(moves, low, high)  # the factor is still that of the proposal
    gain += likelihoods_gained(now, new, first, last)
    for b in range(low, high):
        move = moves.column[b]
        gain += moves.pull[b] * move - 0.5 * moves.precision[b] * move**2
        moves.pull[b] -= moves.precision[b] * move
        moves.column[b] = -move
    if not fixed:
        _factor(terms, t, new, moves)
    _step(terms, t, new, moves)
    gain += _log_proposal(moves, low, high)
    stay = not accepted(rng, gain)
    for b in range(low, high):
        moves.column[b] = 0.0 if stay else -moves.column[b]
    if stay:
        stand_still(terms, t, moves)
    return 0.0 if stay else 1.0


@compiled
def move_rows(terms: Terms, t: int, moves: Moves) -> None:
    """Fill in how far the rows of a term move with its columns."""
    row, times = moves.row, moves.times
    sum_columns(terms, t, moves.column, row)
    for r in range(terms.row_start[t], terms.row_start[t + 1]):
        times[r] = math.exp(min(row[r], MAX_EXPONENT))


@inlined
def likelihood_gain(now: Floats, new: Floats, r: int) -> float:
    """Return what the log likelihood of a row gains."""
    return new[0, r] - now[0, r] + math.log(now[3, r] / new[3, r])


@inlined
def likelihoods_gained(now: Floats, new: Floats, first: int, last: int) -> float:
    """Return what the log likelihood of all rows from `first` to `last` gains."""
    gain, product = 0.0, 1.0
    for r in range(first, last):
        gain += new[0, r] - now[0, r]
        product *= now[3, r] / new[3, r]
        if not 1 / LARGE < product < LARGE:
            gain, product = gain + math.log(product), 1.0
    return gain + math.log(product)


@inlined
def _level_step(slope: float, curvature: float, pull: float, precision: float) -> tuple[float, float]:
    """Return Newton's step for one level, shortened, and the precision of a proposal."""
    total = max(curvature, 0.0) + precision
    return min(max((slope + pull) / total, -REACH), REACH), total


@compiled
def step_and_factor(terms: Terms, t: int, rows: Floats, moves: Moves) -> float:
    """Fill in Newton's step, and the factor of the curvature; return the logarithm of its determinant.

    `rows` has slope and curvature by row between its first and last parts.
    """
    first, low, high = terms.row_start[t], terms.column_start[t], terms.column_start[t + 1]
    total = 0.0
    if terms.levels[t]:
        for b in range(low, high):
            r = first + b - low
            moves.step[b], precision = _level_step(rows[1, r], rows[2, r], moves.pull[b], moves.precision[b])
            moves.root[b] = math.sqrt(precision)
            total += 0.5 * math.log(precision)
        return total
    _newton(terms, t, rows, moves)
    for a in range(high - low):
        total += math.log(moves.factor[a, a])
    return total


@compiled
def solve_transposed(terms: Terms, t: int, moves: Moves) -> None:
    """Solve factorᵀ·z = moves of columns for z, in place."""
    low, high = terms.column_start[t], terms.column_start[t + 1]
    if terms.levels[t]:
        for b in range(low, high):
            moves.column[b] /= moves.root[b]
    else:
        solve_factor(moves.factor, moves.column[low:high])


@compiled
def times_transposed(terms: Terms, t: int, moves: Moves) -> None:
    """Multiply the moves of columns by factorᵀ, in place."""
    low, high = terms.column_start[t], terms.column_start[t + 1]
    for b in range(low, high):
        if terms.levels[t]:
            moves.column[b] *= moves.root[b]
        else:
            total = 0.0
            for i in range(b, high):
                total += moves.factor[i - low, b - low] * moves.column[i]
            moves.column[b] = total


@compiled
def _newton(terms: Terms, t: int, rows: Floats, moves: Moves) -> None:
    """Fill in the Cholesky factor of the curvature of a term, and Newton's step, shortened.

    `rows` has slope and curvature by row between its first and last parts.
    """
    _factor(terms, t, rows, moves)
    _step(terms, t, rows, moves)


@compiled
def factor_of(curvature: Floats, part: float, moves: Moves, low: int) -> None:
    """Fill in the Cholesky factor of a part of a curvature, of columns from `low` on, plus the prior's."""
    for a in range(len(curvature)):
        for b in range(a + 1):
            moves.factor[a, b] = part * curvature[a, b]
        moves.factor[a, a] += moves.precision[low + a]
    cholesky(moves.factor, len(curvature))


@compiled
def _factor(terms: Terms, t: int, rows: Floats, moves: Moves) -> None:
    """Fill in the Cholesky factor of the curvature of a term."""
    low, high = terms.column_start[t], terms.column_start[t + 1]
    start, column, basis, factor = terms.basis_start, terms.basis_column, terms.basis, moves.factor
    m = high - low
    for a in range(m):
        for b in range(m):
            factor[a, b] = moves.precision[low + a] if a == b else 0.0
    if t == 0 and len(terms.dense) > 0:
        weighed = moves.far[: terms.row_start[1]]
        for a in range(m):
            for r in range(len(weighed)):
                weighed[r] = terms.dense[a, r] * max(rows[2, r], 0.0)
            sum_dense(terms.dense[: a + 1], weighed, factor[a])
        cholesky(factor, m)
        return
    for r in range(terms.row_start[t], terms.row_start[t + 1]):
        curvature = rows[2, r]
        if curvature <= 0:
            continue
        for one in range(start[r], start[r + 1]):
            a, part = column[one] - low, basis[one] * curvature
            for other in range(start[r], one + 1):  # columns ascend: the lower triangle
                factor[a, column[other] - low] += part * basis[other]
    cholesky(factor, m)


@compiled
def _step(terms: Terms, t: int, rows: Floats, moves: Moves) -> None:
    """Fill in Newton's step of a term, shortened, by the factor of its curvature."""
    low, high = terms.column_start[t], terms.column_start[t + 1]
    factor, step, far = moves.factor, moves.step, moves.far
    for b in range(low, high):
        step[b] = moves.pull[b]
    sum_rows(terms, t, rows[1], step)
    for a in range(high - low):
        total = step[low + a]
        for i in range(a):
            total -= factor[a, i] * step[low + i]
        step[low + a] = total / factor[a, a]
    solve_factor(factor, step[low:high])
    largest = 0.0
    sum_columns(terms, t, step, far)
    for r in range(terms.row_start[t], terms.row_start[t + 1]):
        largest = max(largest, abs(far[r]))
    if largest > REACH:
        for b in range(low, high):
            step[b] *= REACH / largest


@inlined
def _log_proposal(moves: Moves, low: int, high: int) -> float:
    """Return the log density of the moves of the columns of a term, but for a constant."""
    total = 0.0
    for a in range(high - low):
        away = 0.0
        for i in range(a, high - low):
            away += moves.factor[i, a] * (moves.column[low + i] - moves.step[low + i])
        total += math.log(moves.factor[a, a]) - 0.5 * away * away
    return total
