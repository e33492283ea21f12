"""A finite mixture: recordings fall into at most R kinds, each with its own species.

    component[i] ~ Categorical(weight),   weight ~ Dirichlet(1/R, …, 1/R),
    presence[i, k] ~ Bernoulli(occurrence[component[i], k]),   occurrence[r, k] ~ Beta(a, b)

With R larger than needed, superfluous components stay empty (Rousseau and Mengersen 2011). Species that like
the same recordings are then correlated. Weights are integrated out; see `assignments`.

Wang, Lauha and Dunson, "Bayesian modeling of multi-species labeling errors in ecological studies", section
2.3 (the density there has a misplaced bracket; it is o^y (1 − o)^(1 − y)).

>>> import dawnchorus as dc
>>> from dawnchorus.model.design import Design
>>> design = Design(dc.simulate_paper(recordings=50, species=4).annotations, by_species=False)
>>> model = Mixture(dc.Priors.expecting(n_species=4).occurrence, components=5)
>>> model.odds(model.init(np.random.default_rng(1), design, chain=1)).factor.shape
(5, 4)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ...common.ragged import Bools, Floats, Ints
from ..audibility import VoteRates
from ..design import Design
from ..distributions import Beta, LearnedBeta, Prior
from ..distributions.priors import Priors
from ..earlier import Earlier
from ..predictive.parameters import Asked, Kinds, Values
from ..presence.draw import Presence
from ..presence.odds import Odds, grouped_odds
from ..variables import Variable
from .assignments import (
    WORDS,
    State,
    component_kinds,
    keep_mixture,
    mixture_variables,
    reassign,
    simulate_mixture,
    start,
    start_again,
)
from .components import Weights
from .voted_patterns import voted_patterns


@dataclass(frozen=True)
class Mixture:
    """Recordings of at most so many kinds: a finite mixture."""

    prior: Beta | LearnedBeta
    components: int

    words: ClassVar[str] = WORDS

    @property
    def parts(self) -> dict[str, str]:
        """How many communities there may be, in words."""
        return {f"components({self.components})": f"there are at most {self.components} communities"}

    @property
    def variables(self) -> tuple[Variable, ...]:
        """What every mixture keeps."""
        return mixture_variables(self.prior)

    @classmethod
    def from_priors(cls, priors: Priors, *, components: int | None = None) -> Mixture:
        """Return this side with its own priors out of all; `components` is the largest possible number."""
        if components is not None:
            priors = replace(priors, components=components)
        return cls(priors.occurrence, priors.components)

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        return {"occurrence": self.prior, "components": self.components}

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> State:
        """Put recordings into components at random, into more or fewer by chain."""
        group, occurrence, shapes = start(rng, design, self.prior, self.components, chain)
        return State(group, occurrence, shapes, np.array(1.0))

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> State:
        """Put recordings into the components of an earlier draw."""
        return State(*start_again(rng, design, self.prior, earlier), np.array(1.0))

    def update(
        self, rng: np.random.Generator, state: State, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Draw components of recordings, then the occurrence in each."""
        moved = reassign(rng, *state[:3], presence, design, self.prior, self._weights)
        return State(*moved, state.concentration), {}

    def refine(
        self,
        rng: np.random.Generator,
        state: State,
        rates: VoteRates,
        presence: Presence,
        design: Design,
    ) -> tuple[State, dict[str, float]]:
        """Return the state as it is: occurrence by component mixes well as it is drawn."""
        return state, {}

    def odds(self, state: State) -> Odds:
        """Return the odds of each component."""
        return grouped_odds(state.occurrence, state.group)

    def keep(self, rng: np.random.Generator, state: State, design: Design) -> dict[str, Floats]:
        """Return what `keep_mixture` keeps of components."""
        return keep_mixture(rng, state, design.derived(voted_patterns).recordings, self.prior, self._weights)

    def kinds(self, values: Values, species: Ints, asked: Asked | None = None) -> Kinds:
        """Return the components."""
        return component_kinds(values, species)

    def simulate(self, rng: np.random.Generator, design: Design) -> tuple[State, Bools]:
        """Draw from the prior, and presence."""
        group, occurrence, shapes, presence = simulate_mixture(rng, design, self.prior, self._weights)
        return State(group, occurrence, shapes, np.array(1.0)), presence

    @property
    def _weights(self) -> Weights:
        return Weights(1 / self.components, 1.0)
