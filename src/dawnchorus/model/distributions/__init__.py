"""Distributions: what is believed of one number. Checked when they are made, and told in words."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .given import RANGE, Beta, Gamma, HalfNormal, HalfNormalForMost, Normal, need
from .learned import LearnedBeta, LearnedNormal

__all__ = [
    "RANGE",
    "Beta",
    "Gamma",
    "HalfNormal",
    "HalfNormalForMost",
    "LearnedBeta",
    "LearnedNormal",
    "Normal",
    "Prior",
    "as_plain",
    "from_plain",
    "need",
]

Prior = Beta | LearnedBeta | Normal | LearnedNormal | HalfNormal | HalfNormalForMost | Gamma | int
"""The prior of one quantity; a whole number is taken as known."""
KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (Beta, LearnedBeta, Normal, LearnedNormal, HalfNormal, HalfNormalForMost, Gamma)
}


def as_plain(prior: Prior) -> Any:
    """Return a prior as plain values for JSON, from which `from_plain` makes it again.

    >>> from_plain(as_plain(Beta(2, 98)))
    Beta(a=2, b=98)
    """
    return prior if isinstance(prior, int) else {"kind": type(prior).__name__, **asdict(prior)}


def from_plain(values: Any) -> Prior:
    """Return the prior that `as_plain` made plain values of."""
    if isinstance(values, int):
        return values
    prior: Prior = KINDS[values["kind"]](**{name: v for name, v in values.items() if name != "kind"})
    return prior
