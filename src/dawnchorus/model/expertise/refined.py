"""Refined: false positive rates with presence summed out, where an annotator often reported a species.

Given the odds, everybody's rates and presence in cells that nobody reported, the false positive rate q = σ(x)
of a pair has the density

    Normal(x; level, spread²) · (1 − q)^n · ∏ over its votes in reported cells (h + q or h + 1 − q),

with n its silences in absent cells that nobody reported, and h the odds of presence in a cell times
everything but this pair's own term for absence. Drawing x from it and presence thereafter moves both at
once; one after the other they hold each other fast.
"""

from __future__ import annotations

import math

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints, Ragged
from ..design import Layout
from ..occurrence import Odds
from ..presence.lookups import weighed

STEP = 1.5
"""The standard deviation of the proposal, on the logit scale."""


@inlined
def _inside(logit: float) -> float:
    return min(max(logit, -34.0), 34.0)


@compiled
def ratios_at(rates: Ints, tpr: Floats, fpr: Floats) -> Floats:
    """Give the ratios of silence and report for these rates, from logits; those of others are left open."""
    ratio = np.empty(2 * len(tpr))
    for rate in rates:
        there, wrong = math.exp(_inside(tpr[rate])), math.exp(_inside(fpr[rate]))
        ratio[2 * rate] = (1 + wrong) / (1 + there)
        ratio[2 * rate + 1] = ratio[2 * rate] * there / wrong
    return ratio


@compiled
def refine_logits(
    rng: np.random.Generator,
    x: Floats,
    ratio: Floats,
    layout: Layout,
    rates: Ints,
    busy: Ragged,
    odds: Odds,
    silent: Ints,
    level: Floats,
    spread: float,
) -> None:
    """Move the logits of these rates, in place, by a Metropolis step each.

    `busy` lists their votes in reported cells: twice the cell's place, plus 1 for a report; `silent` counts
    their silences in absent cells that nobody reported.
    """
    odds_of, group = odds.odds, odds.group
    votes, vote = layout.votes, layout.vote
    cell_item, cell_recording = layout.cells.item, layout.cell_recording
    busy_start, busy_item = busy.start, busy.item
    for place in range(len(rates)):
        rate = rates[place]
        new = x[rate] + STEP * rng.standard_normal()
        q, q_new = 1 / (1 + math.exp(-x[rate])), 1 / (1 + math.exp(-new))
        gain = silent[place] * (math.log1p(-q_new) - math.log1p(-q))
        gain -= 0.5 * ((new - level[place]) ** 2 - (x[rate] - level[place]) ** 2) / spread**2
        report, silence = q_new / q, (1 - q_new) / (1 - q)
        product = 1.0
        for b in range(busy_start[place], busy_start[place + 1]):
            cell = busy_item[b] // 2
            prior = odds_of[group[cell_recording[cell]], cell_item[cell]]
            w = weighed(prior, ratio, vote, votes[cell], votes[cell + 1])
            # (h + new) / (h + old) with h = w · old
            product *= (w + (report if busy_item[b] % 2 else silence)) / (w + 1)
            if not 1e-200 < product < 1e200:
                gain += math.log(product)
                product = 1.0
        gain += math.log(product)
        if rng.standard_exponential() > -gain:
            ratio[2 * rate] /= silence
            ratio[2 * rate + 1] /= report
            x[rate] = new
