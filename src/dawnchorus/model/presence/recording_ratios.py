"""Recording ratios: what all votes on a species say of its presence, recording by recording.

    ratio[i] = P(votes on the species in i | present) / P(votes | absent),

a product over votes or, where some birds are faint or deceptive, a ratio of sums over classes
(../audibility.py). It is made for a few species at a time, so that recordings × species are never listed.
Nearly all votes are silences, so what silence of each annotator says of a species is worked out once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints, Ragged
from ..audibility import Evidence, absent_together, cell_odds
from ..design import Design, Layout
from ..lookups import CERTAIN, FEW, LARGE, has_voted, rate_of, voted_by_table
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


def cells_by_species(design: Design) -> Ragged:
    """Return the places of the reported cells of each species."""
    item = design.layout.reported.cells.item
    return Ragged.from_pairs(item, np.arange(len(item)), rows=design.annotations.n_species)


@compiled
def recording_ratios(layout: Layout, cells: Ragged, species: Ints, says: Evidence) -> RecordingRatios:
    """Return what votes on these species say in each recording; `cells` are the reported ones by species."""
    visits, reported = layout.visits, layout.reported
    start, annotator = visits.start, visits.annotator
    n, people = len(start) - 1, len(layout.species_lists.of_annotator)
    joint, deceptive = len(says.absent) > 0, len(says.gone.odds) > 0
    ratio = np.ones((len(species), n))
    together = np.ones((len(species) if deceptive else 0, n))
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
    share, gone_share = says.present.classes.share, says.gone.classes.share
    here, gone = np.empty(len(share)), np.empty(len(gone_share))
    done, code, code_of = np.full(n, -1), np.empty(np.diff(start).max(), np.int64), np.empty(people, np.int64)
    for place in range(len(species)):
        k, out = species[place], ratio[place]
        for at in range(cells.start[k], cells.start[k + 1]):
            cell = cells.item[at]
            i, low, high = reported.recording[cell], reported.vote_start[cell], reported.vote_start[cell + 1]
            done[i] = place
            out[i] = _with_further(cell_odds(1.0, says, reported.vote, low, high), reported.further, cell)
            if deceptive:
                together[place, i] = absent_together(says, reported.vote, low, high)
        for i in range(n):
            if done[i] == place:
                continue
            votes, j, w = 0, -1, 1.0
            for visit in range(start[i], start[i + 1]):
                if tabled:
                    voted = voted_by_table(in_scope, scope, unsure_start, unsure, visit, k)
                else:
                    voted = has_voted(visits, visit, k)
                if not voted:
                    continue
                if joint and votes == 1:
                    for c in range(len(here)):
                        here[c] = share[c] * present_table[j, c]
                    for c in range(len(gone)):
                        gone[c] = gone_share[c] * gone_table[j, c]
                j = annotator[visit]
                if worked_out[j] != place:
                    worked_out[j] = place
                    code_of[j] = pack_vote(rate_of(layout.rates, j, k), 0)
                    _work_out(silent, says, j, code_of[j])
                code[votes] = code_of[j]
                w *= single[j]
                if joint and votes > 0:
                    for c in range(len(here)):
                        here[c] *= present_table[j, c]
                    for c in range(len(gone)):
                        gone[c] *= gone_table[j, c]
                votes += 1
            if votes > FEW:
                out[i] = cell_odds(1.0, says, code, 0, votes)
                if deceptive:
                    together[place, i] = absent_together(says, code, 0, votes)
            elif joint and votes > 1:
                out[i] = _sum(here)
                if deceptive:
                    together[place, i] = _sum(gone)
                    out[i] /= together[place, i]
            else:
                out[i] = w
    return RecordingRatios(ratio, together)


@inlined
def _sum(values: Floats) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


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
