"""Recording ratios: what all votes on a species say of its presence, recording by recording.

    ratio[i] = P(votes on the species in i | present) / P(votes | absent),

a product over votes or, where some birds are faint or deceptive, a ratio of sums over classes
(../audibility.py). It is made for a few species at a time, so that recordings × species are never listed.
Nearly all votes are silences, so what silence of each annotator says of a species is worked out once, and
what that of several says once for all recordings with the same visits. Reported cells come afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints, Ragged
from ..audibility import Evidence, absent_together, cell_odds, few_votes, over_all_classes
from ..design import Design, Layout
from ..lookups import CERTAIN, FEW, LARGE, has_voted, odds_from, rate_of, voted_by_table, weighed
from ..rates import pack_vote, unpack_vote


class RecordingRatios(NamedTuple):
    """What votes say of some species in each recording, species × recordings; 1 where there is no vote."""

    ratio: Floats
    """P(votes | present) / P(votes | absent), and what else is known of the cell."""
    together: Floats
    """P(votes | absent) over the product of that of each vote; empty if absent cells are alike."""


class Silences(NamedTuple):
    """What silence of each annotator on one species says of presence."""

    species: Ints
    """Which of the species it was worked out for."""
    ratio: Floats
    """P(silence | present) / P(silence | absent), of a single vote."""
    present: Floats
    """P(silence | present, class) / P(silence | absent), annotators × classes."""
    gone: Floats
    """P(silence | absent, class) / P(silence | absent), annotators × classes."""


class Groups(NamedTuple):
    """Reported cells by species, and recordings with the same visits."""

    cells: Ragged
    """The places of the reported cells of each species."""
    visits: Ints
    """Of each recording, the number of its visits among those that differ."""
    recording: Ints
    """The first recording with each of these."""


def grouped(design: Design) -> Groups:
    """Return what is gone through together."""
    item, visits = design.layout.reported.cells.item, design.layout.visits
    cells = Ragged.from_pairs(item, np.arange(len(item)), rows=design.annotations.n_species)
    who = visits.annotator.astype(np.int64) * visits.scopes.rows + visits.scope
    marked = np.flatnonzero(visits.unsure.sizes)
    who[marked] = -1 - marked  # they vote on fewer species than others in their scope
    sizes, who = np.diff(visits.start), np.unique(who, return_inverse=True)[1]
    order = np.lexsort((who, np.repeat(np.arange(len(sizes)), sizes)))
    which = Ragged.from_sizes(sizes, who[order]).distinct()[1]
    return Groups(cells, which, np.unique(which, return_index=True)[1])


@compiled
def recording_ratios(layout: Layout, groups: Groups, species: Ints, says: Evidence) -> RecordingRatios:
    """Return what votes on these species say in each recording."""
    visits, reported = layout.visits, layout.reported
    start, annotator = visits.start, visits.annotator
    n, people = len(start) - 1, len(layout.species_lists.of_annotator)
    joint, deceptive = len(says.absent) > 0, len(says.gone.odds) > 0
    ratio = np.empty((len(species), n))
    together = np.empty((len(species) if deceptive else 0, n))
    silent = Silences(
        np.full(people, -1),
        np.empty(people),
        np.empty((people, len(says.present.classes.factor))),
        np.empty((people, len(says.gone.classes.factor))),
    )
    # Arrays are taken out of their tuples once: inside loops that would count references every time.
    worked_out, single, present_table, gone_table = silent
    in_scope, scope, tabled = visits.in_scope, visits.scope, len(visits.in_scope) > 0
    unsure_start, unsure = visits.unsure
    over, marks, gone_share = says.absent, says.unsure, says.gone.classes.share
    by_rate, (of_class, share), here = says.present
    (cell_start, cells), same_visits, first = groups
    cell_recording, vote_start, vote = reported.recording, reported.vote_start, reported.vote
    further, of_vote = reported.further, says.ratio
    code, code_of = np.empty(np.diff(start).max(), np.int64), np.empty(people, np.int64)
    voter, quiet, quiet_together = np.empty_like(code), np.empty(len(first)), np.ones(len(first))
    for place in range(len(species)):
        k, out = species[place], ratio[place]
        for at in range(len(first)):
            votes, w = 0, 1.0
            for visit in range(start[first[at]], start[first[at] + 1]):
                if tabled:
                    voted = voted_by_table(in_scope, scope, unsure_start, unsure, visit, k)
                else:
                    voted = has_voted(visits, visit, k)
                if not voted:
                    continue
                j = annotator[visit]
                if worked_out[j] != place:
                    worked_out[j] = place
                    code_of[j] = pack_vote(rate_of(layout.rates, j, k), 0)
                    _work_out(silent, says, j, code_of[j])
                voter[votes], code[votes] = j, code_of[j]
                w *= single[j]
                votes += 1
            both = 1.0
            if votes > FEW:
                w = cell_odds(1.0, says, code, 0, votes)
                if deceptive:
                    both = absent_together(says, code, 0, votes)
            elif joint and votes > 1:
                w = over_all_classes(share, present_table, voter, 0, votes)
                if deceptive:
                    both = over_all_classes(gone_share, gone_table, voter, 0, votes)
                    w /= both
            quiet[at], quiet_together[at] = w, both
        for i in range(n):
            out[i] = quiet[same_visits[i]]
        if deceptive:
            for i in range(n):
                together[place, i] = quiet_together[same_visits[i]]
        for at in range(cell_start[k], cell_start[k + 1]):
            cell = cells[at]
            i, low, high = cell_recording[cell], vote_start[cell], vote_start[cell + 1]
            if not joint or high - low == 1:
                w = weighed(1.0, of_vote, vote, low, high)
            elif high - low < FEW and not deceptive:  # done here: a call would take longer
                w = odds_from(few_votes(here, share, of_class, by_rate, over, marks, vote, low, high), 0)
            else:
                w = cell_odds(1.0, says, vote, low, high)
            out[i] = _with_further(w, further, cell)
            if deceptive:
                together[place, i] = absent_together(says, vote, low, high)
    return RecordingRatios(ratio, together)


@inlined
def _with_further(ratio: float, further: Floats, cell: int) -> float:
    """Return a ratio times what else is known of the cell; see `ReportedCells.further`."""
    if len(further) == 0:
        return ratio
    return min(ratio * min(further[cell], CERTAIN), LARGE)


@inlined
def _work_out(silent: Silences, says: Evidence, j: int, code: int) -> None:
    """Fill in what silence of an annotator says, by the code of the vote."""
    silent.ratio[j] = says.ratio[code]
    if len(says.absent) == 0:
        return
    rate, part = unpack_vote(code)[0], 1 / says.absent[code]
    for side, table in ((says.present, silent.present), (says.gone, silent.gone)):
        if len(side.odds) > 0:
            odds = (1 + says.unsure) * side.odds[rate]
            for c in range(table.shape[1]):
                table[j, c] = part / (1 + odds * side.classes.factor[c])
