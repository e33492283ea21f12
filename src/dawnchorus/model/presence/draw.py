"""The draw of presence, given where species occur and how annotators err.

Given everything else, presence y of species k in recording i is independent over cells, with odds

    odds(i, k) · ∏ over votes ratio[rate of the vote, vote],

where ratio is P(vote | present) / P(vote | absent). (If some birds are faint, or deceptive, ../audibility.py
has sums of products in place of the product.) Cells with a report are few and mostly present. All other
cells with a vote are *silent*, nearly always absent, and too many to visit one by one. They are drawn as
points of a Poisson process: a cell with odds w is present if a process with rate log(1 + w) hits it at least
once, since 1 − exp(−log(1 + w)) = w / (1 + w). Candidates come at a rate that is never smaller,

    log(1 + w) ≤ w ≤ largest odds of k · silence ratio of the first who voted · largest factor of later votes,

and each is accepted with the ratio of the two rates (thinning; Lewis and Shedler 1979). So the cost of a
sweep grows with visits, reports and candidates, never with recordings × species, and the draw is exact. The
largest factor of later votes is 1, unless silence of some annotator raises the odds; if some birds are faint
it is 1 / P(silence | absent), since silence is never more than certain. If some are deceptive, silences of
several on an absent bird are likelier than one by one, so that the bound holds all the more. Absence of
reported cells is drawn in the same way, with 1 / w in place of w. Cells that are known from elsewhere are
among the reported ones, whoever reported them; where that is the truth, their odds are as good as infinite or
0. Where reports have scores, these multiply the odds too (../expertise/scored). All other cells without any
vote carry no information and are left out altogether; that is exact as well.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import ZERO, compiled, inlined
from ...common.ragged import Bools, Floats, Ints
from ..audibility import Evidence, VoteRates, add_vote, cell_odds, evidence
from ..design import Layout, ReportedCells, SpeciesLists
from ..lookups import (
    FEW,
    LARGE,
    Rates,
    Visits,
    given_further,
    has,
    has_voted,
    odds_from,
    rate_of,
    times,
    voted_by_table,
    weighed,
)
from ..rates import pack_vote
from .candidates import Candidates, candidates, draw_alias, silence_bounds
from .odds import Odds, odds_at


class Presence(NamedTuple):
    """One draw: which reported cells are present, which silent ones, and how present cells were voted on."""

    reported: Bools
    recording: Ints
    species: Ints
    by_species: Ints
    """Of each species, the recordings where it is present and somebody voted on it, or it is known."""
    votes: Ints
    """By code, the votes in present reported cells."""
    misses: Ints
    """Of each rate, silences in present cells that nobody reported."""
    odds: Floats
    """The odds of presence with which each reported cell was drawn."""


class Leading(NamedTuple):
    """What is known of each leading visit before candidates are drawn."""

    max_later_factor: Floats
    """The most that silence of later visits can multiply odds by."""
    all_cells: Bools
    """Whether all its cells are candidates, to be drawn one by one."""


class Places(NamedTuple):
    """Where silent cells may be present: the place of a leading visit, and a species."""

    place: Ints
    species: Ints


def draw(rng: np.random.Generator, layout: Layout, odds: Odds, rates: VoteRates) -> Presence:
    """Draw presence given odds and rates."""
    says = evidence(rates)
    return _draw(rng, layout, odds, says.ratio, says.together)


@compiled
def _draw(
    rng: np.random.Generator, layout: Layout, odds: Odds, ratio: Floats, together: Evidence | None
) -> Presence:
    """Draw presence given odds and what votes say.

    Reported cells are drawn first; then candidates among silent cells are chosen, and drawn. All happens in
    one call from Python, because a call takes as long as hundreds of cells.
    """
    species_lists = layout.shared_list if odds.own_tables else layout.species_lists
    silence = silence_bounds(species_lists, layout.rates.pairs, ratio)
    most_later = silence.later
    if together is not None and len(together.present.room) > 1:
        most_later = silence_bounds(species_lists, layout.rates.pairs, 1 / together.absent).later
    bound = candidates(species_lists.lists, silence.entry, odds.max_odds, odds.sizes, odds.own_tables)
    counts = layout.reported.by_species.copy(), layout.reported.votes_by_code.copy()
    misses = np.zeros(len(ratio) // 2, np.int64)
    given_votes = odds_given_votes(layout.reported, odds, ratio, together)
    reported = _draw_reported(rng, layout.reported, given_votes, counts)
    leading = _leading(layout, most_later)
    room = 1024 + len(layout.leading_visit)
    places = Places(np.empty(room, np.int32), np.empty(room, np.int32))
    at, n, gap = ZERO, ZERO, rng.standard_exponential()
    while True:
        at, n, gap = _look(
            rng, layout, species_lists, odds.group, bound, silence.annotator, leading, places, at, n, gap
        )
        if at == len(layout.leading_visit):
            break
        more = np.empty(len(places.place) + len(counts[0]), np.int32)
        places = Places(np.append(places.place, more), np.append(places.species, more))
    places = Places(places.place[:n], places.species[:n])
    found = _draw_silent(
        rng, layout, species_lists, odds, ratio, together, bound, silence.entry, leading, places, counts[0],
        misses,
    )  # fmt: skip
    recording = layout.leading_recording[places.place[:found]]
    return Presence(reported, recording, places.species[:found], counts[0], counts[1], misses, given_votes)


@compiled
def odds_given_votes(reported: ReportedCells, odds: Odds, ratio: Floats, together: Evidence | None) -> Floats:
    """Return the odds of presence in each reported cell, given what votes say."""
    # Arrays are taken out of their tuples once: inside loops that would count references every time.
    cell_species, cell_recording = reported.cells.item, reported.recording
    votes, vote = reported.vote_start, reported.vote
    factor, row, further = odds.factor, odds.row, reported.further
    w = np.empty(len(cell_species))
    for cell in range(len(cell_species)):
        prior = odds_at(factor, row, cell_recording[cell], cell_species[cell])
        low, high = votes[cell], votes[cell + 1]
        if together is None:
            w[cell] = weighed(prior, ratio, vote, low, high)
        else:
            w[cell] = cell_odds(prior, together, vote, low, high)
        w[cell] = given_further(w[cell], further, cell)
    return w


@compiled
def _draw_reported(
    rng: np.random.Generator, reported: ReportedCells, odds: Floats, counts: tuple[Ints, Ints]
) -> Bools:
    """Draw reported cells, and take those that are absent out of the counts by species and by code.

    Where absence is unlikely, with odds 1 / w < 1, absences come as events along the line of all cells.
    """
    cell_species, votes, vote = reported.cells.item, reported.vote_start, reported.vote
    by_species, by_code = counts
    there = np.ones(len(cell_species), np.bool_)
    gap = rng.standard_exponential()
    for cell in range(len(cell_species)):
        w = odds[cell]
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
            there[cell] = False
            by_species[cell_species[cell]] -= 1
            for v in range(votes[cell], votes[cell + 1]):
                by_code[vote[v]] -= 1
    return there


@compiled
def _leading(layout: Layout, max_factor: Floats) -> Leading:
    """Return what is known of leading visits before candidates are chosen."""
    leading_visit, leading_recording = layout.leading_visit, layout.leading_recording
    visit_start, annotator = layout.visits.start, layout.visits.annotator
    later = np.ones(len(leading_visit))
    if max_factor.max() > 1:
        for place in range(len(leading_visit)):
            for other in range(leading_visit[place] + 1, visit_start[leading_recording[place] + 1]):
                later[place] *= max_factor[annotator[other]]
    return Leading(later, np.zeros(len(leading_visit), np.bool_))


@compiled
def _look(
    rng: np.random.Generator,
    layout: Layout,
    species_lists: SpeciesLists,
    group: Ints,
    bound: Candidates,
    annotator_factor: Floats,
    leading: Leading,
    places: Places,
    first: int,
    n: int,
    gap: float,
) -> tuple[int, int, float]:
    """Choose where a silent cell may turn out present: leading visits from `first` on, and species.

    Candidates lie along the visits as events along a line, each visit as long as the sum of its rates; `gap`
    is how far the next one is. Where a visit would have more candidates than cells, all its cells are
    candidates instead. Stops where there is no more room after n candidates.
    """
    leading_visit, leading_recording = layout.leading_visit, layout.leading_recording
    annotator, scopes = layout.visits.annotator, layout.visits.scope
    scope_start, scope_item = layout.visits.scopes
    list_of, (list_start, list_item) = species_lists.of_annotator, species_lists.lists
    tables, totals, alias_share, alias = bound.table, bound.total, bound.alias_share, bound.alias
    max_later_factor, all_cells = leading
    place, species = places
    for p in range(first, len(leading_visit)):
        j, table = annotator[leading_visit[p]], tables[group[leading_recording[p]]]
        row = list_of[j]
        length = totals[table, row] * annotator_factor[j] * max_later_factor[p]
        if length > 1:
            scope = scopes[leading_visit[p]]
            low, high = scope_start[scope], scope_start[scope + 1]
            if length > high - low:
                if n + high - low > len(place):
                    return p, n, gap
                all_cells[p] = True
                for item in range(low, high):
                    place[n], species[n] = p, scope_item[item]
                    n += 1
                continue
        while gap < length:
            if n == len(place):
                return p, n, gap
            gap += rng.standard_exponential()
            entry = draw_alias(rng, alias_share, alias, table, list_start[row], list_start[row + 1])
            place[n], species[n] = p, list_item[entry]
            n += 1
        gap -= length
    return len(leading_visit), n, gap


@compiled
def _draw_silent(
    rng: np.random.Generator,
    layout: Layout,
    species_lists: SpeciesLists,
    odds: Odds,
    ratio: Floats,
    together: Evidence | None,
    bound: Candidates,
    entry_factor: Floats,
    leading: Leading,
    places: Places,
    by_species: Ints,
    misses: Ints,
) -> int:
    """Draw silent cells, each of which belongs to the first visit that voted on it.

    Those found present are moved to the front of `places`, and counted by species and, the silences on them,
    by rate; returns how many.
    """
    visits, rates = layout.visits, layout.rates
    visit_start, annotator = visits.start, visits.annotator
    leading_visit, leading_recording = layout.leading_visit, layout.leading_recording
    cell_start, cell_item = layout.reported.cells
    factor, row, group = odds.factor, odds.row, odds.group
    tables, max_odds = bound.table, bound.max_odds
    list_of, shared = species_lists.of_annotator, len(species_lists.lists.start) - 2
    shared_factor = entry_factor[species_lists.lists.start[shared] :]
    # Taken out of their tuples for the loop, as above.
    rate_table, rates_differ, rates_tabled = rates.table, len(rates.pairs.start) > 1, len(rates.table) > 0
    in_scope, scope, tabled = visits.in_scope, visits.scope, len(visits.in_scope) > 0
    unsure_start, unsure = visits.unsure
    max_later_factor, all_cells = leading
    at, candidate = places
    found, since, before, own_tables = 0, 0, -1, odds.own_tables
    voter_rates = np.empty(_most_visits(visit_start), np.int64)
    for c in range(len(at)):
        place, k = at[c], candidate[c]
        visit, i = leading_visit[place], leading_recording[place]
        prior, most, u = odds_at(factor, row, i, k), max_odds[tables[group[i]], k], 0.0
        if own_tables and not all_cells[place]:
            u = rng.random() * most
            if u >= prior:  # odds differ within a group: most candidates are rejected before their votes
                continue
        if has(cell_item, cell_start[i], cell_start[i + 1], k):
            continue
        w, far, own, voters, many = prior, 0, 0.0, 0, visit_start[i + 1] - visit_start[i] > FEW
        for other in range(visit_start[i], visit_start[i + 1]):
            if tabled:
                voted = voted_by_table(in_scope, scope, unsure_start, unsure, other, k)
            else:
                voted = has_voted(visits, other, k)
            if other <= visit and voted != (other == visit):
                break  # this visit is not the first that voted on the cell
            if voted:
                rate = annotator[other]
                if rates_differ:
                    rate = rate_table[rate, k] if rates_tabled else rate_of(rates, rate, k)
                silence = ratio[pack_vote(rate, 0)]
                if other == visit:
                    own = silence
                w *= silence
                voter_rates[voters] = rate
                voters += 1
                if many:
                    w, far = times(w, far, 1.0)
        if own == 0.0:
            continue
        if many:
            w = odds_from(w, far)
        if not all_cells[place]:
            first_factor = shared_factor[k] if rates_differ and list_of[annotator[visit]] == shared else own
            if not own_tables:
                u = rng.random() * most
            u *= first_factor * max_later_factor[place]
        if together is not None and voters > 1:
            if not all_cells[place] and u >= prior * own * max_later_factor[place]:
                continue  # whatever later visits say
            w = _silent_together(prior, together, visits, rates, i, k)
        if all_cells[place]:
            present = rng.random() * (1 + w) < w
        else:  # compare with log(1 + w), which lies between w − w² / 2 and w
            present = u < w and (u < w - 0.5 * w * w or u < np.log1p(w))
        if place != before:
            before, since = place, found
        if present and not has(candidate, since, found, k):
            at[found], candidate[found] = place, k
            found += 1
            by_species[k] += 1
            for v in range(voters):
                misses[voter_rates[v]] += 1
    return found


@inlined
def _most_visits(visit_start: Ints) -> int:
    """Return the number of visits to the recording that has most of them."""
    most = 0
    for i in range(len(visit_start) - 1):
        most = max(most, visit_start[i + 1] - visit_start[i])
    return most


@compiled
def _silent_together(prior: float, says: Evidence, visits: Visits, rates: Rates, i: int, k: int) -> float:
    """Return the odds of a silent cell, where votes on a cell depend on each other."""
    heard, gone, over, unsure = says.present, says.gone, says.absent, says.unsure
    deceptive, log = len(gone.odds) > 0, 0.0
    many = visits.start[i + 1] - visits.start[i] > FEW
    here, of_class, by_rate = heard.room, heard.classes.factor, heard.odds
    here[:] = heard.classes.share
    gone.room[:] = gone.classes.share
    for visit in range(visits.start[i], visits.start[i + 1]):
        if has_voted(visits, visit, k):
            code = pack_vote(rate_of(rates, visits.annotator[visit], k), 0)
            log += add_vote(here, of_class, by_rate, over, unsure, code, many)
            if deceptive:
                log -= add_vote(gone.room, gone.classes.factor, gone.odds, over, unsure, code, many)
    together = here.sum() / (gone.room.sum() if deceptive else 1.0)
    return min(prior * together * math.exp(min(log, 550.0)), LARGE)
