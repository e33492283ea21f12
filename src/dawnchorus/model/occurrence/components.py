"""Seating: the kernels of a mixture. Recordings choose components one after the other; see `assignments`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Bools, Floats, Ints, Ragged
from ..voted_patterns import Voted


@inlined
def empty_weight(total: float, each: float, occupied: int) -> float:
    """Give what components without members weigh; what rounding leaves of nothing is nothing."""
    left = total - each * occupied
    return left if left > 1e-12 * total else 0.0


class Weights(NamedTuple):
    """What a component weighs before it has members, and all that have none together weigh at first."""

    each: float
    total: float

    def empty(self, occupied: int) -> float:
        """Give the weight of all components without members."""
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
    """Its sum over the species of each pattern."""


@compiled
def gather(cells: Ragged, reported: Bools, silent: Cells, unvoted: Cells) -> tuple[Ints, Ints]:
    """Put the present species of each recording one after the other: reported, silent, not voted on."""
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
    return start, item


@compiled
def seat(
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
    each, total = weights
    slots, n_species = occurrence.shape
    log_members, score = np.empty(slots), np.empty(slots + 1)
    occupied = 0
    for r in range(slots):
        log_members[r] = math.log(members[r] + each) if members[r] > 0 else 0.0
        occupied += members[r] > 0
    for place in range(first, len(recordings)):
        if occupied == slots:
            return place
        i = recordings[place]
        p = pattern[i]
        own = group[i]
        members[own] -= 1
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
        empty = empty_weight(total, each, occupied)
        fresh = -math.inf
        if empty > 0:
            fresh = math.log(empty) + n_present * math.log(a / (a + b))
            fresh += (n_voted - n_present) * math.log(b / (a + b))
        highest = max(highest, fresh)
        sum_of = math.exp(fresh - highest)
        for r in range(slots):
            if members[r] > 0:
                score[r] = math.exp(score[r] - highest)
                sum_of += score[r]
        left = rng.random() * sum_of
        chosen, empty_slot = -1, -1
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
            _open(rng, components, chosen, i, present, voted, a, b)
        if members[chosen] == 0:
            occupied += 1
        members[chosen] += 1
        log_members[chosen] = math.log(members[chosen] + each)
        group[i] = chosen
    return len(recordings)


@compiled
def _open(
    rng: np.random.Generator,
    components: Components,
    r: int,
    i: int,
    present: Ragged,
    voted: Voted,
    a: float,
    b: float,
) -> None:
    """Draw the occurrence of a new component given its first recording."""
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
        rate = rng.beta(a + (seen[k] == 2), b + (seen[k] == 1))
        rate = min(max(rate, 1e-15), 1 - 1e-15)
        occurrence[r, k] = rate
        log_absent[r, k] = math.log1p(-rate)
        log_odds[r, k] = math.log(rate) - log_absent[r, k]
    sum_silent(log_absent, silent, r, voted.patterns.start, voted.patterns.item, voted.inverted)


@compiled
def sum_silent(log_absent: Floats, silent: Floats, r: int, start: Ints, item: Ints, inverted: Bools) -> None:
    """Sum log(1 − occurrence) of component r over the species of each pattern."""
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
