"""Parameters: what presence depends on in every draw. Each side of a model gives its part.

A side is asked with `Values`, which returns the draws of one of its variables by name, flat over chains; and,
for recordings that came later, with `Asked`: their design, and who and what in it was there when the model
was fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...common.ragged import Floats, Ints
from ..design import Design

Values = Callable[[str], Floats]
"""Returns the draws of a variable: draws × whatever it goes by."""


class Parameters(NamedTuple):
    """Draws of all that presence depends on, flat over chains; rates are in the order of a design.

    `occurrence` goes by draw, component and species. Draws may differ in their number of components: what is
    beyond is not looked at, but its weight has to be 0.
    """

    tpr: Floats
    fpr: Floats
    components: Ints
    weight: Floats
    occurrence: Floats
    chains: int = 1


class Kinds(NamedTuple):
    """What an occurrence says before there are votes: kinds of recordings, and species in each.

    How many kinds each draw has, their weights, and the probability of each species in each of them.
    """

    components: Ints
    weight: Floats
    occurrence: Floats


def one_kind(occurrence: Floats) -> Kinds:
    """Return what is the same in all recordings: draws × species."""
    n = len(occurrence)
    return Kinds(np.ones(n, np.int64), np.ones((n, 1)), occurrence[:, None])


class Asked(NamedTuple):
    """Recordings that came later.

    Attributes
    ----------
    design
        Their votes.
    annotator, species
        The place that each annotator and each species had in the fit; −1 for annotators who are new.
    rng
        For what is drawn from the prior.
    """

    design: Design
    annotator: Ints
    species: Ints
    rng: np.random.Generator
