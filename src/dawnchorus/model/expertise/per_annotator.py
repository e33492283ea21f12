"""One true and one false positive rate per annotator, the same for all species.

    P(report | present) = tpr[j] ~ Beta,   P(report | absent) = fpr[j] ~ Beta

so that, given presence, tpr[j] ~ Beta(a + hits, b + misses) over j's votes on present cells, and
fpr[j] ~ Beta(a + false reports, b + true silences) over those on absent cells.

Wang, Lauha and Dunson, "Bayesian modeling of multi-species labeling errors in ecological studies", sections
2.2 and A1.1.

>>> import dawnchorus as dc
>>> from dawnchorus.model.design import Design
>>> design = Design(dc.simulate_paper(recordings=50, annotators=6).annotations, by_species=False)
>>> priors = dc.Priors.expecting(n_species=25)
>>> model = PerAnnotator(priors.tpr, priors.fpr)
>>> model.init(np.random.default_rng(1), design, chain=0).tpr.shape
(6,)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...common.ragged import Floats
from ..design import Design
from ..occurrence import Odds
from ..presence.draw import Presence
from ..priors import Beta, Prior, Priors
from ..rates import FEW, MANY, overrelaxed_rates
from ..variables import Variable
from . import count


class State(NamedTuple):
    """The rates of each annotator."""

    tpr: Floats
    fpr: Floats


@dataclass(frozen=True)
class PerAnnotator:
    """Annotators who are as good at one species as at another."""

    tpr: Beta
    fpr: Beta

    by_species: ClassVar[bool] = False
    words: ClassVar[str] = "each annotator has one rate of hits and one of false alarms for all species"
    variables: ClassVar[tuple[Variable, ...]] = tuple(
        Variable(
            name,
            ("annotator",),
            f"{kind} positive rates of annotators",
            f"{kind} positive rate",
            column=name,
            prior=name,
        )
        for name, kind in (("tpr", "true"), ("fpr", "false"))
    )

    @classmethod
    def from_priors(cls, priors: Priors) -> PerAnnotator:
        """Take the priors of this side out of all."""
        return cls(priors.tpr, priors.fpr)

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        return {"tpr": self.tpr, "fpr": self.fpr}

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> State:
        """Draw from the prior."""
        return self.simulate(rng, design)

    def update(self, rng: np.random.Generator, state: State, presence: Presence, design: Design) -> State:
        """Draw the rates given the votes on present and on absent cells."""
        n = count(presence, design)
        reports = np.concatenate([self.tpr.a + n.hits, self.fpr.a + n.false])
        silences = np.concatenate([self.tpr.b + n.present - n.hits, self.fpr.b + n.absent - n.false])
        # Whoever votes more than most holds presence, and so their own rates, fast.
        candidates = np.where(np.tile(design.keen, 2), MANY, FEW)
        drawn = overrelaxed_rates(rng, np.concatenate(state), reports, silences, candidates)
        return State(drawn[: len(state.tpr)], drawn[len(state.tpr) :])

    def refine(
        self, rng: np.random.Generator, state: State, odds: Odds, presence: Presence, design: Design
    ) -> State:
        """Leave the state as it is."""
        return state

    def rates(self, state: State) -> tuple[Floats, Floats]:
        """Give the rates of each annotator."""
        return state.tpr, state.fpr

    def keep(self, state: State, design: Design) -> dict[str, Floats]:
        """Keep the rates."""
        return {"tpr": state.tpr, "fpr": state.fpr}

    def simulate(self, rng: np.random.Generator, design: Design) -> State:
        """Draw from the prior."""
        n = design.n_rates
        return State(rng.beta(self.tpr.a, self.tpr.b, n), rng.beta(self.fpr.a, self.fpr.b, n))
