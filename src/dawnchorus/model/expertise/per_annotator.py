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

from ...common.compiled import compiled
from ...common.ragged import Bools, Floats
from ..design import Design, Totals
from ..distributions import Beta, Prior
from ..predictive.parameters import Asked, Values
from ..presence.draw import Presence
from ..presence.odds import Odds
from ..priors import Priors
from ..rates import FEW, MANY, overrelaxed_rates
from ..variables import Variable
from . import count


class State(NamedTuple):
    """The rates of each annotator."""

    tpr: Floats
    fpr: Floats


@dataclass(frozen=True)
class PerAnnotator:
    """Annotators with the same rates for all species."""

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
        """Return this side with its own priors out of all."""
        return cls(priors.tpr, priors.fpr)

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        return {"tpr": self.tpr, "fpr": self.fpr}

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> State:
        """Draw from the prior."""
        return self.simulate(rng, design)

    def update(
        self, rng: np.random.Generator, state: State, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Draw the rates given the votes on present and on absent cells."""
        priors = float(self.tpr.a), float(self.tpr.b), float(self.fpr.a), float(self.fpr.b)
        return _draw_rates(rng, state, presence, design.totals, design.derived(above_average), priors), {}

    def refine(
        self, rng: np.random.Generator, state: State, odds: Odds, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Leave the state as it is."""
        return state, {}

    def rates(self, state: State) -> tuple[Floats, Floats]:
        """Return the rates of each annotator."""
        return state.tpr, state.fpr

    def keep(self, state: State, design: Design) -> dict[str, Floats]:
        """Return the rates."""
        return {"tpr": state.tpr, "fpr": state.fpr}

    def rates_in(self, values: Values, known: Design, asked: Asked | None = None) -> tuple[Floats, Floats]:
        """Return the rates of each annotator; those of new ones are drawn from the prior."""
        if asked is None:
            return values("tpr"), values("fpr")
        new = asked.annotator < 0
        rates = []
        for name, prior in (("tpr", self.tpr), ("fpr", self.fpr)):
            rate = values(name)[:, np.where(new, 0, asked.annotator)]
            rate[:, new] = asked.rng.beta(prior.a, prior.b, (len(rate), int(new.sum())))
            rates.append(rate)
        return rates[0], rates[1]

    def simulate(self, rng: np.random.Generator, design: Design) -> State:
        """Draw from the prior."""
        n = design.n_rates
        return State(rng.beta(self.tpr.a, self.tpr.b, n), rng.beta(self.fpr.a, self.fpr.b, n))


def above_average(design: Design) -> Bools:
    """Return which rates have more votes than the average one."""
    votes = design.reports + design.silences
    return votes > votes.mean()


@compiled
def _draw_rates(
    rng: np.random.Generator,
    state: State,
    presence: Presence,
    totals: Totals,
    above_average: Bools,
    priors: tuple[float, float, float, float],
) -> State:
    """Draw the true, then the false positive rates; `priors` has the shapes of both."""
    n = count(presence, totals)
    # Presence follows whoever votes more than the average, so it is strongly correlated with their rates.
    candidates = np.where(above_average, MANY, FEW)
    a, b, false_a, false_b = priors
    tpr = overrelaxed_rates(rng, state.tpr, a + n.hits, b + n.present - n.hits, candidates)
    fpr = overrelaxed_rates(rng, state.fpr, false_a + n.false, false_b + n.absent - n.false, candidates)
    return State(tpr, fpr)
