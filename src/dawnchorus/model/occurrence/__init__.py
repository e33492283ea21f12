"""Occurrence: how likely is a species in a recording. One file a model, all with the same names."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from ...common.ragged import Bools, Floats, Ints
from ..design import Design
from ..presence.draw import Presence
from ..priors import Prior
from ..variables import Variable


class Odds(NamedTuple):
    """What occurrence offers to the presence draw: odds by group and species, and who is in which group."""

    odds: Floats
    group: Ints
    sizes: Ints


class Occurrence(Protocol):
    """A model of where species occur."""

    words: ClassVar[str]
    """What it says of species, as the end of a sentence."""
    variables: ClassVar[tuple[Variable, ...]]
    """What it keeps of a draw; `occurrence`, by species, is among them."""

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        ...

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> Any:
        """Give a state to start from, a different one for each chain."""
        ...

    def update(self, rng: np.random.Generator, state: Any, presence: Presence, design: Design) -> Any:
        """Draw the state given presence."""
        ...

    def odds(self, state: Any) -> Odds:
        """Give the odds of presence without votes."""
        ...

    def keep(self, rng: np.random.Generator, state: Any, design: Design) -> dict[str, Floats]:
        """Give the named values of a draw that are kept; what it draws for them is no part of the state."""
        ...

    def simulate(self, rng: np.random.Generator, design: Design) -> tuple[Any, Bools]:
        """Draw a state from the prior, and presence from it: recordings × species, for small data."""
        ...


def odds_of(probability: Floats) -> Floats:
    """Give odds of probabilities, which are kept just inside 0 and 1."""
    inside = np.clip(probability, 1e-15, 1 - 1e-15)
    return inside / (1 - inside)
