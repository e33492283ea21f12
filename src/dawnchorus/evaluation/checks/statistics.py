"""Statistics that real and simulated votes are compared by.

With r reports among the n votes of a cell, and sums over cells, agreement of ordered pairs and triples is

    a report that another annotator makes too    Σ r(r − 1) / Σ r(n − 1)
    a third report after two reports             Σ r(r − 1)(r − 2) / Σ r(r − 1)(n − 2)
    a third report after one report of two       Σ r(n − r)(r − 1) / Σ r(n − r)(n − 2)
    a third report after none of two             Σ (n − r)(n − r − 1)r / Σ (n − r)(n − r − 1)(n − 2)

Only the last of these sums has a part from cells without reports, n(n − 1)(n − 2), which does not depend on
the reports: it is the sum over all cells less that over reported ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Bools, Floats, Ints
from ...model.design import Design
from ...model.lookups import Visits, has, has_voted, voted_by_table
from ...model.predictive.replicates.votes import Listening, Reports, listening_of
from .words import UNSURE


class Frame(NamedTuple):
    """What stays the same in all replicates."""

    listening: Listening
    asked: Bools
    """Which species anybody voted on."""
    triples: float
    """The number of ordered triples of votes on the same cell."""
    marks_vote: bool
    """Whether unsure marks are votes."""


def frame_of(design: Design) -> Frame:
    """Return what stays the same in all replicates; ask for it by `design.derived`."""
    listening = design.derived(listening_of)
    visits, n_species = listening.visits, design.annotations.n_species
    return Frame(listening, _asked(visits, n_species), _triples(visits, n_species), design.marks_vote)


def observed_reports(design: Design) -> Reports:
    """Return the real reports. Visits have other numbers than in replicates, but the same recordings."""
    reports = design.annotations.reports
    visit = reports.row_of_item()
    marked = design.marks.contains(visit, reports.item)
    return Reports(visit, reports.item.astype(np.int64), marked)


def statistics(frame: Frame, reports: Reports) -> dict[str, float]:
    """Return all statistics of some reports, nan where there is too little data for one.

    Unsure marks, if they are votes, count as no report, and on their own.
    """
    marks = {UNSURE: float(reports.marked.sum())} if frame.marks_vote else {}
    reports = Reports(*(part[~reports.marked] for part in reports))
    by_visit = np.bincount(reports.visit, minlength=len(frame.listening.recording))
    by_species = np.bincount(reports.species, minlength=len(frame.asked))[frame.asked]
    return {
        "reports_per_visit": float(by_visit.mean()),
        "visit_spread": _spread(by_visit),
        "silent_visits": float((by_visit == 0).mean()),
        "species_spread": _spread(by_species),
        "species_once": float((by_species == 1).sum()) if len(by_species) > 1 else np.nan,
        **agreement(frame, reports),
        **marks,
    }


def agreement(frame: Frame, reports: Reports) -> dict[str, float]:
    """Return how often a second, and a third annotator reports what others did or did not."""
    n_species = len(frame.asked)
    key = frame.listening.recording[reports.visit] * n_species + reports.species
    cells, said = np.unique(key, return_counts=True)
    recording, species = np.divmod(cells, n_species)
    r, n = said.astype(float), _votes(frame.listening.visits, recording, species)
    silent = n - r
    one = silent * (silent - 1)
    none = frame.triples - ((n * (n - 1) - one) * (n - 2)).sum()
    return {
        "pair_agreement": _ratio((r * (r - 1)).sum(), (r * (n - 1)).sum()),
        "third_after_two": _ratio((r * (r - 1) * (r - 2)).sum(), (r * (r - 1) * (n - 2)).sum()),
        "third_after_one": _ratio((r * silent * (r - 1)).sum(), (r * silent * (n - 2)).sum()),
        "third_after_none": _ratio((one * r).sum(), none),
    }


def _spread(counts: Ints) -> float:
    return float(counts.std(ddof=1)) if len(counts) > 1 else np.nan


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else np.nan


@compiled
def _votes(visits: Visits, recording: Ints, species: Ints) -> Floats:
    """Return how many votes each of these cells has."""
    number = np.zeros(len(recording))
    # Arrays are taken out of their tuples once: inside loops that would count references every time.
    start, (unsure_start, unsure) = visits.start, visits.unsure
    in_scope, scope, tabled = visits.in_scope, visits.scope, len(visits.in_scope) > 0
    for cell in range(len(recording)):
        i, k = recording[cell], species[cell]
        for visit in range(start[i], start[i + 1]):
            if tabled:
                number[cell] += voted_by_table(in_scope, scope, unsure_start, unsure, visit, k)
            else:
                number[cell] += has_voted(visits, visit, k)
    return number


@compiled
def _triples(visits: Visits, n_species: int) -> float:
    """Return the number of ordered triples of votes on the same cell."""
    total, number = 0.0, np.zeros(n_species)
    # Arrays are taken out of their tuples once, as above.
    start, scope, (scope_start, scope_item) = visits.start, visits.scope, visits.scopes
    unsure_start, unsure = visits.unsure
    for i in range(len(start) - 1):
        if start[i + 1] - start[i] < 3:
            continue
        for visit in range(start[i], start[i + 1]):
            low, high = scope_start[scope[visit]], scope_start[scope[visit] + 1]
            for place in range(low, high):
                number[scope_item[place]] += 1
            for place in range(unsure_start[visit], unsure_start[visit + 1]):
                number[unsure[place]] -= has(scope_item, low, high, unsure[place])
        for visit in range(start[i], start[i + 1]):
            for place in range(scope_start[scope[visit]], scope_start[scope[visit] + 1]):
                n = number[scope_item[place]]
                total += n * (n - 1) * (n - 2)
                number[scope_item[place]] = 0
    return total


@compiled
def _asked(visits: Visits, n_species: int) -> Bools:
    """Return which species anybody voted on."""
    asked = np.zeros(n_species, np.bool_)
    seen = np.zeros(len(visits.scopes.start) - 1, np.bool_)  # by a visit without unsure marks
    for visit in range(len(visits.annotator)):
        if not seen[visits.scope[visit]]:
            for k in _scope(visits, visit):
                asked[k] |= has_voted(visits, visit, k)
            seen[visits.scope[visit]] = visits.unsure.start[visit] == visits.unsure.start[visit + 1]
    return asked


@inlined
def _scope(visits: Visits, visit: int) -> Ints:
    scope = visits.scope[visit]
    return visits.scopes.item[visits.scopes.start[scope] : visits.scopes.start[scope + 1]]
