"""Occurrence: how likely is a species in a recording. One file per model, all with the same names."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from ...common.ragged import Bools, Floats, Ints
from ..design import Design
from ..predictive.parameters import Kinds, Values
from ..presence.draw import Presence
from ..presence.odds import Odds
from ..priors import Prior
from ..variables import Variable


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
        """Return a state to start from, a different one for each chain."""
        ...

    def update(
        self, rng: np.random.Generator, state: Any, presence: Presence, design: Design
    ) -> tuple[Any, dict[str, float]]:
        """Draw the state given presence; return also the shares of proposals accepted, by name, if any."""
        ...

    def odds(self, state: Any) -> Odds:
        """Return the odds of presence without votes."""
        ...

    def keep(self, rng: np.random.Generator, state: Any, design: Design) -> dict[str, Floats]:
        """Return the named values of a draw that are kept; what it draws for them is no part of the state."""
        ...

    def kinds(self, values: Values, species: Ints) -> Kinds:
        """Return what it says of recordings in these draws, of these species by place, before any vote."""
        ...

    def simulate(self, rng: np.random.Generator, design: Design) -> tuple[Any, Bools]:
        """Draw a state from the prior, and presence from it: recordings × species, for small data."""
        ...
