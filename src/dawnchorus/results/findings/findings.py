"""Findings: what a fit says about single recordings, species and votes, beyond its tables.

Everything is computed from p[i, k], the probability that species k is present in recording i. At the votes on
species k, one for each visit v to a recording i(v) that answers for k,

    met[k]   = Σ over votes on k    p[i(v), k],   the expected number of encounters,
    found[k] = Σ over reports of k  p[i(v), k],   the expected number of right reports,

    believed[k] = found[k] / reports of k,
    missed[k]   = (met[k] − found[k]) / met[k].

**Information.** What one more vote is expected to tell about presence is the mutual information of presence
and vote (Lindley 1956): the uncertainty of the vote, less what remains of it once presence is known,

    I(p, tpr, fpr) = H(p · tpr + (1 − p) · fpr) − p · H(tpr) − (1 − p) · H(fpr),
    H(q) = −q log₂ q − (1 − q) log₂(1 − q),   in bits,

which is equally the expected decrease of the uncertainty of presence, H(p). One more visit to recording i,
by somebody with the mean rates over the votes so far, who votes on k with the probability with which visits
did so far, is expected to tell

    information[i] = Σ_k answered[k] · I(p[i, k], tpr[k], fpr[k]).

With the parameters taken as known and independent species, this is the information of the whole visit. In
mixtures, where a vote on one species tells of others too, it is an upper bound.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from ...annotations.labels import Names, place, places
from ...common.errors import AnnotationError
from ...common.intervals import LEVEL, quantiles_of
from ...common.showing.notebook import as_html
from ..presence.presence_table import MOST_DRAWS
from ..tables import counts_by_recording
from .confusions import confusion_table, confusions, meetings, sure_visits
from .encounters import Encounters, Vote
from .information import in_doubt
from .overall import Overall, overall_of, species_table

TABLES = {
    "recordings": "where one more visit would tell most",
    "overruled": "where the model and most votes disagree",
    "species": "how many reports are believed, and how often a species is missed",
    "confusions": "which species may have been taken for another",
}
"""The tables, and what they are about."""
FALSE_DISCOVERY_RATE = 0.05
"""So many of the confusions that are listed are allowed to be there by chance."""
QUICK_CELLS = 500_000
"""Up to so many cells, a notebook shows numbers that need all of them."""


class Findings(Encounters):
    """What a fit says about single recordings, species and votes; `posterior.findings` has it.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> findings = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1).findings
    >>> findings.recordings().columns.tolist()
    ['recording', 'visits', 'reports', 'species_expected', 'in_doubt', 'information']
    >>> findings.species().columns.tolist()
    ['species', 'reports', 'recordings_expected', 'believed', 'missed']
    """

    def __repr__(self) -> str:
        return f"<Findings: {', '.join(f'{name}()' for name in TABLES)} of {self.fitted.name}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the tables and, where that takes no time, what is in them."""
        rows = [(f"{name}()", words) for name, words in TABLES.items()]
        a = self.annotations
        if "cells" in self.__dict__ or a.n_recordings * a.n_species <= QUICK_CELLS:
            doubtful = self.overall.in_doubt
            believed = float(self.overall.found.sum())
            rows += [
                ("cells in doubt", f"{doubtful:,}, with a probability between 10 % and 90 %"),
                ("reports", f"{believed:,.1f} of {a.n_reports:,} are expected to be right"),
            ]
        return as_html("Findings", rows)

    @cached_property
    def overall(self) -> Overall:
        """What the fit says about all recordings together."""
        return overall_of(self)

    # Tables

    def recordings(self) -> pd.DataFrame:
        """Return for each recording the species it is expected to hold, and what one more visit would tell.

        Returns
        -------
        pandas.DataFrame
            Columns recording, visits, reports; species_expected, the expected number of species; in_doubt,
            the number of species with a probability between 0.1 and 0.9; and information, what one more
            visit is expected to tell about presence, in bits: a visit by somebody with the mean rates of the
            votes so far, who votes on a species as often as visitors did so far. It is summed over species,
            which in mixtures counts some information twice.
        """
        cells, n = self.cells, self.annotations.n_recordings
        doubt = in_doubt(cells.probability)
        return counts_by_recording(self.annotations).assign(
            species_expected=np.bincount(cells.recording, cells.probability, n),
            in_doubt=np.bincount(cells.recording[doubt], minlength=n),
            information=np.bincount(cells.recording, self.information, n),
        )

    def overruled(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return the cells where the probability and the majority of votes disagree.

        Cells that were known as the truth are not among them: there, nothing was decided by the model.

        Parameters
        ----------
        level
            The level of the interval from probability_lower to probability_upper.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, probability, probability_lower, probability_upper, votes, reports, and
            majority, the share of votes that are reports. The strongest disagreement comes first.

        Raises
        ------
        AnnotationError
            If the level is not between 0 and 1; or if it is not the default, and the result is in parts.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> cells = posterior.findings.overruled()
        >>> bool(((cells["majority"] - 0.5) * (cells["probability"] - 0.5) < 0).all())
        True
        """
        quantiles_of(level)
        if self.in_parts and level != LEVEL:
            raise AnnotationError(
                f"a result in parts has bounds of level {LEVEL:g} alone", "leave out the level"
            )
        some, votes, share = self.overruled_cells
        return self.labelled(some, level).assign(
            votes=votes, reports=self.cells.reports[some], majority=share
        )

    def species(self) -> pd.DataFrame:
        """Return for each species in how many recordings it is, how many reports are right, and misses.

        Returns
        -------
        pandas.DataFrame
            Columns species, reports; recordings_expected, the expected number of recordings that hold it;
            believed, the mean probability of presence over its reports; and missed, the share of votes on it
            where it is present that are silences, in expectation (NaN if fewer than one such vote is
            expected).
        """
        a = self.annotations
        counts = a.n_recordings, a.reports_by_species
        occurrence = self.fitted.draws.mean("occurrence")
        tpr = self.typical_rates[0] if self.table.many else None
        return species_table(a.species.index, self.overall, *counts, occurrence, tpr)

    def confusions(
        self, false_discovery_rate: float = FALSE_DISCOVERY_RATE, level: float = LEVEL
    ) -> pd.DataFrame:
        """Return pairs of species of which one seems to have been taken for the other.

        Listed are pairs where visits missed the one and reported the other more often than chance explains,
        given how many pairs were looked at; the docstring of `results/findings/confusions.py` has the test.
        Look at the recordings before you believe it: whatever makes people miss one species and report
        another at the same time, such as a distant bird in a noisy recording, looks the same.

        Parameters
        ----------
        false_discovery_rate
            The share of listed pairs that are allowed to be there by chance, in expectation.
        level
            The level of the intervals, which are widened for the choice of the pairs.

        Returns
        -------
        pandas.DataFrame
            Columns species, which was missed, and reported, which was reported in its place; visits, how many
            visits reported the one against the votes of others where, by the votes of others, the other is
            surely present; times, how many of these missed it; and chance, how many would have by chance.
            Further odds, odds_lower and odds_upper: how many times as high the odds of missing the species
            are in these visits as in other visits of the same annotators (infinite if all missed it); and
            q_value, the smallest false discovery rate at which the pair is listed. In order of the excess of
            times over chance, largest first.

        Raises
        ------
        AnnotationError
            If the false discovery rate or the level is not between 0 and 1.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.findings.confusions().columns.tolist()
        ['species', 'reported', 'visits', 'times', 'chance', 'odds', 'odds_lower', 'odds_upper', 'q_value']
        """
        if not 0 < false_discovery_rate <= 1:
            raise AnnotationError(
                f"false_discovery_rate is {false_discovery_rate!r}, but must be between 0 and 1",
                "give the share of listed pairs that may be there by chance, such as 0.05",
            )
        quantiles_of(level)  # says if there is no such level
        a, votes = self.annotations, self.votes_on_reported()
        counts = meetings(a, votes), sure_visits(a, votes)
        return confusion_table(a.species.index, confusions(a, *counts, false_discovery_rate, level))

    def who_voted(self, recording: str, species: str) -> list[Vote]:
        """Return who voted on a species in a recording, those who reported it first.

        Parameters
        ----------
        recording, species
            Their labels.

        Returns
        -------
        list[Vote]
            For each vote the annotator, whether it is a report, and the annotator's mean rates.

        Raises
        ------
        AnnotationError
            If there is no such recording or species.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> votes = posterior.findings.who_voted("r01", "s1")
        >>> len(votes) == annotations.visits(recording="r01").shape[0]
        True
        """
        a = self.annotations
        i, k = place(a.recordings.index, recording), place(a.species.index, species)
        return self.votes_on(np.array([i]), np.array([k]))[0]

    def species_correlation(self, species: Names | None = None) -> pd.DataFrame:
        """Return the correlation of presence between species that a mixture implies.

        In a draw with weights w[r] and occurrence o[r, k], with o[k] = Σ_r w[r] o[r, k], the covariance of
        species k and l is Σ_r w[r] o[r, k] o[r, l] − o[k] o[l], and the variance of k is o[k] (1 − o[k]).
        Correlations are averaged over draws.

        Parameters
        ----------
        species
            Labels of species, or a single label; by default all.

        Returns
        -------
        pandas.DataFrame
            Species × species.

        Raises
        ------
        AnnotationError
            If there is no such species.
        """
        names = self.annotations.species.index
        which = np.arange(len(names)) if species is None else places(names, species)
        p = self.fitted.parameters(MOST_DRAWS)
        total = np.zeros((len(which), len(which)))
        some = np.nan_to_num(p.occurrence[:, :, which]).astype(float)
        for weight, occurrence in zip(p.weight, some, strict=True):
            mean = weight @ occurrence
            covariance = (occurrence.T * weight) @ occurrence - np.outer(mean, mean)
            np.fill_diagonal(covariance, mean * (1 - mean))
            sd = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
            total += covariance / np.outer(sd, sd)
        return pd.DataFrame(total / len(p.weight), index=names[which], columns=names[which])
