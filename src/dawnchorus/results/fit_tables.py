"""Fit tables: what a fit has learned, as tables with labels, intervals and errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..common.checked import number, probability, whole_number
from ..common.errors import AnnotationError
from ..common.intervals import LEVEL, quantiles_of
from ..common.lazy import lazy
from ..common.progress import Progress
from ..common.ragged import Ints
from ..model.predictive.cells import Cells
from .decisions import Labels, check_threshold, decide
from .fitted import Fitted
from .presence_table import LEAST, PresenceTable
from .tables import (
    Community,
    cell_rows,
    communities,
    component_table,
    counts_by_annotator,
    counts_by_recording,
    pair_counts,
    variable_columns,
)

XARRAY = lazy("xarray")
MOST_CELLS = 50_000_000
"""An array of recordings × species has at most so many cells."""


@dataclass(frozen=True, eq=False, repr=False)
class FitTables(Fitted):
    """A fit with its tables; `Posterior` adds predictions, measures and files."""

    @cached_property
    def presence_table(self) -> PresenceTable:
        """The cells with their probabilities, computed when they are first needed."""
        return PresenceTable(self)

    def presence(
        self, min_probability: float = 0.0, *, level: float = LEVEL, mcse: bool = False
    ) -> pd.DataFrame:
        """Return every cell or, with `min_probability`, those with a report or at least so probable.

        Parameters
        ----------
        min_probability
            Leave out cells that nobody reported and that are less probable.
        level
            The level of the interval from probability_lower to probability_upper: over the draws of the
            parameters, the probability lies in it so often.
        mcse
            Whether to add the Monte-Carlo standard error of each probability.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, probability, probability_lower, probability_upper, votes, reports and,
            if wanted, mcse.

        Raises
        ------
        AnnotationError
            If `min_probability` is not between 0 and 1, or `level` not inside.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> table = posterior.presence(min_probability=0.5, mcse=True)
        >>> bool(((table["probability"] >= 0.5) | (table["reports"] > 0)).all())
        True
        """
        return pd.concat(self.presence_blocks(min_probability, level=level, mcse=mcse), ignore_index=True)

    def presence_blocks(
        self,
        min_probability: float = 0.0,
        *,
        level: float = LEVEL,
        mcse: bool = False,
        progress: Progress | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Return the rows of `presence` in blocks of whole recordings, so that any number fits in memory.

        Parameters
        ----------
        min_probability, level, mcse
            As for `presence`.
        progress
            Called with the number of recordings done and that of all.

        Returns
        -------
        iterator of pandas.DataFrame
        """
        for cells, reports in self.cells(min_probability, level=level, progress=progress):
            yield cell_rows(self.annotations, cells, reports, mcse=mcse)

    def cells(
        self, min_probability: float = 0.0, *, level: float = LEVEL, progress: Progress | None = None
    ) -> Iterator[tuple[Cells, Ints]]:
        """Return the cells of `presence` as arrays, in blocks of whole recordings.

        Parameters
        ----------
        min_probability, level
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
            If `min_probability` is not between 0 and 1.
        """
        probability("min_probability", min_probability)
        quantiles_of(level)
        return self.presence_table.cells(min_probability, level=level, progress=progress)

    def count_presence(self, min_probability: float = 0.0) -> int:
        """Return the number of rows of `presence`; if there are over five million cells, an upper bound."""
        return self.presence_table.count(probability("min_probability", min_probability))

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
        check_threshold(threshold)
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

    def annotators(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return for each annotator the true and the false positive rate, with intervals of this level.

        In hierarchical models, `tpr` is the rate at the annotator's overall level, as in the paper: that for
        a typical species. `mean_tpr` is the mean over all species on the annotator's list.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns annotator, recordings (visited), reports, tpr, fpr and, in hierarchical models, mean_tpr
            and mean_fpr, each rate with _lower and _upper.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.annotators(level=0.5).columns.tolist()[3:6]
        ['tpr', 'tpr_lower', 'tpr_upper']
        """
        columns = variable_columns(self.draws, "annotator", level)
        return pd.concat([counts_by_annotator(self.annotations), *columns], axis=1)

    def annotator_species(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return rates for each annotator and each species on their list; in hierarchical models.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns annotator, species, votes, reports, tpr, fpr, each rate with _lower and _upper.

        Raises
        ------
        AnnotationError
            If the model has the same rates for all species.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, draws=50, warmup=50, min_ess=None, seed=1)
        >>> len(posterior.annotator_species())  # 20 annotators, 5 species
        100
        """
        self.need_rates_by_species()
        return pd.concat([pair_counts(self.design), *variable_columns(self.draws, "pair", level)], axis=1)

    def need_rates_by_species(self) -> None:
        """Raise AnnotationError if the model has the same rates for all species."""
        if not self.draws.by_pair:
            raise AnnotationError(
                f"in the model {self.name}, rates are the same for all species",
                "fit a hierarchical model, such as base-hierarchical",
            )

    def species(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return for each species the probability that it occurs in a recording, with its interval.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns species, occurrence, occurrence_lower, occurrence_upper, reports.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.species().columns.tolist()
        ['species', 'occurrence', 'occurrence_lower', 'occurrence_upper', 'reports']
        """
        a = self.annotations
        labels = pd.DataFrame({"species": a.species.index})
        table = pd.concat([labels, *variable_columns(self.draws, "species", level)], axis=1)
        return table.assign(reports=a.reports_by_species)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables except presence, by name: annotators, species, recordings and more."""
        found = {"annotators": self.annotators(), "species": self.species(), "recordings": self.recordings()}
        if self.draws.by_pair:
            found["annotator_species"] = self.annotator_species()
        if self.has_components:
            found["components"] = self.components()
        return found

    def details(self) -> dict[str, Any]:
        """Return what fit.json says about the fit: the record, and the diagnostics."""
        diagnostics = self.diagnostics.as_dict()
        return {**self.record, "converged": diagnostics["converged"], "diagnostics": diagnostics}

    def recordings(self) -> pd.DataFrame:
        """Return for each recording its visits and the reports made in them.

        Returns
        -------
        pandas.DataFrame
            Columns recording, visits, reports.
        """
        return counts_by_recording(self.annotations)

    def components(self, most: int = 5, *, level: float = LEVEL) -> pd.DataFrame:
        """Return the components of a mixture, largest first: their share, and the species that stand out.

        Components are ordered by size in every draw, so that the first row is about the largest, whichever
        that is. Components that fewer than half of the draws have are left out.

        Parameters
        ----------
        most
            How many species that stand out are named at most. A species stands out if it is at least a
            quarter more probable in the component than overall.
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns component, share, share_lower, share_upper, species_per_recording, stand_out.

        Raises
        ------
        AnnotationError
            If the model is not a mixture.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="bmm", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.components().columns.tolist()[:2]
        ['component', 'share']
        """
        return component_table(self.communities(most), self.annotations.species.index, level)

    def communities(self, most: int = 5) -> list[Community]:
        """Return the components of a mixture with their shares by draw and the probability of every species.

        Parameters
        ----------
        most
            How many species that stand out are listed at most.

        Returns
        -------
        list[Community]
            The components in the order of `components`.

        Raises
        ------
        AnnotationError
            If the model is not a mixture.
        """
        if not self.has_components:
            raise AnnotationError(f"the model {self.name} has no components", "fit dp-bmm or bmm")
        return communities(self.draws, whole_number("most", most, least=0))
