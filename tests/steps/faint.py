"""Birds that differ in how audible they are: presence, how far they differ, and the class of each."""

from __future__ import annotations

from functools import cache, partial
from itertools import pairwise

import numpy as np
from scipy import stats
from scipy.special import expit

import naive
from checks import half_normal_p, ks_p
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.distributions import HalfNormal, Normal
from dawnchorus.model.expertise import faint
from dawnchorus.model.expertise.by_cell import draw_classes
from dawnchorus.model.expertise.kinds import NO_MORE, by_rate
from dawnchorus.model.expertise.sides import Side, SidePrior
from dawnchorus.model.rates import pack_vote

from .presence import COMMON, LIKELY, OWN, RARE, SHARED, case, cells_p

SPREAD = 2.0


def reported_p(options, odds=1.0, first=1.0, later=1.0, spread=1.0, draws=300):
    """Draw cells with a report."""
    given = case(LIKELY, **options, faint=SPREAD)
    return cells_p(True, given, odds, 1.0, first, later, SPREAD * spread, draws)


def silent_p(probability, options, odds=1.0, first=1.0, later=1.0, draws=300):
    """Draw cells without a report."""
    given = case(probability, **options, faint=SPREAD)
    return cells_p(False, given, odds, 1.0, first, later, SPREAD, draws)


LOGITS = np.array([0.5, -1.0, 1.5, 0.0])
"""Of four annotators, for a bird of average loudness."""
FEW, MANY = np.tile([2, 4], 3), np.tile([1, 2, 3, 4], 15)
"""How many votes there are on each of 6, and of 60 present birds."""


def heard(rng, spread, sizes):
    """Give the votes on birds of this spread, by code: four annotators listen to some of them each."""
    z, share = naive.loudness()
    start = np.append(0, np.cumsum(sizes))
    annotator = np.concatenate([np.arange(size) for size in sizes])
    loud = np.repeat(rng.choice(z, (len(spread), len(sizes)), p=share), sizes, axis=1) * spread[:, None]
    reports = rng.random(loud.shape) < expit(LOGITS[annotator] + loud)
    return start, pack_vote(annotator, reports)


def faintness_p(logits=1.0, scale=1.0, draws=7000):
    """Move spreads from their prior, given votes that were drawn from them."""
    rng = np.random.default_rng(1)
    spreads = np.abs(rng.normal(0, SPREAD, draws))
    start, codes = heard(rng, spreads, FEW)
    prior = SidePrior(Normal(0, 1), HalfNormal(1), varied=HalfNormal(SPREAD * scale))
    told, one = LOGITS + 6 * (logits - 1), np.ones(1)
    found = []
    for spread, votes in zip(spreads, codes, strict=True):
        side = Side(one, one[0], told, one, one, varied=np.array(spread))
        for _ in range(12):
            side, *_ = faint.update_faintness(rng, Ragged(start, votes), prior, side, 0.0, stretch=False)
        found.append(float(side.varied))
    return half_normal_p(found, SPREAD)


def stretched_p(scale=1.0, draws=4000):
    """Move spreads with all logits, given votes that were drawn from both."""
    rng, one = np.random.default_rng(1), np.ones(1)
    prior = SidePrior(Normal(0.5, 0.8), HalfNormal(1), varied=HalfNormal(SPREAD * scale))
    start, found = np.append(0, np.cumsum(FEW)), []
    for _ in range(draws):
        level, spread, around = rng.normal(0.5, 0.8, 1), abs(rng.normal(0, SPREAD)), abs(rng.normal(0, 1))
        logits = rng.normal(level, around, 4)
        z, share = naive.loudness()
        loud = np.repeat(rng.choice(z, len(FEW), p=share), FEW) * spread
        annotator = np.concatenate([np.arange(size) for size in FEW])
        votes = pack_vote(annotator, rng.random(len(loud)) < expit(logits[annotator] + loud))
        side = Side(level, np.array(around), logits, one, np.array([0.5, 0.8]), varied=np.array(spread))
        for _ in range(6):
            side, _ = faint.update_faintness(rng, Ragged(start, votes), prior, side, 0.0, stretch=True)
        found.append((float(side.varied), float(side.level[0])))
    spreads, moved = np.array(found).T
    return 2 * min(half_normal_p(spreads, SPREAD), ks_p(moved, stats.norm(0.5, 0.8).cdf))


@cache
def wanted_trials():
    """Give votes on birds, and how many trials of each annotator are of each class: means and variances."""
    start, (codes,) = heard(np.random.default_rng(3), np.array([SPREAD]), MANY)
    z, share = naive.loudness()
    mean, variance = np.zeros((4, len(z))), np.zeros((4, len(z)))
    for low, high in pairwise(start):
        weight = share.copy()
        for code in codes[low:high]:
            rate = expit(LOGITS[code // 2] + SPREAD * z)
            weight *= rate if code % 2 else 1 - rate
        weight /= weight.sum()
        for code in codes[low:high]:
            mean[code // 2] += weight
            variance[code // 2] += weight * (1 - weight)
    return start, codes, mean, variance


def classes_p(logits=1.0, spread=1.0, draws=4000):
    """Draw classes of birds, and compare the number of trials in each with what is expected."""
    start, codes, mean, variance = wanted_trials()
    rng, z = np.random.default_rng(4), naive.loudness()[0]
    total = np.zeros_like(mean)
    for _ in range(draws):
        told = LOGITS + 3 * (logits - 1)
        drawn, factors = draw_classes(rng, Ragged(start, codes), told, SPREAD * spread, 0.0)
        (begin, trials, factor), _ = by_rate(codes, drawn, len(told), factors, False, NO_MORE)
        which = np.rint((np.log(factor) / (SPREAD * spread) - z[0]) / (z[1] - z[0])).astype(int)
        np.add.at(total, (np.repeat(np.arange(4), np.diff(begin)), which), trials)
    assert total.sum() == draws * len(codes)
    off = (total - draws * mean) / np.sqrt(draws * np.maximum(variance, 1e-9))
    return 2 * mean.size * stats.norm.sf(np.abs(off[variance > 1e-3]).max())


STEPS = {
    "reported cells, faint birds": partial(reported_p, {}, draws=200),
    "reported cells, faint birds, by species": partial(reported_p, OWN, draws=200),
    "silent cells, candidates, faint birds": partial(silent_p, RARE, OWN),
    "silent cells, candidates, faint birds, a shared list": partial(silent_p, RARE, SHARED),
    "silent cells, candidates, faint birds, silence raises the odds": partial(
        silent_p, RARE, {"raised": True}, draws=100
    ),
    "silent cells, all, faint birds": partial(silent_p, COMMON, {}, draws=100),
    "how far birds differ": faintness_p,
    "how far birds differ, with logits": stretched_p,
    "classes of birds": classes_p,
}
