"""Faint birds: how far they differ in how audible they are, and the class of each that is present.

Given presence and true positive rates, the spread of audibility (../audibility.py) has the density

    half-normal(spread) · ∏ over present cells Σ over classes share · ∏ over votes P(vote | present, class),

classes summed out: of a bird that one or two people voted on, votes hardly tell the class, so that the spread
given classes would barely move. It takes Metropolis–Hastings steps of many sizes on the scale of logarithms,
alone and with all logits, which are multiplied so that rates over all birds stay about as they are.

Then each present cell draws its class, and the votes on it are trials whose odds have the factor of the class
(logits/trials.py). Classes are forgotten after the update of rates: presence is drawn with them summed out.
"""

from __future__ import annotations

import math

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged
from ..audibility import CLASSES, SHARE, Audibility, Evidence, votes_on_cell
from ..design import Layout
from ..lookups import has_voted, rate_of
from ..presence.draw import Presence
from ..rates import inside_logit, pack_vote, unpack_vote
from .logits.trials import Classes
from .sides import Side, SidePrior

LARGEST = 1.5
"""The standard deviation of the largest; each time it is a part of that, more often a small one."""
LEAST, MOST = 1e-9, 1e2
"""Bounds of the spread."""
FLATTER = 0.346
"""Over birds of all classes, a rate with logit x for a bird of average loudness has about the logit
x / √(1 + FLATTER·spread²)."""


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


def update_faintness(
    rng: np.random.Generator, votes: Ragged, prior: SidePrior, side: Side, *, stretch: bool
) -> tuple[Side, float, float]:
    """Return a side whose spread of audibility moved, with logits if asked to, and alone; and if it did."""
    assert prior.faint
    scale, with_logits = float(prior.faint.scale), 0.0
    now = _log_density(votes, _odds(side.logit), float(side.faint), scale)
    if stretch:
        spread = float(side.faint)
        new, step = _proposed(rng, spread)
        then, gain = prior.stretched(side, math.sqrt((1 + FLATTER * new**2) / (1 + FLATTER * spread**2)))
        there = _log_density(votes, _odds(then.logit), new, scale)
        if rng.standard_exponential() > now - there - gain - step:
            side, now, with_logits = then._replace(faint=np.array(new)), there, 1.0
    new, step = _proposed(rng, float(side.faint))
    there = _log_density(votes, _odds(side.logit), new, scale)
    alone = rng.standard_exponential() > now - there - step
    return side._replace(faint=np.array(new)) if alone else side, with_logits, float(alone)


def _proposed(rng: np.random.Generator, spread: float) -> tuple[float, float]:
    """Return a new spread, and how far away its logarithm is."""
    step = LARGEST * rng.random() ** 2 * rng.standard_normal()
    new = min(max(spread * math.exp(step), LEAST), MOST)
    return new, math.log(new / spread)


@compiled
def _odds(logit: Floats) -> Floats:
    """Return the odds of a report for birds of average loudness."""
    odds = np.empty(len(logit))
    for rate in range(len(logit)):
        odds[rate] = math.exp(inside_logit(logit[rate]))
    return odds


@compiled
def _given(odds: Floats, spread: float) -> Evidence:
    """Return what votes say of the class of a present cell: nothing is compared with absence."""
    heard = Audibility(np.exp(spread * CLASSES), SHARE)
    return Evidence(np.empty(0), odds, np.ones(2 * len(odds)), heard, np.empty(len(SHARE)))


@compiled
def _log_density(votes: Ragged, odds: Floats, spread: float, scale: float) -> float:
    """Return the log density of the spread."""
    says, total, product = _given(odds, spread), -0.5 * (spread / scale) ** 2, 1.0
    for cell in range(len(votes.start) - 1):
        low, high = votes.start[cell], votes.start[cell + 1]
        product *= votes_on_cell(says, votes.item, low, high)
        if product < 1e-100:
            total, product = total + math.log(max(product, 1e-300)), 1.0
    return total + math.log(product)


@compiled
def draw_classes(rng: np.random.Generator, votes: Ragged, logit: Floats, spread: float) -> Classes:
    """Draw the class of each present cell; return the trials of each rate by class."""
    says, n = _given(_odds(logit), spread), len(SHARE)
    drawn = np.empty(len(votes.item), np.int8)
    start = np.zeros(len(logit) + 1, np.int64)
    for cell in range(len(votes.start) - 1):
        low, high = votes.start[cell], votes.start[cell + 1]
        votes_on_cell(says, votes.item, low, high)
        left, c = rng.random() * says.room.sum(), 0
        while c < n - 1 and left >= says.room[c]:
            left -= says.room[c]
            c += 1
        for v in range(low, high):
            drawn[v] = c
            start[unpack_vote(votes.item[v])[0] + 1] += 1
    start = np.cumsum(start)
    return _by_rate(votes, drawn, start, says.audibility.factor)


@compiled
def _by_rate(votes: Ragged, drawn: Ints, start: Ints, factor: Floats) -> Classes:
    """Return trials by rate and class; `start` is where the votes of each rate start."""
    place, ordered = start.copy(), np.empty(len(drawn), np.int64)
    for v in range(len(drawn)):
        rate = unpack_vote(votes.item[v])[0]
        ordered[place[rate]] = drawn[v]
        place[rate] += 1
    begin, trials, which = np.zeros(len(start), np.int64), np.empty(len(drawn), np.int64), ordered
    number, at = np.zeros(len(factor), np.int64), 0
    for rate in range(len(start) - 1):
        for v in range(start[rate], start[rate + 1]):
            number[ordered[v]] += 1
        if start[rate + 1] > start[rate]:
            for c in range(len(factor)):
                if number[c] > 0:
                    trials[at], which[at], number[c] = number[c], c, 0
                    at += 1
        begin[rate + 1] = at
    return Classes(begin, trials[:at].copy(), factor[which[:at]])
