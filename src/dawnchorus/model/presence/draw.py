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
from .candidates import candidates, silence_bounds
from .odds import Odds
from .reported import draw_reported, odds_given_votes
from .silent import Places, choose_candidates, draw_silent, leading_visits


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
    reported = draw_reported(rng, layout.reported, given_votes, counts)
    leading = leading_visits(layout, most_later)
    room = 1024 + len(layout.leading_visit)
    places = Places(np.empty(room, np.int32), np.empty(room, np.int32))
    at, n, gap = ZERO, ZERO, rng.standard_exponential()
    while True:
        at, n, gap = choose_candidates(
            rng, layout, species_lists, odds.group, bound, silence.annotator, leading, places, at, n, gap
        )
        if at == len(layout.leading_visit):
            break
        more = np.empty(len(places.place) + len(counts[0]), np.int32)
        places = Places(np.append(places.place, more), np.append(places.species, more))
    places = Places(places.place[:n], places.species[:n])
    found = draw_silent(
        rng, layout, species_lists, odds, ratio, together, bound, silence.entry, leading, places, counts[0],
        misses,
    )  # fmt: skip
    recording = layout.leading_recording[places.place[:found]]
    return Presence(reported, recording, places.species[:found], counts[0], counts[1], misses, given_votes)
