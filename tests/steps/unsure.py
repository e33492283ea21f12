"""The step of unsure marks, and moves with presence summed out where there are marks."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from checks import grid_cdf, ks_p, two_classes
from dawnchorus.model.expertise.kinds import Kinds
from dawnchorus.model.expertise.logits.trials import Classes
from dawnchorus.model.expertise.unsure import draw_step
from loops import compiled

from .rates import reflected_p, shifted_p

DRAWS = 30_000
LOGITS = np.array([0.5, -0.5, -2.0, 9.0]), np.array([-2.0, -1.0, 1.0, 9.0])
"""Of both sides. The last has no silence."""
SILENCES = np.array([12, 7, 6, 0]), np.array([40, 20, 4, 0])
FACTORS = np.array([0.4, 3.0])
"""Of present birds of two classes."""


@compiled
def draw_steps(rng, steps, marks, scale, present, absent):
    """Draw each step four times, in place."""
    for at in range(len(steps)):
        for _ in range(4):
            steps[at] = draw_step(rng, steps[at], marks, scale, present, absent)


def kinds(silences, factors) -> Kinds:
    """Give silences of two classes, each followed by as many reports, which do not count."""
    start, trials, factor = two_classes(silences, factors)
    silent = np.tile([True, False], len(trials))
    return Kinds(Classes(2 * start, trials.repeat(2), factor.repeat(2)), silent)


def step_p(marks, prior, many=1.0, present=1.0, absent=1.0, quiet=1.0, factor=1.0, scale=1.0, *, draws):
    """Draw steps given silences of present birds of two classes, and of absent ones; `many` are marks."""
    rng = np.random.default_rng(21)

    def density(r):
        step = np.log1p(np.exp(r))
        total = marks * r - 0.5 * (step / prior) ** 2 + np.log(expit(r))
        for x, n in zip(LOGITS[0], SILENCES[0], strict=True):
            for f, part in zip(FACTORS, (n // 2, n - n // 2), strict=True):
                total = total - part * np.log1p(expit(x + np.log(f)) * np.exp(r))
        for x, n in zip(LOGITS[1], SILENCES[1], strict=True):
            total = total - n * np.log1p(expit(x) * np.exp(r))
        return total

    cdf, inverse = grid_cdf(density, -30, 8, points=40_001)
    steps = np.log1p(np.exp(inverse(rng.random(draws))))
    odds = LOGITS[0] + np.log(present), LOGITS[1] + np.log(absent)
    heard = np.rint(quiet * SILENCES[1]).astype(int)
    told = kinds(SILENCES[0], FACTORS * [1, factor]), kinds(heard, [1.0, 1.0])
    draw_steps(rng, steps, round(many * marks), prior * scale, (odds[0], told[0]), (odds[1], told[1]))
    return ks_p(np.log(np.expm1(steps)), cdf)


def many_p(many=1.0, present=1.0, absent=1.0, quiet=1.0, factor=1.0, scale=1.0, draws=DRAWS):
    """Draw steps given many marks."""
    return step_p(20, 0.6, many, present, absent, quiet, factor, scale, draws=draws)


def none_p(scale=1.0, draws=DRAWS):
    """Draw steps without any mark, which are small and close to their prior."""
    return step_p(0, 0.02, scale=scale, draws=draws)


def reflected_marks_p(reports=1.0, silences=1.0, marks=1.0, silent=1.0, unsure=1.0, level=1.0, draws=DRAWS):
    """Move rates one by one, where there are marks."""
    return reflected_p(reports, silences, silent, level, marked=(9, 0.9, marks, unsure), draws=draws)


def shifted_marks_p(
    reports=1.0, silences=1.0, marks=1.0, silent=1.0, unsure=1.0, level=1.0, draws=3 * DRAWS // 2
):
    """Move all rates of annotators, where there are marks."""
    return shifted_p(reports, silences, silent, level, marked=(9, 0.9, marks, unsure), draws=draws)


STEPS = {
    "step of unsure marks": many_p,
    "step of unsure marks without any": none_p,
    "rates with presence summed out, unsure marks": reflected_marks_p,
    "annotators with presence summed out, unsure marks": shifted_marks_p,
}
