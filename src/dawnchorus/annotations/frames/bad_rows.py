"""Rows that cannot be used: the first of them is an error, unless they are to be left out and counted."""

from __future__ import annotations

import numpy as np

from ...common.errors import AnnotationError
from ...common.ragged import Bools
from ...common.warn import warn
from ...common.wording import option
from ..labels import counted, verb


class BadRows:
    """What to do about bad rows, and how many were left out.

    >>> bad = BadRows(skip=True)
    >>> bad.found(AnnotationError("the annotator is blank", "fill it in", file="a.csv", row=7))
    >>> bad.number
    1
    """

    def __init__(self, *, skip: bool = False) -> None:
        self.skip = skip
        self.number = 0
        self.first: AnnotationError | None = None

    def found(self, error: AnnotationError, number: int = 1) -> None:
        """Raise the error about a bad row, or count so many rows that are left out for it."""
        if not self.skip:
            raise error
        self.number += number
        self.first = self.first or error

    def all_bad(self, name: str) -> AnnotationError:
        """Return an error that says that no row is left, and what is wrong with the first."""
        assert self.first is not None
        rows = "the only row is" if self.number == 1 else f"all {self.number:,} rows are"
        return self.first.as_part_of(name, f"{rows} bad{'' if self.number == 1 else '; the first'}")

    def tell(self, name: str) -> None:
        """Warn about the rows that were left out, if there are any."""
        if self.first is not None:
            warn(
                f"{name}: {counted(self.number, 'bad row')} {verb(self.number, 'was', 'were')} left out, as "
                f"told by {option('skip_bad', True)}; the first: {self.first.unworded()}"
            )


class BadTableRows:
    """The bad rows of one table, as positions."""

    def __init__(self, rows: int, bad: BadRows) -> None:
        self.mask: Bools = np.zeros(rows, bool)
        self._bad = bad

    def found(self, mask: Bools, error: AnnotationError) -> None:
        """Raise the error about the first of these rows, or leave all of them out."""
        self._bad.found(error, int(np.count_nonzero(mask & ~self.mask)))
        self.mask |= mask
