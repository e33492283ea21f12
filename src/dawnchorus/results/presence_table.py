"""Listing: the cells of a posterior, all of them where they are few, otherwise those that matter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ..annotations.counting import ALL_CELLS
from ..common.ragged import Floats, Ints, Ragged
from ..model.presence.predictive import Cells, likely_species, listed_cells, predict_cells
from .fitted import Fitted
from .tables import count_reports

LEAST = 0.01
"""Where cells are many, those that nobody reported and that are less probable are rarely asked for."""
MOST_LISTED = 30_000_000
"""Up to so many listed cells are kept in memory, so that nobody has to compute them twice."""


class Listing:
    """The cells of a posterior with their probabilities, computed when they are asked for."""

    def __init__(self, fitted: Fitted) -> None:
        self.fitted = fitted
        self.annotations = fitted.annotations

    @property
    def many(self) -> bool:
        """Whether there are more cells than are listed one by one."""
        return self.annotations.n_recordings * self.annotations.n_species > ALL_CELLS

    def cells(self, min_probability: float) -> Iterator[tuple[Cells, Ints]]:
        """Give the cells with a report or at least so probable, and their reports, in blocks."""
        if self.many and min_probability >= LEAST and self.count(LEAST) <= MOST_LISTED:
            blocks: Any = [self._listed]
        else:
            blocks = self._computed(min_probability)
        for cells, reports in blocks:
            keep = (cells.probability >= min_probability) | (reports > 0)
            yield Cells(*(part[keep] for part in cells)), reports[keep]

    def count(self, min_probability: float) -> int:
        """Count such cells; where they are many, at most so many."""
        if min_probability <= 0:
            return self.annotations.n_recordings * self.annotations.n_species
        if not self.many:
            return sum(len(cells.species) for cells, _ in self.cells(min_probability))
        return len(self._wanted(min_probability).item)

    def mean_probability(self) -> float:
        """Give the mean probability over all cells: exact where few, the mean occurrence where many."""
        if self.many:
            return float(self.fitted.draws["occurrence"].mean())
        return float(np.mean(self._every[0].probability))

    def log_likelihood(self) -> Floats:
        """Give the log likelihood of each recording's votes, presence summed out: draws used × recordings."""
        if not self.many:
            return self._every[1].T
        nothing = Ragged.empty(self.annotations.n_recordings)
        return np.concatenate([ll for _, ll in self._predicted(nothing)]).T

    @cached_property
    def _every(self) -> tuple[Cells, Floats]:
        blocks = list(self._predicted(None))
        return _joined([cells for cells, _ in blocks]), np.concatenate([ll for _, ll in blocks])

    @cached_property
    def _listed(self) -> tuple[Cells, Ints]:
        cells, reports = [], []
        for block, counts in self._computed(LEAST):
            keep = (block.probability >= LEAST) | (counts > 0)
            cells.append(Cells(*(part[keep] for part in block)))
            reports.append(counts[keep])
        return _joined(cells), np.concatenate(reports)

    def _computed(self, min_probability: float) -> Iterator[tuple[Cells, Ints]]:
        """Give all cells that may be so probable, with their reports."""
        if not self.many:
            blocks: Any = [self._every]
        elif min_probability > 0:
            blocks = self._predicted(self._wanted(min_probability), likelihood=False)
        else:
            blocks = self._predicted(None)
        for cells, _ in blocks:
            yield cells, count_reports(self.annotations, cells)

    def _predicted(self, wanted: Ragged | None, **options: bool) -> Iterator[tuple[Cells, Floats]]:
        return predict_cells(self.fitted.design, self.fitted.parameters(), wanted, **options)

    def _wanted(self, min_probability: float) -> Ragged:
        species = likely_species(self.fitted.design, self.fitted.parameters(), min_probability)
        return listed_cells(self.annotations, species)


def _joined(blocks: list[Cells]) -> Cells:
    return Cells(*(np.concatenate(part) for part in zip(*blocks, strict=True)))
