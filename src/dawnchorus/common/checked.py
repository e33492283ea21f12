"""Checked values: numbers, seeds, True and False are checked where a user gives them, and named if wrong."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from .errors import AnnotationError

Seed = int | np.random.Generator | None
"""A whole number; a generator, of which a number is drawn; or None, for a new one each time."""


def is_number(value: Any) -> bool:
    """Return whether a value is a number, and not NaN; True and False are none.

    >>> [is_number(value) for value in (1, 0.5, float("inf"), float("nan"), "0.5", None, True)]
    [True, True, True, False, False, False, False]
    """
    return not isinstance(value, bool) and isinstance(value, Real) and not math.isnan(value)


def is_finite(*values: Any) -> bool:
    """Return whether all values are finite numbers."""
    return all(is_number(value) and math.isfinite(value) for value in values)


def number(name: str, value: Any, *, least: float | None = None, above: float | None = None) -> float:
    """Return a number, which may be infinite; raise an error if it is none, or too small.

    >>> number("max_rhat", 1.01, least=1)
    1.01
    """
    fits = is_number(value) and (least is None or value >= least) and (above is None or value > above)
    if not fits:
        bound = (
            f", at least {least:g}" if least is not None else f" above {above:g}" if above is not None else ""
        )
        raise AnnotationError(f"{name} is {value!r}", f"give a number{bound}")
    return value


def finite_number(name: str, value: Any, *, least: float | None = None, above: float | None = None) -> float:
    """Return a finite number; raise an error if it is none, or too small."""
    value = number(name, value, least=least, above=above)
    if not math.isfinite(value):
        raise AnnotationError(f"{name} is {value!r}", "give a finite number")
    return value


def whole_number(name: str, value: Any, *, least: int) -> int:
    """Return a whole number, such as 500 or 5e2; raise an error if it is none, or too small.

    >>> whole_number("draws", 5e2, least=1)
    500
    """
    if not is_finite(value) or value != int(value) or value < least:
        raise AnnotationError(f"{name} is {value!r}", f"give a whole number, at least {least}")
    return int(value)


def probability(name: str, value: Any) -> float:
    """Return a number between 0 and 1; raise an error if it is none.

    >>> probability("min_probability", 0.5)
    0.5
    """
    if not is_number(value) or not 0 <= value <= 1:
        raise AnnotationError(f"{name} is {value!r}", "give a probability between 0 and 1")
    return value


def threshold_above(value: Any) -> float:
    """Return a threshold of probabilities; raise an error if it is no probability above 0.

    >>> threshold_above(0.5)
    0.5
    """
    if not is_number(value) or not 0 < value <= 1:
        raise AnnotationError(
            f"the threshold is {value!r}", "give a probability above 0 and at most 1, such as 0.5"
        )
    return value


def yes_or_no(**options: Any) -> None:
    """Raise an error if an option that is True or False is anything else, such as the text "no".

    None is what many have by default.

    >>> yes_or_no(overwrite=False, fold_case=None)
    >>> yes_or_no(overwrite="no")
    Traceback (most recent call last):
    dawnchorus.common.errors.AnnotationError: overwrite is 'no'. Remedy: give True or False.
    """
    for name, value in options.items():
        if not (value is None or isinstance(value, bool | np.bool_)):
            raise AnnotationError(f"{name} is {value!r}", "give True or False")


def seed_number(seed: Seed) -> int:
    """Return a seed as a number that can be recorded, so that the same draws can be made again.

    >>> seed_number(7), seed_number(np.random.default_rng(1)) == seed_number(np.random.default_rng(1))
    (7, True)
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**32))
    _check_seed(seed)
    return int(seed)


def generator(seed: Seed) -> np.random.Generator:
    """Return a generator of random numbers: a new one, or the one that was given."""
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    _check_seed(seed)
    return np.random.default_rng(int(seed))


def _check_seed(seed: Any) -> None:
    whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not whole or seed < 0:
        raise AnnotationError(
            f"seed is {seed!r}",
            "give a whole number, 0 or more, a numpy.random.Generator, or None for a new seed each time",
        )
