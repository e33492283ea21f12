"""Votes drawn anew: what every visit would report, if one draw of the parameters were true.

Who visits what and scopes stay as they are. Unsure marks are drawn anew if they are votes; otherwise what a
visit marked unsure has no vote in the replicate either. Presence is drawn first (presence.py), but for cells
that are known as the truth; then, where birds differ in how audible they are, the class of each that is
present (../../audibility.py), which all who listen share; then votes.

Present cells are gone through one by one. Reports of what is absent are found by geometric jumps: through the
visits of an annotator with the rate for each species or, where there is one rate for all species, through the
scope of each visit. So nothing takes time in proportion to recordings × species.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Bools, Floats, Ints, Ragged
from ...audibility import ALIKE, Audibility, VoteRates, audibility
from ...design import Design
from ...lookups import Rates, Visits, draw_class, has, has_voted, lower, rate_of, voted_by_table
from ...rates import inside, silence_of
from ..loudness import loudness
from ..parameters import Parameters
from ..shared_occurrence import occurrence_in
from .deceived import draw_deceived, not_silent
from .presence import FIRST, draw_present, grown


class Reports(NamedTuple):
    """Reports: the visit and the species of each, in no particular order, and which are unsure marks."""

    visit: Ints
    species: Ints
    marked: Bools


class Listening(NamedTuple):
    """The visits, in the order of the design's layout, as the draw of votes uses them."""

    visits: Visits
    rates: Rates
    recording: Ints
    """Of each visit."""
    by_annotator: Ragged
    """The visits of each annotator."""


def listening_of(design: Design) -> Listening:
    """Return the visits of a design; ask for it by `design.derived`."""
    visits = design.layout.visits
    n = len(visits.annotator)
    recording = np.repeat(np.arange(len(visits.start) - 1), np.diff(visits.start))
    by_annotator = Ragged.from_pairs(visits.annotator, np.arange(n), rows=design.annotations.n_annotators)
    return Listening(visits, design.layout.rates, recording, by_annotator)


def draw_reports(rng: np.random.Generator, design: Design, parameters: Parameters, draw: int) -> Reports:
    """Draw presence and then the reports of every visit, from one draw of the parameters."""
    n = design.annotations.n_recordings
    listening = design.derived(listening_of)
    known = design.known if design.known is not None and design.known.known_as == "truth" else None
    recording, species = draw_present(rng, *occurrence_in(parameters).terms(draw, n, rng, known))
    if known is not None:
        free = known.at(recording, species) == 0
        recording = np.append(recording[free], known.recording[known.present])
        species = np.append(species[free], known.species[known.present])
    present = Ragged.from_pairs(recording, species, rows=n)
    rates = rates_of(parameters, draw)
    hits = _hits(rng, listening, present, rates)
    wrong = false_reports(rng, listening, present, rates)
    return Reports(*(np.concatenate(part) for part in zip(hits, wrong, strict=True)))


def rates_of(parameters: Parameters, draw: int) -> VoteRates:
    """Return the rates of a draw: those of average cells, where cells differ for everybody."""
    tpr, heard = _in_average_cells(parameters.tpr, parameters.faintness, draw)
    fpr, deception = _in_average_cells(parameters.fpr, parameters.deception, draw)
    return VoteRates(tpr, fpr, heard, float(parameters.unsure_marks[draw]), deception)


def _in_average_cells(rate: Floats, spreads: Floats, draw: int) -> tuple[Floats, Audibility]:
    """Return rates in average cells, from those over all cells, and the classes of cells."""
    of = np.ascontiguousarray(rate[draw], np.float64)
    if not len(spreads):
        return of, ALIKE
    spread = np.array([float(spreads[draw])])
    odds = loudness(of[None], np.zeros(1, np.int64), np.arange(len(of)), spread).odds[:, 0].astype(np.float64)
    return odds / (1 + odds), audibility(float(spread[0]))


def false_reports(
    rng: np.random.Generator, listening: Listening, present: Ragged, rates: VoteRates
) -> Reports:
    """Draw the reports of what is absent."""
    if not len(rates.deception.factor):
        return _false_reports(rng, listening, present, rates.fpr, rates.unsure)
    loud = not_silent(rates)
    hits = _false_reports(rng, listening, present, loud, 0.0)
    cells = np.unique(np.stack([listening.recording[hits.visit], hits.species]), axis=1)
    visit, species, marked = draw_deceived(
        rng, listening.visits, listening.rates, (cells[0].copy(), cells[1].copy()), rates, loud
    )
    return Reports(visit, species, marked > 0)


@compiled
def _hits(rng: np.random.Generator, listening: Listening, present: Ragged, rates: VoteRates) -> Reports:
    """Draw the reports of what is present."""
    visits, heard, wider = listening.visits, rates.audibility, 1 + rates.unsure
    found, number = np.empty((3, FIRST), np.int64), 0
    # Arrays are taken out of their tuples once: inside loops that would count references every time.
    (present_start, present_item), visit_start, annotator = present, visits.start, visits.annotator
    in_scope, scope, tabled = visits.in_scope, visits.scope, len(visits.in_scope) > 0
    unsure_start, unsure = visits.unsure
    tpr, one_rate, alike = rates.tpr, len(listening.rates.pairs.start) == 1, len(heard.factor) == 0
    for i in range(len(present_start) - 1):
        for cell in range(present_start[i], present_start[i + 1]):
            k, factor = present_item[cell], 1.0
            if not alike:
                factor = heard.factor[draw_class(rng, heard.share)]
            for visit in range(visit_start[i], visit_start[i + 1]):
                if tabled:
                    voted = voted_by_table(in_scope, scope, unsure_start, unsure, visit, k)
                else:
                    voted = has_voted(visits, visit, k)
                if not voted:
                    continue
                j = annotator[visit]
                p = inside(tpr[j if one_rate else rate_of(listening.rates, j, k)])
                u, odds = rng.random(), p * factor / (1 - p)
                if u * (1 + odds * wider) < odds * wider:
                    found = grown(found, number)
                    found[0, number], found[1, number] = visit, k
                    found[2, number] = u * (1 + odds) >= odds
                    number += 1
    return Reports(found[0, :number].copy(), found[1, :number].copy(), found[2, :number] > 0)


@compiled
def _false_reports(
    rng: np.random.Generator, listening: Listening, present: Ragged, fpr: Floats, unsure: float
) -> Reports:
    """Draw the reports of what is absent, if votes on it do not depend on each other."""
    visits, pairs, by_annotator = listening.visits, listening.rates.pairs, listening.by_annotator
    found, number = np.empty((3, FIRST), np.int64), 0
    if len(pairs.start) > 1:
        for j in range(len(pairs.start) - 1):
            first, size = by_annotator.start[j], by_annotator.start[j + 1] - by_annotator.start[j]
            for rate in range(pairs.start[j], pairs.start[j + 1]):
                k, step = pairs.item[rate], -math.log(silence_of(inside(fpr[rate]), unsure))
                place = rng.standard_exponential() / step
                while place < size:
                    visit = by_annotator.item[first + int(place)]
                    if has_voted(visits, visit, k) and not _is_in(present, listening.recording[visit], k):
                        found = grown(found, number)
                        found[0, number], found[1, number] = visit, k
                        found[2, number] = _is_mark(rng, fpr[rate], unsure)
                        number += 1
                    place = math.floor(place) + 1 + rng.standard_exponential() / step
    else:
        marks, scopes = visits.unsure, visits.scopes
        for visit in range(len(visits.annotator)):
            rate = visits.annotator[visit]
            step = -math.log(silence_of(inside(fpr[rate]), unsure))
            first, end = scopes.start[visits.scope[visit]], scopes.start[visits.scope[visit] + 1]
            place = rng.standard_exponential() / step
            while place < end - first:
                k = scopes.item[first + int(place)]
                marked = has(marks.item, marks.start[visit], marks.start[visit + 1], k)
                if not marked and not _is_in(present, listening.recording[visit], k):
                    found = grown(found, number)
                    found[0, number], found[1, number] = visit, k
                    found[2, number] = _is_mark(rng, fpr[rate], unsure)
                    number += 1
                place = math.floor(place) + 1 + rng.standard_exponential() / step
    return Reports(found[0, :number].copy(), found[1, :number].copy(), found[2, :number] > 0)


@inlined
def _is_mark(rng: np.random.Generator, rate: float, unsure: float) -> bool:
    """Draw whether a report or unsure mark is a mark, from the probability of a report."""
    p = inside(rate)
    return unsure > 0 and rng.random() * (1 - silence_of(p, unsure)) >= p


@inlined
def _is_in(lists: Ragged, i: int, k: int) -> bool:
    place = lower(lists.item, lists.start[i], lists.start[i + 1], k)
    return place < lists.start[i + 1] and lists.item[place] == k
