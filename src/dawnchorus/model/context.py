"""Where and when recordings were made, as plain arrays: the terms of a formula, one after the other.

What annotators say of themselves has the same form, with annotators in place of recordings: see
formula/skill.py.

With this the log-odds of species k in recording i are

    intercept[k] + sum over terms t of basis_t[row_t[i]] · effect_t[k],

so that recordings with the same rows have the same log-odds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..common.ragged import Floats, Ints


class Term(NamedTuple):
    """One term of a formula: a few distinct rows of a design matrix, and which one each recording has."""

    name: str
    """As written in the formula, such as `site` or `cc(hour, df=6)`."""
    kind: str
    """`levels` (random effects, one column per level), `smooth` (a spline) or `linear` (a numeric column)."""
    row: Ints
    """For each recording its row of the basis; −1 for a level that is not known, in new recordings only."""
    basis: Floats
    """Rows × columns; for levels the identity matrix."""
    rows: tuple[str, ...]
    """Words for each row: the names of levels, or the value of the covariate."""
    columns: tuple[str, ...]
    """Words for each column."""
    value: Floats
    """The value of the covariate at each row, NaN for levels; for plots."""


class Context(NamedTuple):
    """The terms of a formula for a set of recordings."""

    formula: str
    terms: tuple[Term, ...]

    @property
    def n_recordings(self) -> int:
        """The number of recordings."""
        return len(self.terms[0].row) if self.terms else 0

    def distinct(self) -> tuple[Ints, Ints]:
        """Return the context of each recording, and the rows of each distinct context, terms × contexts."""
        rows = np.stack([term.row for term in self.terms])
        table, index = np.unique(rows, axis=1, return_inverse=True)
        return index.ravel().astype(np.int32), table.astype(np.int32)
