"""Parameters: what presence depends on in every draw. Each side of a model returns its part.

A side gets `Values`, a function that returns the draws of one of its variables by name, flat over chains;
and, for recordings that came after the fit, `Asked`: their design, and which of their annotators and species
the fit knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...common.ragged import Floats, Ints
from ..design import Design

Values = Callable[[str], Floats]
"""A function from the name of a variable to its draws: draws × the dimensions of the variable."""


class Parameters(NamedTuple):
    """Draws of all that presence depends on, flat over chains; rates are in the order of a design.

    `occurrence` is draws × components × species. Draws may differ in their number of components: values
    beyond that number are not used, but their weight has to be 0.
    """

    tpr: Floats
    fpr: Floats
    components: Ints
    weight: Floats
    occurrence: Floats
    chains: int = 1


class Kinds(NamedTuple):
    """What an occurrence says before any vote: kinds of recordings, and species in each.

    These are the number of kinds in each draw, their weights, and the probability of each species in each.
    """

    components: Ints
    weight: Floats
    occurrence: Floats


def one_kind(occurrence: Floats) -> Kinds:
    """Return a single kind of recordings, from its occurrence, draws × species."""
    n = len(occurrence)
    return Kinds(np.ones(n, np.int64), np.ones((n, 1)), occurrence[:, None])


class Asked(NamedTuple):
    """Recordings that came after the fit.

    Attributes
    ----------
    design
        Their votes.
    annotator, species
        The place that each annotator and each species had in the fit; −1 for annotators who are new.
    rng
        For the rates that are drawn from the prior.
    """

    design: Design
    annotator: Ints
    species: Ints
    rng: np.random.Generator
