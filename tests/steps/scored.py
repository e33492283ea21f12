"""What scores of a machine have in common over species: each draw against its density."""

from __future__ import annotations

import numpy as np
from scipy import stats
from scipy.special import gammaln

from checks import grid_cdf, ks_p
from dawnchorus.model.expertise.scored.pooling import ALIKE, TYPICAL, WIDTH, draw_species
from dawnchorus.model.expertise.scored.whole import Data, _centre, _slice, draw_mean, draw_precision
from loops import compiled

DRAWS = 30_000
N = np.tile([10.0, 20.0, 40.0, 30.0, 10.0, 0.0], 10)
"""Of some species there is no score."""
MEANS = np.tile([1.6, 2.3, 2.9, 1.1, 2.5, 0.0], 10)
PRECISION = np.tile([1.0, 2.0, 0.5, 1.5, 0.7, 9.0], 10)
SQUARES = np.tile([3.0, 20.0, 90.0, 9.0, 12.0, 0.0], 10)
CENTRE, ALIKE_NOW, TYPICAL_NOW = 2.4, 4.0, 0.8
SOME = np.flatnonzero(N)


@compiled
def slices(rng, which, logs, common, data, some):
    """Move each logarithm four times, in place."""
    for at in range(len(logs)):
        c = common.copy()
        c[which] = np.exp(logs[at])
        for _ in range(4):
            c[which] = _slice(rng, which, c, data, some)
        logs[at] = np.log(c[which])


@compiled
def centres(rng, found, common, data, some, side, other):
    for at in range(len(found)):
        found[at] = _centre(rng, common, data, some, side, other)


def slice_p(which, density, n=1.0, total=1.0, precision=1.0, squares=1.0, centre=1.0, other=1.0, *, draws):
    """Draw width, alike or typical, where any of these is what the step is told over what is right."""
    rng = np.random.default_rng(31)
    cdf, inverse = grid_cdf(density, -9, 6, points=20_001)
    logs = inverse(rng.random(draws))
    data = Data(n * N, total * N * MEANS, precision * PRECISION, squares * SQUARES)
    common = np.array([centre * CENTRE, 0.0, other * ALIKE_NOW, other * TYPICAL_NOW])
    slices(rng, which, logs, common, data, SOME)
    return ks_p(logs, cdf)


def width_p(total=1.0, centre=1.0, draws=DRAWS):
    """Draw how far species differ; their own means are integrated out."""

    def density(log):
        variance = np.exp(2 * np.asarray(log))
        found = log - 0.5 * variance / 0.5**2
        for k in SOME:
            v = variance + 1 / (N[k] * PRECISION[k])
            found = found - 0.5 * np.log(v) - 0.5 * (MEANS[k] - CENTRE) ** 2 / v
        return found

    return slice_p(WIDTH, density, total=total, centre=centre, draws=draws)


def log_spreads(alike, typical):
    found = 0.0
    for k in SOME:
        shape = alike + N[k] / 2
        found = found + alike * np.log(alike * typical) - gammaln(alike) + gammaln(shape)
        found = found - shape * np.log(alike * typical + SQUARES[k] / 2)
    return found


def alike_p(squares=1.0, n=1.0, draws=DRAWS):
    """Draw how alike species are in the spread of scores."""

    def density(log):
        return -0.5 * ((log - np.log(5)) / 0.7) ** 2 + log_spreads(np.exp(log), TYPICAL_NOW)

    return slice_p(ALIKE, density, squares=squares, n=n, draws=draws)


def typical_p(squares=1.0, n=1.0, draws=DRAWS):
    """Draw the typical spread of scores."""

    def density(log):
        return 2 * log - 4 * np.exp(log) + log_spreads(ALIKE_NOW, np.exp(log))

    return slice_p(TYPICAL, density, squares=squares, n=n, draws=draws)


def centre_p(side, total=1.0, other=1.0):
    """Draw the centre of a side, cut off at that of the other."""
    rng, width, cut = np.random.default_rng(32), 0.4, 2.0
    sure = 1 / (width**2 + 1 / (N[SOME] * PRECISION[SOME]))
    h = 1 + sure.sum()
    middle, sd = (sure * MEANS[SOME]).sum() / h, h**-0.5
    low, high = (cut, np.inf) if side == 0 else (-np.inf, cut)
    right = stats.truncnorm((low - middle) / sd, (high - middle) / sd, middle, sd)
    found, common = np.empty(DRAWS), np.array([0.0, width, ALIKE_NOW, TYPICAL_NOW])
    centres(rng, found, common, Data(N, total * N * MEANS, PRECISION, SQUARES), SOME, side, other * cut)
    return ks_p(found, right.cdf)


def present_p(total=1.0, other=1.0):
    """Draw the centre where species are present."""
    return centre_p(0, total, other)


def absent_p(total=1.0, other=1.0):
    """Draw the centre where species are absent."""
    return centre_p(1, total, other)


@compiled
def many_means(rng, found, common, n, total, precision):
    for at in range(len(found)):
        found[at] = draw_mean(rng, common, n, total, precision)


@compiled
def many_precisions(rng, found, common, n, squares):
    for at in range(len(found)):
        found[at] = draw_precision(rng, common, n, squares)


@compiled
def many_species(rng, means, precisions, common):
    for at in range(len(means)):
        means[at], precisions[at] = draw_species(rng, common)


def mean_p(n=1.0, total=1.0, precision=1.0, centre=1.0, width=1.0):
    """Draw the mean of a species' scores: normal times normal."""
    found, common = np.empty(DRAWS), np.array([centre * CENTRE, width * 0.4, ALIKE_NOW, TYPICAL_NOW])
    many_means(np.random.default_rng(33), found, common, n * 10.0, total * 10 * 1.2, precision * 1.5)
    sure, of_scores = 1 / 0.4**2, 10 * 1.5
    h = sure + of_scores
    return ks_p(found, stats.norm((sure * CENTRE + of_scores * 1.2) / h, h**-0.5).cdf)


def precision_p(n=1.0, squares=1.0, alike=1.0, typical=1.0):
    """Draw the precision of a species' scores: Gamma times normal."""
    found, common = np.empty(DRAWS), np.array([0.0, 1.0, alike * ALIKE_NOW, typical * TYPICAL_NOW])
    many_precisions(np.random.default_rng(34), found, common, n * 10.0, squares * 3.0)
    rate = ALIKE_NOW * TYPICAL_NOW + 3 / 2
    return ks_p(found, stats.gamma(ALIKE_NOW + 10 / 2, scale=1 / rate).cdf)


def species_p(centre=1.0, width=1.0, alike=1.0, typical=1.0, draws=4 * DRAWS):
    """Draw mean and precision of a species without a score from what species have in common."""
    common = np.array([centre * CENTRE, width * 0.4, alike * ALIKE_NOW, typical * TYPICAL_NOW])
    means, precisions = np.empty((2, draws))
    many_species(np.random.default_rng(35), means, precisions, common)
    right = stats.gamma(ALIKE_NOW, scale=1 / (ALIKE_NOW * TYPICAL_NOW))
    return 2 * min(ks_p(means, stats.norm(CENTRE, 0.4).cdf), ks_p(precisions, right.cdf))


STEPS = {
    "mean of a species' scores": mean_p,
    "precision of a species' scores": precision_p,
    "scores of a species, from what species have in common": species_p,
    "width of scores": width_p,
    "alike spreads of scores": alike_p,
    "typical spread of scores": typical_p,
    "centre of scores where species are present": present_p,
    "centre of scores where species are absent": absent_p,
}
