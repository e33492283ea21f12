"""Mean and standard deviation of levels, given these or logits, and how many of these levels are away."""

from __future__ import annotations

import numpy as np
from scipy import stats

from checks import half_normal_p, ks_p, trials
from dawnchorus.model.distributions import LearnedNormal
from dawnchorus.model.expertise.logits import levels

DRAWS = 40_000
AWAY = np.array([1.3, -0.4, 0.8])
"""By how many standard deviations the levels of three annotators are above the mean."""
LOGITS = np.array([1.9, 0.7, 1.2, -0.6, 2.4, 55.0])
OFFSETS = np.array([0.3, -0.5, 0.8, 0.2, -0.4, 5.0])
OWNERS = np.array([0, 0, 0, 1, 2, 2])
OWN = np.array([0.7, 1.6, 1.1])


def redrawn_p(logits_=1.0, offset=1.0, spread=1.0, away=1.0, centre=1.0, width=1.0, scale=1.0, draws=DRAWS):
    """Draw both given five logits, and one without a trial; sums of both are compared with their densities.

    Levels are expected around −0.2, 0.1 and 0.5; told is a standard deviation of 0.4.
    """
    rng, means = np.random.default_rng(6), np.array([-0.2, 0.1, 0.5])
    told = trials(0 * OWNERS, np.array([3, 1, 9, 2, 5, 0]), OWNERS, OFFSETS * offset)
    prior, drawn = (0.6 * centre, 0.7 * width, 0.9 * scale), np.empty((draws, 2))
    for at in range(draws):
        level = means + 0.4 * AWAY * away
        move, sd = levels.redraw_normal(
            rng, LOGITS * logits_, told, level, 0.8 * spread, OWN, (means, 0.4), prior
        )
        drawn[at] = move, (level[0] - means[0] - move) / (AWAY[0] * away)
        assert np.isclose(abs(drawn[at, 1]), sd)
    # by loops: the density is exp(−½ b'Pb + q'b) for b = (move, sd)
    p, q = np.diag([0.7**-2, 0.9**-2]), np.array([0.6 / 0.7**2, 0.0])
    for x, off, j in zip(LOGITS[:5], OFFSETS, OWNERS, strict=False):
        row, variance = np.array([1, AWAY[j]]), (0.8 * OWN[j]) ** 2
        p += np.outer(row, row) / variance
        q += row * (x - means[j] - off) / variance
    covariance, found = np.linalg.inv(p), []
    for weight in ([1, 0], [0, 1], [1, 1], [1, -1]):
        exact = stats.norm(weight @ covariance @ q, np.sqrt(weight @ covariance @ weight))
        found.append(ks_p(drawn @ weight, exact.cdf))
    return 4 * min(found)


def given_levels_p(level=1.0, centre=1.0, width=1.0, scale=1.0, draws=DRAWS // 4):
    """Draw both from their prior on, given three levels from them."""
    rng = np.random.default_rng(7)
    prior = LearnedNormal(3.0 * centre, 0.7 * width, 1.5 * scale)
    among = np.stack([rng.normal(3.0, 0.7, draws), np.abs(rng.normal(0, 1.5, draws))], axis=1)
    given = rng.normal(among[:, :1], among[:, 1:], (draws, 3))
    for at in range(draws):
        for _ in range(3):
            among[at] = levels.next_normal(rng, prior, among[at], given[at] * level)
    mean, sd = (among[:, 0] - 3.0) / 0.7, among[:, 1]
    found = ks_p(mean, stats.norm.cdf), half_normal_p(np.abs(mean), 1.0), half_normal_p(sd, 1.5)
    return 4 * min(*found, ks_p((given[:, 0] - among[:, 0]) / sd, stats.norm.cdf))


STEPS = {"mean and sd of levels given logits": redrawn_p, "mean and sd of levels": given_levels_p}
