"""Components: the kernels of a mixture. Recordings are assigned one after the other; see assignments.py."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import MINUS_ONE, ZERO, compiled, inlined
from ...common.ragged import Bools, Floats, Ints, Ragged
from ..rates import draw_rate, inside
from ..shapes import OFTEN, draw_shapes
from .voted_patterns import Voted


@inlined
def empty_weight(total: float, each: float, occupied: int) -> float:
    """Return the weight of all components without members; a rest due to rounding errors counts as 0."""
    left = total - each * occupied
    return left if left > 1e-12 * total else 0.0


class Weights(NamedTuple):
    """The prior weight of each component, and of all together, in units of recordings."""

    each: float
    total: float

    def empty(self, occupied: int) -> float:
        """Return the weight of all components without members."""
        return empty_weight(self.total, self.each, occupied)


class Cells(NamedTuple):
    """Present cells, by recording."""

    recording: Ints
    species: Ints


NONE = Cells(np.empty(0, np.int32), np.empty(0, np.int32))


class Components(NamedTuple):
    """Components in slots, some of them free."""

    members: Ints
    occurrence: Floats
    log_odds: Floats
    log_absent: Floats
    """log(1 − occurrence)."""
    silent: Floats
    """The sum of `log_absent` over the species of each pattern."""


@compiled
def gather(cells: Ragged, reported: Bools, silent: Cells, unvoted: Cells) -> Ragged:
    """Return the present species of each recording: reported, silent and not voted on, in this order."""
    cell_start, cell_item = cells.start, cells.item
    silent_recording, silent_species = silent
    unvoted_recording, unvoted_species = unvoted
    start = np.zeros(len(cell_start), np.int64)
    item = np.empty(len(reported) + len(silent_species) + len(unvoted_species), np.int32)
    found, s, u = 0, 0, 0
    for i in range(len(start) - 1):
        for cell in range(cell_start[i], cell_start[i + 1]):
            if reported[cell]:
                item[found] = cell_item[cell]
                found += 1
        while s < len(silent_recording) and silent_recording[s] == i:
            item[found] = silent_species[s]
            found, s = found + 1, s + 1
        while u < len(unvoted_recording) and unvoted_recording[u] == i:
            item[found] = unvoted_species[u]
            found, u = found + 1, u + 1
        start[i + 1] = found
    return Ragged(start, item)


@compiled
def redraw(
    rng: np.random.Generator,
    group: Ints,
    occurrence: Floats,
    present: tuple[Ragged, Bools, Cells, Cells],
    voted: Voted,
    shapes: Floats,
    learned: Floats,
    weights: Weights,
) -> tuple[Ints, Floats, Floats]:
    """Draw the component of each recording, then the occurrence in each component, in one call from Python.

    `present` are reported cells, which of them are present, and present cells that were silent or not voted
    on; `shapes` are those of the Beta distribution of occurrence, and `learned` the four numbers of their own
    prior (see shapes.py), if they are learned.
    """
    prior = shapes[0], shapes[1]
    present_species = gather(*present)
    group = group.copy()
    components = make_components(group, occurrence, voted)
    at = ZERO
    while at < len(voted.recordings):
        components = with_room(components)
        at = assign_recordings(rng, group, present_species, components, voted, prior, weights, at)
    alive = np.flatnonzero(components.members)
    new_label = np.zeros(len(components.members), np.int32)
    for r in range(len(alive)):
        new_label[alive[r]] = r
    for i in voted.recordings:
        group[i] = new_label[group[i]]
    n_species = occurrence.shape[1]
    drawn, shapes = draw_occurrence(
        rng, group, present_species, voted, shapes, learned, len(alive), n_species
    )
    return group, drawn, shapes


@compiled
def draw_occurrence(
    rng: np.random.Generator,
    group: Ints,
    present: Ragged,
    voted: Voted,
    shapes: Floats,
    learned: Floats,
    components: int,
    n_species: int,
) -> tuple[Floats, Floats]:
    """Draw shapes, if they are learned, and occurrence in each component, given what is present there."""
    a, b = shapes[0], shapes[1]
    counts = tally(group, present, voted, components, n_species)
    if len(learned) > 0 and rng.random() * OFTEN < 1:
        numbers = learned[0], learned[1], learned[2], learned[3]
        a, b = draw_shapes(rng, (a, b), counts[0].ravel(), counts[1].ravel(), numbers)
    drawn = np.empty((components, n_species))
    for r in range(components):
        for k in range(n_species):
            there, looked = counts[0, r, k], counts[1, r, k]
            drawn[r, k] = draw_rate(rng, a + there, b + (looked - there))
    return drawn, np.array([a, b])


@compiled
def make_components(group: Ints, occurrence: Floats, voted: Voted) -> Components:
    """Return components with their members and the logarithms that assignments need."""
    members = np.zeros(len(occurrence), np.int64)
    for i in voted.recordings:
        members[group[i]] += 1
    log_odds, log_absent = np.empty(occurrence.shape), np.empty(occurrence.shape)
    silent = np.empty((len(occurrence), len(voted.inverted)))
    for r in range(len(occurrence)):
        for k in range(occurrence.shape[1]):
            o = inside(occurrence[r, k])
            log_odds[r, k], log_absent[r, k] = math.log(o / (1 - o)), math.log1p(-o)
        sum_silent(log_absent, silent, r, voted)
    return Components(members, occurrence, log_odds, log_absent, silent)


@compiled
def with_room(components: Components) -> Components:
    """Return the same components with free slots for new ones."""
    slots = len(components.members)
    more = max(8, slots)
    members = np.zeros(slots + more, np.int64)
    for r in range(slots):
        members[r] = components.members[r]
    return Components(
        members,
        _with_rows(components.occurrence, more),
        _with_rows(components.log_odds, more),
        _with_rows(components.log_absent, more),
        _with_rows(components.silent, more),
    )


@compiled
def _with_rows(table: Floats, more: int) -> Floats:
    longer = np.zeros((len(table) + more, table.shape[1]))
    for r in range(len(table)):
        for k in range(table.shape[1]):
            longer[r, k] = table[r, k]
    return longer


@compiled
def assign_recordings(
    rng: np.random.Generator,
    group: Ints,
    present: Ragged,
    components: Components,
    voted: Voted,
    prior: tuple[float, float],
    weights: Weights,
    first: int,
) -> int:
    """Draw the components of recordings from place `first` on, in place; stop where no slot is free."""
    members, occurrence, log_odds, log_absent, silent = components
    recordings, pattern, inverted = voted.recordings, voted.pattern, voted.inverted
    pattern_start = voted.patterns.start
    unvoted_start, unvoted_item = voted.unvoted.start, voted.unvoted.item
    present_start, present_item = present.start, present.item
    a, b = prior
    log_present, log_not = math.log(a / (a + b)), math.log(b / (a + b))
    each, total = weights
    slots, n_species = occurrence.shape
    log_members, score = np.empty(slots), np.empty(slots + 1)
    occupied = 0
    for r in range(slots):
        log_members[r] = math.log(members[r] + each) if members[r] > 0 else 0.0
        occupied += members[r] > 0
    occupied_before, log_empty = -1, -math.inf
    for place in range(first, len(recordings)):
        if occupied == slots:
            return place
        i = recordings[place]
        p = pattern[i]
        own = group[i]
        members[own] -= 1
        log_own = log_members[own]
        if members[own] == 0:
            occupied -= 1
        else:
            log_members[own] = math.log(members[own] + each)
        highest = -math.inf
        for r in range(slots):
            if members[r] == 0:
                continue
            value = log_members[r] + silent[r, p]
            for u in range(unvoted_start[i], unvoted_start[i + 1]):
                value -= log_absent[r, unvoted_item[u]]
            for s in range(present_start[i], present_start[i + 1]):
                value += log_odds[r, present_item[s]]
            score[r] = value
            highest = max(highest, value)
        n_voted = pattern_start[p + 1] - pattern_start[p]
        if inverted[p]:
            n_voted = n_species - n_voted
        n_voted -= unvoted_start[i + 1] - unvoted_start[i]
        n_present = present_start[i + 1] - present_start[i]
        if occupied != occupied_before:
            empty, occupied_before = empty_weight(total, each, occupied), occupied
            log_empty = math.log(empty) if empty > 0 else -math.inf
        fresh = log_empty + n_present * log_present
        fresh += (n_voted - n_present) * log_not
        highest = max(highest, fresh)
        sum_of = math.exp(fresh - highest)
        for r in range(slots):
            if members[r] > 0:
                score[r] = math.exp(score[r] - highest)
                sum_of += score[r]
        left = rng.random() * sum_of
        chosen, empty_slot = MINUS_ONE, MINUS_ONE
        for r in range(slots):
            if members[r] > 0:
                if chosen < 0:
                    left -= score[r]
                    if left < 0:
                        chosen = r
            elif empty_slot < 0:
                empty_slot = r
        if chosen < 0:
            chosen = empty_slot
            open_component(rng, components, chosen, i, present, voted, prior)
        if members[chosen] == 0:
            occupied += 1
        members[chosen] += 1
        log_members[chosen] = log_own if chosen == own else math.log(members[chosen] + each)
        group[i] = chosen
    return len(recordings)


@compiled
def open_component(
    rng: np.random.Generator,
    components: Components,
    r: int,
    i: int,
    present: Ragged,
    voted: Voted,
    prior: tuple[float, float],
) -> None:
    """Draw the occurrence of a new component r given its first recording i."""
    a, b = prior
    _, occurrence, log_odds, log_absent, silent = components
    n_species = occurrence.shape[1]
    seen = np.full(n_species, 0 if not voted.inverted[voted.pattern[i]] else 1)
    low, high = voted.patterns.start[voted.pattern[i]], voted.patterns.start[voted.pattern[i] + 1]
    for place in range(low, high):
        seen[voted.patterns.item[place]] = 1 - seen[voted.patterns.item[place]]
    for place in range(voted.unvoted.start[i], voted.unvoted.start[i + 1]):
        seen[voted.unvoted.item[place]] = 0
    for place in range(present.start[i], present.start[i + 1]):
        seen[present.item[place]] = 2
    for k in range(n_species):
        rate = inside(rng.beta(a + (seen[k] == 2), b + (seen[k] == 1)))
        occurrence[r, k] = rate
        log_absent[r, k] = math.log1p(-rate)
        log_odds[r, k] = math.log(rate) - log_absent[r, k]
    sum_silent(log_absent, silent, r, voted)


@compiled
def sum_silent(log_absent: Floats, silent: Floats, r: int, voted: Voted) -> None:
    """Sum log(1 − occurrence) of component r over the species of each pattern."""
    (start, item), inverted = voted.patterns, voted.inverted
    total = log_absent[r].sum()
    for p in range(len(inverted)):
        part = 0.0
        for place in range(start[p], start[p + 1]):
            part += log_absent[r, item[place]]
        silent[r, p] = total - part if inverted[p] else part


@compiled
def tally(group: Ints, present: Ragged, voted: Voted, components: int, n_species: int) -> Ints:
    """Count by component and species the recordings where it is present, and where it was voted on."""
    counts = np.zeros((2, components, n_species), np.int64)
    times = np.zeros((components, len(voted.inverted)), np.int64)
    present_start, present_item = present.start, present.item
    unvoted_start, unvoted_item = voted.unvoted.start, voted.unvoted.item
    for i in voted.recordings:
        r = group[i]
        times[r, voted.pattern[i]] += 1
        for place in range(present_start[i], present_start[i + 1]):
            counts[0, r, present_item[place]] += 1
        for place in range(unvoted_start[i], unvoted_start[i + 1]):
            counts[1, r, unvoted_item[place]] -= 1
    for p in range(len(voted.inverted)):
        sign = -1 if voted.inverted[p] else 1
        for r in range(components):
            if times[r, p] > 0:
                if voted.inverted[p]:
                    counts[1, r] += times[r, p]
                for place in range(voted.patterns.start[p], voted.patterns.start[p + 1]):
                    counts[1, r, voted.patterns.item[place]] += sign * times[r, p]
    return counts
