"""Context: what is known of recordings, such as site, hour and date, as the rows of a design matrix.

The design matrix of a term has few distinct rows (a row for each site, for each hour), so they are kept once,
and a recording has the number of its row. Models take these plain arrays; they come from a formula and the
metadata of recordings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..common.ragged import Floats, Ints


class Term(NamedTuple):
    """One term of a formula.

    Examples
    --------
    >>> levels("site", [0, 0, 1], ["marsh", "wood"]).basis.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    name: str
    """As written in the formula, such as `site` or `cc(hour, df=6)`."""
    kind: str
    """"levels" (one column for each level, and the basis is the identity), "smooth" (columns of a spline) or
    "linear" (columns of numbers)."""
    row: Ints
    """The row of the basis of each recording; −1 for a level that the fit does not know, in new recordings
    only."""
    basis: Floats
    """The distinct rows of the design matrix: rows × columns."""
    rows: tuple[str, ...]
    """Each row in words: the name of the level, or the value of the covariate."""
    columns: tuple[str, ...]
    """Each column in words."""
    value: Floats
    """The value of the covariate in each row, for plots; NaN for levels."""


class Context(NamedTuple):
    """What is known of all recordings."""

    formula: str
    terms: tuple[Term, ...]

    @property
    def n_recordings(self) -> int:
        """The number of recordings."""
        return len(self.terms[0].row)

    def distinct(self) -> tuple[Ints, Ints]:
        """Return the number of the context of each recording, and the distinct contexts.

        These have the row of every term: contexts × terms.

        >>> site, hour = levels("site", [0, 1, 0], ["a", "b"]), levels("hour", [1, 1, 1], ["5", "6"])
        >>> [part.tolist() for part in Context("site + hour", (site, hour)).distinct()]
        [[0, 1, 0], [[0, 1], [1, 1]]]
        """
        rows = np.stack([term.row for term in self.terms], axis=1)
        contexts, which = np.unique(rows, axis=0, return_inverse=True)
        return which.reshape(-1).astype(np.int32), contexts.astype(np.int32)


def levels(name: str, row: Ints, rows: tuple[str, ...]) -> Term:
    """Return a term with an effect of its own for each level, given the level of each recording."""
    n, names = len(rows), tuple(rows)
    return Term(name, "levels", np.asarray(row, np.int32), np.eye(n), names, names, np.full(n, np.nan))
