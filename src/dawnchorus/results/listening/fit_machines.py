"""Fit machines: what scores of machines are worth, and from which score on to trust them, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ...annotations.labels import Names
from ...common.intervals import LEVEL
from ..findings.machines import calibration_table, threshold_table
from .fit_reports import FitReports


@dataclass(frozen=True, eq=False, repr=False)
class FitMachines(FitReports):
    """A fit with tables of machines that listen; `FitSkill` adds what annotators say of themselves."""

    def score_calibration(
        self,
        scores: Sequence[float] | None = None,
        species: Names | None = None,
        *,
        level: float = LEVEL,
    ) -> pd.DataFrame:
        """Return how probable it is that a report with such a score is right, for each machine and species.

        This is before anybody else has listened, at how often the species occurs in the recordings.

        Parameters
        ----------
        scores
            On the scale of the annotations; by default 0.1 to 0.9 or, of logits, nine usual ones.
        species
            Labels; by default all species.
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns machine, species, score, probability (with _lower and _upper) and reports, the number of
            scored reports of the species by the machine. Where these are few, the table tells what is
            expected by other species.

        Raises
        ------
        AnnotationError
            If the fit used no scores, there is no such species, or a score is not possible.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_portal(100, 8, 5, machine="BirdNET", seed=1).annotations
        >>> posterior = dc.fit(annotations, "base", draws=100, min_ess=None, seed=1)
        >>> posterior.score_calibration([0.2, 0.8], "s1").columns.tolist()[:4]
        ['machine', 'species', 'score', 'probability']
        """
        return calibration_table(self, scores, species, level)

    def score_thresholds(
        self, precision: float = 0.9, species: Names | None = None, *, level: float = LEVEL
    ) -> pd.DataFrame:
        """Return the score from which on this share of reports is right, for each machine and species.

        All reports of the species with that score or a higher one count, not only those that just reach it.
        The score lies between the lowest and the highest that the machine has given.

        Parameters
        ----------
        precision
            The share of reports that are to be right.
        species
            Labels; by default all species.
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns machine, species, score (the median over draws, with _lower and _upper), reached (in which
            share of draws any score is enough), recall (how much of what is present is reported with that
            score) and reports, the number of scored reports. A score is missing where no score that the
            machine has given is enough.

        Raises
        ------
        AnnotationError
            If the fit used no scores, or there is no such species.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_portal(100, 8, 5, machine="BirdNET", seed=1).annotations
        >>> posterior = dc.fit(annotations, "base", draws=100, min_ess=None, seed=1)
        >>> posterior.score_thresholds(0.9)["species"].tolist()
        ['s1', 's2', 's3', 's4', 's5']
        """
        return threshold_table(self, precision, species, level)
