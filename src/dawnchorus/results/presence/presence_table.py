"""Presence table: the cells of a fit with their probabilities; all of them, or the probable ones if many."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ...annotations.counting import ALL_CELLS, reports_at
from ...common.intervals import LEVEL
from ...common.ragged import Bools, Floats, Ints
from ...common.showing.progress import Progress
from ...model.predictive.cell_votes import Votes, votes_of
from ...model.predictive.cells import Cells, predict_reports
from ...model.predictive.likelihood import conditional_waic, log_likelihood
from ...model.predictive.likely_cells import LikelyCells
from ...model.predictive.listening.listener import Listener
from ...model.predictive.parameters import Parameters
from ..fitted import Fitted
from .wanted_cells import WantedCells

LEAST = 0.01
"""Where cells are many, unreported ones that are less probable than this are computed only on request."""
MOST_LISTED = 30_000_000
"""Up to so many listed cells are kept in memory, so that they are computed once."""
Block = tuple[Cells, Ints, Cells | None]
"""Cells, their reports and, if there is a listener, what that one would report."""
MOST_DRAWS = 300
"""Log likelihoods are computed for at most so many draws, evenly spread over all chains."""


class PresenceTable:
    """The cells of a fit with their probabilities, computed when they are first needed."""

    def __init__(self, fitted: Fitted) -> None:
        self.fitted, self.annotations = fitted, fitted.annotations
        self._listed: tuple[Cells, Ints] | None = None

    @property
    def many(self) -> bool:
        """Whether there are more cells than are listed one by one."""
        return self.annotations.n_recordings * self.annotations.n_species > ALL_CELLS

    def cells(
        self, wanted: WantedCells, *, level: float = LEVEL, progress: Progress | None = None
    ) -> Iterator[tuple[Cells, Ints]]:
        """Return the wanted cells and their reports, in blocks."""
        if self._how_many(wanted, level)[1] and self._listed:
            yield _kept((*self._listed, None), wanted)[:2]
            return
        for cells, reports, _ in self.would_report(wanted, None, level=level, progress=progress):
            yield cells, reports

    def would_report(
        self,
        wanted: WantedCells,
        listener: Listener | None,
        *,
        level: float = LEVEL,
        progress: Progress | None = None,
    ) -> Iterator[Block]:
        """Return the wanted cells, their reports, and what a listener would report, in blocks."""
        least, keep = self._how_many(wanted, level)
        for block in self._computed(least, keep, level, progress, listener):
            yield _kept(block, wanted)

    def _how_many(self, wanted: WantedCells, level: float) -> tuple[float, bool]:
        """Return the least probable cells to compute, and whether they are kept in memory."""
        if not self.many:
            least, keep = 0.0, True
        elif wanted.min_probability < LEAST:
            least, keep = wanted.min_probability, False
        else:
            least, keep = LEAST, True
        return least, keep and level == LEVEL

    def count(self, wanted: WantedCells) -> int:
        """Return the number of such cells; where cells are many, an upper bound."""
        if wanted.min_probability <= 0:
            return self.annotations.n_recordings * self.annotations.n_species
        if not self.many or (self._listed is not None and wanted.min_probability >= LEAST):
            return sum(len(cells.species) for cells, _ in self.cells(wanted))
        return self._likely(wanted.min_probability).count()

    def mean_probability(self) -> float:
        """Return the mean probability over all cells: exact where few, the mean occurrence where many."""
        if self.many:
            return float(self.fitted.draws["occurrence"].mean())
        return float(np.concatenate([cells.probability for cells, _ in self.cells(WantedCells())]).mean())

    def log_likelihood(self, most: int | None = MOST_DRAWS) -> Floats:
        """Return the log likelihood of each recording's votes, presence summed out: draws × recordings."""
        return log_likelihood(self._votes, self.fitted.design.pairs, self.fitted.parameters(most)).T

    def conditional_waic(self) -> dict[str, float]:
        """Return the paper's WAIC, over single votes and conditional on presence (see likelihood.py)."""
        return conditional_waic(self._votes, self.fitted.design.pairs, self.fitted.parameters(MOST_DRAWS))

    def _computed(
        self, least: float, keep: bool, level: float, progress: Progress | None, listener: Listener | None
    ) -> Iterator[Block]:
        """Compute all cells that may be so probable, with their reports; keep them in memory if they fit."""
        wanted = self._likely(least) if least > 0 else None
        blocks: list[tuple[Cells, Ints]] = []
        room = MOST_LISTED
        pairs = self.fitted.design.pairs
        for cells, said in predict_reports(
            self._votes, pairs, self._parameters, listener, wanted, level=level, progress=progress
        ):
            cells = self._with_means(cells)
            block = cells, reports_at(self.annotations, cells.recording, cells.species), said
            found = _kept(block, WantedCells(least, keep_reported=True))
            room -= len(found[1])
            if keep and room >= 0:
                blocks.append(found[:2])
            else:
                blocks.clear()
            yield found
        if keep and room >= 0:
            cells_of, reports = zip(*blocks, strict=True)
            joined = Cells(*(np.concatenate(part) for part in zip(*cells_of, strict=True)))
            self._listed = joined, np.concatenate(reports)

    def _with_means(self, cells: Cells) -> Cells:
        """Take the means over all sweeps of reported cells, where their error is smaller.

        If means of rates stand in for their draws, the error of what was computed of them is not known.
        """
        means = self.fitted.reported
        if self.fitted.draws.means_stand_in:
            cells = cells._replace(mcse=np.full(len(cells.mcse), np.nan))
        place = self.fitted.design.layout.reported.cells.find(cells.recording, cells.species)
        here = np.flatnonzero(place >= 0)
        with np.errstate(invalid="ignore"):  # an error that is not known is the largest
            here = here[means.mcse[place[here]] < np.nan_to_num(cells.mcse[here], nan=np.inf)]
        probability, mcse = cells.probability.copy(), cells.mcse.copy()
        probability[here], mcse[here] = means.probability[place[here]], means.mcse[place[here]]
        return cells._replace(probability=probability, mcse=mcse)

    def _likely(self, least: float) -> LikelyCells:
        return LikelyCells(self._votes, self.fitted.design.pairs, self._parameters, least)

    @cached_property
    def _votes(self) -> Votes:
        design = self.fitted.design
        return votes_of(design.annotations, design.marks, design.known, design.scores)

    @cached_property
    def _parameters(self) -> Parameters:
        return self.fitted.parameters()


def _kept(block: Block, wanted: WantedCells) -> Block:
    """Return the wanted ones of these cells."""
    if wanted.everything:
        return block
    cells, reports, said = block
    keep = wanted.mask(cells.recording, cells.species, cells.probability, reports)
    return _some(cells, keep), reports[keep], None if said is None else _some(said, keep)


def _some(cells: Cells, keep: Bools) -> Cells:
    return Cells(*(part[keep] for part in cells))
