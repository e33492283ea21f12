"""Logits, levels and spread of rates by annotator and species."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import stats

from checks import grid_cdf, half_normal_p, ks_p, logit_cdf, trials, two_classes
from dawnchorus.model.expertise import polya_gamma
from dawnchorus.model.expertise.logits import draws as logits
from dawnchorus.model.expertise.logits import evenness, interweaving, stretching, unevenness
from dawnchorus.model.expertise.logits.trials import Trials
from loops import compiled

DRAWS = 60_000
TWICE = np.array([2.0])
"""An annotator whose spread is twice as large; told is half of it."""


def logits_p(given, successes=1.0, trials_=1.0, level=1.0, offset=1.0, spread=1.0, factors=()):
    """Draw logits; `given` are successes, trials, centre and spread, and half of the centre is an offset."""
    s, n, centre, width = given
    x, rng, nobody = np.full(DRAWS, 9.0), np.random.default_rng(1), np.zeros(DRAWS, int)
    off = np.full(DRAWS, offset * centre / 2)
    s_told, n_told = np.full(DRAWS, round(s * successes)), np.full(DRAWS, round(n * trials_))
    told = trials(s_told, n_told, nobody, off, factors)
    while (x == 9).any():
        logits.draw_logits(rng, x, told, np.array([level * centre / 2]), spread * width / 2, TWICE)
    if not len(factors):
        return ks_p(x, logit_cdf(s, n, centre, width)[0])

    def density(x):
        of_class = zip((n // 2, -(-n // 2)), FACTORS, strict=True)
        counts = s * x - sum(number * np.logaddexp(0, x + np.log(factor)) for number, factor in of_class)
        return counts - (x - centre) ** 2 / (2 * width**2)

    return ks_p(x, grid_cdf(density, centre - 8 * width, centre + 8 * width)[0])


FACTORS = np.array([0.25, 8.0])
"""Of trials in two classes."""


def classes_p(given, first=1.0, second=1.0, spread=1.0):
    """Draw logits with trials of two classes."""
    return logits_p(given, spread=spread, factors=FACTORS * [first, second])


def one_sided_p(given, trials_=1.0, level=1.0, offset=1.0, spread=1.0):
    """Draw logits without a success, or without a failure."""
    return logits_p(given, trials_, trials_, level, offset, spread)


def levels_p(mean=1.0, sd=1.0, spread=1.0, logits_=1.0, offset=1.0):
    """Draw levels given two logits of each annotator, and one without a trial."""
    x, rng, level = np.tile([1.6, 2.9, 77.0], DRAWS), np.random.default_rng(4), np.zeros(DRAWS)
    off = np.tile([0.6, 0.9, 5.0], DRAWS) * offset
    told = trials(0 * x, np.tile([1, 5, 0], DRAWS), np.repeat(np.arange(DRAWS), 3), off)
    own, means = np.full(DRAWS, 2.0), np.full(DRAWS, -1.5 * mean)
    logits.draw_levels(rng, x * logits_, told, level, 0.55 * spread, own, means, 0.8 * sd)
    precision = 1 / 0.8**2 + 2 / 1.1**2
    return ks_p(level, stats.norm((-1.5 / 0.8**2 + 3 / 1.1**2) / precision, precision**-0.5).cdf)


@compiled
def move_spreads(rng, spreads, x, told, level, scale):
    """Draw each spread twice, in place."""
    for at in range(len(spreads)):
        for _ in range(2):
            spreads[at] = logits.draw_spread(rng, x, told, level, spreads[at], TWICE, scale)


def spread_p(distances=1.0, offset=1.0, count=1.0, scale=1.0):
    """Move spreads, given ten logits of which six are at their centre."""
    away = np.array([0.9, -1.4, 0.6, 1.2, 0, 0, 0, 0, 0, 0, 0])
    n, off = np.where(np.arange(11) < round(10 * count), 1, 0), np.tile([-3.0, 4.0], 6)[:11]
    told = trials(0 * n, n, 0 * n, off * offset)

    def density(log_spread):
        spread = np.exp(log_spread)
        return -9 * log_spread - (away**2).sum() / (2 * spread**2) - spread**2 / (2 * 0.5**2)

    cdf, inverse = grid_cdf(density, -3, 2)
    rng = np.random.default_rng(5)
    spreads = np.exp(inverse(rng.random(DRAWS // 2)))
    move_spreads(rng, spreads, 1 + off + 2 * away * distances, told, np.array([1.0]), 0.5 * scale)
    return ks_p(np.log(spreads), cdf)


OFFSETS = np.array([0.3, -1.0, 0.5, 0.1, -0.4, 0.8, -0.2, 0.0, 0.6, -0.6])
"""Of ten logits with one success in ten trials each, which move along."""
FIXED = np.array([-0.3, 0.4, -1.2])
"""Three logits that stay, because many votes determine them."""


def counts(successes, trials_):
    """Give successes and trials of logits that move along, that stay, and of one without a trial."""
    s = np.ones(10, int)
    s[0] += round(10 * successes) - 10
    return np.array([*s, 50, 50, 50, 0]), np.array([*np.full(10, round(10 * trials_)), 100, 100, 100, 0])


def shift_p(
    successes=1.0,
    trials_=1.0,
    mean=1.0,
    sd=1.0,
    spread=1.0,
    fixed=1.0,
    offset=1.0,
    factors=(),
    draws=DRAWS // 2,
):
    """Move levels with their logits."""
    n, off = draws, np.array([*np.full(10, 0.7), 0.9, -0.8, -0.9, 0.0])

    def density(level):
        of_class = np.log(FACTORS) if len(factors) else np.zeros(2)
        moving = [o + level - sum(5 * np.logaddexp(0, o + level + f) for f in of_class) for o in OFFSETS]
        stay = [stats.norm.logpdf(f, level + o, 0.6) for f, o in zip(FIXED, off[10:13], strict=True)]
        return sum(moving) + sum(stay) + stats.norm.logpdf(level, 1.0, 0.4)

    cdf, inverse = grid_cdf(density, -5, 5)
    rng = np.random.default_rng(1)
    level = inverse(rng.random(n))
    x = np.concatenate(
        [level[:, None] + OFFSETS, np.tile(FIXED * fixed, (n, 1)), np.full((n, 1), 50.0)], axis=1
    )
    s, m = counts(successes, trials_)
    owner = np.repeat(np.arange(n), 14)
    told = trials(np.tile(s, n), np.tile(m, n), owner, np.tile(off * offset, n), factors)
    x = x.ravel()
    for _ in range(6):
        interweaving.shift_levels(
            rng, x, told, level, 0.3 * spread, np.full(n, 2.0), np.full(n, mean), 0.4 * sd
        )
    return ks_p(level, cdf)


def shift_classes_p(first=1.0, second=1.0, mean=1.0, fixed=1.0, draws=DRAWS // 2):
    """Move levels with logits whose trials are of two classes."""
    return shift_p(mean=mean, fixed=fixed, factors=FACTORS * [first, second], draws=draws)


UNEVEN = np.array([10, 10, 10, 10, 300, 300, 0])
"""Trials of logits of which some are well determined."""
EVEN = np.array([10] * 60 + [0])
"""Trials of many logits that are not, so that a spread close to 0 moves with all summed out."""


@compiled
def stretch(rng, spreads, x, s, n, level, offset, scale, classes):
    """Move each spread with its logits twenty times, in place."""
    nobody, start = np.zeros(len(n), np.int64), np.array([0, len(n)])
    for at in range(len(spreads)):
        told = Trials(s[at], n, nobody, start, offset, classes)
        for _ in range(20):
            spreads[at], _ = stretching.stretch_spread(rng, x[at], told, level, spreads[at], TWICE, scale)


def stretch_p(size, n, successes=1.0, trials_=1.0, level=1.0, offset=1.0, scale=1.0, factors=(), draws=DRAWS):
    """Move spreads from the prior, of scale `size`, with their logits, given `n` trials each."""
    rng, centre, off = np.random.default_rng(7), 1.5, np.resize([-3.2, -2.8], len(n))
    spreads = np.abs(rng.normal(0, size, draws))
    x = rng.normal(centre + off, 2 * spreads[:, None], (len(spreads), len(n)))
    first, second = np.log(FACTORS) if len(factors) else (0, 0)
    s = rng.binomial(n // 2, 1 / (1 + np.exp(-x - first)))
    s += rng.binomial(n - n // 2, 1 / (1 + np.exp(-x - second)))
    s, n = (np.rint(times * k).astype(int) for times, k in ((successes, s), (trials_, n)))
    classes = two_classes(n, factors)
    stretch(rng, spreads, x, s, n, np.array([centre * level]), off * offset, size * scale, classes)
    return half_normal_p(spreads, size)


def stretch_classes_p(size, n, factors=1.0, scale=1.0, draws=DRAWS):
    """Move spreads with logits whose trials are of two classes."""
    return stretch_p(size, n, scale=scale, factors=FACTORS * factors, draws=draws)


def own_p(level=1.0, offset=1.0, spread=1.0, uneven=1.0, draws=DRAWS):
    """Draw the own spreads of annotators with 8 logits, from their prior on."""
    rng, n = np.random.default_rng(8), draws
    own = np.exp(rng.normal(0, 0.6, n))
    x = rng.normal(2.0, 0.8 * own[:, None], (n, 8)).ravel()
    told = trials(0 * x, np.ones(8 * n, int), np.repeat(np.arange(n), 8), np.full(8 * n, 1.0 * offset))
    for _ in range(8):
        unevenness.draw_own(rng, x, told, np.full(n, 1.0 * level), 0.8 * spread, own, 0.6 * uneven)
    return ks_p(np.log(own), stats.norm(0, 0.6).cdf)


def moved_with_own(
    successes=1.0, trials_=1.0, mean=1.0, sd=1.0, offset=1.0, spread=1.0, uneven=1.0, *, draws
) -> tuple[np.ndarray, np.ndarray]:
    """Move own spreads and levels from the prior with their logits, of which two in nine are informed."""
    rng, size, off = np.random.default_rng(9), draws, np.tile([-4.7, -4.3, -4.5], 3)
    own, level = np.exp(rng.normal(0, 0.6, size)), rng.normal(3, 0.5, size)
    x = rng.normal(level[:, None] + off, 0.8 * own[:, None], (size, 9))
    n = np.array([10, 10, 10, 10, 10, 10, 300, 300, 0])
    s = rng.binomial(n, 1 / (1 + np.exp(-x)))
    s, n = (np.rint(times * k).astype(int) for times, k in ((successes, s), (trials_, np.tile(n, size))))
    told = trials(s.ravel(), n, np.repeat(np.arange(size), 9), np.tile(off * offset, size))
    x, prior = x.ravel(), (np.full(size, 3 * mean), 0.5 * sd)
    for _ in range(30):
        unevenness.stretch_own(rng, x, told, level, 0.8 * spread, own, 0.6 * uneven, prior)
    return np.log(own) / 0.6, (level - 3) / 0.5


def stretched_own_p(successes=1.0, trials_=1.0, offset=1.0, spread=1.0, uneven=1.0, draws=DRAWS):
    """Look at own spreads that move with their logits."""
    own, _ = moved_with_own(successes, trials_, offset=offset, spread=spread, uneven=uneven, draws=draws)
    return ks_p(own, stats.norm.cdf)


def level_of_own_p(mean=1.0, sd=1.0, draws=DRAWS):
    """Look at the levels that move with own spreads."""
    return ks_p(moved_with_own(mean=mean, sd=sd, draws=draws)[1], stats.norm.cdf)


@compiled
def balance_spreads(rng, spreads, own, uneven, scale):
    """Draw each common spread with its products held fixed, in place, five times."""
    for at in range(len(spreads)):
        for _ in range(5):
            spreads[at], _ = unevenness.balance_spread(rng, spreads[at], own[at], uneven, scale)


def balanced_p(uneven=1.0, scale=1.0):
    """Draw common spreads, from the prior on, with the products of six annotators held fixed."""
    rng = np.random.default_rng(13)
    spreads, own = np.abs(rng.normal(0, 0.8, DRAWS)), np.exp(rng.normal(0, 0.6, (DRAWS, 6)))
    products = own * spreads[:, None]
    balance_spreads(rng, spreads, own, 0.6 * uneven, 0.8 * scale)
    assert np.allclose(own * spreads[:, None], products)
    return ks_p(np.log(own).mean(axis=1) * np.sqrt(6) / 0.6, stats.norm.cdf)


def flipped_p(
    successes=1.0, trials_=1.0, mean=1.0, sd=1.0, offset=1.0, spread=1.0, share=1.0, times=1.0, higher=1.0,
    factors=(), draws=DRAWS // 3,
):  # fmt: skip
    """Let annotators with five logits, from their prior on, become even or cease to be."""
    rng, size, off = np.random.default_rng(14), draws, np.array([-4.7, -4.3, -4.5, -3.9, -4.2])
    own = np.where(rng.random(size) < 0.3, 0.2, 1.0)
    level = rng.normal(np.where(own < 1, 3.8, 3), 0.5)
    x = rng.normal(level[:, None] + off, 1.2 * own[:, None], (size, 5))
    n = np.tile([6, 4, 3, 10, 0], size)
    halves = zip((n // 2, -(-n // 2)), factors if len(factors) else np.ones(2), strict=True)
    s = sum(rng.binomial(half, 1 / (1 + np.exp(-x.ravel()) / factor)) for half, factor in halves)
    s, n = (np.rint(often * k).astype(int) for often, k in ((successes, s), (trials_, n)))
    told = trials(np.minimum(s, n), n, np.repeat(np.arange(size), 5), np.tile(off * offset, size), factors)
    x, prior = x.ravel(), (3 * mean + np.where(own < 1, 0.8 * higher, 0.0), 0.5 * sd)
    told_even = evenness.Even(0.3 * share, 0.2 * times, 0.8 * higher)
    for _ in range(12):
        evenness.flip_even(rng, x, told, level, 1.2 * spread, own, told_even, prior)
    even = own < 1
    assert np.allclose(prior[0], 3 * mean + np.where(even, 0.8 * higher, 0.0))
    away = (x.reshape(size, 5) - level[:, None] - off) / (1.2 * np.where(even, 0.2, 1.0)[:, None])
    z = (level - np.where(even, 3.8, 3)) / 0.5
    found = [stats.binomtest(int(even.sum()), size, 0.3).pvalue]
    for those in (even, ~even):
        squares = (z[those] ** 2).sum(), (away[those, 1] ** 2).sum()
        sides = [stats.chi2(those.sum()).cdf(square) for square in squares]
        found += [2 * min(side, 1 - side) for side in sides]
        found += [ks_p(z[those], stats.norm.cdf), *(ks_p(away[those, k], stats.norm.cdf) for k in (1, 3))]
    return len(found) * min(found)


def untried_p(level=1.0, offset=1.0, spread=1.0):
    """Draw logits without a trial."""
    x, nothing = np.empty(DRAWS), np.zeros(DRAWS, int)
    told = trials(nothing, nothing, nothing, np.full(DRAWS, 0.5 * offset))
    logits.draw_untried(np.random.default_rng(1), x, told, np.array([0.7 * level]), 0.2 * spread, TWICE)
    return ks_p(x, stats.norm(1.2, 0.4).cdf)


def polya_gamma_p(successes=1.0, trials_=1.0, level=1.0, spread=1.0, draws=DRAWS // 2):
    """Move logits by Pólya-Gamma variables, as in the paper."""
    pytest.importorskip("polyagamma")
    s, n, centre, width = 30, 100, -1.0, 0.3
    cdf, inverse = logit_cdf(s, n, centre, width)
    rng = np.random.default_rng(12)
    x, every = inverse(rng.random(draws)), np.ones(draws, int)
    told = trials(round(s * successes) * every, round(n * trials_) * every, 0 * every)
    for _ in range(5):
        polya_gamma.draw_logits(rng, x, told, np.array([level * centre]), spread * width)
    return ks_p(x, cdf)


STEPS = {
    "logits by Pólya-Gamma variables": polya_gamma_p,
    "logits": partial(logits_p, (30, 100, -1.0, 0.3)),
    "logits without a success, close to normal": partial(one_sided_p, (0, 50, -4.5, 1.5)),
    "logits without a failure, close to normal": partial(one_sided_p, (50, 50, 4.5, 1.5)),
    "levels": levels_p,
    "spread": spread_p,
    "own spreads": own_p,
    "own spreads with their logits": stretched_own_p,
    "own spreads with their level": level_of_own_p,
    "from own spreads to the common one": balanced_p,
    "who is even, with levels and logits": flipped_p,
    "who is even, two classes": partial(flipped_p, factors=(0.25, 8.0)),
    "levels with their logits": shift_p,
    "spread with its logits": partial(stretch_p, 0.4, UNEVEN, draws=DRAWS // 2),
    "small spread with its logits": partial(stretch_p, 0.05, UNEVEN, draws=DRAWS // 4),
    "tiny spread with its logits": partial(stretch_p, 0.05, EVEN, draws=DRAWS // 4),
    "logits without a trial": untried_p,
    "logits, two classes": partial(classes_p, (30, 100, -1.0, 0.3)),
    "logits close to normal, two classes": partial(classes_p, (20, 60, -1.0, 0.35)),
    "levels with their logits, two classes": shift_classes_p,
    "spread with its logits, two classes": partial(stretch_classes_p, 0.4, UNEVEN),
    "small spread with its logits, two classes": partial(stretch_classes_p, 0.05, UNEVEN, draws=DRAWS // 6),
}
