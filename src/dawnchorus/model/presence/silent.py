"""Silent cells: candidates among them are chosen, and drawn (see draw.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Bools, Floats, Ints
from ..audibility import Evidence, few_votes, votes_on_cell
from ..design import Layout, SpeciesLists
from ..lookups import FEW, LARGE, has, has_voted, odds_from, rate_of, times, voted_by_table
from ..rates import pack_vote
from .candidates import Candidates, draw_alias
from .odds import Odds, odds_at


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


@compiled
def leading_visits(layout: Layout, max_factor: Floats) -> Leading:
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
def choose_candidates(
    rng: np.random.Generator,
    layout: Layout,
    species_lists: SpeciesLists,
    group: Ints,
    bound: Candidates,
    annotator_factor: Floats,
    leading: Leading,
    places: Places,
    first: int,
    last: int,
    n: int,
    gap: float,
) -> tuple[int, int, float]:
    """Choose where a silent cell may turn out present: leading visits from `first` up to `last`, and species.

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
    for p in range(first, last):
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
    return last, n, gap


@compiled
def draw_silent(
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
    voter_rates, codes = np.empty(layout.most_visits, np.int64), np.empty(layout.most_visits, np.int64)
    if together is not None:
        over, marks, deceptive = together.absent, together.unsure, len(together.gone.odds) > 0
        by_rate, (of_class, share), here = together.present
        gone_by_rate, (of_gone, gone_share), gone = together.gone
    for c in range(len(at)):
        place, k = at[c], candidate[c]
        visit, i = leading_visit[place], leading_recording[place]
        prior, most, u = odds_at(factor, row, i, k), max_odds[tables[group[i]], k], 0.0
        if own_tables and not all_cells[place]:
            u = rng.random() * most
            if u >= prior:  # odds differ within a group: most candidates are rejected before their votes
                continue
            if rates_tabled:  # and most others by the first vote
                rate = rate_table[annotator[visit], k]
                if rate < 0 or u * shared_factor[k] >= prior * ratio[pack_vote(rate, 0)]:
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
                codes[voters] = pack_vote(rate, 0)
                silence = ratio[codes[voters]]
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
        if all_cells[place]:
            u = rng.random()
        else:
            first_factor = shared_factor[k] if rates_differ and list_of[annotator[visit]] == shared else own
            if not own_tables:
                u = rng.random() * most
            u *= first_factor * max_later_factor[place]
        if together is not None and voters > 1:
            largest = min(prior * own * max_later_factor[place], LARGE)  # whatever later visits say
            if (u * (1 + largest) if all_cells[place] else u) >= largest:
                continue
            if voters < FEW:  # done here, with arrays taken out of their tuples: a call would take longer
                w = few_votes(here, share, of_class, by_rate, over, marks, codes, 0, voters)
                if deceptive:
                    w /= few_votes(gone, gone_share, of_gone, gone_by_rate, over, marks, codes, 0, voters)
            else:
                w = votes_on_cell(together, codes, 0, voters)
            w = min(prior * w, LARGE)
        present = u * (1 + w) < w
        if not all_cells[place]:  # compare with log(1 + w), which lies between w − w² / 2 and w
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
