"""What annotators say of themselves: effects on levels, and their scales."""

from __future__ import annotations

import numpy as np
from scipy import stats

from checks import grid_cdf, ks_p, trials
from dawnchorus.model.expertise.logits import levels
from dawnchorus.model.expertise.logits.levels import Effects
from loops import compiled

DRAWS = 40_000
MATRIX = np.array([[1.0, -0.5], [0.4, 1.2], [-1.4, -0.9], [0.0, -1.0]])
"""Four annotators and two columns."""
AWAY = np.array([1.1, -0.7, -1.6, 0.4])
"""How far their levels are from the mean."""


def effects_p(away=1.0, sd=1.0, scale=1.0, columns=1.0, draws=DRAWS):
    """Draw effects given levels; a sum of both is compared with its exact distribution, and each alone."""
    rng, scales = np.random.default_rng(1), np.array([0.6, 1.1])
    told = Effects(np.zeros(2), scales * scale, MATRIX * columns)
    drawn = np.array([levels.draw_effects(rng, AWAY * away, 0.5 * sd, told) for _ in range(draws)])
    # by loops: the density is exp(−½ e'Pe + q'e)
    p, q = np.zeros((2, 2)), np.zeros(2)
    for b in range(2):
        p[b, b] += 1 / scales[b] ** 2
        for j in range(4):
            q[b] += MATRIX[j, b] * AWAY[j] / 0.5**2
            for c in range(2):
                p[b, c] += MATRIX[j, b] * MATRIX[j, c] / 0.5**2
    covariance = np.linalg.inv(p)
    found = []
    for weight in ([1, 0], [0, 1], [1, 1], [1, -1]):
        exact = stats.norm(weight @ covariance @ q, np.sqrt(weight @ covariance @ weight))
        found.append(ks_p(drawn @ weight, exact.cdf))
    return 4 * min(found)


EFFECTS = np.array([0.9, -1.4, 0.6, 1.2, -0.5, 0.3, -0.8, 1.0])


def scales_p(effects=1.0, prior=1.0, draws=DRAWS):
    """Move the scale of eight effects, which alternate with those of another term."""
    term, both = np.tile([0, 1], 8), np.stack([EFFECTS * effects, np.full(8, 9.0)], axis=1).ravel()

    def density(log_scale):
        scale = np.exp(log_scale)
        return -7 * log_scale - (EFFECTS**2).sum() / (2 * scale**2) - scale**2 / (2 * 0.5**2)

    cdf, inverse = grid_cdf(density, -3, 2)
    rng = np.random.default_rng(2)
    scales = np.exp(inverse(rng.random(draws)))
    for at in range(draws):
        for _ in range(2):
            scales[at] = levels.draw_scales(rng, both, np.array([scales[at], 1.0]), term, 0.5 * prior)[0]
    return ks_p(np.log(scales), cdf)


def stretched_p(away=1.0, sd=1.0, unit=1.0, prior=1.0, draws=DRAWS):
    """Draw scales with effects over them held fixed: normal, and negative where effects change sign."""
    rng, fit = np.random.default_rng(3), MATRIX[:, 0]
    told = AWAY * away, 0.9 * sd, fit * unit, 0.5 * prior
    drawn = [levels.stretched_scale(rng, *told) for _ in range(draws)]
    precision = 1 / 0.5**2 + (fit**2).sum() / 0.9**2
    return ks_p(drawn, stats.norm((fit * AWAY).sum() / 0.9**2 / precision, precision**-0.5).cdf)


OFFSETS = np.array([[0.3, -1.0, 0.5], [0.1, -0.4, 0.8]])
"""Of three logits of two annotators from their centres, which move along; a fourth stays, a fifth has no
trial."""
SUCCESSES, TRIALS = np.array([[1, 1, 2], [4, 5, 3]]), np.array([[6, 5, 8], [6, 6, 5]])
STAYS = np.array([0.7, -0.6])
ALONG = np.array([1.2, -0.8])


@compiled
def shift_all(rng, x, told, level, spread, own, effect, scale, matrix):
    """Move each effect ten times, in place; levels and logits are rows."""
    for at in range(len(effect)):
        effects = Effects(effect[at : at + 1], scale, matrix)
        for _ in range(10):
            levels.shift_effects(rng, x[at], told, level[at], spread, own, effects)


def shifted_p(
    successes=1.0, trials_=1.0, along=1.0, spread=1.0, offset=1.0, stays=1.0, scale=1.0, draws=DRAWS
):
    """Move effects with levels and logits; what is left of levels without them is −0.2 and 0.3."""
    n, left, off, own = draws, np.array([-0.2, 0.3]), np.array([0.5, -0.7]), np.array([0.8, 1.3])

    def density(effect):
        total = -0.5 * (effect / 0.4) ** 2
        for j in range(2):
            level = left[j] + ALONG[j] * effect
            for o, s, m in zip(OFFSETS[j], SUCCESSES[j], TRIALS[j], strict=True):
                total = total + s * (level + o) - m * np.logaddexp(0, level + o)
            total = total - 0.5 * ((STAYS[j] - level - off[j]) / (0.5 * own[j])) ** 2
        return total

    cdf, inverse = grid_cdf(density, -5, 5)
    rng = np.random.default_rng(4)
    effect = inverse(rng.random(n))
    level = left + effect[:, None] * ALONG
    fixed = np.broadcast_to((STAYS * stays)[:, None], (n, 2, 1))
    x = np.concatenate([level[:, :, None] + OFFSETS, fixed, np.ones((n, 2, 1))], axis=2).reshape(n, 10)
    s, m = SUCCESSES.copy(), TRIALS.copy()
    s[0, 0] += round(10 * successes) - 10
    m[0] += round(10 * trials_) - 10
    s = np.concatenate([s, [[500, 0], [500, 0]]], axis=1).ravel()
    m = np.concatenate([m, [[1000, 0], [1000, 0]]], axis=1).ravel()
    offsets = np.outer(off * offset, [0.0, 0.0, 0.0, 1.0, 0.0]).ravel()
    told = trials(s, m, np.repeat([0, 1], 5), offsets)
    before, start, matrix = x.copy(), level.copy(), (ALONG * along)[:, None].copy()
    shift_all(rng, x, told, level, 0.5 * spread, own, effect, np.array([0.4 * scale]), matrix)
    moved = (level - start)[:, :, None]
    assert np.allclose((x - before).reshape(n, 2, 5), moved * np.array([1, 1, 1, 0, 1]))
    return ks_p(effect, cdf)


STEPS = {
    "effects on levels": effects_p,
    "scales of effects on levels": scales_p,
    "scales with their effects on levels": stretched_p,
    "effects with levels and logits": shifted_p,
}
