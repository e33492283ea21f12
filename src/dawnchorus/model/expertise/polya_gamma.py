"""Pólya-Gamma: rates by annotator and species drawn as in the paper, to compare with it.

Polson, Scott and Windle (2013): given the logit x of s successes in n trials, draw w ~ PG(n, x); given w, the
logit is normal with precision 1/spread² + w and mean (level/spread² + s − n/2) over that.
"""

from __future__ import annotations

import numpy as np

from ...common.lazy import lazy
from ...common.ragged import Floats, Ints
from ..design import Design
from ..presence.draw import Presence
from . import count
from .logits.draws import draw_levels, next_spread
from .logits.trials import Trials
from .sides import Side, State

POLYAGAMMA = lazy("polyagamma", extra="polya-gamma", purpose="update polya-gamma")


def draw_sides(
    rng: np.random.Generator,
    state: State,
    presence: Presence,
    design: Design,
    priors: tuple[tuple[Floats, float, float], tuple[Floats, float, float]],
    sampled: bool,
) -> State:
    """Draw both sides as in the paper."""
    n, sides = count(presence, design.totals), []
    for side, s, trials, prior in zip(state.sides, n[::2], n[1::2], priors, strict=True):
        given = design.rate_annotator, design.pairs.start, np.empty(0)
        sides.append(_draw_side(rng, side, s, trials, given, prior, sampled))
    return State(sides[0], sides[1], state.step)


def _draw_side(
    rng: np.random.Generator,
    side: Side,
    s: Ints,
    n: Ints,
    owners: tuple[Ints, Ints, Floats],
    prior: tuple[Floats, float, float],
    sampled: bool,
) -> Side:
    """Draw logits, levels and spread, in this order."""
    level, x, spread, (mean, sd, scale) = side.level.copy(), side.logit.copy(), float(side.spread), prior
    draw_logits(rng, x, Trials(s, n, *owners), level, spread)
    every = Trials(s, np.ones_like(n), *owners)  # every pair on the list counts, tried or not
    draw_levels(rng, x, every, level, spread, side.own, mean, sd)
    spread = next_spread(rng, x, every, level, spread, side.own, scale, sampled)
    return side._replace(level=level, spread=np.array(spread), logit=x)


def draw_logits(rng: np.random.Generator, x: Floats, trials: Trials, level: Floats, spread: float) -> None:
    """Draw each logit, in place: Pólya-Gamma variables given the logit, then the logit."""
    s, n, owner = trials.successes, trials.trials, trials.owner
    tried = n > 0
    weight = np.zeros(len(x))
    if tried.any():
        weight[tried] = POLYAGAMMA.random_polyagamma(n[tried].astype(float), x[tried], random_state=rng)
    precision = 1 / spread**2 + weight
    centre = (level[owner] / spread**2 + s - n / 2) / precision
    x[:] = centre + rng.standard_normal(len(x)) / np.sqrt(precision)
