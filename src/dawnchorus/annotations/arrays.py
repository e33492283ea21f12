"""The votes as plain arrays without labels, which all other modules use.

A *visit* is one annotator reviewing one recording. Its *scope* is the set of species that it answers for.
Inside the scope, a species is reported present, is marked unsure (no vote), or counts as absent if the visit
does not mention it. Outside the scope there is no vote. The arrays store visits, distinct scopes, reports and
unsure marks, but never a dense array of recordings × annotators × species.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..common.ragged import Bools, Floats, Ints, Ragged

ARRAYS = ("visit_recording", "visit_annotator", "visit_scope", "annotator_list")
LISTS = ("scopes", "reports", "unsure", "lists")
"""The fields of `VoteArrays` that are flat arrays, and those that are lists of species."""
NO_SCORES = np.empty(0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VoteArrays:
    """Sparse votes, with whole numbers in place of labels.

    Attributes
    ----------
    n_recordings, n_species
        The numbers of all recordings and species, with or without visits and reports.
    visit_recording, visit_annotator, visit_scope
        For each visit, the positions of its recording, annotator and scope. Visits are sorted by recording,
        then by annotator; each pair of recording and annotator occurs at most once.
    scopes
        The distinct scopes, as lists of species.
    reports, unsure
        For each visit, the species reported present and the species marked unsure.
    lists, annotator_list
        The distinct species lists of annotators, and which one each annotator has: all species that they
        declared to know or ever voted on.
    scores
        The score of each report, in the order of `reports.item`, as it was given; NaN where a report has
        none. Empty if no report has any.
    """

    n_recordings: int
    n_species: int
    visit_recording: Ints
    visit_annotator: Ints
    visit_scope: Ints
    scopes: Ragged
    reports: Ragged
    unsure: Ragged
    lists: Ragged
    annotator_list: Ints
    scores: Floats = field(default_factory=lambda: NO_SCORES)

    # Sizes

    @property
    def n_annotators(self) -> int:
        """The number of annotators."""
        return len(self.annotator_list)

    @property
    def n_visits(self) -> int:
        """The number of visits."""
        return len(self.visit_recording)

    @property
    def n_reports(self) -> int:
        """The number of reports, that is, votes for present."""
        return len(self.reports.item)

    @property
    def n_votes(self) -> int:
        """The number of votes, present or absent: all species in scope that are not marked unsure."""
        return int(self.scopes.sizes[self.visit_scope].sum()) - len(self.unsure.item)

    # Visits and votes

    @cached_property
    def visits_by_recording(self) -> Ragged:
        """The visits of each recording."""
        return Ragged.from_pairs(self.visit_recording, np.arange(self.n_visits), rows=self.n_recordings)

    @cached_property
    def visits_by_annotator(self) -> Ragged:
        """The visits of each annotator."""
        return Ragged.from_pairs(self.visit_annotator, np.arange(self.n_visits), rows=self.n_annotators)

    @cached_property
    def reports_by_species(self) -> Ints:
        """The number of reports of each species."""
        return np.bincount(self.reports.item, minlength=self.n_species)

    @cached_property
    def visits_of_annotators(self) -> Ints:
        """The number of visits of each annotator."""
        return np.bincount(self.visit_annotator, minlength=self.n_annotators)

    def scores_of(self, visits: Ints) -> Floats:
        """Return the scores of the reports of these visits, one after the other; empty if there are none."""
        if not len(self.scores):
            return self.scores
        return self.scores[Ragged(self.reports.start, np.arange(self.n_reports)).take(visits).item]

    def has_voted(self, visit: Ints, species: Ints) -> Bools:
        """Return, for each pair of a visit and a species, whether the visit voted on the species."""
        inside = self.scopes.contains(self.visit_scope[visit], species)
        return inside & ~self.unsure.contains(visit, species)

    def visit_votes(self, visit: int) -> tuple[Ints, Ints]:
        """Return the species that a visit voted on, and its votes: 1 for present, 0 for absent."""
        species = np.setdiff1d(self.scopes.row(self.visit_scope[visit]), self.unsure.row(visit))
        return species, np.isin(species, self.reports.row(visit)).astype(np.int8)

    # Counts by cell

    def vote_counts(self, recordings: slice = slice(None)) -> Any:
        """Return the number of votes in each cell, as a sparse matrix of recordings × species.

        For large data, process `recordings` in blocks: with checklists, every cell of a visited recording
        has a vote.
        """
        visits = self._visits(recordings)
        scope = Ragged(visits.start, self.visit_scope[visits.item]).to_csr(self.scopes.rows)
        return scope @ self.scopes.to_csr(self.n_species) - self._summed(self.unsure, visits)

    def report_counts(self, recordings: slice = slice(None)) -> Any:
        """Return the number of reports in each cell, as a sparse matrix of recordings × species."""
        return self._summed(self.reports, self._visits(recordings))

    def _visits(self, recordings: slice) -> Ragged:
        return self.visits_by_recording.take(np.arange(*recordings.indices(self.n_recordings)))

    def _summed(self, lists: Ragged, visits: Ragged) -> Any:
        """Return the number of times that each species is in the lists of each recording's visits."""
        rows = Ragged(visits.start, np.arange(len(visits.item))).to_csr(len(visits.item))
        counts = rows @ lists.take(visits.item).to_csr(self.n_species)
        counts.sort_indices()
        return counts
