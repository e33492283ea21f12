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

from ...common.ragged import Bools, Floats, Ints
from ..audibility import VoteRates
from ..design import Design
from ..distributions import Beta, LearnedBeta, Prior
from ..distributions.priors import Priors
from ..earlier import Earlier
from ..learning import (
    earlier_shapes,
    first_shapes,
    keep_shapes,
    kept_shapes,
    next_shapes,
    shape_variables,
)
from ..predictive.parameters import Asked, RateDraws, Values
from ..presence.draw import Presence
from ..presence.odds import Odds
from ..rates import FEW, MANY, draw_rates, overrelaxed_rates
from ..variables import Variable
from . import count


class State(NamedTuple):
    """The rates of each annotator, and the shapes of their priors."""

    tpr: Floats
    fpr: Floats
    tpr_shapes: Floats
    fpr_shapes: Floats


@dataclass(frozen=True)
class PerAnnotator:
    """Annotators with the same rates for all species."""

    tpr: Beta | LearnedBeta
    fpr: Beta | LearnedBeta

    by_species: ClassVar[bool] = False
    words: ClassVar[str] = "each annotator has one rate of hits and one of false alarms for all species"

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Both rates of each annotator and, if they are learned, their priors."""
        rates = tuple(
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
        return (
            *rates,
            *_learned(self.tpr, "tpr", "true"),
            *_learned(self.fpr, "fpr", "false"),
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

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> State:
        """Take over the rates of annotators; draw those of new ones from the prior."""
        rates, shapes = [], []
        for name, prior in (("tpr", self.tpr), ("fpr", self.fpr)):
            both = earlier_shapes(rng, prior, name, earlier)
            new = draw_rates(rng, *(np.full(design.n_rates, shape) for shape in both))
            rates.append(earlier.by_annotator(name, new))
            shapes.append(both)
        return State(*rates, *shapes)

    def update(
        self, rng: np.random.Generator, state: State, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Draw the rates given the votes on present and on absent cells."""
        n, now = count(presence, design.totals), state
        # Presence follows whoever votes more than the average, so it is strongly correlated with their rates.
        candidates = np.where(design.derived(above_average), MANY, FEW)
        true, tpr = _draw(rng, self.tpr, now.tpr_shapes, now.tpr, n.hits, n.present, candidates, design)
        false, fpr = _draw(rng, self.fpr, now.fpr_shapes, now.fpr, n.false, n.absent, candidates, design)
        return State(tpr, fpr, true, false), {}

    def refine(
        self, rng: np.random.Generator, state: State, odds: Odds, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Leave the state as it is."""
        return state, {}

    def rates(self, state: State) -> VoteRates:
        """Return the rates of each annotator."""
        return VoteRates(state.tpr, state.fpr)

    def keep(self, state: State, design: Design) -> dict[str, Floats]:
        """Return the rates."""
        learned = keep_shapes(self.tpr, "tpr", state.tpr_shapes) | keep_shapes(
            self.fpr, "fpr", state.fpr_shapes
        )
        return {"tpr": state.tpr, "fpr": state.fpr, **learned}

    def rates_in(self, values: Values, known: Design, asked: Asked | None = None) -> RateDraws:
        """Return the rates of each annotator; those of new ones are drawn from the prior."""
        if asked is None:
            return RateDraws(values("tpr"), values("fpr"))
        new = asked.annotator < 0
        rates = []
        for name, prior in (("tpr", self.tpr), ("fpr", self.fpr)):
            rate = values(name)[:, np.where(new, 0, asked.annotator)]
            a, b = kept_shapes(prior, name, values)
            rate[:, new] = asked.rng.beta(a, b, (len(rate), int(new.sum())))
            rates.append(rate)
        return RateDraws(rates[0], rates[1])

    def simulate(self, rng: np.random.Generator, design: Design) -> State:
        """Draw from the prior."""
        n, true, false = design.n_rates, first_shapes(rng, self.tpr), first_shapes(rng, self.fpr)
        return State(rng.beta(true[0], true[1], n), rng.beta(false[0], false[1], n), true, false)


def above_average(design: Design) -> Bools:
    """Return which rates have more votes than the average one."""
    votes = design.reports + design.silences
    return votes > votes.mean()


def _draw(
    rng: np.random.Generator,
    prior: Beta | LearnedBeta,
    shapes: Floats,
    now: Floats,
    successes: Ints,
    trials: Ints,
    candidates: Ints,
    design: Design,
) -> tuple[Floats, Floats]:
    """Draw shapes, if they are learned, and rates."""
    shapes, redrawn = next_shapes(rng, prior, shapes, successes, trials, design)
    a, b = shapes[0] + successes, shapes[1] + (trials - successes)
    drawn = draw_rates(rng, a, b) if redrawn else overrelaxed_rates(rng, now, a, b, candidates)
    return shapes, drawn


def _learned(prior: Beta | LearnedBeta, name: str, kind: str) -> tuple[Variable, ...]:
    """Return the variables of the prior of a rate, if it is learned."""
    rates = f"{kind} positive rates"
    return shape_variables(
        prior, name, f"{rates} of annotators", f"how alike annotators are in their {rates}"
    )
