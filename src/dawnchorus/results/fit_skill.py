"""Fit skill: how well people know themselves, if a fit asked what annotators say of themselves."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ..common.errors import AnnotationError
from ..common.intervals import LEVEL
from ..common.wording import option
from ..model.context import Context
from .findings.self_knowledge import skill_shares, skill_table
from .listening.fit_machines import FitMachines


@dataclass(frozen=True, eq=False, repr=False)
class FitSkill(FitMachines):
    """A fit with tables of what annotators say of themselves; `FitTables` adds all other tables."""

    def skill(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return how well people know themselves: the rates of those who say the same; if `skill` was given.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns term, value, annotators (how many have it; numbers with many values are shown by
            quarters), tpr and fpr (at the mean of their levels), each with _lower and _upper.

        Raises
        ------
        AnnotationError
            If the fit did not ask what annotators say of themselves.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_portal(recordings=100, annotators=12, species=6, seed=1).annotations
        >>> posterior = dc.fit(annotations, skill="level", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.skill()[["term", "value", "annotators"]].to_numpy().tolist()
        [['level', '1', 4], ['level', '2', 2], ['level', '3', 6]]
        """
        return skill_table(self.draws, self._needed_said(), level)

    def skill_shares(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return how much of the differences between annotators is explained by what they say.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns rate (tpr, fpr); share, share_lower, share_upper: of the variance of levels; differ: the
            probability that whoever is expected to have the highest level, by what they say, is really
            expected to have a higher one than whoever is expected to have the lowest.

        Raises
        ------
        AnnotationError
            If the fit did not ask what annotators say of themselves.
        """
        return skill_shares(self.draws, self._needed_said(), level)

    def _needed_said(self) -> Context:
        if self.said is None:
            raise AnnotationError(
                "the fit did not ask what annotators say of themselves",
                f"fit with a column of the table of annotators, as in {option('skill', 'level')}",
            )
        return self.said
