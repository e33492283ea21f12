"""Faint birds: the votes on present cells, whose classes differ in how audible birds are.

Given presence and true positive rates, the spread of audibility (../audibility.py) has the density

    half-normal(spread) · ∏ over present cells Σ over classes share · ∏ over votes P(vote | present, class),

classes summed out: by_cell.py has the steps. Classes are forgotten after the update of rates: presence is
drawn with them summed out.
"""

from __future__ import annotations

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ragged
from ..design import Layout
from ..lookups import has_voted, rate_of
from ..presence.draw import Presence
from ..rates import pack_vote
from .by_cell import draw_classes, log_density, odds_of_average, update_spread
from .kinds import NO_MORE, Kinds, by_rate
from .sides import Side, SidePrior

WORDS = "some birds are faint for everybody"


def draw_faint(
    rng: np.random.Generator,
    layout: Layout,
    presence: Presence,
    prior: SidePrior,
    side: Side,
    unsure: float,
    *,
    stretch: bool,
) -> tuple[Side, Kinds, tuple[float, float]]:
    """Draw how far birds differ and the class of each that is present; return trials by class, and moves.

    `unsure` is as in `VoteRates`. If asked to, logits are stretched together with the spread.
    """
    votes = present_votes(layout, presence)
    side, moved = update_faintness(rng, votes, prior, side, unsure, stretch=stretch)
    drawn, factor = draw_classes(rng, votes, side.logit, float(side.varied), unsure)
    return side, by_rate(votes.item, drawn, len(side.logit), factor, unsure > 0, NO_MORE), moved


def update_faintness(
    rng: np.random.Generator, votes: Ragged, prior: SidePrior, side: Side, unsure: float, *, stretch: bool
) -> tuple[Side, tuple[float, float]]:
    """Return a side whose spread of audibility moved, given the votes on present cells, and if it did."""

    def density(logit: Floats, spread: float) -> float:
        return log_density(votes, odds_of_average(logit), spread, prior.scales[2], unsure)

    return update_spread(rng, prior, side, density, stretch=stretch)


@compiled
def present_votes(layout: Layout, presence: Presence) -> Ragged:
    """Return the votes on each present cell, by code."""
    visits, reported = layout.visits, layout.reported
    cells, total = 0, 0
    for cell in range(len(presence.reported)):
        if presence.reported[cell]:
            cells += 1
            total += reported.vote_start[cell + 1] - reported.vote_start[cell]
    start = np.zeros(cells + len(presence.recording) + 1, np.int64)
    code = np.empty(total + presence.misses.sum(), np.int64)
    cells, total = 0, 0
    for cell in range(len(presence.reported)):
        if presence.reported[cell]:
            for v in range(reported.vote_start[cell], reported.vote_start[cell + 1]):
                code[total] = reported.vote[v]
                total += 1
            cells += 1
            start[cells] = total
    for at in range(len(presence.recording)):
        i, k = presence.recording[at], presence.species[at]
        for visit in range(visits.start[i], visits.start[i + 1]):
            if has_voted(visits, visit, k):
                code[total] = pack_vote(rate_of(layout.rates, visits.annotator[visit], k), 0)
                total += 1
        cells += 1
        start[cells] = total
    return Ragged(start, code)
