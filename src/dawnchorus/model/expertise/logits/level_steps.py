"""Steps of levels: Newton's, a little beyond, on a scale on which their density is close to normal.

Few successes among many trials say of a rate about what a gamma distribution does, whose cube root is nearly
normal (Wilson and Hilferty 1931); the logit of the rate is not, and leaves its lower tail rarely. So with f'
and c the slope and the curvature of the log density of a level, Newton's step is made in u = exp(level/root),
with the root 3, or −3 if failures are rare, where the log density has the slope and the curvature

    (root·f' − 1) / u,    (root²·c + root·f' − 1) / u².

With a root of 100 it is a step of the level itself, nearly. Were the density normal, all steps would be
accepted, and a step beyond Newton's would lead to the other side of the mean (overrelaxation; Adler 1981).
How far beyond is random.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import inlined

BEYOND = 0.8
"""Steps go up to this part beyond Newton's."""
LEAST = 1e-3
"""u is not multiplied by less than this in a step, nor divided."""
RARE = 0.1
"""Successes or failures are rare if they, and one more, are less than this part of trials."""
ROOT, NONE = 3.0, 100.0
"""The root if they are, and if they are not."""


class Step(NamedTuple):
    """A step: what u is multiplied by, or 0 if there is none; how many of Newton's; how much noise."""

    times: float
    newtons: float
    narrow: float


@inlined
def root_for(successes: int, trials: int) -> float:
    """Return on which scale a level moves."""
    if successes + 1 < RARE * trials:
        return ROOT
    return -ROOT if trials - successes + 1 < RARE * trials else NONE


@inlined
def level_step(rng: np.random.Generator, slope: float, curvature: float, root: float) -> tuple[float, Step]:
    """Propose how far a level moves, given slope and curvature of its log density."""
    beyond = BEYOND * rng.random()
    newtons, narrow = 1 + beyond, 1 - beyond * beyond
    centre, precision = _newton(slope, curvature, root, newtons)
    times = centre + rng.standard_normal() * math.sqrt(narrow / precision)
    if not LEAST < times < 1 / LEAST:
        return 0.0, Step(0.0, newtons, narrow)
    return root * math.log(times), Step(times, newtons, narrow)


@inlined
def way_back(
    step: Step, slope: float, curvature: float, then_slope: float, then_curvature: float, root: float
) -> float:
    """Return how much likelier the way back is than the way there, as a logarithm, with the scale of both."""
    times, newtons, narrow = step
    centre, precision = _newton(slope, curvature, root, newtons)
    then_centre, then_precision = _newton(then_slope, then_curvature, root, newtons)
    there = precision * (times - centre) ** 2
    back = then_precision * (1 / times - then_centre) ** 2
    return 0.5 * math.log(then_precision / precision) + 0.5 * (there - back) / narrow - 2 * math.log(times)


@inlined
def _newton(slope: float, curvature: float, root: float, newtons: float) -> tuple[float, float]:
    """Return where steps lead to in u, over the present u, and how certain they are of it."""
    pulled, least = root * slope - 1, root * root * curvature / 3
    precision = max(3 * least + pulled, least)
    return 1 + newtons * pulled / precision, precision
