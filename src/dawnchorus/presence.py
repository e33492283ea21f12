"""Presence: the hinge between where species occur and how annotators err.

Given everything else, presence y of species k in recording i is independent over cells, with odds

    odds[group(i), k] · ∏ over votes ratio[rate of the vote, vote],

where ratio is P(vote | present) / P(vote | absent). Cells with a report are drawn one by one. All other
cells with a vote are *silent*, nearly always absent, and far too many to touch. They are drawn as points of
a Poisson process: a cell with odds w is present if a process with rate log(1 + w) hits it at least once,
since 1 − exp(−log(1 + w)) = w / (1 + w). Candidates come at a rate that is never smaller,

    log(1 + w) ≤ w ≤ largest odds of k · silence ratio of the first who voted · what later votes may add,

and each is accepted with the ratio of the two rates (thinning; Lewis and Shedler 1979). So a sweep costs
visits, reports and candidates, never recordings × species, and is exact. What later votes may add is 1,
unless silence of some annotator raises the odds. Cells without any vote carry no information and are left
out altogether; that is exact as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compiled import compiled, inlined
from .design import Layout
from .ragged import Bools, Floats, Ints

OWN_TABLES = 4
"""So many groups have candidates of their own; all others share the largest odds among them."""
LARGE = 1e250


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


class Candidates(NamedTuple):
    """How often silent cells may turn out present: cumulative rates over species, by table and annotator.

    Annotator j has the entries `first[j]` to `last[j]` of each table, for these `species`.
    """

    table: Ints
    """Of each group of recordings."""
    cumulative: Floats
    guide: Ints
    """Where to start looking in `cumulative`: the first entry that reaches each even share of the total."""
    most: Floats
    """The largest odds of each species, by table."""
    first: Ints
    last: Ints
    species: Ints
    length: Floats
    """The sum of all rates of each annotator, by table."""
    later: Floats
    """The most that a silent vote of each annotator can multiply odds by, at least 1."""


def ratios(tpr: Floats, fpr: Floats) -> Floats:
    """Give P(vote | present) / P(vote | absent) of silence and report for each rate, one after the other."""
    tpr, fpr = np.clip(tpr, 1e-15, 1 - 1e-15), np.clip(fpr, 1e-15, 1 - 1e-15)
    return np.stack([(1 - tpr) / (1 - fpr), tpr / fpr], axis=1).ravel()


def draw(
    rng: np.random.Generator, layout: Layout, odds: Floats, group: Ints, sizes: Ints, ratio: Floats
) -> Presence:
    """Draw presence given odds by group and species, the group of each recording and the votes' ratios.

    `sizes` says how many recordings are in each group; it decides who gets a table, not what is drawn.
    """
    bound = candidates(layout, odds, sizes, ratio)
    reported = np.zeros(len(layout.cells.item), np.bool_)
    by_species = np.zeros(odds.shape[1], np.int64)
    counts, misses = np.zeros(len(ratio), np.int64), np.zeros(len(ratio) // 2, np.int64)
    room = 1024 + len(reported)
    recording, species = np.empty((2, room), np.int32)
    at, found, gap = 0, 0, rng.standard_exponential()
    uniform = rng.random(len(reported))  # drawing them all at once takes a third of the time
    while True:
        drawn = Presence(reported, recording, species, by_species, counts, misses)
        at, found, gap = _walk(rng, layout, odds, group, ratio, bound, uniform, drawn, (at, found, gap))
        if at == len(group):
            return drawn._replace(recording=recording[:found].copy(), species=species[:found].copy())
        room *= 2
        recording, species = np.resize(recording, room), np.resize(species, room)


def candidates(layout: Layout, odds: Floats, sizes: Ints, ratio: Floats) -> Candidates:
    """Bound the rate at which silent cells turn out present."""
    table, most = np.zeros(len(odds), np.int64), odds
    if len(odds) > 1:
        table[np.argsort(-sizes, kind="stable")] = np.minimum(np.arange(len(odds)), OWN_TABLES - 1)
        most = np.zeros((table.max() + 1, odds.shape[1]))
        np.maximum.at(most, table, odds)
    if layout.pairs.rows:
        n, species = layout.pairs.rows, layout.pairs.item
        first, last = layout.pairs.start[:-1], layout.pairs.start[1:]
        scale, factor, stretches = np.ones(n), ratio[::2], layout.pairs.start
        later = _largest(factor, stretches)
    else:
        n, species = len(ratio) // 2, np.arange(odds.shape[1], dtype=np.int32)
        first, last = np.zeros(n, np.int64), np.full(n, len(species))
        scale, factor, stretches = ratio[::2], np.ones(len(species)), np.array([0, len(species)])
        later = np.maximum(scale, 1)
    cumulative, guide = _cumulate(most, species, factor, stretches)
    total = cumulative[:, np.maximum(last - 1, 0)] if len(species) else np.zeros((len(most), n))
    length = np.where(last > first, total * scale, 0)
    return Candidates(table, cumulative, guide, most, first, last, species, length, later)


@compiled
def _cumulate(most: Floats, species: Ints, factor: Floats, stretches: Ints) -> tuple[Floats, Ints]:
    """Sum the rates up within each stretch of entries, and make the guide for searching them."""
    cumulative = np.empty((len(most), len(species)))
    guide = np.empty((len(most), len(species)), np.int32)
    for t in range(len(most)):
        for stretch in range(len(stretches) - 1):
            low, high = stretches[stretch], stretches[stretch + 1]
            total = 0.0
            for entry in range(low, high):
                total += most[t, species[entry]] * factor[entry]
                cumulative[t, entry] = total
            entry = low
            for place in range(low, high):
                share = total * (place - low) / (high - low)
                while entry < high - 1 and cumulative[t, entry] <= share:
                    entry += 1
                guide[t, place] = entry
    return cumulative, guide


@compiled
def _largest(factor: Floats, stretches: Ints) -> Floats:
    """Give the largest factor of each stretch, at least 1."""
    largest = np.ones(len(stretches) - 1)
    for j in range(len(largest)):
        for entry in range(stretches[j], stretches[j + 1]):
            largest[j] = max(largest[j], factor[entry])
    return largest


@compiled
def _walk(
    rng: np.random.Generator,
    layout: Layout,
    odds: Floats,
    group: Ints,
    ratio: Floats,
    bound: Candidates,
    uniform: Floats,
    draw: Presence,
    state: tuple[int, int, float],
) -> tuple[int, int, float]:
    """Draw recording by recording until the end, or until there may be no room for what is found.

    Each silent cell belongs to the first visit that voted on it. Candidates lie along the visits as events
    along a line, each visit as long as the sum of its rates; `gap` is how far the next one is. Where a visit
    would have more candidates than cells, its cells are taken one by one instead.
    """
    # Arrays are taken out of their tuples once: inside loops that would count references every time.
    visits, annotator, scopes, leads = layout.visits, layout.annotator, layout.scope, layout.leads
    scope_start, scope_item, in_scope = layout.scopes.start, layout.scopes.item, layout.in_scope
    unsure_start, unsure_item = layout.unsure.start, layout.unsure.item
    cell_start, cell_item, votes = layout.cells.start, layout.cells.item, layout.votes
    vote = layout.vote
    pair_start, pair_item, rates = layout.pairs.start, layout.pairs.item, layout.rate
    tables, cumulative, guide, most = bound.table, bound.cumulative, bound.guide, bound.most
    firsts, lasts, kinds, lengths, raised = bound.first, bound.last, bound.species, bound.length, bound.later
    reported, recording, species, by_species, counts, misses = draw
    start, found, gap = state

    for i in range(start, len(group)):
        g, begin, end = group[i], visits[i], visits[i + 1]
        cell_begin, cell_end = cell_start[i], cell_start[i + 1]
        if found + (end - begin) * odds.shape[1] > len(recording):
            return i, found, gap
        for cell in range(cell_begin, cell_end):
            w = odds[g, cell_item[cell]]
            for v in range(votes[cell], votes[cell + 1]):
                w *= ratio[vote[v]]
                w = min(max(w, 1 / LARGE), LARGE)
            if uniform[cell] * (1 + w) < w:
                reported[cell] = True
                by_species[cell_item[cell]] += 1
                for v in range(votes[cell], votes[cell + 1]):
                    counts[vote[v]] += 1
        table = tables[g]
        later = 1.0
        for visit in range(end - 1, begin - 1, -1):
            j = annotator[visit]
            length = lengths[table, j] * later
            if not leads[visit] or length == 0 or (gap >= length and length <= 1):
                gap -= length if leads[visit] else 0.0
                later *= raised[j]
                continue
            scope, low, high = scopes[visit], firsts[j], lasts[j]
            total = cumulative[table, high - 1]
            one_by_one = length > scope_start[scope + 1] - scope_start[scope]
            place, since = scope_start[scope], found
            while True:
                if one_by_one:
                    if place == scope_start[scope + 1]:
                        break
                    k = scope_item[place]
                    place += 1
                else:
                    if gap >= length:
                        gap -= length
                        break
                    gap += rng.standard_exponential()
                    share = rng.random()
                    entry = guide[table, low + int(share * (high - low))]
                    while entry < high - 1 and cumulative[table, entry] <= share * total:
                        entry += 1
                    k = kinds[entry]
                # Is the cell voted on by this visit first, and reported by nobody?
                if _has(cell_item, cell_begin, cell_end, k):
                    continue
                if not _voted(scopes, in_scope, scope_start, scope_item, unsure_start, unsure_item, visit, k):
                    continue
                own = ratio[2 * _rate(rates, pair_start, pair_item, j, k)]
                w = odds[g, k] * own
                first = True
                for other in range(begin, end):
                    if other != visit and _voted(
                        scopes, in_scope, scope_start, scope_item, unsure_start, unsure_item, other, k
                    ):
                        first = first and other > visit
                        w *= ratio[2 * _rate(rates, pair_start, pair_item, annotator[other], k)]
                        w = min(max(w, 1 / LARGE), LARGE)
                if not first:
                    continue
                if one_by_one:
                    present = rng.random() * (1 + w) < w
                else:  # compare with log(1 + w), which lies between w − w² / 2 and w
                    u = rng.random() * most[table, k] * own * later
                    present = u < w and (u < w - 0.5 * w * w or u < np.log1p(w))
                if present and not _has(species, since, found, k):
                    recording[found], species[found] = i, k
                    found += 1
                    by_species[k] += 1
                    for other in range(visit, end):
                        if _voted(
                            scopes, in_scope, scope_start, scope_item, unsure_start, unsure_item, other, k
                        ):
                            misses[_rate(rates, pair_start, pair_item, annotator[other], k)] += 1
            later *= raised[j]
    return len(group), found, gap


@inlined
def _voted(
    scopes: Ints,
    in_scope: Bools,
    scope_start: Ints,
    scope_item: Ints,
    unsure_start: Ints,
    unsure_item: Ints,
    visit: int,
    k: int,
) -> bool:
    """Tell whether a visit voted on a species: look its scope up or, without a table, search."""
    scope = scopes[visit]
    if len(in_scope) > 0:
        inside = in_scope[scope, k]
    else:
        place = _lower(scope_item, scope_start[scope], scope_start[scope + 1], k)
        inside = place < scope_start[scope + 1] and scope_item[place] == k
    return inside and not _has(unsure_item, unsure_start[visit], unsure_start[visit + 1], k)


@inlined
def _rate(rates: Ints, start: Ints, item: Ints, j: int, k: int) -> int:
    """Give the rate that annotator j's votes on species k depend on."""
    if len(start) == 1:
        return j
    if len(rates) > 0:
        return rates[j, k]
    return _lower(item, start[j], start[j + 1], k)


@inlined
def _has(items: Ints, low: int, high: int, k: int) -> bool:
    """Tell whether a short list has k."""
    for place in range(low, high):  # noqa: SIM110
        if items[place] == k:
            return True
    return False


@inlined
def _lower(items: Ints, low: int, high: int, k: int) -> int:
    """Give the first place from `low` on where an ascending list is at least k."""
    while low < high:
        middle = (low + high) // 2
        if items[middle] < k:
            low = middle + 1
        else:
            high = middle
    return low
