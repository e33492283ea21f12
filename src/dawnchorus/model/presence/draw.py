"""Presence: the hinge between where species occur and how annotators err.

Given everything else, presence y of species k in recording i is independent over cells, with odds

    odds[group(i), k] · ∏ over votes ratio[rate of the vote, vote],

where ratio is P(vote | present) / P(vote | absent). Cells with a report are few and mostly present. All other
cells with a vote are *silent*, nearly always absent, and far too many to touch. They are drawn as points of
a Poisson process: a cell with odds w is present if a process with rate log(1 + w) hits it at least once,
since 1 − exp(−log(1 + w)) = w / (1 + w). Candidates come at a rate that is never smaller,

    log(1 + w) ≤ w ≤ largest odds of k · silence ratio of the first who voted · what later votes may add,

and each is accepted with the ratio of the two rates (thinning; Lewis and Shedler 1979). So a sweep costs
visits, reports and candidates, never recordings × species, and is exact. What later votes may add is 1,
unless silence of some annotator raises the odds. Absence of reported cells is drawn in the same way, with
1 / w in place of w. Cells without any vote carry no information and are left out altogether; that is exact
as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Bools, Floats, Ints
from ..design import Layout
from .candidates import Candidates, candidates
from .lookups import FEW, has, odds_from, rate_of, times, voted, weighed


class Presence(NamedTuple):
    """One draw: which reported cells are present, which silent ones, and how present cells were voted on."""

    reported: Bools
    recording: Ints
    species: Ints
    by_species: Ints
    """Of each species, the recordings where it is present and somebody voted on it."""
    votes: Ints
    """Of each rate, silences and reports in present reported cells, one after the other."""
    misses: Ints
    """Of each rate, silences in present cells that nobody reported."""


@compiled
def ratios(tpr: Floats, fpr: Floats) -> Floats:
    """Give P(vote | present) / P(vote | absent) of silence and report for each rate, one after the other."""
    ratio = np.empty(2 * len(tpr))
    for rate in range(len(tpr)):
        p, q = min(max(tpr[rate], 1e-15), 1 - 1e-15), min(max(fpr[rate], 1e-15), 1 - 1e-15)
        ratio[2 * rate], ratio[2 * rate + 1] = (1 - p) / (1 - q), p / q
    return ratio


def draw(
    rng: np.random.Generator, layout: Layout, odds: Floats, group: Ints, sizes: Ints, ratio: Floats
) -> Presence:
    """Draw presence given odds by group and species, the group of each recording and the votes' ratios.

    `sizes` says how many recordings are in each group; it decides who gets a table, not what is drawn.
    """
    bound = candidates(layout.listed, layout.pairs.rows > 0, odds, sizes, ratio)
    return Presence(*_draw(rng, layout, odds, group, ratio, bound))


@compiled
def _draw(
    rng: np.random.Generator, layout: Layout, odds: Floats, group: Ints, ratio: Floats, bound: Candidates
) -> tuple[Bools, Ints, Ints, Ints, Ints, Ints]:
    """Draw reported cells, then silent ones: first where to look, then what is there."""
    by_species, votes = layout.reported.copy(), layout.cast.copy()
    misses = np.zeros(len(ratio) // 2, np.int64)
    reported = _draw_reported(rng, layout, odds, group, ratio, by_species, votes)
    later = _later(layout, bound.later)
    room = 1024 + len(layout.lead)
    at, species = np.empty(room, np.int32), np.empty(room, np.int32)
    place, n, gap = 0, 0, rng.standard_exponential()
    while True:
        place, n, gap = _look(rng, layout, group, bound, later, at, species, place, n, gap)
        if place == len(layout.lead):
            break
        more = np.empty(len(at) + len(by_species), np.int32)
        at, species = np.append(at, more), np.append(species, more)
    at, species = at[:n], species[:n]
    found = _draw_silent(rng, layout, odds, group, ratio, bound, later, at, species, by_species, misses)
    return reported, layout.lead_recording[at[:found]], species[:found], by_species, votes, misses


@compiled
def _draw_reported(
    rng: np.random.Generator,
    layout: Layout,
    odds: Floats,
    group: Ints,
    ratio: Floats,
    by_species: Ints,
    counts: Ints,
) -> Bools:
    """Draw reported cells, and take those that are absent out of the counts.

    Where absence is unlikely, with odds 1 / w < 1, absences come as events along the line of all cells.
    """
    # Arrays are taken out of their tuples once: inside loops that would count references every time.
    cell_species, cell_recording = layout.cells.item, layout.cell_recording
    votes, vote = layout.votes, layout.vote
    reported = np.ones(len(cell_species), np.bool_)
    gap = rng.standard_exponential()
    for cell in range(len(cell_species)):
        prior = odds[group[cell_recording[cell]], cell_species[cell]]
        w = weighed(prior, ratio, vote, votes[cell], votes[cell + 1])
        if w > 1:
            gap -= 1 / w
            if gap >= 0:
                continue
            present = True
            while gap < 0:
                present = present and rng.random() > w * np.log1p(1 / w)
                gap += rng.standard_exponential()
        else:
            present = rng.random() * (1 + w) < w
        if not present:
            reported[cell] = False
            by_species[cell_species[cell]] -= 1
            for v in range(votes[cell], votes[cell + 1]):
                counts[vote[v]] -= 1
    return reported


@compiled
def _later(layout: Layout, raised: Floats) -> Floats:
    """Give of each leading visit the most that silence of later visits can multiply odds by."""
    lead, lead_recording, visits, annotator = (
        layout.lead,
        layout.lead_recording,
        layout.visits,
        layout.annotator,
    )
    later = np.ones(len(lead))
    if raised.max() > 1:
        for place in range(len(lead)):
            for other in range(lead[place] + 1, visits[lead_recording[place] + 1]):
                later[place] *= raised[annotator[other]]
    return later


@compiled
def _look(
    rng: np.random.Generator,
    layout: Layout,
    group: Ints,
    bound: Candidates,
    later: Floats,
    at: Ints,
    species: Ints,
    place: int,
    n: int,
    gap: float,
) -> tuple[int, int, float]:
    """Choose where a silent cell may turn out present: leading visits, in order, and species.

    Candidates lie along the visits as events along a line, each visit as long as the sum of its rates; `gap`
    is how far the next one is. Where a visit would have more candidates than cells, all its cells are
    candidates instead, marked by a species below zero. Stops where there is no more room.
    """
    lead, lead_recording, annotator = layout.lead, layout.lead_recording, layout.annotator
    scopes, scope_start, scope_item = layout.scope, layout.scopes.start, layout.scopes.item
    start, listed, by_species = layout.listed.start, layout.listed.item, len(layout.pairs.start) > 1
    tables, lengths, kept, alias = bound.table, bound.length, bound.kept, bound.alias
    for p in range(place, len(lead)):
        j, table = annotator[lead[p]], tables[group[lead_recording[p]]]
        length, row = lengths[table, j] * later[p], j if by_species else 0
        if length > 1:
            scope = scopes[lead[p]]
            low, high = scope_start[scope], scope_start[scope + 1]
            if length > high - low:
                if n + high - low > len(at):
                    return p, n, gap
                for item in range(low, high):
                    at[n], species[n] = p, -1 - scope_item[item]
                    n += 1
                continue
        while gap < length:
            if n == len(at):
                return p, n, gap
            gap += rng.standard_exponential()
            low, high = start[row], start[row + 1]
            share = rng.random() * (high - low)
            entry = low + min(int(share), high - low - 1)
            if share - (entry - low) >= kept[table, entry]:
                entry = alias[table, entry]
            at[n], species[n] = p, listed[entry]
            n += 1
        gap -= length
    return len(lead), n, gap


@compiled
def _draw_silent(
    rng: np.random.Generator,
    layout: Layout,
    odds: Floats,
    group: Ints,
    ratio: Floats,
    bound: Candidates,
    later: Floats,
    at: Ints,
    candidate: Ints,
    by_species: Ints,
    misses: Ints,
) -> int:
    """Draw silent cells, each of which belongs to the first visit that voted on it.

    Those found present are moved to the front of `at` and `candidate`; gives how many.
    """
    visits, annotator, scopes = layout.visits, layout.annotator, layout.scope
    lead, lead_recording = layout.lead, layout.lead_recording
    scope_start, scope_item, in_scope = layout.scopes.start, layout.scopes.item, layout.in_scope
    unsure_start, unsure_item = layout.unsure.start, layout.unsure.item
    cell_start, cell_item = layout.cells.start, layout.cells.item
    pair_start, pair_item, rates = layout.pairs.start, layout.pairs.item, layout.rate
    tables, most = bound.table, bound.most
    found, since, before = 0, 0, -1
    for c in range(len(at)):
        place, k = at[c], candidate[c]
        one_by_one = k < 0
        if one_by_one:
            k = -1 - k
        visit, i = lead[place], lead_recording[place]
        # Is the cell voted on by this visit first, and reported by nobody?
        if visit > visits[i] and voted(
            scopes, in_scope, scope_start, scope_item, unsure_start, unsure_item, visits[i], k
        ):
            continue
        if has(cell_item, cell_start[i], cell_start[i + 1], k):
            continue
        if not voted(scopes, in_scope, scope_start, scope_item, unsure_start, unsure_item, visit, k):
            continue
        own = ratio[2 * rate_of(rates, pair_start, pair_item, annotator[visit], k)]
        w, far, first, many = odds[group[i], k] * own, 0, True, visits[i + 1] - visits[i] > FEW
        for other in range(visits[i], visits[i + 1]):
            if other != visit and voted(
                scopes, in_scope, scope_start, scope_item, unsure_start, unsure_item, other, k
            ):
                first = first and other > visit
                rate = rate_of(rates, pair_start, pair_item, annotator[other], k)
                w *= ratio[2 * rate]
                if many:
                    w, far = times(w, far, 1.0)
        if not first:
            continue
        if many:
            w = odds_from(w, far)
        if one_by_one:
            present = rng.random() * (1 + w) < w
        else:  # compare with log(1 + w), which lies between w − w² / 2 and w
            u = rng.random() * most[tables[group[i]], k] * own * later[place]
            present = u < w and (u < w - 0.5 * w * w or u < np.log1p(w))
        if place != before:
            before, since = place, found
        if present and not has(candidate, since, found, k):
            at[found], candidate[found] = place, k
            found += 1
            by_species[k] += 1
            for other in range(visit, visits[i + 1]):
                if voted(scopes, in_scope, scope_start, scope_item, unsure_start, unsure_item, other, k):
                    misses[rate_of(rates, pair_start, pair_item, annotator[other], k)] += 1
    return found
