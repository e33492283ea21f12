"""Gibbs: a model is a pair of occurrence and expertise, and a sweep draws one side after the other.

occurrence.update(presence)  →  expertise.update(presence, votes)  →  expertise.refine(odds, presence, votes)
→  presence.draw(odds, rates, votes)

`refine` draws some rates with presence in reported cells summed out. That is right only because nothing
uses the old presence of those cells between it and the draw of the new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..annotations.labelled import LabelledVotes
from ..common.ragged import Floats
from .design import Design
from .expertise import Expertise
from .occurrence import Occurrence
from .predictive.parameters import Asked, Parameters, Values
from .presence import draw as presence
from .presence.draw import Presence
from .presence.odds import Odds
from .priors import Prior
from .variables import Variable


class State(NamedTuple):
    """What the next sweep needs."""

    occurrence: Any
    expertise: Any
    presence: Presence


@dataclass(frozen=True)
class Model:
    """Where species occur, and how annotators err; and the name that people call this pair by."""

    occurrence: Occurrence
    expertise: Expertise
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            sides = type(self.occurrence).__name__, type(self.expertise).__name__
            object.__setattr__(self, "name", " with ".join(sides))

    @property
    def words(self) -> str:
        """What the model says, as a sentence without its full stop."""
        return f"{self.expertise.words}, and {self.occurrence.words}"

    @property
    def variables(self) -> tuple[Variable, ...]:
        """What is kept of a draw."""
        return (*self.occurrence.variables, *self.expertise.variables)

    @property
    def priors(self) -> dict[str, Prior]:
        """The priors of both sides by name."""
        return self.occurrence.priors | self.expertise.priors

    def design(self, annotations: LabelledVotes) -> Design:
        """Lay the annotations out for this model."""
        return Design(annotations, by_species=self.expertise.by_species)

    def init(self, rng: np.random.Generator, design: Design, chain: int = 0) -> State:
        """Return a state to start from; chains start apart from each other."""
        occurrence = self.occurrence.init(rng, design, chain)
        expertise = self.expertise.init(rng, design, chain)
        odds = self.occurrence.odds(occurrence)
        return State(occurrence, expertise, self.draw_presence(rng, odds, expertise, design))

    def sweep(self, rng: np.random.Generator, state: State, design: Design) -> tuple[State, dict[str, float]]:
        """Draw everything once; return also which shares of proposals were accepted, by name."""
        occurrence, accepted = self.occurrence.update(rng, state.occurrence, state.presence, design)
        expertise, moved = self.expertise.update(rng, state.expertise, state.presence, design)
        odds = self.occurrence.odds(occurrence)
        expertise, refined = self.expertise.refine(rng, expertise, odds, state.presence, design)
        drawn = self.draw_presence(rng, odds, expertise, design)
        return State(occurrence, expertise, drawn), accepted | moved | refined

    def draw_presence(self, rng: np.random.Generator, odds: Odds, expertise: Any, design: Design) -> Presence:
        """Draw presence given both sides."""
        return presence.draw(rng, design.layout, odds, *self.expertise.rates(expertise))

    def parameters(
        self, values: Values, chains: int, known: Design, asked: Asked | None = None
    ) -> Parameters:
        """Return all that presence depends on in these draws, for the fit or for later recordings."""
        species = np.arange(known.annotations.n_species) if asked is None else asked.species
        tpr, fpr = self.expertise.rates_in(values, known, asked)
        return Parameters(tpr, fpr, *self.occurrence.kinds(values, species), chains)

    def reported_chances(self, state: State, design: Design) -> Floats:
        """Return the probability of presence of each reported cell, given everything else."""
        odds = self.occurrence.odds(state.occurrence)
        return presence.reported_chances(design.layout.reported, odds, *self.expertise.rates(state.expertise))

    def keep(self, rng: np.random.Generator, state: State, design: Design) -> dict[str, Floats]:
        """Return the named values of a draw that are kept."""
        return self.occurrence.keep(rng, state.occurrence, design) | self.expertise.keep(
            state.expertise, design
        )
