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

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...annotations.counting import votes_at
from ...annotations.labels import place, places
from ...common.ragged import Bools, Floats, Ints, Ragged
from ..fitted import Fitted
from ..presence_table import LEAST, MOST_DRAWS, PresenceTable
from ..tables import counts_by_recording, labelled_cells, probability_columns
from .encounters import at_votes, confusions, votes_by_species
from .information import expected_information, in_doubt

MET = 1.0
"""With fewer expected encounters than this, the share of misses is not computed."""


class Listed(NamedTuple):
    """Cells, in order of recordings, with their probability, its bounds, and reports."""

    recording: Ints
    species: Ints
    probability: Floats
    lower: Floats
    upper: Floats
    reports: Ints


class Vote(NamedTuple):
    """A vote on a cell, and the mean rates of its annotator for that species."""

    annotator: str
    present: bool
    tpr: float
    fpr: float


class Findings:
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

    def __init__(self, fitted: Fitted, table: PresenceTable) -> None:
        self.fitted, self.table = fitted, table
        self.annotations = fitted.annotations

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

    def overruled(self) -> pd.DataFrame:
        """Return the cells where the probability and the majority of votes disagree.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, probability, probability_lower, probability_upper, votes, reports, and
            majority, the share of votes that are reports. The strongest disagreement comes first.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> cells = posterior.findings.overruled()
        >>> bool(((cells["majority"] - 0.5) * (cells["probability"] - 0.5) < 0).all())
        True
        """
        cells, a = self.cells, self.annotations
        some = np.flatnonzero((cells.reports > 0) | (cells.probability > 0.5))  # the others agree on absence
        votes = votes_at(a, cells.recording[some], cells.species[some])
        share = np.divide(cells.reports[some], votes, out=np.full(len(votes), 0.5), where=votes > 0)
        against = (share - 0.5) * (cells.probability[some] - 0.5) < 0
        some, votes, share = some[against], votes[against], share[against]
        order = np.argsort(-np.abs(share - cells.probability[some]), kind="stable")
        some, votes, share = some[order], votes[order], share[order]
        return self.labelled(some).assign(votes=votes, reports=cells.reports[some], majority=share)

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
        met, found = self.met.sum(axis=0), self.found.sum(axis=0)
        reports = a.reports_by_species
        missed = _share(met - found, met, met >= MET)
        if self.table.many:  # cells that are not listed would be missing: take the rates instead
            missed = np.where(met >= MET, 1 - self.typical_rates[0], np.nan)
        return pd.DataFrame(
            {
                "species": a.species.index,
                "reports": reports,
                "recordings_expected": self.recordings_expected,
                "believed": _share(found, reports, reports > 0),
                "missed": missed,
            }
        )

    def confusions(self, least: float = 1.0, excess: float = 2.0) -> pd.DataFrame:
        """Return pairs of species of which one may have been taken for the other.

        Parameters
        ----------
        least
            List pairs that were confused at least so often, in expectation,
        excess
            and more than so many times as often as by chance.

        Returns
        -------
        pandas.DataFrame
            Columns species, which was missed, and reported, which was reported in the same visit though it
            was absent; times, how often that is expected to have happened; and chance, how often it would
            have if wrong reports were independent of misses. In order of the difference, largest first.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.findings.confusions().columns.tolist()
        ['species', 'reported', 'times', 'chance']
        """
        a = self.annotations
        wrong, missed = self._reported - self.right, self.voted - self.right
        found = confusions(a, wrong, missed, least, excess)
        names = {name: a.species.index[getattr(found, name)] for name in ("species", "reported")}
        return pd.DataFrame({**names, "times": found.times, "chance": found.chance})

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

    def votes_on(self, recording: Ints, species: Ints) -> list[list[Vote]]:
        """Return the same for many cells at a time, which are given by place."""
        a = self.annotations
        visits = a.visits_by_recording.take(recording)
        cell = visits.row_of_item()
        voted = a.has_voted(visits.item, species[cell])
        visit, cell = visits.item[voted], cell[voted]
        present = a.reports.contains(visit, species[cell])
        order = np.lexsort((~present, cell))
        visit, cell, present = visit[order], cell[order], present[order]
        annotator = a.visit_annotator[visit]
        rates = self.fitted.design.rates_at(annotator, species[cell])
        names = a.annotators.index[annotator]
        columns = (present, self.mean_rates["tpr"][rates], self.mean_rates["fpr"][rates])
        found = [
            Vote(str(name), *values)
            for name, *values in zip(names, *(column.tolist() for column in columns), strict=True)
        ]
        edges = np.searchsorted(cell, np.arange(len(recording) + 1))
        return [found[start:end] for start, end in pairwise(edges)]

    def species_correlation(self, species: Iterable[str] | None = None) -> pd.DataFrame:
        """Return the correlation of presence between species that a mixture implies.

        In a draw with weights w[r] and occurrence o[r, k], with o[k] = Σ_r w[r] o[r, k], the covariance of
        species k and l is Σ_r w[r] o[r, k] o[r, l] − o[k] o[l], and the variance of k is o[k] (1 − o[k]).
        Correlations are averaged over draws.

        Parameters
        ----------
        species
            Labels of species; by default all.

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

    # What the tables are computed from

    @cached_property
    def cells(self) -> Listed:
        """All cells or, if over five million, those with a report or a probability of at least LEAST."""
        least = LEAST if self.table.many else 0.0
        blocks = [(*cells[:5], reports) for cells, reports in self.table.cells(least)]
        return Listed(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))

    @cached_property
    def recordings_expected(self) -> Floats:
        """The expected number of recordings that hold each species."""
        a, cells = self.annotations, self.cells
        listed = np.bincount(cells.species, cells.probability, a.n_species)
        if not self.table.many:
            return listed
        return np.maximum(listed, self.fitted.draws.mean("occurrence") * a.n_recordings)

    @cached_property
    def information(self) -> Floats:
        """The information that one more visit is expected to give about each cell, in bits."""
        tpr, fpr, answered = self.typical_rates
        k = self.cells.species
        return expected_information(self.cells.probability, tpr[k], fpr[k]) * answered[k]

    @cached_property
    def mean_rates(self) -> dict[str, Floats]:
        """The mean rates, by annotator or by annotator and species as the model has them."""
        parameters = self.fitted.parameters()
        return {name: getattr(parameters, name).mean(axis=0, dtype=float) for name in ("tpr", "fpr")}

    @cached_property
    def typical_rates(self) -> tuple[Floats, Floats, Floats]:
        """The mean rates over the votes on each species, and the share of visits that vote on it."""
        a, d = self.annotations, self.fitted.design
        answered = votes_by_species(a) / max(a.n_visits, 1)
        votes = np.asarray(d.reports + d.silences, float)
        if not d.by_species:
            tpr, fpr = (np.average(r, weights=votes + 1e-9) for r in self.mean_rates.values())
            return np.full(a.n_species, tpr), np.full(a.n_species, fpr), answered
        weight = np.bincount(d.pairs.item, votes + 1e-9, a.n_species)
        tpr, fpr = (
            np.bincount(d.pairs.item, (votes + 1e-9) * rate, a.n_species) / np.maximum(weight, 1e-12)
            for rate in self.mean_rates.values()
        )
        return tpr, fpr, answered

    @cached_property
    def met(self) -> Floats:
        """The expected number of votes where the species is present, annotators × species."""
        return self._by_annotator(self.voted)

    @cached_property
    def found(self) -> Floats:
        """The expected number of right reports, annotators × species."""
        return self._by_annotator(self.right)

    @cached_property
    def voted(self) -> Any:
        """The probability of presence at each vote: a sparse matrix, visits × species."""
        a, cells = self.annotations, self.cells
        listed = Ragged.from_sizes(np.bincount(cells.recording, minlength=a.n_recordings), cells.species)
        return at_votes(a, listed, cells.probability)

    @cached_property
    def right(self) -> Any:
        """The probability of presence at each report: a sparse matrix, visits × species."""
        return self.voted.multiply(self._reported).tocsr()

    def at(self, recording: Ints, species: Ints) -> Floats:
        """Return the probability of these cells, given by place; 0 where they are not listed."""
        n, cells = self.annotations.n_species, self.cells
        listed = cells.recording.astype(np.int64) * n + cells.species
        wanted = np.asarray(recording, np.int64) * n + species
        place = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
        return np.where(listed[place] == wanted, cells.probability[place], 0.0).astype(float)

    def labelled(self, which: Ints | Bools) -> pd.DataFrame:
        """Return some of the cells with their labels and probabilities."""
        some = Listed(*(part[which] for part in self.cells))
        return labelled_cells(self.annotations, some.recording, some.species, **probability_columns(some))

    @cached_property
    def _reported(self) -> Any:
        return self.annotations.reports.to_csr(self.annotations.n_species).astype(float)

    def _by_annotator(self, visits: Any) -> Floats:
        a = self.annotations
        rows = a.visits_by_annotator.to_csr(a.n_visits).astype(float)
        return np.asarray((rows @ visits).todense())


def _share(part: Floats, whole: Floats, known: Bools) -> Floats:
    return np.divide(part, whole, out=np.full(len(known), np.nan), where=known)
