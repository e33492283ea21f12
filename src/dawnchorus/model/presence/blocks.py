"""Blocks: presence is drawn by blocks of recordings, which threads share, with the same draws.

Given odds and rates, recordings are independent of each other. Large data lie in blocks of consecutive
recordings that depend on the data alone (`Layout.blocks`). In every sweep the chain's generator draws a key,
and a block has the stream of random numbers of that key and its own number (common/workers/parts.py). So
whoever draws a block, and in whatever order, draws the same cells, and counts are sums of whole numbers.
Small data are one block, drawn from the chain's own stream.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import ZERO, compiled
from ...common.ragged import Bools, Floats, Ints
from ...common.workers.parts import in_threads, new_key, stream
from ..audibility import Evidence
from ..design import Layout, SpeciesLists
from .candidates import Candidates, SilenceBounds, candidates, silence_bounds
from .odds import Odds
from .reported import draw_reported, fill_odds
from .silent import Leading, Places, choose_candidates, draw_silent, leading_visits


class Counts(NamedTuple):
    """What a draw of presence is counted by; blocks add to it."""

    by_species: Ints
    votes: Ints
    misses: Ints


class Bounds(NamedTuple):
    """What the draw of every block needs, and is the same for all of them."""

    species_lists: SpeciesLists
    silence: SilenceBounds
    candidates: Candidates
    leading: Leading


class Reported(NamedTuple):
    """Which reported cells are present, and with which odds; each block fills in its own."""

    present: Bools
    odds: Floats


@compiled
def bounds_for(layout: Layout, odds: Odds, ratio: Floats, together: Evidence | None) -> Bounds:
    """Return bounds on how often silent cells turn out present."""
    species_lists = layout.shared_list if odds.own_tables else layout.species_lists
    silence = silence_bounds(species_lists, layout.rates.pairs, ratio)
    most_later = silence.later
    if together is not None and len(together.present.room) > 1:
        most_later = silence_bounds(species_lists, layout.rates.pairs, 1 / together.absent).later
    bound = candidates(species_lists.lists, silence.entry, odds.max_odds, odds.sizes, odds.own_tables)
    return Bounds(species_lists, silence, bound, leading_visits(layout, most_later))


@compiled
def start_counts(layout: Layout, n_rates: int) -> tuple[Reported, Counts]:
    """Return room for reported cells, and counts with all of them present and no silent cell."""
    n = len(layout.reported.recording)
    reported = Reported(np.ones(n, np.bool_), np.empty(n))
    by_species, votes = layout.reported.by_species.copy(), layout.reported.votes_by_code.copy()
    return reported, Counts(by_species, votes, np.zeros(n_rates, np.int64))


@compiled
def draw_block(
    rng: np.random.Generator,
    layout: Layout,
    odds: Odds,
    ratio: Floats,
    together: Evidence | None,
    bounds: Bounds,
    block: int,
    reported: Reported,
    counts: Counts,
) -> tuple[Ints, Ints]:
    """Draw one block: fill in its reported cells, add to the counts, and return its present silent cells.

    Reported cells are drawn first; then candidates among silent cells are chosen, and drawn.
    """
    recordings, cells = layout.blocks[block : block + 2], layout.reported.cells.start
    low, high = cells[recordings[0]], cells[recordings[1]]
    fill_odds(reported.odds, layout.reported, odds, ratio, together, low, high)
    draw_reported(
        rng, layout.reported, reported.odds, low, high, reported.present, counts.by_species, counts.votes
    )
    first, last = np.searchsorted(layout.leading_recording, recordings)
    room = 1024 + last - first
    places = Places(np.empty(room, np.int32), np.empty(room, np.int32))
    at, n, gap = first, ZERO, rng.standard_exponential()
    species_lists, silence, bound, leading = bounds
    while True:
        at, n, gap = choose_candidates(
            rng,
            layout,
            species_lists,
            odds.group,
            bound,
            silence.annotator,
            leading,
            places,
            at,
            last,
            n,
            gap,
        )
        if at == last:
            break
        more = np.empty(len(places.place) + len(counts.by_species), np.int32)
        places = Places(np.append(places.place, more), np.append(places.species, more))
    places = Places(places.place[:n], places.species[:n])
    found = draw_silent(
        rng, layout, species_lists, odds, ratio, together, bound, silence.entry, leading, places,
        counts.by_species, counts.misses,
    )  # fmt: skip
    return layout.leading_recording[places.place[:found]], places.species[:found]


def draw_blocks(
    rng: np.random.Generator, layout: Layout, odds: Odds, says: Evidence, threads: int
) -> tuple[Reported, Counts, tuple[Ints, Ints]]:
    """Draw all blocks, shared by so many threads; return reported cells, counts and present silent cells."""
    return draw_blocks_of(new_key(rng), 0, layout, odds, says, threads)


def draw_blocks_of(
    key: int, first: int, layout: Layout, odds: Odds, says: Evidence, threads: int
) -> tuple[Reported, Counts, tuple[Ints, Ints]]:
    """Draw blocks that are numbered from `first` on in all data, of which `layout` may be a part."""
    bounds = bounds_for(layout, odds, says.ratio, says.together)
    reported, counts = start_counts(layout, len(says.ratio) // 2)

    parts = np.array_split(np.arange(len(layout.blocks) - 1), threads)
    own = [counts, *(Counts(*(np.zeros_like(count) for count in counts)) for _ in parts[1:])]

    def drawn(part: int) -> list[tuple[Ints, Ints]]:
        mine = says.with_own_room()
        return [
            draw_block(
                stream(key, first + block), layout, odds, says.ratio, mine.together, bounds, block, reported,
                own[part],
            )
            for block in parts[part]
        ]  # fmt: skip

    silent = [cells for cells_of_part in in_threads(drawn, threads, threads) for cells in cells_of_part]
    for others in own[1:]:
        for count, more in zip(counts, others, strict=True):
            count += more
    recording, species = (np.concatenate(lists) for lists in zip(*silent, strict=True))
    return reported, counts, (recording, species)
