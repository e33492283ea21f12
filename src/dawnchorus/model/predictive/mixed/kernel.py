"""Mixed kernel: shares of components, and presence given these, some draws at a time.

Products of hundreds of factors may overflow. The reach of every vote bounds how large they can be; before
they could overflow, their logarithms are put aside. Where the product of the votes on a single species could
overflow, it is computed in logarithms.
"""

from __future__ import annotations

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints, Ragged
from ..joint_votes import add_log_absent, take_factor, take_log_factor
from ..score_ratios import add_score_ratios, add_scores_absent
from ..vote_ratios import REACH, Ratios
from .layout import LANE, Components, Lane, Layout, SpeciesVotes, Work, room_for

FARTHEST = 230.0
"""Ratios of votes on one species count as at most e^FARTHEST where they are compared with occurrence."""


@compiled
def fill(
    rows: Ints,
    cells: Ragged,
    layout: Layout,
    components: Components,
    ratios: Ratios,
    chances: Floats,
    log_likelihood: Floats,
) -> None:
    """Fill in the chances of cells and, if it has rows, the log likelihood of recordings.

    Row i of `cells` lists species of recording `rows[i]`. `chances` has a row for each
    cell, `log_likelihood` for each of `rows`.
    """
    n, most, n_species = len(ratios.draws), components.occurrence.shape[1], components.occurrence.shape[3]
    patterns, exceptions = layout.patterns, layout.exceptions
    longest = 1
    for i in rows:
        longest = max(longest, exceptions.start[i + 1] - exceptions.start[i])
    work = room_for(most, n_species, longest)
    for first in range(0, n, LANE):
        number = 0
        for d in range(first, min(first + LANE, n)):
            number = max(number, components.number[ratios.draws[d]])
        lane = Lane(first, min(LANE, n - first), number, len(log_likelihood) > 0)
        context, pattern, reach = -1, -1, 0.0
        for row in range(len(rows)):
            i = rows[row]
            if layout.context[i] != context or layout.pattern[i] != pattern:
                if pattern >= 0:
                    _clear_pattern(work, patterns, pattern)
                if layout.context[i] != context:
                    context = layout.context[i]
                    _take_prior(work, components, ratios, context, lane)
                pattern = layout.pattern[i]
                reach = _take_pattern(work, patterns, pattern, ratios, lane)
            _take_shares(work, layout, i, reach, ratios, lane)
            if lane.likelihood:
                for d in range(lane.size):
                    log_likelihood[row, first + d] = work.absent[1, d]
            for cell in range(cells.start[row], cells.start[row + 1]):
                k = cells.item[cell]
                if work.place[k] >= 0:
                    place = work.place[k]
                    _given_component(work.chance, work.occurrence, k, work.own, place, number)
                    work.ready[k] = False  # this is the recording's own, not the pattern's
                elif not work.ready[k]:
                    _given_component(work.chance, work.occurrence, k, work.factor, k, number)
                    work.ready[k] = True
                _mix(work.share, work.chance, k, number, work.total)
                for d in range(lane.size):
                    chances[cell, first + d] = work.total[d]
            for e in range(exceptions.start[i], exceptions.start[i + 1]):
                work.place[exceptions.species[e]] = -1
        if pattern >= 0:
            _clear_pattern(work, patterns, pattern)


@compiled
def _take_prior(work: Work, components: Components, ratios: Ratios, context: int, lane: Lane) -> None:
    """Lay out weight and occurrence of components; those that a draw does not have weigh nothing."""
    for d in range(lane.size):
        draw = ratios.draws[lane.first + d]
        for r in range(lane.number):
            there = r < components.number[draw]
            work.weight[r, d] = components.weight[draw, r] if there else 0.0
            for k in range(components.occurrence.shape[3]):
                work.occurrence[r, k, d] = components.occurrence[draw, r, context, k] if there else 0.0


@compiled
def _clear_pattern(work: Work, patterns: SpeciesVotes, pattern: int) -> None:
    for e in range(patterns.start[pattern], patterns.start[pattern + 1]):
        work.factor[patterns.species[e]] = 1.0
    work.ready[:] = False


@compiled
def _take_pattern(work: Work, patterns: SpeciesVotes, pattern: int, ratios: Ratios, lane: Lane) -> float:
    """Lay out the factors and products of a pattern; return how far products may have gone."""
    work.product[:] = 1.0
    work.aside[:] = 0.0
    work.absent[0] = 0.0
    reach = 0.0
    for e in range(patterns.start[pattern], patterns.start[pattern + 1]):
        k = patterns.species[e]
        _take_factor(work.factor[k], patterns, e, ratios, lane)
        if lane.likelihood:
            _add_absent(work.absent[0], patterns, e, 1.0, ratios, lane)
        if patterns.reach[e] > REACH:
            _add_term(work, work.aside, k, work.factor[k], patterns, e, 1.0, ratios, lane)
            continue
        reach += patterns.reach[e]
        if reach > REACH:
            _put_aside(work.product, work.aside, lane)
            reach = patterns.reach[e]
        _multiply(work.product, work.occurrence, work.factor, k, lane.number)
    return reach


@compiled
def _take_shares(work: Work, layout: Layout, i: int, reach: float, ratios: Ratios, lane: Lane) -> None:
    """Compute the shares of components of a recording, with its exceptions."""
    patterns, exceptions = layout.patterns, layout.exceptions
    for d in range(lane.size):
        work.absent[1, d] = work.absent[0, d]
    for r in range(lane.number):
        for d in range(lane.size):
            work.share[r, d] = work.product[r, d] * work.weight[r, d]
            work.share_aside[r, d] = work.aside[r, d]
    low, high = patterns.start[layout.pattern[i]], patterns.start[layout.pattern[i] + 1]
    for e in range(exceptions.start[i], exceptions.start[i + 1]):
        k = exceptions.species[e]
        work.place[k] = e - exceptions.start[i]
        own, factor, more = work.own[work.place[k]], work.factor[k], exceptions.reach[e]
        _take_factor(own, exceptions, e, ratios, lane)
        while low < high and patterns.species[low] < k:
            low += 1
        shared = low < high and patterns.species[low] == k
        if shared:
            more += patterns.reach[low]
        if lane.likelihood:
            _add_absent(work.absent[1], exceptions, e, 1.0, ratios, lane)
            if shared:
                _add_absent(work.absent[1], patterns, low, -1.0, ratios, lane)
        if more > REACH:
            _add_term(work, work.share_aside, k, own, exceptions, e, 1.0, ratios, lane)
            if shared:
                _add_term(work, work.share_aside, k, factor, patterns, low, -1.0, ratios, lane)
            continue
        reach += more
        if reach > REACH:
            _put_aside(work.share, work.share_aside, lane)
            reach = more
        for r in range(lane.number):
            share, there = work.share[r], work.occurrence[r, k]
            for d in range(lane.size):
                share[d] *= (1 - there[d] + there[d] * own[d]) / (1 - there[d] + there[d] * factor[d])
    _normalise(work, lane)


@compiled
def _normalise(work: Work, lane: Lane) -> None:
    total = work.total
    for d in range(lane.size):
        highest, same = -np.inf, True
        for r in range(lane.number):
            same = same and work.share_aside[r, d] == 0
            if work.share[r, d] > 0:
                highest = max(highest, work.share_aside[r, d])
        if same:
            highest = 0.0
        else:
            for r in range(lane.number):
                if work.share[r, d] > 0:
                    work.share[r, d] *= np.exp(work.share_aside[r, d] - highest)
        if lane.likelihood:
            work.absent[1, d] += highest
    total[:] = 0.0
    for r in range(lane.number):
        share = work.share[r]
        for d in range(lane.size):
            total[d] += share[d]
    if lane.likelihood:
        for d in range(lane.size):
            work.absent[1, d] += np.log(total[d])
    for d in range(lane.size):
        total[d] = 1 / total[d]
    for r in range(lane.number):
        share = work.share[r]
        for d in range(lane.size):
            share[d] *= total[d]


@inlined
def _multiply(product: Floats, occurrence: Floats, factor: Floats, k: int, number: int) -> None:
    """Multiply products by the term of a species."""
    for r in range(number):
        for d in range(LANE):
            there = occurrence[r, k, d]
            product[r, d] *= 1 - there + there * factor[k, d]


@inlined
def _given_component(
    chance: Floats, occurrence: Floats, k: int, factor: Floats, row: int, number: int
) -> None:
    """Find the probability of a species given its votes, by component."""
    for r in range(number):
        for d in range(LANE):
            present = occurrence[r, k, d] * factor[row, d]
            chance[r, k, d] = present / (1 - occurrence[r, k, d] + present)


@inlined
def _mix(share: Floats, chance: Floats, k: int, number: int, total: Floats) -> None:
    """Find the probability of a species by the shares of components."""
    for d in range(LANE):
        total[d] = share[0, d] * chance[0, k, d]
    for r in range(1, number):
        for d in range(LANE):
            total[d] += share[r, d] * chance[r, k, d]


@compiled
def _take_factor(factor: Floats, votes: SpeciesVotes, e: int, ratios: Ratios, lane: Lane) -> None:
    """Set the ratio of the votes on a species."""
    low, high = votes.vote[e], votes.vote[e + 1]
    if votes.reach[e] <= REACH:
        take_factor(factor, ratios, votes.code, low, high, lane.first, lane.size)
        return
    _take_log_factor(factor, votes, e, ratios, lane)
    for d in range(lane.size):
        factor[d] = np.exp(min(max(factor[d], -FARTHEST), FARTHEST))


@compiled
def _take_log_factor(log: Floats, votes: SpeciesVotes, e: int, ratios: Ratios, lane: Lane) -> None:
    """Set the logarithm of the ratio of the votes on a species, and of what else is known of it."""
    take_log_factor(log, ratios, votes.code, votes.vote[e], votes.vote[e + 1], lane.first, lane.size)
    if len(votes.known) > 0:
        _add(log, ratios.known[0, votes.known[e]], 1.0, lane)
    add_score_ratios(log, votes.scores, e, ratios, lane.first, lane.size)


@compiled
def _put_aside(product: Floats, aside: Floats, lane: Lane) -> None:
    """Put logarithms of products aside, and begin anew."""
    for r in range(lane.number):
        for d in range(lane.size):
            if product[r, d] > 0:
                aside[r, d] += np.log(product[r, d])
                product[r, d] = 1.0


@compiled
def _add_term(
    work: Work,
    to: Floats,
    k: int,
    factor: Floats,
    votes: SpeciesVotes,
    e: int,
    sign: float,
    ratios: Ratios,
    lane: Lane,
) -> None:
    """Add the logarithm of 1 − occurrence + occurrence · ratio, however large the ratio is."""
    log_ratio = work.total
    if votes.reach[e] > REACH:
        _take_log_factor(log_ratio, votes, e, ratios, lane)
    else:
        log_ratio[:] = np.log(factor)
    for r in range(lane.number):
        for d in range(lane.size):
            there = work.occurrence[r, k, d]
            to[r, d] += sign * np.logaddexp(np.log1p(-there), np.log(there) + log_ratio[d])


@compiled
def _add_absent(to: Floats, votes: SpeciesVotes, e: int, sign: float, ratios: Ratios, lane: Lane) -> None:
    """Add the logarithm of P(vote | absent) over the votes on a species, and over what is known of it."""
    low, high = votes.vote[e], votes.vote[e + 1]
    add_log_absent(to, sign, ratios, votes.code, low, high, lane.first, lane.size)
    if len(votes.known) > 0:
        _add(to, ratios.known[1, votes.known[e]], sign, lane)
    add_scores_absent(to, sign, votes.scores, e, ratios, lane.first, lane.size)


@compiled
def _add(to: Floats, values: Floats, sign: float, lane: Lane) -> None:
    part = values[lane.first : lane.first + lane.size]
    for d in range(lane.size):
        to[d] += sign * part[d]
