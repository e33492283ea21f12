"""Design: what stays the same during a fit. Who visited what, and voted how, laid out for kernels.

Rates are what a vote depends on: one per annotator or, where expertise differs by species, one per
annotator and species on the annotator's list. A *reported cell* is a recording and species with at least
one report; cells that were only voted absent are never listed.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..annotations.annotations import Annotations
from ..annotations.counting import active_recordings, voted_recordings
from ..common.errors import AnnotationError
from ..common.ragged import Bools, Ints, Ragged
from .voted_patterns import Voted, voted_patterns


class Layout(NamedTuple):
    """The arrays that the presence draw walks through.

    Attributes
    ----------
    visits
        Where the visits of each recording start. The visit with the widest scope comes first.
    annotator, scope, unsure
        Of each visit.
    lead, lead_recording
        The visits that may be the first of their recording to vote on some species, and the recordings.
    scopes, in_scope
        The species of each scope; the same as a table, scopes × species, if that is not too large.
    cells, cell_recording
        The reported species of each recording, and the recording of each such cell.
    votes, vote
        Where the votes on each reported cell start; each is twice the rate it depends on, plus 1 for a
        report.
    reported, cast
        How many reported cells each species has, and how often each vote was cast in them.
    listed
        The species that each annotator may vote on or, in one list, all.
    pairs, rate
        The species list of each annotator, if rates go by species, otherwise empty; the rates as a table,
        annotators × species, if that is not too large.
    """

    visits: Ints
    annotator: Ints
    scope: Ints
    unsure: Ragged
    lead: Ints
    lead_recording: Ints
    scopes: Ragged
    in_scope: Bools
    cells: Ragged
    cell_recording: Ints
    votes: Ints
    vote: Ints
    reported: Ints
    cast: Ints
    listed: Ragged
    pairs: Ragged
    rate: Ints


BUSY = 3
"""A rate with so many votes in reported cells is busy."""
TABLE = 1 << 28
"""Lookup tables may take so many bytes; beyond, kernels search."""


class Design:
    """All that a sampler needs of the annotations, with rates by annotator or by annotator and species."""

    def __init__(self, annotations: Annotations, *, by_species: bool) -> None:
        a = annotations
        if a.n_votes == 0:
            raise AnnotationError(
                "there is not a single vote",
                "check the meaning of silence (absence), the scopes, and that not all is unsure or left out",
            )
        self.annotations = a
        self.by_species = by_species
        self.pairs = a.lists.take(a.annotator_list) if by_species else Ragged.empty(0)
        self.rate_annotator = self.pairs.row_of_item() if by_species else np.arange(a.n_annotators)
        self.layout = self._layout()
        reports = self.rates_at(a.visit_annotator[a.reports.row_of_item()], a.reports.item)
        self.reports = np.bincount(reports, minlength=self.n_rates)
        self.silences = self._votes_by_rate() - self.reports
        self.voted = voted_recordings(a)

    @property
    def n_rates(self) -> int:
        """How many pairs of a true and a false positive rate."""
        return len(self.rate_annotator)

    def rates_at(self, annotator: Ints, species: Ints) -> Ints:
        """Give the rates that votes of these annotators on these species depend on."""
        return self.pairs.find(annotator, species) if self.by_species else np.asarray(annotator)

    @cached_property
    def keen(self) -> Bools:
        """Tell on which rates more votes depend than on the average one."""
        votes = self.reports + self.silences
        return votes > votes.mean()

    @cached_property
    def busy(self) -> Ragged:
        """Give the votes in reported cells of each busy rate: twice the cell, plus 1 for a report."""
        cell = np.repeat(np.arange(len(self.layout.votes) - 1), np.diff(self.layout.votes))
        rate, report = np.divmod(self.layout.vote, 2)
        votes = Ragged.from_pairs(rate, 2 * cell + report, rows=self.n_rates)
        return votes.take(self.busy_rates)

    @cached_property
    def busy_rates(self) -> Ints:
        """Give the rates on which many votes in reported cells depend."""
        return np.flatnonzero(np.bincount(self.layout.vote // 2, minlength=self.n_rates) >= BUSY)

    @cached_property
    def reporting_rates(self) -> Ints:
        """Give the rates on which any vote in a reported cell depends."""
        return np.flatnonzero(np.bincount(self.layout.vote // 2, minlength=self.n_rates))

    @cached_property
    def busy_silences(self) -> Ints:
        """Count for each rate the silences in reported cells."""
        return np.bincount(self.layout.vote[self.layout.vote % 2 == 0] // 2, minlength=self.n_rates)

    @cached_property
    def patterns(self) -> Voted:
        """Give the voted species of each recording, for mixtures."""
        return voted_patterns(self.annotations)

    @cached_property
    def active(self) -> Ints:
        """Give the recordings with at least one vote."""
        return active_recordings(self.annotations)

    def _layout(self) -> Layout:
        a = self.annotations
        visit = a.reports.row_of_item()
        cells = Ragged.from_pairs(a.visit_recording[visit], a.reports.item, rows=a.n_recordings)
        # Every visit to the recording of a reported cell votes on it, unless out of scope or unsure.
        visits = a.visits_by_recording.take(cells.row_of_item())
        cell = visits.row_of_item()
        species = cells.item[cell]
        cast = a.scopes.contains(a.visit_scope[visits.item], species)
        cast &= ~a.unsure.contains(visits.item, species)
        cell, visit, species = cell[cast], visits.item[cast], species[cast]
        order = np.lexsort((-a.scopes.sizes[a.visit_scope], a.visit_recording))
        lead = np.flatnonzero(self._leads(order))
        in_scope, rate = np.zeros((0, 0), bool), np.zeros((0, 0), np.int32)
        if a.scopes.rows * a.n_species <= TABLE:
            in_scope = a.scopes.to_csr(a.n_species).toarray().astype(bool)
        if self.by_species and 4 * a.n_annotators * a.n_species <= TABLE:
            rate = np.full((a.n_annotators, a.n_species), -1, np.int32)
            rate[self.rate_annotator, self.pairs.item] = np.arange(self.n_rates)
        votes = 2 * self.rates_at(a.visit_annotator[visit], species) + a.reports.contains(visit, species)
        return Layout(
            a.visits_by_recording.start,
            a.visit_annotator[order],
            a.visit_scope[order],
            a.unsure.take(order),
            lead,
            a.visit_recording[order[lead]],
            a.scopes,
            in_scope,
            cells,
            cells.row_of_item(),
            np.append(0, np.cumsum(np.bincount(cell, minlength=len(cells.item)))),
            votes.astype(np.int32),
            np.bincount(cells.item, minlength=a.n_species),
            np.bincount(votes, minlength=2 * self.n_rates),
            self.pairs if self.by_species else Ragged.from_sizes([a.n_species], np.arange(a.n_species)),
            self.pairs,
            rate,
        )

    def _leads(self, order: Ints) -> Bools:
        """Tell which visits may be the first to vote on something: not if the widest scope has it all."""
        a = self.annotations
        starts = a.visits_by_recording.start[a.visit_recording]
        first = order[starts[order]]
        covered = a.scopes.within(a.visit_scope[order], a.visit_scope[first])
        sure = a.unsure.sizes[first] == 0
        return ~(covered & sure) | (first == order)

    def _votes_by_rate(self) -> Ints:
        """Count the votes that depend on each rate."""
        a = self.annotations
        if not self.by_species:
            votes = a.scopes.sizes[a.visit_scope] - a.unsure.sizes
            return np.bincount(a.visit_annotator, weights=votes, minlength=a.n_annotators).astype(np.int64)
        groups, times = np.unique(
            np.stack([a.visit_annotator, a.visit_scope], axis=1), axis=0, return_counts=True
        )
        scopes = a.scopes.take(groups[:, 1])
        group = scopes.row_of_item()
        rate = self.rates_at(groups[group, 0], scopes.item)
        # A species that an annotator always marked unsure may be missing from their list: no rate, no vote.
        votes = np.bincount(rate[rate >= 0], weights=times[group[rate >= 0]], minlength=self.n_rates)
        unsure = self.rates_at(a.visit_annotator[a.unsure.row_of_item()], a.unsure.item)
        return votes.astype(np.int64) - np.bincount(unsure[unsure >= 0], minlength=self.n_rates)
