"""Expertise: how an annotator's vote arises from the truth. One file per model, all with the same names."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints
from ..audibility import VoteRates
from ..design import Design, Totals
from ..distributions import Prior
from ..predictive.parameters import Asked, RateDraws, Values
from ..presence.draw import Presence
from ..presence.odds import Odds
from ..rates import pack_vote
from ..variables import Variable


class Counts(NamedTuple):
    """Of each rate, successes among trials: reports among votes on present cells, and on absent ones."""

    hits: Ints
    present: Ints
    false: Ints
    absent: Ints


@compiled
def count(presence: Presence, totals: Totals) -> Counts:
    """Count votes by truth: those on present cells come from the draw, the others by subtraction."""
    votes, silent = presence.votes, presence.misses
    reports, silences = totals
    n = len(silent)
    hits, present = np.empty(n, np.int64), np.empty(n, np.int64)
    false, absent = np.empty(n, np.int64), np.empty(n, np.int64)
    for rate in range(n):
        misses = votes[pack_vote(rate, 0)] + silent[rate]
        hits[rate] = votes[pack_vote(rate, 1)]
        present[rate] = hits[rate] + misses
        false[rate] = reports[rate] - hits[rate]
        absent[rate] = false[rate] + silences[rate] - misses
    return Counts(hits, present, false, absent)


class Expertise(Protocol):
    """A model of how annotators err: one side of a `Model`. Each file opens with its equations."""

    by_species: ClassVar[bool]
    """Whether rates differ by annotator and species, or by annotator only."""
    words: ClassVar[str]
    """The model in words, as the beginning of a sentence about annotators."""
    variables: ClassVar[tuple[Variable, ...]]
    """The variables of which it keeps the draws; `tpr` and `fpr`, by annotator, are among them."""

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
        """Draw the state given presence and votes; return it, and shares of proposals accepted, if any."""
        ...

    def refine(
        self, rng: np.random.Generator, state: Any, odds: Odds, presence: Presence, design: Design
    ) -> tuple[Any, dict[str, float]]:
        """Draw parts of the state anew with presence in reported cells summed out, or return it as it is."""
        ...

    def rates(self, state: Any) -> VoteRates:
        """Return the true and the false positive rates, in the order of the design's rates, and loudness."""
        ...

    def keep(self, state: Any, design: Design) -> dict[str, Floats]:
        """Return the values of its variables in this draw, by name."""
        ...

    def rates_in(self, values: Values, known: Design, asked: Asked | None = None) -> RateDraws:
        """Return true and false positive rates in these draws, in the order of the design's rates.

        `known` is the design of the fit, `asked` describes new recordings; the rates of annotators whom the
        fit does not know are drawn from the prior.
        """
        ...

    def simulate(self, rng: np.random.Generator, design: Design) -> Any:
        """Draw a state from the prior."""
        ...
