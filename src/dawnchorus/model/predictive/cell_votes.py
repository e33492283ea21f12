"""Cell votes: the votes on each of a list of cells, and which cells have the same votes.

A vote is a *code* (see rates.py). Rates are in the order of annotators or, where expertise differs by
species, of the pairs of an annotator and a species.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ...annotations.known import KnownCells
from ...annotations.labelled import Scores
from ...common.compiled import compiled
from ...common.ragged import Bools, Floats, Ints, Ragged
from ..lookups import has, lower
from ..rates import pack_vote


class Arrays(Protocol):
    """The arrays of annotations, as far as votes go."""

    @property
    def visit_annotator(self) -> Ints:
        """The annotator of each visit."""

    @property
    def visit_scope(self) -> Ints:
        """The scope of each visit."""

    @property
    def visits_by_recording(self) -> Ragged:
        """The visits of each recording."""

    @property
    def scopes(self) -> Ragged:
        """The species of each scope."""

    @property
    def reports(self) -> Ragged:
        """The species that each visit reported."""

    @property
    def unsure(self) -> Ragged:
        """The species that each visit marked unsure."""


NOTHING, NO_FLAGS = Ragged.empty(0), np.empty(0, np.bool_)


class CellScores(NamedTuple):
    """The scores of machines on each cell: cell c has those from `start[c]` to `start[c + 1]`.

    All is empty if there are none.
    """

    start: Ints
    machine: Ints
    species: Ints
    score: Floats

    def take(self, cells: Ints) -> CellScores:
        """Return those of some cells, in this order."""
        if not len(self.start):
            return self
        some = Ragged(self.start, np.arange(len(self.score))).take(cells)
        return CellScores(some.start, self.machine[some.item], self.species[some.item], self.score[some.item])

    @property
    def any(self) -> Bools:
        """Whether each cell has a score; empty if none has."""
        return np.diff(self.start) > 0 if len(self.start) else NO_FLAGS


NO_INTS, NO_FLOATS = np.empty(0, np.int64), np.empty(0)
UNSCORED = CellScores(NO_INTS, NO_INTS, NO_INTS, NO_FLOATS)
NO_SCORES = Scores(NO_INTS, NO_INTS, NO_INTS, NO_FLOATS)


class Votes(NamedTuple):
    """The votes: where the visits of each recording start, and what each visit is about.

    `known` are the species of each recording that are known from elsewhere, `known_present` whether they are
    present; both are empty if nothing is known. `scores` are those of machines.
    """

    visits: Ints
    annotator: Ints
    scope: Ints
    scopes: Ragged
    reports: Ragged
    unsure: Ragged
    marks: Ragged
    """The reports that are unsure marks: if marks are votes, they are a report and a silence each."""
    known: Ragged = NOTHING
    known_present: Bools = NO_FLAGS
    known_as_truth: bool = True
    scores: Scores = NO_SCORES

    @property
    def n_recordings(self) -> int:
        """How many recordings, visited or not."""
        return len(self.visits) - 1

    def known_at(self, first: int, cells: Ragged) -> Ints:
        """Return what is known of cells of recordings from `first` on; empty if nothing is of any."""
        if not len(self.known.item):
            return np.empty(0, np.int8)
        return KnownCells(self.known, self.known_present).at(cells.row_of_item() + first, cells.item)

    def scores_at(self, first: int, cells: Ragged) -> CellScores:
        """Return the scores on cells of recordings from `first` on."""
        low, high = np.searchsorted(self.scores.recording, [first, first + cells.rows])
        if low == high:
            return UNSCORED
        recording, species, machine, score = (part[low:high] for part in self.scores)
        cell = cells.find(recording - first, species)
        order = np.argsort(cell, kind="stable")[np.count_nonzero(cell < 0) :]
        start = np.append(0, np.cumsum(np.bincount(cell[order], minlength=len(cells.item))))
        return CellScores(start, machine[order], species[order], score[order])


class CellVotes(NamedTuple):
    """The codes of the votes on each cell, by annotator, and whether any is a report."""

    start: Ints
    code: Ints
    reported: Bools


def votes_of(
    annotations: Arrays,
    marks: Ragged | None = None,
    known: KnownCells | None = None,
    scores: Scores = NO_SCORES,
) -> Votes:
    """Return the votes of annotations, which of them are unsure marks, what is known, and scores."""
    a = annotations
    start = a.visits_by_recording.start
    marks = Ragged.empty(len(a.visit_annotator)) if marks is None else marks
    visits = _plain(a.visit_annotator), _plain(a.visit_scope)
    votes = Votes(start, *visits, a.scopes, a.reports, a.unsure, marks, scores=scores)
    if known is None:
        return votes
    return votes._replace(
        known=known.cells, known_present=known.present, known_as_truth=known.known_as == "truth"
    )


def _plain(values: Ints) -> Ints:
    """Return integers of one type, read-only, so that kernels are compiled once."""
    plain = np.ascontiguousarray(values, np.int32).view()
    plain.flags.writeable = False
    return plain


@compiled
def votes_on(votes: Votes, pairs: Ragged, recordings: Ints, cells: Ragged, by_scope: bool) -> CellVotes:
    """Return the votes on cells: row i of `cells` lists species, ascending, of `recordings[i]`.

    With `by_scope`, every species of a scope counts as silent, whatever was reported or marked unsure.
    """
    by_species = len(pairs.start) > 1
    size, most = 0, 0
    for row in range(len(recordings)):
        first, last = votes.visits[recordings[row]], votes.visits[recordings[row] + 1]
        size += (last - first) * (cells.start[row + 1] - cells.start[row])
        size += votes.marks.start[last] - votes.marks.start[first]
        most = max(most, last - first)
    n_cells = len(cells.item)
    start, code = np.zeros(n_cells + 1, np.int64), np.empty(size, np.int32)
    reported = np.zeros(n_cells, np.bool_)
    place = np.empty((4, most), np.int64)  # how far we are in scope, reports, marks and pairs of each visit
    found = 0
    for row in range(len(recordings)):
        first, last = votes.visits[recordings[row]], votes.visits[recordings[row] + 1]
        for visit in range(first, last):
            place[0, visit - first] = votes.scopes.start[votes.scope[visit]]
            place[1, visit - first] = votes.reports.start[visit]
            place[2, visit - first] = votes.unsure.start[visit]
            place[3, visit - first] = pairs.start[votes.annotator[visit]] if by_species else 0
        for cell in range(cells.start[row], cells.start[row + 1]):
            k = cells.item[cell]
            for visit in range(first, last):
                v, scope = visit - first, votes.scope[visit]
                here, place[0, v] = _found(votes.scopes.item, place[0, v], votes.scopes.start[scope + 1], k)
                if not here:
                    continue
                here, place[2, v] = _found(votes.unsure.item, place[2, v], votes.unsure.start[visit + 1], k)
                if here and not by_scope:
                    continue
                said, place[1, v] = _found(votes.reports.item, place[1, v], votes.reports.start[visit + 1], k)
                rate = votes.annotator[visit]
                if by_species:
                    end = pairs.start[votes.annotator[visit] + 1]
                    here, place[3, v] = _found(pairs.item, place[3, v], end, k)
                    if not here:  # always marked unsure: there is no rate
                        continue
                    rate = place[3, v]
                said = said and not by_scope
                reported[cell] |= said
                code[found] = pack_vote(rate, said)
                found += 1
                if said and has(votes.marks.item, votes.marks.start[visit], votes.marks.start[visit + 1], k):
                    code[found] = pack_vote(rate, 0)
                    found += 1
            start[cell + 1] = found
    return CellVotes(start, code[:found].copy(), reported)


@compiled
def _found(items: Ints, low: int, high: int, k: int) -> tuple[bool, int]:
    """Return whether an ascending list has k, and the place where it is or would be."""
    if low < high and items[low] < k:
        low = lower(items, low + 1, high, k)
    return low < high and items[low] == k, low


@compiled
def same_votes(species: Ints, context: Ints, votes: CellVotes) -> tuple[Ints, Ints]:
    """Return for each cell a number that it shares with the cells like it, and the first cell of each number.

    Cells are alike if species, context and votes are the same.
    """
    n = len(species)
    room = 16
    while room < 2 * n:
        room *= 2
    table = np.full(room, -1, np.int32)
    number, first = np.empty(n, np.int32), np.empty(n, np.int32)
    found = 0
    for cell in range(n):
        h = np.uint64(species[cell]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(context[cell])
        for v in range(votes.start[cell], votes.start[cell + 1]):
            h = (h ^ np.uint64(votes.code[v] + 1)) * np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(29)
        slot = np.int64((h * np.uint64(0x94D049BB133111EB)) >> np.uint64(24)) & (room - 1)
        while table[slot] >= 0 and not _alike(species, context, votes, first[table[slot]], cell):
            slot = (slot + 1) & (room - 1)
        if table[slot] < 0:
            table[slot] = found
            first[found] = cell
            found += 1
        number[cell] = table[slot]
    return number, first[:found].copy()


@compiled
def _alike(species: Ints, context: Ints, votes: CellVotes, one: int, other: int) -> bool:
    if species[one] != species[other] or context[one] != context[other]:
        return False
    low, high = votes.start[one], votes.start[one + 1]
    shift = votes.start[other] - low
    if votes.start[other + 1] - votes.start[other] != high - low:
        return False
    for v in range(low, high):  # noqa: SIM110
        if votes.code[v] != votes.code[v + shift]:
            return False
    return True
