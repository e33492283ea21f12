"""First guess: a prior of occurrence that is learned starts as if all reports were right.

A prior that is learned is wide. Drawn from it, all species would be common at the start of some chains, which
would need a thousand sweeps to find out that annotators do not miss nearly everything. At the start of others
they would be rare, and what everybody reports everywhere would be taken for false.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.ragged import Floats, Ints
from ..design import Design
from ..distributions import LearnedBeta
from ..learning import shapes_given
from .voted_patterns import voted_on


class FirstGuess(NamedTuple):
    """Shapes of the prior, and of each species in how many recordings it is present, of those voted on."""

    shapes: Floats
    present: Ints
    voted: Ints


def first_guess(rng: np.random.Generator, design: Design, prior: LearnedBeta, shapes: Floats) -> FirstGuess:
    """Return shapes given what is reported; `shapes` is where the search for them starts."""
    present, voted = design.guessed_by_species(), design.derived(voted_on)
    return FirstGuess(shapes_given(rng, prior, shapes, present, voted), present, voted)
