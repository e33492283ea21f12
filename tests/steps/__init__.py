"""Every conditional step against its own density, with any of its terms a little off if asked for.

Each check moves or draws many values, compares them with the exact density and gives a p-value. Its keyword
arguments, all 1 by default, are the terms of the density: what the step is told, over what is right. A check
that is worth something fails if any term is a tenth off.
"""

from __future__ import annotations

from inspect import signature

from . import (
    accepted,
    deceptive,
    difficulty,
    effects,
    faint,
    levels,
    logits,
    mixtures,
    presence,
    rates,
    scored,
    skill,
    unsure,
)

STEPS = presence.STEPS | logits.STEPS | difficulty.STEPS | skill.STEPS
STEPS |= rates.STEPS | mixtures.STEPS | effects.STEPS | faint.STEPS | unsure.STEPS | deceptive.STEPS
STEPS |= scored.STEPS | levels.STEPS | accepted.STEPS


def terms(step) -> list[str]:
    """Give the terms of a check."""
    return [name for name, parameter in signature(step).parameters.items() if parameter.default == 1.0]


def lengths(step) -> list[dict[str, int]]:
    """Give ever more draws, up to all, for checks that take long; they have `draws`."""
    draws = signature(step).parameters.get("draws")
    return [{"draws": draws.default // part} for part in (16, 4, 1)] if draws else [{}]
