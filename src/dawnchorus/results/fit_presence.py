"""Fit presence: the probabilities of presence of a fit, as tables, arrays and labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..annotations.labels import Names
from ..common.checked import number, threshold_above, yes_or_no
from ..common.errors import AnnotationError
from ..common.intervals import LEVEL, quantiles_of
from ..common.lazy import lazy
from ..common.ragged import Ints
from ..common.showing.progress import Progress
from ..model.predictive.cells import Cells
from .findings.known import known_column
from .fitted import Fitted
from .presence.decisions import Labels, decide
from .presence.presence_table import LEAST, PresenceTable
from .presence.wanted_cells import WantedCells
from .tables import cell_rows

XARRAY = lazy("xarray")
MOST_CELLS = 50_000_000
"""An array of recordings × species has at most so many cells."""


@dataclass(frozen=True, eq=False, repr=False)
class FitPresence(Fitted):
    """A fit with its probabilities of presence; `FitBirds` adds what is known and learnt of single birds."""

    @cached_property
    def presence_table(self) -> PresenceTable:
        """The cells with their probabilities, computed when they are first needed."""
        return PresenceTable(self)

    def presence(
        self,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
        level: float = LEVEL,
        mcse: bool = False,
    ) -> pd.DataFrame:
        """Return the probability of every cell, or of those that are wanted.

        Parameters
        ----------
        min_probability
            Leave out cells that are less probable.
        keep_reported
            Keep cells that anybody reported, however improbable.
        recordings, species
            Labels, or a single label, to list only these; by default all.
        level
            The level of the interval from probability_lower to probability_upper: over the draws of the
            parameters, the probability lies in it so often.
        mcse
            Whether to add the Monte-Carlo standard error of each probability.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, probability, probability_lower, probability_upper, votes, reports;
            known ("present", "absent" or nothing), if any cell was known; and, if wanted, mcse.

        Raises
        ------
        AnnotationError
            If `min_probability` is not between 0 and 1, or there is no such recording or species.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> bool((posterior.presence(0.5, mcse=True)["probability"] >= 0.5).all())
        True
        >>> table = posterior.presence(0.5, keep_reported=True)
        >>> bool(((table["probability"] >= 0.5) | (table["reports"] > 0)).all())
        True
        >>> len(posterior.presence(recordings="r01", species=["s1", "s2"]))
        2
        """
        wanted: dict[str, Any] = {
            "keep_reported": keep_reported,
            "recordings": recordings,
            "species": species,
        }
        blocks = self.presence_blocks(min_probability, **wanted, level=level, mcse=mcse)
        return pd.concat(blocks, ignore_index=True)

    def known_column(self, cells: Cells) -> dict[str, Any]:
        """Return what is known of these cells as a column of a table, if any cell was known."""
        return known_column(self.known_cells, cells.recording, cells.species)

    def presence_blocks(
        self,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
        level: float = LEVEL,
        mcse: bool = False,
        progress: Progress | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Return the rows of `presence` in blocks of whole recordings, so that any number fits in memory.

        Parameters
        ----------
        min_probability, keep_reported, recordings, species, level, mcse
            As for `presence`.
        progress
            Called with the number of recordings done and that of all.

        Returns
        -------
        iterator of pandas.DataFrame
        """
        yes_or_no(mcse=mcse)
        wanted: dict[str, Any] = {
            "keep_reported": keep_reported,
            "recordings": recordings,
            "species": species,
        }
        for cells, reports in self.cells(min_probability, **wanted, level=level, progress=progress):
            yield cell_rows(self.annotations, cells, reports, mcse=mcse, **self.known_column(cells))

    def cells(
        self,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
        level: float = LEVEL,
        progress: Progress | None = None,
    ) -> Iterator[tuple[Cells, Ints]]:
        """Return the cells of `presence` as arrays, in blocks of whole recordings.

        Parameters
        ----------
        min_probability, keep_reported, recordings, species, level
            As for `presence`.
        progress
            Called with the number of recordings done and that of all.

        Returns
        -------
        iterator of tuple
            Cells, with recordings and species by place among those of the annotations; and their reports.

        Raises
        ------
        AnnotationError
            If `min_probability` is not between 0 and 1, or there is no such recording or species.
        """
        wanted = WantedCells.of(self.annotations, min_probability, keep_reported, recordings, species)
        quantiles_of(level)
        return self.presence_table.cells(wanted, level=level, progress=progress)

    def count_presence(self, min_probability: float = 0.0, *, keep_reported: bool = False) -> int:
        """Return the number of rows of `presence`; if there are over five million cells, an upper bound.

        Parameters
        ----------
        min_probability, keep_reported
            As for `presence`.

        Returns
        -------
        int
        """
        return self.presence_table.count(WantedCells.of(self.annotations, min_probability, keep_reported))

    def mean_probability(self) -> float:
        """Return the mean probability over all cells; if there are over five million, the mean occurrence."""
        return self.presence_table.mean_probability()

    def labels(self, threshold: float = 0.5) -> Labels:
        """Return which cells count as present from this probability on, and how many mistakes to expect.

        Parameters
        ----------
        threshold
            The probability from which a species counts as present in a recording. 0.5 leads to the fewest
            mistakes in all; a higher one to fewer species that are called present but are absent.

        Returns
        -------
        Labels
            The cells that count as present, as a table, and the expected numbers of mistakes of both kinds.

        Raises
        ------
        AnnotationError
            If the threshold is not a probability above 0.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=4, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
        >>> labels = posterior.labels(0.5)
        >>> labels.table.columns.tolist(), labels.cells
        (['recording', 'species', 'probability'], 300)
        >>> labels.expected_mistakes <= posterior.labels(0.9).expected_mistakes
        True
        """
        threshold_above(threshold)
        blocks = (cells for cells, _ in self.cells(min(threshold, LEAST)))
        return decide(self.annotations, blocks, self.mean_probability(), threshold)

    def to_xarray(self, *, most: int = MOST_CELLS) -> Any:
        """Return the probabilities of presence as an array, recordings × species, with labels.

        Parameters
        ----------
        most
            Refuse if there are more cells than this.

        Returns
        -------
        xarray.DataArray

        Raises
        ------
        AnnotationError
            If there are too many cells: `presence(min_probability)` gives the probable ones as a table, and
            `presence_blocks` all of them in parts.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=40, species=3, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None)
        >>> posterior.to_xarray().sel(species="s1").shape
        (40,)
        """
        a = self.annotations
        if a.n_recordings * a.n_species > number("most", most, least=0):
            raise AnnotationError(
                f"{a.n_recordings:,} recordings × {a.n_species:,} species are over {most:,} cells",
                "take presence(min_probability=0.01), a table of the probable cells, "
                "or presence_blocks(), all of them in parts",
            )
        values = np.concatenate([cells.probability for cells, _ in self.cells()]).astype(float)
        return XARRAY.DataArray(
            values.reshape(a.n_recordings, a.n_species),
            coords={"recording": a.recordings.index.to_numpy(), "species": a.species.index.to_numpy()},
            dims=("recording", "species"),
            name="probability",
        )
