"""Occurrence: how likely a species is in a recording. One file per model, all with the same names."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from ...common.ragged import Bools, Floats, Ints
from ..audibility import VoteRates
from ..design import Design
from ..distributions import Prior
from ..predictive.parameters import Asked, Kinds, Values
from ..presence.draw import Presence
from ..presence.odds import Odds
from ..variables import Variable


class Occurrence(Protocol):
    """A model of where species occur: one side of a `Model`. Each file opens with its equations."""

    words: ClassVar[str]
    """The model in words, as the end of a sentence about species."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of which it keeps the draws; `occurrence`, by species, is one of them."""
        ...

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
        """Draw the state given presence; return it, and the shares of proposals accepted by name, if any."""
        ...

    def refine(
        self,
        rng: np.random.Generator,
        state: Any,
        rates: VoteRates,
        presence: Presence,
        design: Design,
    ) -> tuple[Any, dict[str, float]]:
        """Move the state with presence in reported cells summed out, or return it as it is.

        Nothing else may use presence in reported cells, which no longer fits, before it is drawn again.
        """
        ...

    def odds(self, state: Any) -> Odds:
        """Return the odds of presence before any vote."""
        ...

    def keep(self, rng: np.random.Generator, state: Any, design: Design) -> dict[str, Floats]:
        """Return the values of its variables; what is drawn only for them is not part of the state."""
        ...

    def kinds(self, values: Values, species: Ints, asked: Asked | None = None) -> Kinds:
        """Return the kinds of recordings in these draws, with the probability of these species in each.

        `asked` describes new recordings, if it is about those.
        """
        ...

    def simulate(self, rng: np.random.Generator, design: Design) -> tuple[Any, Bools]:
        """Draw a state from the prior, and presence from it: recordings × species, for small data."""
        ...
