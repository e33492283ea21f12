"""Independent cells: presence where species are independent, computed once for cells with the same votes.

The probability of a cell depends on its species, the context of its recording and the votes on it; so it is
computed once for all cells that share these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Bools, Floats, Ints, Ragged
from .cell_votes import CellScores, Votes, same_votes, votes_on
from .joint_votes import take_factor, take_log_factor
from .score_ratios import add_score_ratios
from .vote_ratios import REACH, STATES, Ratios, RatioTable, products_reach, with_truth

LANE = 512
"""So many draws are computed at a time."""


class Prepared(NamedTuple):
    """What the kernel needs for a set of draws.

    `reach` is how far the odds of each unit may go, `known` what is known of it, `scores` those on it.
    """

    ratios: Ratios
    start: Ints
    code: Ints
    reach: Floats
    known: Ints
    scores: CellScores


class IndependentCells:
    """The cells of a block of recordings.

    `unit` is the number of each cell among those that differ, `reported` tells which numbers have a report.
    """

    def __init__(
        self, votes: Votes, pairs: Ragged, first: int, cells: Ragged, context: Ints, occurrence: Floats
    ) -> None:
        recordings = np.arange(first, first + cells.rows)
        cast = votes_on(votes, pairs, recordings, cells, False)
        where = np.repeat(context, cells.sizes).astype(np.int32)
        known = votes.known_at(first, cells)
        apart = STATES * where + known if len(known) else where
        scores = votes.scores_at(first, cells)
        if len(scores.start):  # hardly ever the same in two cells
            scored = np.flatnonzero(scores.any)
            apart = apart.astype(np.int64)
            apart[scored] = apart.max(initial=0) + 1 + np.arange(len(scored))
        unit, one = same_votes(cells.item, apart, cast)
        # In order of species, so that the occurrence of a species is read once.
        order = np.lexsort((where[one], cells.item[one]))
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        one = one[order]
        self.unit = rank[unit]
        self.reported: Bools = cast.reported[one]
        self.species, self.context = cells.item[one], where[one]
        sizes = np.diff(cast.start)[one]
        self.start = np.append(0, np.cumsum(sizes))
        shift = np.repeat(cast.start[one] - self.start[:-1], sizes)
        self.code = cast.code[np.arange(len(shift)) + shift]
        self.occurrence = occurrence
        self.known: Ints = known[one] if len(known) else known
        self.scores = scores.take(one)
        self.truth = votes.known_as_truth

    def chunks(self, units: Ints, size: int) -> Iterator[Ints]:
        """Return units, which ascend, in pieces of this size."""
        return (units[i : i + size] for i in range(0, len(units), size))

    def prepare(self, table: RatioTable) -> Prepared:
        """Return the ratios that `chances` needs."""
        ratios, (code,), rate = table.of(self.code)
        reach, far = products_reach(ratios, self.start, code, self.known, self.scores)
        ratios = table.with_logs(ratios, rate, np.unique(far))
        return Prepared(ratios, self.start, code, reach, self.known, self.scores)

    def votes_of(self, units: Ints) -> tuple[Ints, Ints]:
        """Return where the votes on each of these units start, and their codes."""
        cast = Ragged(self.start, self.code).take(units)
        return cast.start, cast.item

    def chances(self, units: Ints, prepared: Prepared) -> Floats:
        """Return the probability of presence: units × draws."""
        out = np.empty((len(units), len(prepared.ratios.draws)), np.float32)
        _chances(units, self.species, self.context, prepared, self.occurrence, out)
        return with_truth(out, self.known[units]) if len(self.known) and self.truth else out


@compiled
def _chances(
    units: Ints, species: Ints, context: Ints, prepared: Prepared, occurrence: Floats, out: Floats
) -> None:
    ratios, code = prepared.ratios, prepared.code
    n = len(ratios.draws)
    chance, factor = np.empty(n), np.empty(LANE)
    last = -1
    for row in range(len(units)):
        u = units[row]
        if last < 0 or species[u] != species[last] or context[u] != context[last]:
            for d in range(n):
                chance[d] = occurrence[ratios.draws[d], 0, context[u], species[u]]
            last = u
        for first in range(0, n, LANE):
            size = min(LANE, n - first)
            there, found = chance[first : first + size], out[row, first : first + size]
            if prepared.reach[u] <= REACH:
                take_factor(factor, ratios, code, prepared.start[u], prepared.start[u + 1], first, size)
                for d in range(size):
                    present = there[d] * factor[d]
                    found[d] = present / (1 - there[d] + present)
            else:
                take_log_factor(factor, ratios, code, prepared.start[u], prepared.start[u + 1], first, size)
                if len(prepared.known) > 0:
                    for d in range(size):
                        factor[d] += ratios.known[0, prepared.known[u], first + d]
                add_score_ratios(factor, prepared.scores, u, ratios, first, size)
                for d in range(size):
                    odds_against = (1 - there[d]) / max(there[d], 1e-300)
                    found[d] = 1 / (1 + odds_against * np.exp(min(-factor[d], 700.0)))
