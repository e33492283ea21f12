"""Factors of odds: what each row of each term multiplies the odds of each species by, and bounds of products.

Candidates for silent cells need the largest odds among recordings of a group (see ../../presence).
Recordings are in a group if their rows are in the same block in every term. A block is a row or, where there
would be too many groups, a few neighbouring rows; the bound is the product over terms of the largest factor
of a block.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Bools, Floats, Ints
from ...context import Context
from ...presence.odds import Odds
from ...rates import MAX_LOGIT
from .terms import Terms

MOST_GROUPS = 1024
"""There are at most so many groups."""
REACH = 170.0
"""The factors of all terms together stay within e^±REACH."""


class Groups(NamedTuple):
    """Groups of recordings with similar context."""

    row: Ints
    """The row of each term, the intercept aside, of each recording: recordings × terms."""
    group: Ints
    """Of each recording."""
    sizes: Ints
    block: Ints
    """The block of each row; blocks are numbered through all terms. −1 for rows that no recording has."""
    block_of_group: Ints
    """Groups × terms."""


def make_groups(context: Context, terms: Terms, most: int = MOST_GROUPS) -> Groups:
    """Return at most so many groups of a context that is in order.

    The blocks of terms that are not levels become coarser first.
    """
    rows = np.stack([term.row for term in context.terms], axis=1).astype(np.int64)
    used = [np.unique(rows[:, t]) for t in range(rows.shape[1])]
    order = [
        here[np.argsort(term.value[here], kind="stable")]
        for here, term in zip(used, context.terms, strict=True)
    ]
    sizes, smooth = [len(here) for here in used], ~terms.levels[1:]
    while True:
        blocks = [
            _blocks(len(term.rows), here, n)
            for term, here, n in zip(context.terms, order, sizes, strict=True)
        ]
        tuples = np.stack([block[rows[:, t]] for t, block in enumerate(blocks)], axis=1)
        found, group = np.unique(tuples, axis=0, return_inverse=True)
        if len(found) <= most:
            break
        t = _coarsest_last(sizes, smooth)
        sizes[t] = (sizes[t] + 1) // 2
    shift = np.append(0, np.cumsum(sizes))
    block = np.concatenate(
        [[-1], *(np.where(b >= 0, b + s, -1) for b, s in zip(blocks, shift, strict=False))]
    )
    return Groups(
        (rows + terms.row_start[1:-1]).astype(np.int32),
        group.reshape(-1).astype(np.int32),
        np.bincount(group.reshape(-1), minlength=len(found)),
        block.astype(np.int64),
        found + shift[:-1],
    )


def _blocks(n_rows: int, order: Ints, number: int) -> Ints:
    """Put rows, in this order, into so many blocks; −1 for all others."""
    block = np.full(n_rows, -1)
    block[order] = np.arange(len(order)) * number // len(order)
    return block


def _coarsest_last(sizes: list[int], smooth: Bools) -> int:
    """Return the term whose blocks become coarser: the one with most blocks, smooth terms first."""
    return max(range(len(sizes)), key=lambda t: (sizes[t] > 1, bool(smooth[t]), sizes[t]))


@compiled
def odds_of_effects(effect: Floats, terms: Terms, groups: Groups) -> Odds:
    """Return the odds of all species, from their effects, species × columns."""
    start, column, basis = terms.basis_start, terms.basis_column, terms.basis
    n_terms, n_species = len(terms.levels) - 1, len(effect)
    limit = min(MAX_LOGIT, REACH / n_terms)
    by_column = effect.T.copy()
    factor, value = np.empty((len(start) - 1, n_species)), np.empty(n_species)
    blocks = groups.block.max() + 1
    largest = np.zeros((blocks, n_species))
    for r in range(1, len(factor)):
        if r < terms.row_start[2]:
            value[:] = by_column[0]
        else:
            value[:] = 0.0
        for entry in range(start[r], start[r + 1]):
            times, of = basis[entry], by_column[column[entry]]
            for k in range(n_species):
                value[k] += times * of[k]
        for k in range(n_species):
            factor[r, k] = math.exp(min(max(value[k], -limit), limit))
        block = groups.block[r]
        if block >= 0:
            for k in range(n_species):
                largest[block, k] = max(largest[block, k], factor[r, k])
    factor[0] = 1.0
    max_odds = np.ones((len(groups.sizes), n_species))
    for g in range(len(max_odds)):
        for t in range(n_terms):
            of = largest[groups.block_of_group[g, t]]
            for k in range(n_species):
                max_odds[g, k] *= of[k]
    return Odds(factor, groups.row, groups.group, max_odds, groups.sizes, True)


@compiled
def mean_occurrence(odds: Odds, row: Ints, weight: Floats) -> Floats:
    """Return the probability of each species, averaged over contexts; `row` is terms × contexts."""
    factor, n_species = odds.factor, odds.factor.shape[1]
    mean, here = np.zeros(n_species), np.empty(n_species)
    for c in range(row.shape[1]):
        here[:] = factor[row[1, c]]
        for t in range(2, len(row)):
            of = factor[row[t, c]]
            for k in range(n_species):
                here[k] *= of[k]
        for k in range(n_species):
            mean[k] += weight[c] * here[k] / (1 + here[k])
    return mean
