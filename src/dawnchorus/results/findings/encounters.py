"""Encounters: what the findings are computed from: votes, presence at each of them, and mean rates.

An encounter is a vote on a species that is present. The probability of presence at every vote is a sparse
matrix, visits × species, with listed cells only, since all others are improbable.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from ...annotations.arrays import VoteArrays
from ...annotations.counting import votes_at
from ...common.compiled import compiled
from ...common.intervals import LEVEL
from ...common.ragged import Bools, Floats, Ints, Ragged
from ...model.design import Design
from ...model.lookups import has, lower
from ..fitted import Fitted
from ..presence.presence_table import LEAST, PresenceTable
from ..presence.wanted_cells import WantedCells
from ..tables import labelled_cells, probability_columns
from .confusions import Votes, votes_on_reported
from .information import expected_information


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


class Encounters:
    """Votes, each with the probability that the species was present; `Findings` adds tables for users."""

    def __init__(self, fitted: Fitted, table: PresenceTable, *, in_parts: bool = False) -> None:
        self.fitted, self.table = fitted, table
        self.annotations = fitted.annotations
        self.in_parts = in_parts

    def votes_on(self, recording: Ints, species: Ints) -> list[list[Vote]]:
        """Return who voted on each of these cells, given by place, those who reported it first."""
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

    def votes_on_reported(self) -> Votes:
        """Return the votes on reported cells, with what others say of these (confusions.py)."""
        mean = self.mean_rates["tpr"], self.mean_rates["fpr"], self.mean_unsure, self.mean_occurrence
        return votes_on_reported(self.fitted.design, *mean)

    def marked_by(self, recording: Ints, species: Ints) -> list[list[str]]:
        """Return who marked each of these cells unsure, given by place."""
        a = self.annotations
        visits = a.visits_by_recording.take(recording)
        cell = visits.row_of_item()
        marked = a.unsure.contains(visits.item, species[cell])
        names = a.annotators.index[a.visit_annotator[visits.item[marked]]]
        edges = np.searchsorted(cell[marked], np.arange(len(recording) + 1))
        return [[str(name) for name in names[start:end]] for start, end in pairwise(edges)]

    @cached_property
    def cells(self) -> Listed:
        """All cells or, if over five million, those with a report or a probability of at least LEAST."""
        return self.listed()

    def listed(self, level: float = LEVEL) -> Listed:
        """Return all cells or, if over five million, the notable ones, with bounds of this level."""
        listed = WantedCells(LEAST if self.table.many else 0.0, keep_reported=True)
        blocks = [(*cells[:5], reports) for cells, reports in self.table.cells(listed, level=level)]
        return Listed(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))

    @cached_property
    def overruled_cells(self) -> tuple[Ints, Ints, Floats]:
        """The places of cells where the probability and the majority of votes disagree, most first.

        With their votes, and the share of these that are reports. Cells that were known as the truth are not
        among them.
        """
        cells = self.cells
        some = np.flatnonzero((cells.reports > 0) | (cells.probability > 0.5))  # the others agree on absence
        known = self.fitted.known_cells
        if known is not None and known.known_as == "truth":
            some = some[known.at(cells.recording[some], cells.species[some]) == 0]
        votes = votes_at(self.annotations, cells.recording[some], cells.species[some])
        share = np.divide(cells.reports[some], votes, out=np.full(len(votes), 0.5), where=votes > 0)
        against = (share - 0.5) * (cells.probability[some] - 0.5) < 0
        some, votes, share = some[against], votes[against], share[against]
        order = np.argsort(-np.abs(share - cells.probability[some]), kind="stable")
        return some[order], votes[order], share[order]

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
    def mean_unsure(self) -> float:
        """The mean number of unsure marks for a report, where both are rare; 0 if they are no votes."""
        return float(self.fitted.parameters().unsure_marks.mean())

    @cached_property
    def mean_occurrence(self) -> Floats:
        """The mean occurrence of each species."""
        return self.fitted.draws.mean("occurrence")

    @cached_property
    def typical_rates(self) -> tuple[Floats, Floats, Floats]:
        """The mean rates over the votes on each species, and the share of visits that vote on it."""
        a, d = self.annotations, self.fitted.design
        return typical_rates(d, self.mean_rates, votes_by_species(a), a.n_visits)

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

    def labelled(self, which: Ints | Bools, level: float = LEVEL) -> pd.DataFrame:
        """Return some of the cells with their labels and probabilities, with bounds of this level."""
        some = Listed(*(part[which] for part in (self.cells if level == LEVEL else self.listed(level))))
        return labelled_cells(self.annotations, some.recording, some.species, **probability_columns(some))

    @cached_property
    def _reported(self) -> Any:
        return self.annotations.reports.to_csr(self.annotations.n_species).astype(float)

    def _by_annotator(self, visits: Any) -> Floats:
        a = self.annotations
        rows = a.visits_by_annotator.to_csr(a.n_visits).astype(float)
        return np.asarray((rows @ visits).todense())


def typical_rates(
    design: Design, mean_rates: dict[str, Floats], votes_on: Ints, visits: int
) -> tuple[Floats, Floats, Floats]:
    """Return the mean rates over the votes on each species, and the share of visits that vote on it.

    `votes_on` are the votes on each species in all visits.
    """
    d, n_species = design, len(votes_on)
    answered = votes_on / max(visits, 1)
    votes = np.asarray(d.reports + d.silences, float)
    if not d.by_species:
        tpr, fpr = (np.average(r, weights=votes + 1e-9) for r in mean_rates.values())
        return np.full(n_species, tpr), np.full(n_species, fpr), answered
    weight = np.bincount(d.pairs.item, votes + 1e-9, n_species)
    tpr, fpr = (
        np.bincount(d.pairs.item, (votes + 1e-9) * rate, n_species) / np.maximum(weight, 1e-12)
        for rate in mean_rates.values()
    )
    return tpr, fpr, answered


def at_votes(votes: VoteArrays, cells: Ragged, probability: Floats) -> Any:
    """Return the probability of presence at each vote on a listed cell: visits × species.

    `cells` are the listed species of each recording, `probability` those of these cells.
    """
    a = votes
    keep = _voted(cells, a.visit_recording, a.visit_scope, a.scopes, a.unsure)
    by_visit = cells.take(a.visit_recording).keep(keep)
    place = Ragged(cells.start, np.arange(len(cells.item))).take(a.visit_recording).item[keep]
    values = np.asarray(probability, float)[place]
    return sparse.csr_array((values, by_visit.item, by_visit.start), shape=(a.n_visits, a.n_species))


def votes_by_species(votes: VoteArrays) -> Ints:
    """Return the number of votes on each species."""
    a = votes
    visits = np.bincount(a.visit_scope, minlength=a.scopes.rows)
    return visits @ a.scopes.to_csr(a.n_species) - np.bincount(a.unsure.item, minlength=a.n_species)


@compiled
def _voted(cells: Ragged, recording: Ints, scope: Ints, scopes: Ragged, unsure: Ragged) -> Bools:
    """Return, visit by visit, on which of the listed cells of its recording it voted."""
    cell_start, cell_item = cells.start, cells.item
    scope_start, scope_item = scopes.start, scopes.item
    unsure_start, unsure_item = unsure.start, unsure.item
    n = 0
    for visit in range(len(recording)):
        n += cell_start[recording[visit] + 1] - cell_start[recording[visit]]
    keep = np.zeros(n, np.bool_)
    n = 0
    for visit in range(len(recording)):
        place, end = scope_start[scope[visit]], scope_start[scope[visit] + 1]
        for cell in range(cell_start[recording[visit]], cell_start[recording[visit] + 1]):
            k = cell_item[cell]
            place = lower(scope_item, place, end, k)
            if place < end and scope_item[place] == k:
                keep[n] = not has(unsure_item, unsure_start[visit], unsure_start[visit + 1], k)
            n += 1
    return keep
