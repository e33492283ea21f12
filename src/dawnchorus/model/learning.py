"""Learning: priors that are learned, or not, in the state of a model and among what it keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common.ragged import Floats, Ints
from .design import Design
from .distributions import Beta, LearnedBeta, LearnedNormal, Normal
from .earlier import Earlier
from .predictive.parameters import Values
from .rates import all_inside
from .shapes import IN_BLOCKS, OFTEN, draw_shapes, move_shapes, to_shapes
from .variables import Variable

SETTLING = 12
"""So many moves let shapes follow probabilities that moved."""


def first_shapes(rng: np.random.Generator, prior: Beta | LearnedBeta) -> Floats:
    """Return both shapes of a Beta prior, drawn if it is learned."""
    if isinstance(prior, Beta):
        return np.array([prior.a, prior.b], float)
    middle, width, strength, factor = prior.numbers
    mean, total = middle + width * rng.standard_normal(), strength + factor * rng.standard_normal()
    return np.array(to_shapes(mean, total))


def earlier_shapes(
    rng: np.random.Generator, prior: Beta | LearnedBeta, name: str, earlier: Earlier
) -> Floats:
    """Return both shapes of a Beta prior as they were in an earlier draw; drawn if that has none."""
    mean, strength = f"{name}_mean", f"{name}_strength"
    if isinstance(prior, Beta) or not earlier.has(mean, strength):
        return first_shapes(rng, prior)
    share = earlier.number(mean)
    return np.array([share, 1 - share]) * earlier.number(strength)


def next_shapes(
    rng: np.random.Generator,
    prior: Beta | LearnedBeta,
    shapes: Floats,
    successes: Ints,
    trials: Ints,
    design: Design,
) -> tuple[Floats, bool]:
    """Return shapes given counts, and whether they were redrawn: then probabilities have to be drawn anew."""
    if isinstance(prior, Beta) or rng.random() * (IN_BLOCKS if design.in_blocks else OFTEN) >= 1:
        return shapes, False
    return shapes_given(rng, prior, shapes, successes, trials), True


def shapes_given(
    rng: np.random.Generator, prior: LearnedBeta, shapes: Floats, successes: Ints, trials: Ints
) -> Floats:
    """Return shapes of a prior that is learned, drawn given counts."""
    a, b = shapes.tolist()
    return np.array(draw_shapes(rng, (a, b), successes, trials, prior.numbers))


def settled_shapes(
    rng: np.random.Generator, prior: Beta | LearnedBeta, shapes: Floats, probability: Floats
) -> Floats:
    """Return shapes moved given probabilities, if they are learned."""
    if isinstance(prior, Beta):
        return shapes
    a, b = shapes.tolist()
    return np.array(move_shapes(rng, (a, b), all_inside(probability), prior.numbers, SETTLING))


def shape_variables(prior: Beta | LearnedBeta, name: str, words: str, alike: str) -> tuple[Variable, ...]:
    """Return the variables of a learned Beta prior; none if it is not learned.

    `words` are those of the values that have this prior, and `alike` says that these are alike: the more
    trials the prior is worth, the less they differ.
    """
    if isinstance(prior, Beta):
        return ()
    return (
        Variable(f"{name}_mean", (), f"{words}, on average"),
        Variable(f"{name}_strength", (), alike),
    )


def keep_shapes(prior: Beta | LearnedBeta, name: str, shapes: Floats) -> dict[str, Floats]:
    """Return the values of these variables."""
    if isinstance(prior, Beta):
        return {}
    return {f"{name}_mean": shapes[0] / shapes.sum(), f"{name}_strength": shapes.sum()}


def kept_shapes(prior: Beta | LearnedBeta, name: str, values: Values) -> tuple[Any, Any]:
    """Return both shapes, from kept draws if the prior is learned: draws × 1."""
    if isinstance(prior, Beta):
        return prior.a, prior.b
    mean, strength = values(f"{name}_mean")[:, None], values(f"{name}_strength")[:, None]
    return mean * strength, (1 - mean) * strength


def first_normal(rng: np.random.Generator, prior: Normal | LearnedNormal, share: float = 1.0) -> Floats:
    """Return mean and standard deviation of a normal prior, drawn if it is learned, or a share as far off."""
    if isinstance(prior, Normal):
        return np.array([prior.mean, prior.sd], float)
    sd = max(abs(rng.normal(0, share * prior.spread)), 1e-3)
    return np.array([rng.normal(prior.centre, share * prior.width), sd])


def earlier_normal(
    rng: np.random.Generator, prior: Normal | LearnedNormal, name: str, earlier: Earlier, share: float
) -> Floats:
    """Return mean and standard deviation of a normal prior as in an earlier draw; drawn if that has none."""
    mean, sd = f"{name}_mean", f"{name}_sd"
    if isinstance(prior, Normal) or not earlier.has(mean, sd):
        return first_normal(rng, prior, share)
    return np.array([earlier.number(mean), earlier.number(sd)])


def normal_variables(prior: Normal | LearnedNormal, name: str, words: str) -> tuple[Variable, ...]:
    """Return the variables of a learned normal prior of logits of rates; none if it is not learned."""
    if isinstance(prior, Normal):
        return ()
    return (
        Variable(f"{name}_mean", (), f"{words} of annotators, as logits, on average"),
        Variable(f"{name}_sd", (), f"how far annotators differ in {words}, as logits"),
    )


def keep_normal(prior: Normal | LearnedNormal, name: str, among: Floats) -> dict[str, Floats]:
    """Return the values of these variables."""
    if isinstance(prior, Normal):
        return {}
    return {f"{name}_mean": among[0], f"{name}_sd": among[1]}


def kept_normal(prior: Normal | LearnedNormal, name: str, values: Values) -> tuple[Any, Any]:
    """Return mean and standard deviation, from kept draws if the prior is learned: draws × 1."""
    if isinstance(prior, Normal):
        return prior.mean, prior.sd
    return values(f"{name}_mean")[:, None], values(f"{name}_sd")[:, None]
