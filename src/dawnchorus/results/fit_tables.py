"""Fit tables: what a fit has learned, as tables with labels, intervals and errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..annotations.labels import Names, places
from ..common.checked import whole_number
from ..common.errors import AnnotationError
from ..common.intervals import LEVEL
from ..common.ragged import Ints
from .findings.machine_columns import machine_columns
from .findings.where_and_when import POINTS, grids_of, where_and_when
from .fit_skill import FitSkill
from .tables import (
    Community,
    communities,
    component_table,
    counts_by_annotator,
    counts_by_recording,
    pair_counts,
    variable_columns,
)

MOST_ROWS = 50_000
"""The file of where and when species sing has at most so many rows."""


@dataclass(frozen=True, eq=False, repr=False)
class FitTables(FitSkill):
    """A fit with its tables; `Posterior` adds predictions, measures and files."""

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
            and mean_fpr, each rate with _lower and _upper. If scores were used, also scored_reports, and
            score_present and score_absent, the mean over species of a machine's scores where they are present
            and where they are absent; right_at_score_of_08, how often a report with a score of 0.8 is right,
            and score_for_nine_of_ten, the score from which on nine of ten reports are right, both the median
            over the species that the machine reported. Each has _lower and _upper.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.annotators(level=0.5).columns.tolist()[3:6]
        ['tpr', 'tpr_lower', 'tpr_upper']
        """
        columns = variable_columns(self.draws, "annotator", level)
        machines = machine_columns(self, level)
        return pd.concat([counts_by_annotator(self.annotations), *columns, machines], axis=1)

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

    def where_and_when(
        self,
        species: Names | None = None,
        terms: Names | None = None,
        *,
        points: int = POINTS,
        level: float = LEVEL,
    ) -> pd.DataFrame:
        """Return how probable species are at each site, hour, date or other value of the context.

        It is the mean probability of the species over the fitted recordings, had all of them been made at
        this site, hour or date, and everything else been as it was. So it is a share of recordings, as
        occurrence is, and the sites and dates of the fit are what is typical.

        Parameters
        ----------
        species
            Labels of species, or a single label; by default all. Others are not computed.
        terms
            Terms of the context, or what they are about, such as `"hour"`; by default all.
        points
            The number of points of a curve, from the smallest to the largest value; that of a cyclic one
            ends where it begins.
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns species, term; at, a name such as that of the site, a time (04:30), a date (2018-05-24,
            or 24 May if there are several years) or a number; value, the same as a number (NaN for
            names, and the day of the year for dates); recordings, how many of the fitted recordings have
            this name, or no other point closer to their value; probability, probability_lower and
            probability_upper.

        Raises
        ------
        AnnotationError
            If the fit has no context, or there is no such species or term.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_portal(200, 8, 6, sites=3, seed=1).annotations
        >>> posterior = dc.fit(annotations, "base", context="site + cc(hour, df=4)", draws=100, min_ess=None)
        >>> posterior.where_and_when("s1", "site")["at"].tolist()
        ['s1', 's2', 's3']
        """
        grids = grids_of(self, terms, whole_number("points", points, least=2))
        index = self.annotations.species.index
        which = np.arange(len(index)) if species is None else places(index, species)
        return where_and_when(self, which, grids, level)

    @property
    def n_recordings(self) -> int:
        """The number of recordings."""
        return self.annotations.n_recordings

    @property
    def reported_in(self) -> Ints:
        """In how many recordings each species was reported."""
        return np.asarray((self.annotations.report_counts() > 0).sum(axis=0)).ravel()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables except presence, by name: annotators, species, recordings and more."""
        found = {"annotators": self.annotators(), "species": self.species(), "recordings": self.recordings()}
        if self.draws.by_pair:
            found["annotator_species"] = self.annotator_species()
        if self.has_components:
            found["components"] = self.components()
        if self.context is not None:
            found["where_and_when"] = self._where_and_when_of_most()
        if self.said is not None:
            found["skill"] = self.skill()
        if "faint" in self.model.parts:
            found["audibility"] = self.audibility()
        if self.known_cells is not None:
            found["known"] = self.known()
        if "deceptive" in self.model.parts:
            found["deceptive"] = self.deceptive()
        if self.model.scored is not None:
            found["score_calibration"] = self.score_calibration()
            found["score_thresholds"] = self.score_thresholds()
        return found

    def _where_and_when_of_most(self) -> pd.DataFrame:
        """Return where and when species sing; if the rows are too many, those with most reports."""
        most = MOST_ROWS // sum(len(grid.row) for grid in grids_of(self))
        reported = np.argsort(-self.annotations.reports_by_species, kind="stable")[: max(most, 1)]
        return self.where_and_when(self.annotations.species.index[np.sort(reported)])

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
        every, kept = np.arange(self.annotations.n_species), self.draws.at(np.arange(self.draws.length))
        kinds = self.model.occurrence.kinds(kept, every)
        return communities(kinds, self.draws.mean("occurrence"), whole_number("most", most, least=0))
