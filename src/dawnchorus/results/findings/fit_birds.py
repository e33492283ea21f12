"""Fit birds: what is known of single birds from elsewhere, how audible they are, and what misleads people."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ...common.intervals import LEVEL
from ..fit_presence import FitPresence
from .audibility import audibility, deception
from .known import known_table


@dataclass(frozen=True, eq=False, repr=False)
class FitBirds(FitPresence):
    """A fit with tables of single birds; `FitReports` adds what a listener would report."""

    def known(self) -> pd.DataFrame:
        """Return the cells that were known from elsewhere, and where all who voted said otherwise.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, present (1 or 0), votes, reports; contradicted, whether there are
            votes and all of them say otherwise. Without known cells, it has no rows.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> simulation = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1)
        >>> known = simulation.truth.to_frame(["r01", "r02"])
        >>> posterior = dc.fit(simulation.annotations, known=known, draws=50, warmup=50, min_ess=None)
        >>> len(posterior.known())
        10
        """
        return known_table(self.annotations, self.known_cells)

    def audibility(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return how audible each reported bird is to everybody; if the fit has `faint=True`.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species; audible, audible_lower, audible_upper: the share of typical annotators
            who would report it, if it is there; votes and reports.

        Raises
        ------
        AnnotationError
            If the fit did not learn how audible birds are.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=3, seed=1).annotations
        >>> posterior = dc.fit(annotations, faint=True, draws=50, warmup=50, min_ess=None, seed=1)
        >>> table = posterior.audibility()
        >>> bool(table["audible"].between(0, 1).all())
        True
        """
        return audibility(self, level)

    def deceptive(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return what misleads people: how many would report a bird, if it is absent; with `deceptive=True`.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species; absent: the probability that the reported bird is not there; misled,
            misled_lower, misled_upper: the share of typical annotators who would report it, if it is not
            there; votes and reports. What misleads most, and is most probably absent, comes first.

        Raises
        ------
        AnnotationError
            If the fit did not learn what misleads people.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=3, seed=1).annotations
        >>> posterior = dc.fit(annotations, deceptive=True, draws=50, warmup=50, min_ess=None, seed=1)
        >>> table = posterior.deceptive()
        >>> bool(table["misled"].between(0, 1).all())
        True
        """
        return deception(self, level, self.presence(1.0, keep_reported=True))
