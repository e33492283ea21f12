"""Parameters: what presence depends on in every draw. Each side of a model returns its part.

A side gets `Values`, a function that returns the draws of one of its variables by name, flat over chains;
and, for recordings that came after the fit, `Asked`: their design, and which of their annotators and species
the fit knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from ...annotations.known import KnownCells
from ...common.ragged import Floats, Ints
from ..context import Context
from ..design import Design

NONE = np.empty(0)
Values = Callable[[str], Floats]
"""A function from the name of a variable to its draws: draws × the dimensions of the variable."""


class Occurrence(Protocol):
    """How probable species are before there are votes, recording by recording.

    Recordings of the same context have the same occurrence.
    """

    n_species: int
    most: int
    """At most so many recordings may be asked for at a time; 0 for any number."""

    def of(self, first: int, last: int) -> tuple[Ints, Floats]:
        """Return the context of these recordings, and occurrence by draw, component, context and species."""

    def needed(self, least: float) -> tuple[Ints, Floats]:
        """Return the group of each recording (one number for one group), and factors, groups × species.

        If the odds are multiplied by less in every draw, no cell of a group is as probable as `least`; as
        logarithms, infinite where no factor is enough.
        """

    def terms(
        self, draw: int, n: int, rng: np.random.Generator, known: KnownCells | None = None
    ) -> tuple[Floats, Ints]:
        """Return one draw as terms of log-odds, for all n recordings: rows × species, recordings × terms.

        Log-odds of a cell are the sum over terms of the value in the row that the recording has there. What a
        recording is by chance, such as its component, is drawn given the cells that are known as the truth.
        """


class ScoreDraws(NamedTuple):
    """Mean and standard deviation of scores of reports, 2 × draws × machines × species each.

    The first of the two is where species are present, the other where they are absent. `log_kept` is the
    logarithm of how much of the normal distribution the machine does not cut off.
    """

    mean: Floats
    sd: Floats
    log_kept: Floats


NO_SCORES = ScoreDraws(*np.empty((3, 2, 0, 0, 0), np.float32))


class RateDraws(NamedTuple):
    """True and false positive rates in every draw, and what else `Parameters` have of votes."""

    tpr: Floats
    fpr: Floats
    faintness: Floats = NONE
    unsure: Floats = NONE
    deception: Floats = NONE


class Parameters(NamedTuple):
    """Draws of all that presence depends on, flat over chains; rates are in the order of a design.

    `occurrence` is draws × components × species. Draws may differ in their number of components: values
    beyond that number are not used, but their weight has to be 0. Where occurrence differs by recording,
    `contexts` tells how, and `occurrence` is its mean. `faintness` is how far birds
    differ in how audible they are, by draw, if they do; true positive rates are over all birds. `unsure` is
    as in `VoteRates`, by draw, if unsure marks are votes. `deception` is how far absent birds differ in how
    deceptive they are, by draw, if they do; false positive rates are over all of them. `known` has both rates
    of an expert who says what is known, 2 × draws, if there is one. `scores` has what scores of machines are
    like, if there are any.
    """

    tpr: Floats
    fpr: Floats
    components: Ints
    weight: Floats
    occurrence: Floats
    chains: int = 1
    contexts: Occurrence | None = None
    faintness: Floats = NONE
    unsure: Floats = NONE
    deception: Floats = NONE
    known: Floats = NONE
    scores: ScoreDraws = NO_SCORES

    @property
    def unsure_marks(self) -> Floats:
        """How many unsure marks there are for a report in each draw, where both are rare."""
        return self.unsure if len(self.unsure) else np.zeros(len(self.tpr))


class Kinds(NamedTuple):
    """What an occurrence says before any vote: kinds of recordings, and species in each.

    These are the number of kinds in each draw, their weights, and the probability of each species in each;
    and, where that differs by recording, how it does.
    """

    components: Ints
    weight: Floats
    occurrence: Floats
    contexts: Occurrence | None = None


def one_kind(occurrence: Floats) -> Kinds:
    """Return a single kind of recordings, from its occurrence, draws × species."""
    n = len(occurrence)
    return Kinds(np.ones(n, np.int64), np.ones((n, 1)), occurrence[:, None])


class Asked(NamedTuple):
    """Recordings that came after the fit.

    Attributes
    ----------
    design
        Their votes.
    annotator, species
        The place that each annotator and each species had in the fit; −1 for annotators who are new.
    rng
        For what is drawn from the prior: rates, and effects of unknown levels.
    context
        Their context, with the terms of the fit, if the model asks for one.
    said
        What their annotators say of themselves, with the terms of the fit, if the model asks for it.
    """

    design: Design
    annotator: Ints
    species: Ints
    rng: np.random.Generator
    context: Context | None = None
    said: Context | None = None
