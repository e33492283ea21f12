"""Sweep: a model is a pair of occurrence and expertise, and a Gibbs sweep draws one part after the other.

    occurrence.update(presence)  →  expertise.update(presence, votes)
    →  expertise.refine(odds, presence, votes)  →  occurrence.refine(rates, presence, votes)
    →  both together, species by species, then for all of them (together/)
    →  presence.draw(odds, rates, votes)

`refine` moves rates, or occurrence, with presence in reported cells summed out. This is valid only because
nothing uses the old presence of those cells between `refine` and the draw of the new one (partial collapsing;
van Dyk and Park 2008). Moves of both together sum out all presence, and come last. If an expert says what is
known, the expert's rates come first, and so do means and spreads of scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..annotations.known import KnownCells
from ..annotations.labelled import LabelledVotes
from ..common.ragged import Bools, Floats
from .audibility import VoteRates
from .design import Design
from .distributions import Prior
from .earlier import Earlier, StartsFromEarlier
from .expertise import Expertise
from .expertise.known_votes import KnownVotes
from .expertise.scored.reports import ScoredReports
from .occurrence import Occurrence
from .predictive.parameters import NO_SCORES, Asked, Parameters, Values
from .presence import draw as presence
from .presence.draw import Presence
from .presence.odds import Odds
from .together.faintness import move_faintness
from .together.moves import move_together
from .together.species import move_species
from .variables import Variable

NONE = np.empty(0)


class State(NamedTuple):
    """What the next sweep needs."""

    occurrence: Any
    expertise: Any
    presence: Presence
    known: Floats = NONE
    """The rates of an expert who says what is known, if there is one."""
    scored: Any = NONE
    """What scores of machines are like, if there are any."""


@dataclass(frozen=True)
class Model:
    """A model of votes: where species occur, and how annotators err.

    `fit` takes one in place of a name, so that models of your own need no registration.

    Parameters
    ----------
    occurrence
        How likely each species is in each recording.
    expertise
        How an annotator's vote arises from presence or absence.
    name
        What the pair is called; by default the names of both classes.
    known_votes
        What is believed of an expert who says what is known, if that is not the truth; `fit` sets it.
    scored
        The machines whose scores are used, if there are any; `fit` sets it.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from dawnchorus.model.expertise.per_annotator import PerAnnotator
    >>> from dawnchorus.model.occurrence.independent import Independent
    >>> model = dc.Model(Independent(dc.Beta(2, 20)), PerAnnotator(dc.Beta(8, 2), dc.Beta(1, 99)))
    >>> model.name
    'Independent with PerAnnotator'
    >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
    >>> dc.fit(annotations, model, draws=50, warmup=50, min_ess=None).name
    'Independent with PerAnnotator'
    """

    occurrence: Occurrence
    expertise: Expertise
    name: str = ""
    known_votes: KnownVotes | None = None
    scored: ScoredReports | None = None

    def __post_init__(self) -> None:
        if not self.name:
            sides = type(self.occurrence).__name__, type(self.expertise).__name__
            object.__setattr__(self, "name", " with ".join(sides))

    @property
    def words(self) -> str:
        """The model in words: a sentence without its full stop."""
        sides = f"{self.expertise.words}, and {self.occurrence.words}"
        return "; ".join([sides, *self.parts.values()])

    @property
    def parts(self) -> dict[str, str]:
        """What is switched on beyond the plain pair: its name, as `compare` writes it, and words.

        Each part says its own. Whatever has none needs no property `parts`.
        """
        every = self.occurrence, self.expertise, self.known_votes, self.scored
        return {name: words for one in every for name, words in getattr(one, "parts", {}).items()}

    @property
    def full_name(self) -> str:
        """The name with all parts that are switched on."""
        return " + ".join([self.name, *self.parts])

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of which draws are kept, of both sides."""
        known = self.known_votes.variables if self.known_votes else ()
        scored = self.scored.variables if self.scored else ()
        return (*self.occurrence.variables, *self.expertise.variables, *known, *scored)

    @property
    def priors(self) -> dict[str, Prior]:
        """The priors of both sides by name, and those of an expert who says what is known."""
        known = self.known_votes.priors if self.known_votes else {}
        return self.occurrence.priors | self.expertise.priors | known

    @property
    def marks_vote(self) -> bool:
        """Whether unsure marks are votes; an expertise for which they are has this property too."""
        return bool(getattr(self.expertise, "marks_vote", False))

    def design(self, annotations: LabelledVotes, known: KnownCells | None = None) -> Design:
        """Return the design of these annotations and known cells, with the rates that this model has."""
        kinds = {"by_species": self.expertise.by_species, "marks_vote": self.marks_vote}
        machines = self.scored.machines if self.scored else ()
        return Design(annotations, **kinds, known=known, machines=machines)

    def told(self, known: Floats, scored: Any, design: Design) -> Design:
        """Return the design with what an expert says, by these rates, and scores, if there are any."""
        if not (self.known_votes or self.scored):
            return design
        ratios = self.known_votes.ratios(known) if self.known_votes else None
        return design.told(ratios, self.scored.factors(scored, design) if self.scored else None)

    def init(self, rng: np.random.Generator, design: Design, chain: int = 0) -> State:
        """Return a state to start from, a different one for each chain."""
        occurrence = self.occurrence.init(rng, design, chain)
        expertise = self.expertise.init(rng, design, chain)
        known = self.known_votes.init(rng) if self.known_votes else NONE
        scored = self.scored.init(rng, design.annotations.n_species) if self.scored else NONE
        return self._with_presence(rng, design, occurrence, expertise, known, scored)

    @property
    def starting_anew(self) -> list[str]:
        """The sides that cannot start from a draw of an earlier fit, by the names of their classes."""
        sides = self.occurrence, self.expertise
        return [type(side).__name__ for side in sides if not isinstance(side, StartsFromEarlier)]

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> State:
        """Return a state to start from, close to a draw of an earlier fit of fewer data.

        Presence is drawn given the rest. A side that cannot start from an earlier draw starts anew.
        """
        sides: list[Any] = []
        for side in (self.occurrence, self.expertise):
            if isinstance(side, StartsFromEarlier):
                sides.append(side.start_from(rng, design, chain, earlier))
            else:
                sides.append(side.init(rng, design, chain))
        known = self.known_votes.start_from(rng, design, chain, earlier) if self.known_votes else NONE
        scored = self.scored.start_from(rng, design, chain, earlier) if self.scored else NONE
        return self._with_presence(rng, design, sides[0], sides[1], known, scored)

    def _with_presence(
        self,
        rng: np.random.Generator,
        design: Design,
        occurrence: Any,
        expertise: Any,
        known: Floats,
        scored: Any,
    ) -> State:
        odds, rates = self.occurrence.odds(occurrence), self.expertise.rates(expertise)
        drawn = _drawn(rng, self.told(known, scored, design), odds, rates)
        return State(occurrence, expertise, drawn, known, scored)

    def sweep(self, rng: np.random.Generator, state: State, design: Design) -> tuple[State, dict[str, float]]:
        """Draw everything once; return the new state, and the shares of proposals accepted, by name."""
        known, scored = state.known, state.scored
        if self.known_votes:
            known = self.known_votes.update(rng, state.presence, design)
        if self.scored:
            scored = self.scored.update(rng, scored, state.presence, design)
        design = self.told(known, scored, design)
        occurrence, accepted = self.occurrence.update(rng, state.occurrence, state.presence, design)
        expertise, moved = self.expertise.update(rng, state.expertise, state.presence, design)
        odds = self.occurrence.odds(occurrence)
        expertise, refined = self.expertise.refine(rng, expertise, odds, state.presence, design)
        rates = self.expertise.rates(expertise)
        moving, again = self.occurrence.refine(rng, occurrence, rates, state.presence, design)
        if moving is not occurrence:
            occurrence, odds = moving, self.occurrence.odds(moving)
        sides, states = (self.occurrence, self.expertise), (occurrence, expertise)
        states, by_species = move_species(rng, sides, states, odds, design)
        if states[0] is not occurrence:
            odds = self.occurrence.odds(states[0])
        states, fainter = move_faintness(rng, sides, states, odds, design)
        moved_by_species, (states, together) = states, move_together(rng, sides, states, design)
        if states[0] is not moved_by_species[0]:
            odds = self.occurrence.odds(states[0])
        if states[1] is not expertise:
            rates = self.expertise.rates(states[1])
        occurrence, expertise = states
        drawn = _drawn(rng, design, odds, rates)
        accepted |= moved | refined | again | by_species | fainter | together
        return State(occurrence, expertise, drawn, known, scored), accepted

    def parameters(
        self, values: Values, chains: int, known: Design, asked: Asked | None = None
    ) -> Parameters:
        """Return what presence depends on in these draws, for the fitted or for new recordings."""
        species = np.arange(known.annotations.n_species) if asked is None else asked.species
        rates = self.expertise.rates_in(values, known, asked)
        kinds = self.occurrence.kinds(values, species, asked)
        shared = kinds.components, kinds.weight, kinds.occurrence, chains, kinds.contexts
        expert = NONE if self.known_votes is None else np.stack([values(n) for n in self.known_votes.priors])
        scores = self.scored.draws(values, species) if self.scored else NO_SCORES
        return Parameters(rates.tpr, rates.fpr, *shared, *rates[2:], expert, scores)

    def even(self, values: Values) -> Bools | None:
        """Return who reports at random in which of these draws, draws × annotators.

        None if the model expects nobody to. An expertise that does says so itself.
        """
        says = getattr(self.expertise, "even", None)
        return says(values) if says else None

    def reported_chances(self, state: State) -> Floats:
        """Return the probability of presence of each reported cell, given everything else."""
        odds = state.presence.odds
        return np.asarray(odds / (1 + odds))

    def keep(self, rng: np.random.Generator, state: State, design: Design) -> dict[str, Floats]:
        """Return the values of the variables in this draw, by name."""
        known = self.known_votes.keep(state.known) if self.known_votes else {}
        scored = self.scored.keep(state.scored) if self.scored else {}
        occurrence = self.occurrence.keep(rng, state.occurrence, design)
        return occurrence | self.expertise.keep(state.expertise, design) | known | scored


def _drawn(rng: np.random.Generator, design: Design, odds: Odds, rates: VoteRates) -> Presence:
    """Draw presence here, or where the data are."""
    if design.elsewhere is not None:
        return design.elsewhere.draw(rng, design, odds, rates)
    return presence.draw(rng, design.layout, odds, rates, design.threads)
