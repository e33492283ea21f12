"""Mixed layout: the votes on recordings in the order in which the kernel of mixtures reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Floats, Ints
from ..cell_votes import CellScores

LANE = 64
"""So many draws are computed at a time: their values fit in a fast cache."""


class SpeciesVotes(NamedTuple):
    """Lists of species, and the codes of the votes on each: entry e has `code[vote[e] : vote[e + 1]]`.

    `reach` is how far, to base 10, the product of their ratios may go; `known` is what is known of each entry
    from elsewhere, and empty if nothing is of any; `scores` are those of machines.
    """

    start: Ints
    species: Ints
    vote: Ints
    code: Ints
    reach: Floats
    known: Ints
    scores: CellScores


class Layout(NamedTuple):
    """Pattern and context of each recording; the votes of patterns, and those of recordings' exceptions."""

    pattern: Ints
    context: Ints
    patterns: SpeciesVotes
    exceptions: SpeciesVotes


class Components(NamedTuple):
    """How many components each draw has, their weights, and occurrence[draw, component, context, species]."""

    number: Ints
    weight: Floats
    occurrence: Floats


class Lane(NamedTuple):
    """Which draws are computed, how many components they have at most, and whether likelihood is wanted."""

    first: int
    size: int
    number: int
    likelihood: bool


class Work(NamedTuple):
    """Working memory for the draws of a lane; arrays by component come first.

    `chance` is the probability of a species given its votes in a pattern, for those that `ready` names the
    pattern of; `product` that of all factors but for what was put `aside`, as a logarithm; `share` and
    `share_aside` the same with exceptions. `factor` and `own` are the ratios of the votes on each species of
    a pattern and on each exception; `place` the exception, if any, that a species is. `absent` is the
    logarithm of P(votes | absent) of the pattern, and that of the recording.
    """

    occurrence: Floats
    chance: Floats
    weight: Floats
    product: Floats
    aside: Floats
    share: Floats
    share_aside: Floats
    factor: Floats
    own: Floats
    absent: Floats
    total: Floats
    place: Ints
    ready: Ints


@compiled
def room_for(most: int, n_species: int, longest: int) -> Work:
    """Return working memory for so many components, species and exceptions."""
    return Work(
        np.zeros((most, n_species, LANE)),
        np.zeros((most, n_species, LANE)),
        np.zeros((most, LANE)),
        np.ones((most, LANE)),
        np.zeros((most, LANE)),
        np.ones((most, LANE)),
        np.zeros((most, LANE)),
        np.ones((n_species, LANE)),
        np.ones((longest, LANE)),
        np.zeros((2, LANE)),
        np.zeros(LANE),
        np.full(n_species, -1, np.int64),
        np.zeros(n_species, np.bool_),
    )
