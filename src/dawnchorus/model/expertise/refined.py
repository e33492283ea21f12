"""Refined: false positive rates with presence summed out, where an annotator has many votes on a species.

Given the odds, everybody's rates and presence in cells that nobody reported, the false positive rate q = σ(x)
of a pair has the density

    Normal(x; level, spread²) · (1 − q)^n · ∏ over its votes in reported cells (h + q or h + 1 − q),

with n its silences in absent cells that nobody reported, and h the odds of presence in a cell times
everything but this pair's own term for absence. Drawing x from this density, and presence afterwards, moves
both at once; since they are strongly correlated, they would hardly move if drawn given each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged
from ..design import Design, ReportedCells
from ..lookups import accepted, weighed
from ..presence.odds import Odds, odds_at
from ..rates import pack_vote, ratios_from_logits, unpack_vote

STEP = 1.5
"""The standard deviation of the proposal, on the logit scale."""
MANY_VOTES = 3
"""Rates with at least so many votes in reported cells are refined."""


class ManyVotes(NamedTuple):
    """The rates on which many votes in reported cells depend, and those votes."""

    rate: Ints
    annotator: Ints
    votes: Ragged
    """Its votes in reported cells, packed like codes, with the cell in place of the rate."""
    silences: Ints
    """Of each such rate, silences in cells that nobody reported."""


def many_votes(design: Design) -> ManyVotes:
    """Return the rates on which many votes in reported cells depend."""
    reported, n_rates = design.layout.reported, design.n_rates
    rate, report = unpack_vote(reported.vote)
    many = np.flatnonzero(np.bincount(rate, minlength=n_rates) >= MANY_VOTES)
    cell = np.repeat(np.arange(len(reported.vote_start) - 1), np.diff(reported.vote_start))
    votes = Ragged.from_pairs(rate, pack_vote(cell, report), rows=n_rates).take(many)
    silences = design.silences - np.bincount(rate[report == 0], minlength=n_rates)
    return ManyVotes(many, design.rate_annotator[many], votes, silences[many])


@compiled
def refine(
    rng: np.random.Generator,
    tpr: Floats,
    fpr: Floats,
    reported: ReportedCells,
    many: ManyVotes,
    odds: Odds,
    misses: Ints,
    level: Floats,
    spread: float,
) -> tuple[Floats, int]:
    """Return new logits of false positive rates, and how many proposals were accepted.

    `tpr` and `fpr` are logits of all rates, `level` is that of each annotator, and `misses` counts for each
    rate the silences in present cells that nobody reported.
    """
    new = fpr.copy()
    ratio = ratios_from_logits(reported.rates, tpr, new)
    return new, refine_logits(rng, new, ratio, reported, many, odds, misses, level, spread)


@compiled
def refine_logits(
    rng: np.random.Generator,
    x: Floats,
    ratio: Floats,
    reported: ReportedCells,
    many: ManyVotes,
    odds: Odds,
    misses: Ints,
    level: Floats,
    spread: float,
) -> int:
    """Move the logits of rates with many votes, in place, by a Metropolis step each; return how many moved.

    `ratio`, by code of a vote, is updated in place as well.
    """
    factor, row = odds.factor, odds.row
    votes, vote = reported.vote_start, reported.vote
    cell_item, cell_recording = reported.cells.item, reported.recording
    rates, owner, silences = many.rate, many.annotator, many.silences
    many_start, many_item = many.votes
    moved = 0
    for place in range(len(rates)):
        rate, centre = rates[place], level[owner[place]]
        silent = silences[place] - misses[rate]
        new = x[rate] + STEP * rng.standard_normal()
        q, q_new = 1 / (1 + math.exp(-x[rate])), 1 / (1 + math.exp(-new))
        gain = silent * (math.log1p(-q_new) - math.log1p(-q))
        gain -= 0.5 * ((new - centre) ** 2 - (x[rate] - centre) ** 2) / spread**2
        report, silence = q_new / q, (1 - q_new) / (1 - q)
        product = 1.0
        for v in range(many_start[place], many_start[place + 1]):
            cell, is_report = unpack_vote(many_item[v])
            prior = odds_at(factor, row, cell_recording[cell], cell_item[cell])
            w = weighed(prior, ratio, vote, votes[cell], votes[cell + 1])
            # (h + new) / (h + old) with h = w · old
            product *= (w + (report if is_report else silence)) / (w + 1)
            if not 1e-200 < product < 1e200:
                gain += math.log(product)
                product = 1.0
        gain += math.log(product)
        if accepted(rng, gain):
            ratio[pack_vote(rate, 0)] /= silence
            ratio[pack_vote(rate, 1)] /= report
            x[rate] = new
            moved += 1
    return moved
