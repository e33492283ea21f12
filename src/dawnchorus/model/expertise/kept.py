"""Kept: what findings ask of the kept draws of rates, so that no other room knows what variables are called.

sides.py and scored/reports.py declare these variables. A side is `tpr` or `fpr`, or for scores `present` or
`absent`; `values` returns the draws of a variable by its name, flat over chains.
"""

from __future__ import annotations

import numpy as np

from ...common.ragged import Floats
from ..context import Context
from ..predictive.parameters import Values
from .logits.levels import matrix_of


def levels(values: Values, side: str) -> Floats:
    """Return the levels of annotators as logits: draws × annotators."""
    return values(f"{side}_level")


def explained_levels(values: Values, side: str, said: Context) -> Floats:
    """Return how much of each level is explained by what annotators say of themselves: draws × annotators."""
    return values(f"{side}_skill") @ matrix_of(said).T


def typical_levels(values: Values, side: str, n_species: int, *, difficulty: bool) -> Floats:
    """Return the logits of an annotator whose level is the mean of all levels: draws × species.

    With `difficulty`, some species are harder than others for everybody.
    """
    if difficulty:
        return values(f"typical_{side}_level")
    return np.repeat(levels(values, side).mean(axis=1)[:, None], n_species, axis=1)


def typical_scores(values: Values, side: str) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the scores of a typical species: draws × machines each."""
    centre, sd = (values(f"score_{what}_{side}").astype(float) for what in ("centre", "typical_sd"))
    return centre, sd
