"""Shifted: all false positive rates of an annotator move at once, with presence in reported cells summed out.

If rates differ little between species, all reports of an annotator may be true, or all false, and no rate can
move alone (as in reflected.py): its prior holds it near the level. Here the level and all logits of an
annotator move by the same amount, up as likely as down, accepted with the ratio of

    Normal(level; mean, sd²) · ∏ over pairs (1 − q)^n · ∏ over votes in reported cells (h + q or h + 1 − q),

with n and h as in reflected.py; the density of logits around their level does not change.
"""

from __future__ import annotations

import math

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints
from ..lookups import accepted
from ..rates import MAX_LOGIT, unpack_vote
from .reflected import Side, VotesByRate
from .tangents import log_one_plus

LARGEST = 3.0
"""The standard deviation of the largest proposals; each time it is a random part of that."""


@compiled
def shift_annotators(
    rng: np.random.Generator,
    side: Side,
    w: Floats,
    by_rate: VotesByRate,
    silent: Ints,
    pair_start: Ints,
    prior: tuple[Floats, float, float],
    turns: int,
) -> int:
    """Move levels with their logits and, with them, the odds `w` of presence in reported cells, in place.

    `silent` counts for every rate the silences in absent cells that nobody reported. In each call one of
    `turns` annotators has a turn. Return how many have moved.
    """
    level, x = side.level, side.logit
    mean, sd, _ = prior
    start = np.searchsorted(by_rate.rate, pair_start)
    moved = 0
    for j in range(int(rng.random() * turns), len(level), turns):
        if start[j] == start[j + 1]:
            continue
        move = LARGEST * rng.random() * rng.standard_normal()
        before, after = (level[j] - mean[j]) / sd, (level[j] + move - mean[j]) / sd
        gain = 0.5 * (before * before - after * after)
        for p in range(pair_start[j], pair_start[j + 1]):
            if max(abs(x[p]), abs(x[p] + move)) > MAX_LOGIT:
                gain = -np.inf
                break
            if silent[p] > 0:
                odds = math.exp(x[p])
                gain += silent[p] * (log_one_plus(odds)[0] - log_one_plus(odds * math.exp(move))[0])
        if gain > -np.inf:
            gain += _cells(w, by_rate, x, move, start[j], start[j + 1], False)
        if accepted(rng, gain):
            _cells(w, by_rate, x, move, start[j], start[j + 1], True)
            level[j] += move
            x[pair_start[j] : pair_start[j + 1]] += move
            moved += 1
    return moved


@inlined
def _cells(
    w: Floats, by_rate: VotesByRate, x: Floats, move: float, first: int, last: int, keep: bool
) -> float:
    """Return by how much votes in reported cells become more likely, or `keep` the odds after the move."""
    vote_start, vote_item = by_rate.votes
    term, gain, times = np.empty(2), 0.0, 1.0
    for place in range(first, last):
        odds = math.exp(x[by_rate.rate[place]])
        after = odds * math.exp(move)
        term[0] = (1 + odds) / (1 + after)
        term[1] = term[0] * after / odds
        for v in range(vote_start[place], vote_start[place + 1]):
            cell, said = unpack_vote(vote_item[v])
            if keep:
                w[cell] /= term[said]
            else:
                times *= (w[cell] + term[said]) / (w[cell] + 1)
                if not 1e-200 < times < 1e200:
                    gain, times = gain + math.log(times), 1.0
    return gain + math.log(times)
