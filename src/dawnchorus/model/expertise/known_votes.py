"""Known votes: cells that are known from an expert who may err, with rates of their own.

    P(said to be present | present) = known_tpr ~ Beta,   P(said to be present | absent) = known_fpr ~ Beta,

the same for all species, with strong priors: an expert who hears a recording several times is nearly always
right. So what is known multiplies the odds of a cell by known_tpr / known_fpr, or by
(1 − known_tpr) / (1 − known_fpr) where the species is said to be absent. It does not depend on how audible a
bird is to annotators. Given presence, both rates have Beta distributions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...common.ragged import Floats
from ..design import Design
from ..distributions import Beta, Prior
from ..distributions.priors import Priors
from ..distributions.usual import KNOWN_FPR, KNOWN_TPR
from ..earlier import Earlier
from ..presence.draw import Presence
from ..rates import draw_rates, ratios
from ..variables import Variable


@dataclass(frozen=True)
class KnownVotes:
    """What is believed of an expert."""

    tpr: Beta = KNOWN_TPR
    fpr: Beta = KNOWN_FPR

    @classmethod
    def from_priors(cls, priors: Priors) -> KnownVotes:
        """Return the part of all priors that is about an expert."""
        return cls(priors.known_tpr, priors.known_fpr)

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        return {"known_tpr": self.tpr, "known_fpr": self.fpr}

    @property
    def parts(self) -> dict[str, str]:
        """What they do, in words."""
        return {"known as expert": "what is known is said by an expert, who may err too"}

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Both rates."""
        return tuple(
            Variable(name, (), f"the {kind} positive rate of the expert who says what is known", prior=name)
            for name, kind in (("known_tpr", "true"), ("known_fpr", "false"))
        )

    def init(self, rng: np.random.Generator) -> Floats:
        """Draw both rates from the prior."""
        return rng.beta([self.tpr.a, self.fpr.a], [self.tpr.b, self.fpr.b])

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> Floats:
        """Take over both rates, if there was an expert before."""
        if not earlier.has(*self.priors):
            return self.init(rng)
        return np.array([earlier.number(name) for name in self.priors])

    def update(self, rng: np.random.Generator, presence: Presence, design: Design) -> Floats:
        """Draw both rates given presence in the known cells."""
        assert design.known
        there, said = presence.reported[design.derived(Design.known_places)], design.known.present
        a, b = np.array([self.tpr.a, self.fpr.a]), np.array([self.tpr.b, self.fpr.b])
        yes = np.array([np.count_nonzero(there & said), np.count_nonzero(~there & said)])
        no = np.array([np.count_nonzero(there & ~said), np.count_nonzero(~there & ~said)])
        return draw_rates(rng, a + yes, b + no)

    def ratios(self, rates: Floats) -> Floats:
        """Return what an expert of these rates says: the ratios of "absent" and "present"."""
        return ratios(rates[:1], rates[1:], 0.0)

    def keep(self, rates: Floats) -> dict[str, Floats]:
        """Return both rates by name."""
        return dict(zip(self.priors, rates, strict=True))
