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

from typing import NamedTuple

import numpy as np

from ...common.compiled import ZERO, compiled
from ...common.ragged import Bools, Floats, Ints
from ..audibility import Evidence, VoteRates, evidence
from ..design import Layout
from .blocks import bounds_for, draw_block, draw_blocks, start_counts
from .odds import Odds


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


def draw(
    rng: np.random.Generator, layout: Layout, odds: Odds, rates: VoteRates, threads: int = 1
) -> Presence:
    """Draw presence given odds and rates; `threads` share the blocks of large data, with the same draws."""
    says = evidence(rates)
    if len(layout.blocks) == 2:
        return _draw_one(rng, layout, odds, says.ratio, says.together)
    reported, counts, silent = draw_blocks(rng, layout, odds, says, threads)
    return Presence(reported.present, *silent, *counts, reported.odds)


@compiled
def _draw_one(
    rng: np.random.Generator, layout: Layout, odds: Odds, ratio: Floats, together: Evidence | None
) -> Presence:
    """Draw the one block that small data are.

    All happens in one call from Python, because a call takes as long as hundreds of cells.
    """
    bounds = bounds_for(layout, odds, ratio, together)
    reported, counts = start_counts(layout, len(ratio) // 2)
    recording, species = draw_block(rng, layout, odds, ratio, together, bounds, ZERO, reported, counts)
    return Presence(
        reported.present, recording, species, counts.by_species, counts.votes, counts.misses, reported.odds
    )
