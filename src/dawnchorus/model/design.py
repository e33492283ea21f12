"""Design: what stays the same during a fit: who visited what and voted how, as arrays for kernels.

Rates are what a vote depends on: one per annotator or, where expertise differs by species, one per
annotator and species on the annotator's list. A *reported cell* is a recording and species with at least
one report, or one that is known from elsewhere; other cells are never listed. What only one side of a model
needs, that side derives from the design by itself (`Design.derived`).

Unsure marks are no votes or, with `marks_vote`, a report and a silence each (expertise/unsure.py says why):
then `annotations` have them among reports, and `marks` tells which of these have a silence too.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..annotations.known import KnownCells
from ..annotations.labelled import LabelledVotes, Scores
from ..annotations.selection import marks_as_reports
from ..common.errors import AnnotationError
from ..common.ragged import Bools, Floats, Ints, Ragged
from .lookups import Rates, Visits
from .rates import pack_vote, unpack_vote

Derived = TypeVar("Derived")


class ReportedCells(NamedTuple):
    """Recordings and species with at least one report, or of which it is known if they are present."""

    cells: Ragged
    """The reported species of each recording."""
    recording: Ints
    """Of each cell."""
    vote_start: Ints
    """Where the votes on each cell start in `vote`."""
    vote: Ints
    """The codes of the votes (see rates.py), cell by cell."""
    by_species: Ints
    """How many reported cells each species has."""
    votes_by_code: Ints
    """How often each vote was cast in reported cells."""
    rates: Ints
    """The rates on which any of these votes depends."""
    further: Floats
    """What else is known of each cell beside the votes, as P(it | present) / P(it | absent): from elsewhere,
    and by the scores of machines. 1 if nothing is; where it is the truth, infinite or 0. Empty if nothing is
    known of any cell."""

    def without_vote(self) -> Ints:
        """Return the cells that nobody voted on, which are known from elsewhere."""
        return np.flatnonzero(np.diff(self.vote_start) == 0)


class SpeciesLists(NamedTuple):
    """The species that candidates for a silent cell are drawn from."""

    lists: Ragged
    """The own lists of some annotators, then that of all species, which the others share."""
    of_annotator: Ints
    """The list of each annotator."""


class Layout(NamedTuple):
    """The arrays that the draw of presence uses."""

    visits: Visits
    leading_visit: Ints
    """The visits that may be the first of their recording to vote on some species."""
    leading_recording: Ints
    """The recording of each of these visits."""
    reported: ReportedCells
    species_lists: SpeciesLists
    shared_list: SpeciesLists
    """The list of all species alone, which all annotators share."""
    rates: Rates
    blocks: Ints
    """The first recording of each block, and the number of all recordings (presence/blocks.py)."""
    most_visits: int
    """The number of visits to the recording that has most of them."""


def reported_cells(cells: Ragged, n_votes: Ints, votes: Ints, n_species: int, n_rates: int) -> ReportedCells:
    """Return reported cells, each with so many of the votes, which are given by their codes."""
    return ReportedCells(
        cells,
        cells.row_of_item(),
        np.append(0, np.cumsum(n_votes)),
        votes.astype(np.int32),
        np.bincount(cells.item, minlength=n_species),
        np.bincount(votes, minlength=2 * n_rates),
        np.unique(unpack_vote(votes)[0]).astype(np.int64),  # as kernels know it with any kind of rates
        np.empty(0),
    )


def blocks_of(visit_start: Ints) -> Ints:
    """Return where blocks start, and where the last one ends, given where the visits to recordings start.

    >>> blocks_of(np.array([0, BLOCK - 1, BLOCK, BLOCK + 5, 2 * BLOCK])).tolist()
    [0, 2, 4]
    """
    n, ends = len(visit_start) - 1, np.arange(BLOCK, visit_start[-1], BLOCK)
    return np.unique(np.concatenate([[0], np.searchsorted(visit_start, ends), [n]]))


class Totals(NamedTuple):
    """How many votes depend on each rate; `Design.sure` has them without unsure marks."""

    reports: Ints
    silences: Ints


OWN_LIST = 8
"""An annotator has a list of candidates of their own if it is at most so many times as long as their visits
are many: it is prepared in every sweep, and the shared list has more candidates for a visit."""
TRUTH, NOTHING = np.array([0.0, np.inf]), np.ones(2)
"""The ratios of "absent" and "present", if that is the truth, and if it says nothing."""
BLOCK = 1 << 16
"""A block has about so many visits."""
TABLE = 1 << 28
"""Lookup tables may take so many bytes; where they would take more, kernels search."""


class Design:
    """All that a sampler needs of the annotations, with rates by annotator or by annotator and species.

    Parameters
    ----------
    annotations
        The votes.
    by_species
        Whether each annotator has a rate for each species on their list, or one for all species.
    marks_vote
        Whether unsure marks are votes.
    known
        The cells that are known from elsewhere, if any are.
    machines
        The annotators whose scores are used.

    Raises
    ------
    AnnotationError
        If there is no vote at all.
    """

    def __init__(
        self,
        annotations: LabelledVotes,
        *,
        by_species: bool,
        marks_vote: bool = False,
        known: KnownCells | None = None,
        machines: tuple[str, ...] = (),
    ) -> None:
        a = marks_as_reports(annotations) if marks_vote else annotations
        self.marks_vote, self.known = marks_vote, known
        if a.n_votes == 0:
            raise AnnotationError(
                "there is not a single vote",
                "check the meaning of silence (absence), the scopes, and that not all is unsure or left out",
            )
        self.annotations = a
        self.scores: Scores = a.scores_by(machines)
        self.marks = annotations.unsure if marks_vote else Ragged.empty(a.n_visits)
        self.by_species = by_species
        self.pairs = a.lists.take(a.annotator_list) if by_species else Ragged.empty(0)
        self.rate_annotator = self.pairs.row_of_item() if by_species else np.arange(a.n_annotators)
        self.layout = self._layout()
        reports, marks = (self._count_by_rate(lists) for lists in (a.reports, self.marks))
        self.sure = Totals(reports - marks, self._votes_by_rate() - reports)
        self.totals = Totals(reports, self.sure.silences + marks)
        self.threads = 1
        """So many threads share the work of a sweep, if data are several blocks. Draws stay the same."""
        self.elsewhere: Any = None
        """What draws presence where the data are, if they are not here (shards/)."""
        self._derived: dict[Any, Any] = {}
        if known is not None:
            self.layout = self.told(TRUTH if known.known_as == "truth" else NOTHING).layout

    @property
    def n_rates(self) -> int:
        """The number of rates: each is a true and a false positive rate."""
        return len(self.rate_annotator)

    def rates_at(self, annotator: Ints, species: Ints) -> Ints:
        """Return the rates that votes of these annotators on these species depend on."""
        return self.pairs.find(annotator, species) if self.by_species else np.asarray(annotator)

    @property
    def reports(self) -> Ints:
        """The number of reports that depend on each rate."""
        return self.totals.reports

    @property
    def silences(self) -> Ints:
        """The number of silences that depend on each rate."""
        return self.totals.silences

    @property
    def n_marks(self) -> int:
        """The number of unsure marks that are votes."""
        return len(self.marks.item)

    @property
    def in_blocks(self) -> bool:
        """Whether data are so large that they are gone through in blocks, which threads share."""
        return len(self.layout.blocks) > 2

    def derived(self, make: Callable[[Design], Derived]) -> Derived:
        """Return `make(design)`, what a side of the model needs beyond the design; computed only once."""
        if make not in self._derived:
            self._derived[make] = make(self)
        return self._derived[make]

    def told(self, ratios: Floats | None = None, factor: Floats | None = None) -> Design:
        """Return the design with what else is known of reported cells.

        `ratios` are those of "absent" and "present" of an expert who says what is known, and `factor` has
        P(scores | present) / P(scores | absent) of each cell; what is not given stays or says nothing.
        """
        reported = self.layout.reported
        further = reported.further
        if ratios is not None:
            assert self.known
            further = np.ones(len(reported.recording))
            further[self.derived(Design.known_places)] = ratios[self.known.present.astype(np.int64)]
        if factor is not None:
            further = factor * further if len(further) else factor
        new = copy(self)
        new.layout = self.layout._replace(reported=reported._replace(further=further))
        return new

    def scored_places(self) -> Ints:
        """Return the places of reports with a score, their cells among the reported ones."""
        return self.layout.reported.cells.find(self.scores.recording, self.scores.species)

    def known_places(self) -> Ints:
        """Return the places of known cells among the reported ones."""
        assert self.known
        return self.layout.reported.cells.find(self.known.recording, self.known.species)

    def of_chain(self, place: int) -> Design:
        """Return the design for one of the chains."""
        return self

    def guessed_by_species(self) -> Ints:
        """Return in how many reported cells each species is present, if reports are right."""
        reported = self.layout.reported.cells.item[self.first_guess()]
        return np.bincount(reported, minlength=self.annotations.n_species)

    def first_guess(self) -> Bools:
        """Return which reported cells are present if reports are right, unless it is known better."""
        guess = np.ones(len(self.layout.reported.recording), bool)
        if self.known is not None:
            guess[self.derived(Design.known_places)] = self.known.present
        return guess

    def _layout(self) -> Layout:
        a = self.annotations
        recording, item = a.visit_recording[a.reports.row_of_item()], a.reports.item
        if self.known is not None:
            recording = np.concatenate([recording, self.known.recording])
            item = np.concatenate([item, self.known.species])
        cells = Ragged.from_pairs(recording, item, rows=a.n_recordings)
        # Every visit to the recording of a reported cell votes on it, unless out of scope or unsure.
        visits = a.visits_by_recording.take(cells.row_of_item())
        cell = visits.row_of_item()
        species = cells.item[cell]
        voted = a.has_voted(visits.item, species)
        cell, visit, species = cell[voted], visits.item[voted], species[voted]
        said = a.reports.contains(visit, species)
        # A mark is a report, and a silence too.
        twice = 1 + self.marks.contains(visit, species)
        cell, visit, species, said = (np.repeat(part, twice) for part in (cell, visit, species, said))
        said[np.cumsum(twice)[twice == 2] - 1] = False
        order = np.lexsort((-a.scopes.sizes[a.visit_scope], a.visit_recording))
        leading = np.flatnonzero(self._leads(order))
        in_scope, table = np.zeros((0, 0), bool), np.zeros((0, 0), np.int32)
        if a.scopes.rows * a.n_species <= TABLE:
            in_scope = a.scopes.to_csr(a.n_species).toarray().astype(bool)
        if self.by_species and 4 * a.n_annotators * a.n_species <= TABLE:
            table = np.full((a.n_annotators, a.n_species), -1, np.int32)
            table[self.rate_annotator, self.pairs.item] = np.arange(self.n_rates)
        votes = pack_vote(self.rates_at(a.visit_annotator[visit], species), said)
        return Layout(
            Visits(
                a.visits_by_recording.start,
                a.visit_annotator[order],
                a.visit_scope[order],
                a.unsure.take(order),
                a.scopes,
                in_scope,
            ),
            leading,
            a.visit_recording[order[leading]],
            reported_cells(
                cells, np.bincount(cell, minlength=len(cells.item)), votes, a.n_species, self.n_rates
            ),
            self.species_lists(a.visits_of_annotators),
            SpeciesLists(self._every_species(), np.zeros(a.n_annotators, np.int64)),
            Rates(self.pairs, table),
            blocks_of(a.visits_by_recording.start),
            int(a.visits_by_recording.sizes.max(initial=0)),
        )

    def species_lists(self, visits: Ints) -> SpeciesLists:
        """Return the lists that candidates are drawn from, given the number of visits of each annotator."""
        own = np.zeros(len(visits), bool)
        if self.by_species:
            own = self.pairs.sizes <= OWN_LIST * visits
        lists = self.pairs.take(np.flatnonzero(own)) if self.by_species else Ragged.empty(0)
        lists_of = np.where(own, np.cumsum(own) - 1, lists.rows)
        return SpeciesLists(lists.stack(self._every_species()), lists_of)

    def _every_species(self) -> Ragged:
        n = self.annotations.n_species
        return Ragged.from_sizes([n], np.arange(n))

    def _leads(self, order: Ints) -> Bools:
        """Return which visits may be the first to vote on a species: not if the widest scope has it."""
        a = self.annotations
        starts = a.visits_by_recording.start[a.visit_recording]
        first = order[starts[order]]
        covered = a.scopes.within(a.visit_scope[order], a.visit_scope[first])
        sure = a.unsure.sizes[first] == 0
        return ~(covered & sure) | (first == order)

    def _count_by_rate(self, lists: Ragged) -> Ints:
        """Count by rate the species that visits have on these lists."""
        rate = self.rates_at(self.annotations.visit_annotator[lists.row_of_item()], lists.item)
        return np.bincount(rate[rate >= 0], minlength=self.n_rates)

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
        return votes.astype(np.int64) - self._count_by_rate(a.unsure)
