"""A Dirichlet process mixture: as many kinds of recordings as the data ask for.

    component[i] ~ Chinese restaurant process(concentration),   concentration ~ Gamma(shape, rate),
    presence[i, k] ~ Bernoulli(occurrence[component[i], k]),   occurrence[r, k] ~ Beta(a, b)

Weights are integrated out; see `assignments`. The concentration is drawn exactly, with one auxiliary variable
(Escobar and West 1995): with n recordings in R components,

    η ~ Beta(concentration + 1, n),
    concentration ~ Gamma(shape + R − ε, rate − log η),
    P(ε = 0) / P(ε = 1) = (shape + R − 1) / (n (rate − log η)).

Wang, Lauha and Dunson, "Bayesian modeling of multi-species labeling errors in ecological studies", sections
2.4 and A1.2.

>>> import dawnchorus as dc
>>> from dawnchorus.model.design import Design
>>> design = Design(dc.simulate_paper(recordings=50, species=4).annotations, by_species=False)
>>> priors = dc.Priors.expecting(n_species=4)
>>> model = DirichletProcess(priors.occurrence, priors.concentration)
>>> model.odds(model.init(np.random.default_rng(1), design, chain=2)).factor.shape
(12, 4)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...common.ragged import Bools, Floats, Ints
from ..audibility import VoteRates
from ..design import Design
from ..distributions import Beta, Gamma, LearnedBeta, Prior
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
class DirichletProcess:
    """Recordings of any number of kinds: a Dirichlet process mixture."""

    prior: Beta | LearnedBeta
    concentration: Gamma

    words: ClassVar[str] = WORDS

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The concentration, and what every mixture keeps."""
        concentration = Variable(
            "concentration", (), "how readily new communities form", prior="concentration"
        )
        return (concentration, *mixture_variables(self.prior))

    @classmethod
    def from_priors(cls, priors: Priors) -> DirichletProcess:
        """Return this side with its own priors out of all."""
        return cls(priors.occurrence, priors.concentration)

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        return {"occurrence": self.prior, "concentration": self.concentration}

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> State:
        """Put recordings into components at random, into more or fewer by chain."""
        group, occurrence, shapes = start(rng, design, self.prior, design.annotations.n_recordings, chain)
        return State(group, occurrence, shapes, self._draw_concentration(rng))

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> State:
        """Put recordings into the components of an earlier draw."""
        group, occurrence, shapes = start_again(rng, design, self.prior, earlier)
        return State(group, occurrence, shapes, np.array(earlier.number("concentration")))

    def update(
        self, rng: np.random.Generator, state: State, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Draw components of recordings, the occurrence in each, then the concentration."""
        weights = Weights(0.0, float(state.concentration))
        group, occurrence, shapes = reassign(rng, *state[:3], presence, design, self.prior, weights)
        now, n = float(state.concentration), len(design.derived(voted_patterns).recordings)
        concentration = draw_concentration(rng, now, len(occurrence), n, self.concentration)
        return State(group, occurrence, shapes, concentration), {}

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
        """Return the concentration, and what `keep_mixture` keeps of components."""
        weights = Weights(0.0, float(state.concentration))
        kept = keep_mixture(rng, state, design.derived(voted_patterns).recordings, self.prior, weights)
        return {"concentration": state.concentration, **kept}

    def kinds(self, values: Values, species: Ints, asked: Asked | None = None) -> Kinds:
        """Return the components."""
        return component_kinds(values, species)

    def simulate(self, rng: np.random.Generator, design: Design) -> tuple[State, Bools]:
        """Draw from the prior, and presence."""
        concentration = self._draw_concentration(rng)
        weights = Weights(0.0, float(concentration))
        group, occurrence, shapes, presence = simulate_mixture(rng, design, self.prior, weights)
        return State(group, occurrence, shapes, concentration), presence

    def _draw_concentration(self, rng: np.random.Generator) -> Floats:
        return np.array(max(rng.gamma(self.concentration.shape, 1 / self.concentration.rate), 1e-10))


def draw_concentration(
    rng: np.random.Generator, concentration: float, components: int, n: int, prior: Gamma
) -> Floats:
    """Draw the concentration given the number of components among n recordings."""
    log_eta = np.log(max(rng.beta(concentration + 1, n), 1e-300))
    rate = prior.rate - log_eta
    more, fewer = prior.shape + components - 1, n * rate
    shape = prior.shape + components - (rng.random() * (more + fewer) >= more)
    return np.array(max(rng.gamma(shape, 1 / rate), 1e-10))
