"""Linked cells: silent and absent ones where the silences of several people hang together.

A cell is linked with probability excess / (1 + excess), which is at most

    1 − ∏ over votes but the first G,

since all silences together are no more probable than the first alone. So each visit b hits each species that
it voted on with probability 1 − G, as points of a Poisson process with rate −log G; cells that anybody but
the first who voted has hit are candidates, and are accepted with the ratio of both probabilities (thinning;
Lewis and Shedler 1979). The cost grows with pairs and candidates, never with recordings × species.

With δ = g / G − 1 by class, and D = ∏ (1 + δ) − 1 over the votes so far, the excess grows with each vote by
the covariance over classes Σ share · D · δ, which is never negative, and exact however small it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import ZERO, compiled, inlined
from ....common.ragged import Floats, Ints, Ragged
from ...audibility import Audibility
from ...design import Design, Layout
from ...lookups import has, has_voted, lower, rate_of
from ...presence.draw import Presence

LARGE = 1e100
"""Where D is larger, it is divided by that."""


class VisitsOf(NamedTuple):
    """The visits of each annotator, in the order of the layout, and the recording of each visit."""

    annotator: Ragged
    recording: Ints


def visits_of(design: Design) -> VisitsOf:
    """Return the visits of each annotator."""
    visits = design.layout.visits
    order = np.argsort(visits.annotator, kind="stable")
    sizes = np.bincount(visits.annotator, minlength=design.annotations.n_annotators)
    recording = np.repeat(np.arange(len(visits.start) - 1), np.diff(visits.start))
    return VisitsOf(Ragged.from_sizes(sizes, order), recording)


class Silences(NamedTuple):
    """Of each rate, given absence: odds of anything but silence in an average cell.

    Over all classes, the probability of silence, and of anything else.
    """

    odds: Floats
    quiet: Floats
    loud: Floats
    classes: Audibility
    room: Floats
    """For two numbers of each class."""


@compiled
def silences_of(odds: Floats, classes: Audibility) -> Silences:
    """Return what is known of the silences of each rate, from odds of anything but silence."""
    n = len(classes.factor)
    found = Silences(odds, np.zeros(len(odds)), np.zeros(len(odds)), classes, np.empty((2, n)))
    for rate in range(len(odds)):
        for c in range(n):
            there = odds[rate] * classes.factor[c]
            found.quiet[rate] += classes.share[c] / (1 + there)
            found.loud[rate] += classes.share[c] * there / (1 + there)
    return found


@inlined
def set_away(silences: Silences, rate: int) -> None:
    """Set the second row of `room` to δ: how far silence of each class is from that of all."""
    quiet, loud, factor = silences.quiet[rate], silences.loud[rate], silences.classes.factor
    for c in range(len(factor)):
        there = silences.odds[rate] * factor[c]
        if loud < 0.5:  # whichever is more exact
            silences.room[1, c] = (loud - there / (1 + there)) / quiet
        else:
            silences.room[1, c] = (1 / (1 + there) - quiet) / quiet


@inlined
def add_silence(silences: Silences, rate: int, excess: float, far: int) -> tuple[float, int]:
    """Add a silence to D, in the first row of `room`, and to the excess; both are multiples of LARGE^far."""
    set_away(silences, rate)
    so_far, away = silences.room
    most, unit = 0.0, LARGE ** float(-far)
    for c in range(len(away)):
        excess += silences.classes.share[c] * so_far[c] * away[c]
        so_far[c] += away[c] * (unit + so_far[c])
        most = max(most, abs(so_far[c]))
    if most < LARGE:
        return excess, far
    so_far /= LARGE
    return excess / LARGE, far + 1


@inlined
def excess_of(silences: Silences, rates: Ints, low: int, high: int) -> tuple[float, int]:
    """Return the excess of a cell with silences of these rates, as a multiple of LARGE^far, and far."""
    silences.room[0] = 0.0
    excess, far = 0.0, ZERO
    for v in range(low, high):
        excess, far = add_silence(silences, rates[v], excess, far)
    return max(excess, 0.0), far


@compiled
def log_excess(silences: Silences, linked: Ragged) -> float:
    """Return the sum of the logarithms of the excess of linked cells."""
    total = 0.0
    for cell in range(len(linked.start) - 1):
        excess, far = excess_of(silences, linked.item, linked.start[cell], linked.start[cell + 1])
        if excess == 0.0:
            return -np.inf
        total += math.log(excess) + far * math.log(LARGE)
    return total


@compiled
def draw_linked(
    rng: np.random.Generator, layout: Layout, of: VisitsOf, presence: Presence, silences: Silences
) -> Ragged:
    """Draw which silent cells that are absent now are linked; return the rates of the votes on each."""
    visits, rates, n_species = layout.visits, layout.rates, len(layout.reported.by_species)
    keys = _candidates(rng, layout, of, silences)
    present = np.sort(presence.recording * np.int64(n_species) + presence.species)
    start, item = np.zeros(len(keys) + 1, np.int64), np.empty(1024, np.int64)
    cells, total = ZERO, ZERO
    for key in keys:
        place = lower(present, 0, len(present), key)
        if place < len(present) and present[place] == key:
            continue
        i, k, end = key // n_species, key % n_species, total
        if total + visits.start[i + 1] - visits.start[i] > len(item):
            item = np.append(item, np.empty(len(item) + len(visits.annotator), np.int64))
        others = 0.0
        for visit in range(visits.start[i], visits.start[i + 1]):
            if has_voted(visits, visit, k):
                rate = rate_of(rates, visits.annotator[visit], k)
                if end > total:
                    others += math.log1p(-min(silences.loud[rate], 1 - 1e-16))
                item[end] = rate
                end += 1
        excess, far = excess_of(silences, item, total, end)
        if rng.random() * -math.expm1(others) < excess / (LARGE ** float(-far) + excess):
            cells, total = cells + 1, end
            start[cells] = total
    return Ragged(start[: cells + 1].copy(), item[:total].copy())


@compiled
def _candidates(rng: np.random.Generator, layout: Layout, of: VisitsOf, silences: Silences) -> Ints:
    """Return silent cells that somebody but the first voter has hit, each as recording · species + species.

    An annotator hits as many cells as there are points of a Poisson process or, where this would have more
    points than there are cells, each cell is looked at.
    """
    start, species = layout.rates.pairs
    visit_start, visit_of = of.annotator
    n, n_species = len(visit_start) - 1, len(layout.reported.by_species)
    rate, hits, most = np.zeros(len(species)), np.zeros(n, np.int64), 0
    for j in range(n):
        total, size, visits = 0.0, start[j + 1] - start[j], visit_start[j + 1] - visit_start[j]
        for p in range(start[j], start[j + 1]):
            total -= math.log1p(-min(silences.loud[p], 1 - 1e-16))
            rate[p] = total
        hits[j] = -1 if total > size else rng.poisson(total * visits)
        most += size * visits if hits[j] < 0 else hits[j]
    keys, found = np.empty(most, np.int64), 0
    for j in range(n):
        low, high = start[j], start[j + 1]
        if hits[j] < 0:
            for place in range(visit_start[j], visit_start[j + 1]):
                for p in range(low, high):
                    visit = visit_of[place]
                    if rng.random() < silences.loud[p] and _later_silence(layout, of, visit, species[p]):
                        keys[found] = of.recording[visit] * n_species + species[p]
                        found += 1
            continue
        for _ in range(hits[j]):
            u = rng.random() * (visit_start[j + 1] - visit_start[j])
            visit = visit_of[visit_start[j] + int(u)]
            p = min(low + np.searchsorted(rate[low:high], rng.random() * rate[high - 1]), high - 1)
            if _later_silence(layout, of, visit, species[p]):
                keys[found] = of.recording[visit] * n_species + species[p]
                found += 1
    return np.unique(keys[:found])


@inlined
def _later_silence(layout: Layout, of: VisitsOf, visit: int, k: int) -> bool:
    """Return whether a visit voted on a species that nobody reported, and was not the first to do so."""
    visits, i, cells = layout.visits, of.recording[visit], layout.reported.cells
    if has(cells.item, cells.start[i], cells.start[i + 1], k) or not has_voted(visits, visit, k):
        return False
    for other in range(visits.start[i], visit):  # noqa: SIM110
        if has_voted(visits, other, k):
            return True
    return False
