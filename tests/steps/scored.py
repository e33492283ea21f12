"""What scores of a machine have in common over species: each draw against its density."""

from __future__ import annotations

import numpy as np
from scipy import stats
from scipy.special import gammaln

from checks import grid_cdf, ks_p
from dawnchorus.model.expertise.scored.pooling import ALIKE, TYPICAL, WIDTH
from dawnchorus.model.expertise.scored.whole import Data, _centre, _slice
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


STEPS = {
    "width of scores": width_p,
    "alike spreads of scores": alike_p,
    "typical spread of scores": typical_p,
    "centre of scores where species are present": present_p,
    "centre of scores where species are absent": absent_p,
}
