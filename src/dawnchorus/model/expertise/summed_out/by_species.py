"""By species: rates of large data move in blocks of species, which threads share, with the same draws.

Reported cells of different species have no rate in common. So, given levels and spreads, rates of different
species are independent of each other, with presence in reported cells summed out too. Only levels are moved
one after the other (shifted.py). Blocks are consecutive species with about so many votes in reported cells;
they depend on the data alone, and each has random numbers of its own (common/workers/parts.py).

Cells are in order of species here: so the odds that a block works on are close together.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import numpy as np

from ....common.ragged import Floats, Ints, Ragged
from ....common.workers.parts import even_parts, in_threads, new_key, stream
from ...audibility import Evidence
from ...design import Design, ReportedCells
from ...presence.odds import Odds
from ...presence.reported import fill_odds
from .refined import LEVEL_TURNS, reflect_false, reflect_true
from .reflected import Side, VotesByRate, votes_by_rate
from .shifted import rates_of_annotators, shift_annotators

VOTES = 1 << 16
"""A block has about so many votes in reported cells."""


class SpeciesBlocks(NamedTuple):
    """Reported cells in order of species, and the votes on them by rate, block by block."""

    order: Ints
    """The place of each cell in the design."""
    reported: ReportedCells
    by_rate: VotesByRate
    of_annotator: Ragged
    """The places in `by_rate` of the rates of each annotator."""
    cells: Ints
    """Where the cells of each block start, and their number."""
    rates: Ints
    """Where the rates of each block start in `by_rate`, and their number."""

    def votes_of(self, block: int) -> VotesByRate:
        """Return the votes of one block by rate."""
        low, high = self.rates[block : block + 2]
        rate, annotator, (start, cells), said, reports, silences = self.by_rate
        votes = Ragged(start[low : high + 1], cells)
        return VotesByRate(rate[low:high], annotator[low:high], votes, said, reports[low:high], silences)

    def told(self, reported: ReportedCells) -> ReportedCells:
        """Return the cells with what else is known of them in the design."""
        further = reported.further
        return self.reported._replace(further=further[self.order] if len(further) else further)


def species_blocks(design: Design) -> SpeciesBlocks:
    """Return the reported cells of a design in blocks of species."""
    reported, n_species = design.layout.reported, design.annotations.n_species
    species = reported.cells.item
    order = np.argsort(species, kind="stable").astype(np.int32)
    votes = Ragged(reported.vote_start, reported.vote).take(order)
    sizes = np.bincount(species[order], votes.sizes, minlength=n_species).astype(np.int64)
    firsts = even_parts(sizes, VOTES)
    cells = reported._replace(
        cells=Ragged.from_sizes([len(order)], species[order]),
        recording=reported.recording[order],
        vote_start=votes.start.copy(),
        vote=votes.item.copy(),
    )
    sorted_design = copy(design)
    sorted_design.layout = design.layout._replace(reported=cells)
    by_rate = votes_by_rate(sorted_design)
    block = np.searchsorted(firsts, design.pairs.item[by_rate.rate], side="right") - 1
    by_rate = _arranged(by_rate, np.argsort(block, kind="stable"))
    return SpeciesBlocks(
        order,
        cells,
        by_rate,
        rates_of_annotators(by_rate, design.annotations.n_annotators),
        np.searchsorted(species[order], firsts),
        np.searchsorted(np.sort(block), np.arange(len(firsts))),
    )


def _arranged(by_rate: VotesByRate, order: Ints) -> VotesByRate:
    """Return votes by rate with the rates in another order."""
    rate, annotator, cells, said, reports, silences = by_rate
    votes = Ragged(cells.start, np.arange(len(said))).take(order)
    cells = Ragged.from_sizes(votes.sizes, cells.item[votes.item])
    return VotesByRate(rate[order], annotator[order], cells, said[votes.item], reports[order], silences)


def odds_in_order(
    blocks: SpeciesBlocks, reported: ReportedCells, odds: Odds, says: Evidence, threads: int
) -> Floats:
    """Return the odds of presence in each reported cell given all votes, in order of species."""
    w = np.empty(len(blocks.order))

    def fill(block: int) -> None:
        together = says.with_own_room().together
        fill_odds(w, reported, odds, says.ratio, together, *blocks.cells[block : block + 2])

    in_threads(fill, len(blocks.cells) - 1, threads)
    return w


def refine_blocks(
    rng: np.random.Generator,
    tpr: Side,
    fpr: Side,
    further: ReportedCells,
    blocks: SpeciesBlocks,
    pair_start: Ints,
    odds: Odds,
    misses: Ints,
    prior: tuple[Floats, float, float],
    says: Evidence,
    unsure: float,
    threads: int,
) -> tuple[int, int, int]:
    """Move rates and levels as `refine` does (refined.py), in place; return how many have moved."""
    w, by_rate, levels = odds_in_order(blocks, blocks.told(further), odds, says, threads), blocks.by_rate, 0
    silent = by_rate.silences - misses
    if not len(says.gone.room):
        given = by_rate, silent, pair_start, blocks.of_annotator, prior, unsure
        levels = shift_annotators(rng, fpr, w, *given, LEVEL_TURNS)
    key = new_key(rng)

    def move(block: int) -> tuple[int, int]:
        own, votes, together = stream(key, block), blocks.votes_of(block), says.together
        false = reflect_false(own, fpr, w, votes, silent, unsure, together)
        low, high = blocks.cells[block : block + 2]
        w[low:high] = 1 / w[low:high]
        return false, reflect_true(own, tpr, w, votes, misses, unsure, together)

    moved = np.sum(in_threads(move, len(blocks.cells) - 1, threads), axis=0, initial=0)
    return int(moved[1]), int(moved[0]), levels
