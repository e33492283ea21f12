"""Independent species: each occurs with its own probability, the same in all recordings.

    presence[i, k] ~ Bernoulli(occurrence[k]),   occurrence[k] ~ Beta(a, b)

so that, given presence in the n[k] recordings where somebody voted on k,

    occurrence[k] ~ Beta(a + present[k], b + n[k] − present[k]).

The shapes a and b are given, or learned (learned.py).

Wang, Lauha and Dunson, "Bayesian modeling of multi-species labeling errors in ecological studies", sections
2.2 and A1.1.

>>> import dawnchorus as dc
>>> from dawnchorus.model.design import Design
>>> design = Design(dc.simulate_paper(recordings=50, species=4).annotations, by_species=False)
>>> model = Independent(dc.Priors.expecting(n_species=4).occurrence)
>>> model.odds(model.init(np.random.default_rng(1), design, chain=0)).factor.shape
(1, 4)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import expit, log_expit, logit

from ...common.ragged import Bools, Floats, Ints
from ..audibility import VoteRates, evidence
from ..design import Design
from ..distributions import Beta, LearnedBeta, Prior
from ..distributions.priors import Priors
from ..earlier import Earlier
from ..learning import (
    earlier_shapes,
    first_shapes,
    keep_shapes,
    next_shapes,
    settled_shapes,
    shape_variables,
)
from ..predictive.parameters import Asked, Kinds, Values, one_kind
from ..presence.draw import Presence
from ..presence.odds import Odds, grouped_odds
from ..rates import all_inside, draw_rates, overrelaxed_rates
from ..variables import Variable
from .first_guess import first_guess
from .log_odds import LogOdds
from .rare_species import TURNS, rare_species, reflect_occurrence
from .voted_patterns import voted_on


class State(NamedTuple):
    """The probability of each species, the one group of all recordings, and the shapes of the prior."""

    occurrence: Floats
    group: Ints
    shapes: Floats


@dataclass(frozen=True)
class Independent:
    """Species that occur independently of each other."""

    prior: Beta | LearnedBeta

    words: ClassVar[str] = "species occur independently of each other"

    @property
    def variables(self) -> tuple[Variable, ...]:
        """How often species occur and, if it is learned, the prior of that."""
        return (
            Variable(
                "occurrence", ("species",), "how often species occur", column="occurrence", prior="occurrence"
            ),
            *shape_variables(
                self.prior,
                "occurrence",
                "how often species occur",
                "how alike species are in how often they occur",
            ),
        )

    @classmethod
    def from_priors(cls, priors: Priors) -> Independent:
        """Return this side with its own priors out of all."""
        return cls(priors.occurrence)

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        return {"occurrence": self.prior}

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> State:
        """Draw from the prior; if that is learned, as if all reports were right."""
        state = self._from_prior(rng, design)
        if isinstance(self.prior, Beta):
            return state
        shapes, present, voted = first_guess(rng, design, self.prior, state.shapes)
        drawn = draw_rates(rng, shapes[0] + present, shapes[1] + (voted - present))
        return state._replace(occurrence=drawn, shapes=shapes)

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> State:
        """Take over how often species occurred; draw new species from the prior."""
        a, shapes = design.annotations, earlier_shapes(rng, self.prior, "occurrence", earlier)
        new = draw_rates(rng, *(np.full(a.n_species, shape) for shape in shapes))
        return State(earlier.by_species("occurrence", new), np.zeros(a.n_recordings, np.int32), shapes)

    def update(
        self, rng: np.random.Generator, state: State, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Draw each probability given how often its species is present."""
        voted, present = design.derived(voted_on), presence.by_species
        shapes, redrawn = next_shapes(rng, self.prior, state.shapes, present, voted, design)
        a, b = shapes
        if redrawn:
            drawn = draw_rates(rng, a + present, b + (voted - present))
        else:
            candidates = design.derived(rare_species).candidates
            drawn = overrelaxed_rates(rng, state.occurrence, a + present, b + (voted - present), candidates)
        return State(drawn, state.group, shapes), {}

    def refine(
        self,
        rng: np.random.Generator,
        state: State,
        rates: VoteRates,
        presence: Presence,
        design: Design,
    ) -> tuple[State, dict[str, float]]:
        """Move the probability of rare species, with presence in their reported cells summed out."""
        rare, voted = design.derived(rare_species), design.derived(voted_on)
        occurrence, says = state.occurrence.copy(), evidence(rates)
        votes = design.layout.reported, says.ratio, says.together
        moved = reflect_occurrence(rng, occurrence, rare, *votes, presence, voted, state.shapes)
        n = len(rare.species)
        return state._replace(occurrence=occurrence), {
            "occurrence_reflected": TURNS * moved / n if n else np.nan
        }

    def raised(self, state: State, species: Ints, step: Floats) -> tuple[State, Floats]:
        """Return the state with log-odds of these species raised, and the gains in log density."""
        occurrence, (a, b) = state.occurrence.copy(), state.shapes
        now = logit(all_inside(occurrence[species]))
        occurrence[species] = expit(now + step)
        gain = a * (log_expit(now + step) - log_expit(now)) + b * (log_expit(-now - step) - log_expit(-now))
        return state._replace(occurrence=occurrence), gain

    def log_odds(self, state: State, species: Ints) -> LogOdds:
        """Return the log-odds of these species, and their prior given everything else."""
        at, one = logit(all_inside(state.occurrence[species])), np.ones(len(species))
        return LogOdds(at, state.shapes[0] * one, state.shapes[1] * one, 0 * one, 0 * one)

    def settled(self, rng: np.random.Generator, state: State) -> State:
        """Return the state with a prior that is learned moved, given how often species occur."""
        return state._replace(shapes=settled_shapes(rng, self.prior, state.shapes, state.occurrence))

    def odds(self, state: State) -> Odds:
        """Return the odds of each species, in one group."""
        return grouped_odds(state.occurrence[None], state.group)

    def keep(self, rng: np.random.Generator, state: State, design: Design) -> dict[str, Floats]:
        """Return the probabilities and, if it is learned, their prior."""
        return {"occurrence": state.occurrence, **keep_shapes(self.prior, "occurrence", state.shapes)}

    def kinds(self, values: Values, species: Ints, asked: Asked | None = None) -> Kinds:
        """Return one kind of recordings."""
        return one_kind(values("occurrence")[:, species])

    def simulate(self, rng: np.random.Generator, design: Design) -> tuple[State, Bools]:
        """Draw from the prior, and presence."""
        state = self._from_prior(rng, design)
        return state, rng.random((len(state.group), len(state.occurrence))) < state.occurrence

    def _from_prior(self, rng: np.random.Generator, design: Design) -> State:
        a, shapes = design.annotations, first_shapes(rng, self.prior)
        drawn = draw_rates(rng, *(np.full(a.n_species, shape) for shape in shapes))
        return State(drawn, np.zeros(a.n_recordings, np.int32), shapes)
