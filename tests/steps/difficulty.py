"""What species have in common for all annotators: shifts of logits, and their scale."""

from __future__ import annotations

import numpy as np
from scipy import stats
from scipy.special import expit

from checks import grid_cdf, ks_p, trials
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.expertise.logits import difficulty
from dawnchorus.model.expertise.logits.difficulty import Shifts
from loops import compiled

DRAWS = 40_000
OWN = np.array([2.0, 1.0])
"""Two annotators, the first with twice the spread."""


def shifts_p(logits_=1.0, level=1.0, spread=1.0, scale=1.0):
    """Draw shifts given two logits of each species, by two annotators, and one without a trial."""
    rng, n = np.random.default_rng(1), DRAWS
    told = trials(np.zeros(3 * n), np.tile([1, 0, 4], n), np.repeat([0, 1], [2 * n, n]), np.zeros(3 * n))
    told = told._replace(trials=np.repeat([3, 0, 5], n))
    x = np.repeat([2.0, 55.0, -1.0], n) * logits_
    of_species = np.arange(3 * n).reshape(3, n).T.ravel()
    shifts = Shifts(np.zeros(n), *Ragged.from_sizes(np.full(n, 3), of_species), 1.0)
    difficulty.draw_shifts(rng, x, told, level * np.array([0.8, 0.5]), 0.6 * spread, OWN, shifts, 0.9 * scale)
    assert np.array_equal(told.offset, np.tile(shifts.shift, 3))
    precision = 1 / 0.9**2 + 1 / 1.2**2 + 1 / 0.6**2
    return ks_p(shifts.shift, stats.norm((1.2 / 1.2**2 - 1.5 / 0.6**2) / precision, precision**-0.5).cdf)


SHIFTS = np.array([0.9, -1.4, 0.6, 1.2, -0.5, 0.3, -0.8, 1.0])
"""Of eight species; one more has no trial."""


def one_each(n) -> Ragged:
    """Give the logits of so many species, if each has one."""
    return Ragged.from_sizes(np.ones(n), np.arange(n))


@compiled
def move_scales(rng, told, shifts, scales):
    """Draw each scale given shifts twice, in place."""
    for at in range(len(scales)):
        for _ in range(2):
            scales[at] = difficulty.draw_scale(rng, told, shifts, scales[at])


def scale_p(shifts_=1.0, prior=1.0):
    """Move scales, given shifts."""
    told = trials(np.zeros(9), np.array([*np.ones(8, int), 0]), np.zeros(9, int), np.zeros(9))
    shifts = Shifts(np.append(SHIFTS * shifts_, 9.0), *one_each(9), 0.5 * prior)

    def density(log_scale):
        scale = np.exp(log_scale)
        return -7 * log_scale - (SHIFTS**2).sum() / (2 * scale**2) - scale**2 / (2 * 0.5**2)

    cdf, inverse = grid_cdf(density, -3, 2)
    rng = np.random.default_rng(2)
    scales = np.exp(inverse(rng.random(DRAWS)))
    move_scales(rng, told, shifts, scales)
    return ks_p(np.log(scales), cdf)


@compiled
def stretch_scales(rng, x, told, level, spread, own, shifts, found):
    """Draw scales with shifts over them held fixed, in place; find what the shifts were multiplied by."""
    start = shifts.shift.copy()
    for at in range(len(found)):
        shifts.shift[:] = 0.7 * start
        scale = difficulty.stretch_shifts(rng, x, told, level, spread, own, shifts, 0.7)
        found[at] = shifts.shift[0] / start[0]
        assert abs(abs(found[at]) - scale) < 1e-9


def stretched_p(logits_=1.0, level=1.0, spread=1.0, prior=1.0):
    """Draw scales with shifts over them held fixed: normal, and shifts take over the sign."""
    rng, x = np.random.default_rng(3), np.append(0.7 * SHIFTS + 1.5, 33.0)
    told = trials(np.zeros(9), np.array([*np.ones(8, int), 0]), np.repeat([0, 1], [4, 5]), np.zeros(9))
    shifts = Shifts(np.append(SHIFTS, 1.0), *one_each(9), 0.5 * prior)
    levels, tight = np.array([3.0, 1.2]), np.repeat([1.6, 0.8], 4) ** -2
    precision = 1 / 0.5**2 + (tight * SHIFTS**2).sum()
    mean = (tight * SHIFTS * (x[:8] - np.repeat(levels, 4))).sum() / precision
    found = np.empty(DRAWS)
    stretch_scales(rng, x * logits_, told, levels * level, 0.8 * spread, OWN, shifts, found)
    return ks_p(found, stats.norm(mean, precision**-0.5).cdf)


@compiled
def balance_all(rng, told, level, shifts, scale, prior, moved):
    """Draw what levels gain and shifts lose, each time from where they started."""
    start, first = level.copy(), shifts.shift.copy()
    for at in range(len(moved)):
        level[:], shifts.shift[:] = start, first
        difficulty.balance(rng, told, level, shifts, scale, prior)
        moved[at] = level[0] - start[0]
        assert abs(first[0] - shifts.shift[0] - moved[at]) < 1e-9


def balance_p(level=1.0, mean=1.0, sd=1.0, shifts_=1.0, scale=1.0):
    """Draw what levels gain and shifts lose."""
    rng, levels = np.random.default_rng(4), np.array([-2.0, -1.2, -1.8])
    told = trials(np.zeros(8), np.ones(8, int), np.zeros(8, int), np.zeros(8))
    shifts = Shifts((SHIFTS + 1) * shifts_, *one_each(8), 1.0)
    moved = np.empty(DRAWS)
    balance_all(rng, told, levels * level, shifts, 1.1 * scale, (np.full(3, -mean), 0.6 * sd), moved)
    precision = 3 / 0.6**2 + 8 / 1.1**2
    centre = ((-1 - levels).sum() / 0.6**2 + (SHIFTS + 1).sum() / 1.1**2) / precision
    return ks_p(moved, stats.norm(centre, precision**-0.5).cdf)


def moved_p(scale=1.0, draws=DRAWS):
    """Move the shifts of many species with the logits of each, given few votes: the prior stays."""
    rng, per = np.random.default_rng(6), 2
    shift = rng.normal(0, 0.9, draws)
    of_species = np.arange(per * draws)
    offset, owner = np.repeat(shift, per), of_species % 2
    levels, spreads = np.array([0.4, -0.3]), np.array([0.8, 0.5])
    x = rng.normal(levels[owner] + offset, spreads[owner])
    n = np.full(per * draws, 2)
    told = trials(rng.binomial(n, expit(x)), n, owner, offset)
    shifts = Shifts(shift, *Ragged.from_sizes(np.full(draws, per), of_species), 1.0)
    for _ in range(6):
        difficulty.move_shifts(rng, x, told, levels, spreads**-2.0, shifts, 0.9 * scale)
    return ks_p(shifts.shift, stats.norm(0, 0.9).cdf)


STEPS = {
    "shifts of species": shifts_p,
    "shifts with their logits": moved_p,
    "scale of shifts": scale_p,
    "scale with its shifts": stretched_p,
    "from levels to shifts": balance_p,
}
