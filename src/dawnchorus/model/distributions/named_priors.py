"""Named priors: those of the paper, those that a name or nothing stands for, and doubts about given ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from ...common.errors import AnnotationError
from . import Beta, LearnedBeta, LearnedNormal, Normal
from .priors import Priors

PRIORS: dict[str, Priors] = {
    "paper-simulation": Priors(
        Beta(2, 98),
        Beta(16.2, 3.8),
        Beta(6, 1194),
        Normal(math.log(0.81 / 0.19), 0.58),
        Normal(math.log(0.005 / 0.995), 0.41),
    ),
    "paper-kerttu": Priors(
        Beta(2, 98),
        Beta(45, 5),
        Beta(5, 995),
        Normal(math.log(0.9 / 0.1), 0.48),
        Normal(math.log(0.005 / 0.995), 0.45),
    ),
}
"""The priors of Wang, Lauha and Dunson: of their simulation study and of their application to Kerttu."""
MADE: dict[str, Callable[..., Priors]] = {
    "default": Priors.default,
    "learned": Priors.learning,
    "given": Priors.expecting,
}
"""Priors that depend on the number of species, and on guesses: partly learned, all learned, none learned."""
LEARNABLE = tuple(field.name for field in fields(Priors) if "Learned" in str(field.type))
"""The priors that may be learned."""


def all_learned(priors: Mapping[str, Any]) -> bool:
    """Return whether all of these priors that may be learned are.

    >>> all_learned(vars(Priors.learning(n_species=9))), all_learned(vars(Priors.default(n_species=9)))
    (True, False)
    """
    return all(isinstance(priors[name], LearnedBeta | LearnedNormal) for name in LEARNABLE if name in priors)


def doubts(priors: Mapping[str, Any]) -> Iterator[str]:
    """Return what is probably not meant: that absent species are reported more often than present ones."""
    for true, false in (("tpr", "fpr"), ("tpr_level", "fpr_level")):
        if true in priors and false in priors:
            present, absent = (_typical(priors[name]) for name in (true, false))
            if present <= absent:
                yield (
                    f"the priors expect a species to be reported in {100 * present:.3g} % of the visits "
                    f"where it is present, and in {100 * absent:.3g} % of those where it is not: so a "
                    "report would not be a sign of presence. Perhaps the true positive rate (tpr) and the "
                    "false positive rate (fpr) are swapped"
                )


def _typical(prior: Any) -> float:
    return prior.mean if isinstance(prior, Beta | LearnedBeta) else float(prior.quantiles(0.5))


def find_priors(priors: str | Priors | None, n_species: int, *, reported: float | None = None) -> Priors:
    """Return the priors of this name, priors as they are, or by default those for so many species.

    If the model has communities, `reported` is the share of votes that are reports: see `Priors.default`.
    """
    if isinstance(priors, Priors):
        return priors
    name = "default" if priors is None else str(priors).strip().lower()
    if name in MADE:
        return make_priors(name, n_species=n_species, reported=reported)
    if name not in PRIORS:
        raise AnnotationError(
            f"there are no priors named '{priors}'", f"use one of: {', '.join([*MADE, *PRIORS])}"
        )
    return PRIORS[name]


def make_priors(name: str, *, reported: float | None, **guesses: Any) -> Priors:
    """Return priors made of guesses, under this name; `reported` is as in `find_priors`."""
    told = {"reported": reported} if name == "default" else {}
    return MADE[name](**told, **guesses)
