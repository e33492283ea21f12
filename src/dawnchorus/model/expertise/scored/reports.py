"""Scored reports: the score of a machine has one distribution where a species is present, another elsewhere.

A machine m is an annotator like any other: it reports a species, that is, passes its threshold, with a true
and a false positive rate. Given a report of species k, its score s, as a logit, is

    s | present ~ Normal(mean[m, k, present], sd[m, k, present]²),
    s | absent  ~ Normal(mean[m, k, absent],  sd[m, k, absent]²).

So a scored report multiplies the odds of presence by tpr / fpr, as before, and by the ratio of these two
densities, whoever else voted on the cell and however audible the bird is. All scored reports on a cell
together are one factor of a reported cell (`ReportedCells.further`), as what is known from elsewhere is.

Means and spreads of species are pooled: for presence and for absence each, and for each machine,

    mean[k] ~ Normal(centre, width²),   1 / sd[k]² ~ Gamma(alike, rate = alike · typical),

so that what is learned of common species is expected of rare ones. With z = (s − middle) / unit, middle and
unit being the mean and the standard deviation of all scores of the machine, the priors are

    centre ~ Normal(0, 1), above in presence than in absence,   width ~ half-normal(1/2),
    typical ~ Gamma(2, rate = 4),   log(alike) ~ Normal(log 5, 0.7²).

Without centre(present) > centre(absent), presence and absence could change their places where only the
machine has voted. Single species may have it the other way round. draws.py has the draws given presence.

>>> import dawnchorus as dc
>>> annotations = dc.simulate_portal(recordings=40, species=8, machine="BirdNET", seed=1).annotations
>>> scored = ScoredReports.of(annotations)
>>> scored.machines
('BirdNET',)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....annotations.labelled import LabelledVotes
from ....common.ragged import Floats, Ints
from ...design import Design
from ...predictive.parameters import ScoreDraws, Values
from ...predictive.score_ratios import FARTHEST
from ...presence.draw import Presence
from ...variables import Variable
from .draws import ALIKE, CENTRE, TYPICAL, WIDTH, draw_from_prior, draw_given_presence, log_factors

LEAST_UNIT = 0.25
"""The unit of scores is at least so large, on the logit scale."""
SIDES = ("present", "absent")


class State(NamedTuple):
    """Of both sides, presence first, in units of the machine: what scores of species are like."""

    mean: Floats
    """2 × machines × species, as is `precision`, 1 / sd²."""
    precision: Floats
    common: Floats
    """2 × machines × 4: centre, width, alike and typical."""


@dataclass(frozen=True)
class ScoredReports:
    """Machines whose reports have scores, and the scale of these.

    Parameters
    ----------
    machines
        The annotators whose scores are used.
    middle, unit
        The mean and the standard deviation of the scores of each, as logits.
    """

    machines: tuple[str, ...]
    middle: tuple[float, ...]
    unit: tuple[float, ...]

    @classmethod
    def of(cls, annotations: LabelledVotes) -> ScoredReports:
        """Return the machines of annotations, those with scores."""
        machines = annotations.machines
        scores = annotations.scores_by(machines)
        by = [scores.score[scores.machine == m] for m in range(len(machines))]
        unit = tuple(max(float(of.std()), LEAST_UNIT) for of in by)
        return cls(machines, tuple(float(of.mean()) for of in by), unit)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Mean and spread by species, and what species have in common."""
        found = []
        for side in SIDES:
            where = f"reports where species are {side}"
            for what, words in (("mean", "means"), ("sd", "standard deviations")):
                found.append(
                    Variable(
                        f"score_{what}_{side}",
                        ("machine", "species"),
                        f"{words} of scores of {where}",
                        storage="limited",
                        names=self.machines,
                    )
                )
            for what, words in (
                ("centre", "the mean over species of scores of"),
                ("width", "how far species differ in the mean score of"),
                ("typical_sd", "the typical standard deviation of scores of"),
                ("alike", "how alike species are in the spread of scores of"),
            ):
                name, told = f"score_{what}_{side}", f"{words} {where}"
                found.append(Variable(name, ("machine",), told, names=self.machines))
        return tuple(found)

    def init(self, rng: np.random.Generator, n_species: int) -> State:
        """Draw from the prior."""
        n = len(self.machines)
        state = State(np.empty((2, n, n_species)), np.empty((2, n, n_species)), np.empty((2, n, 4)))
        draw_from_prior(rng, *state)
        return state

    def update(self, rng: np.random.Generator, state: State, presence: Presence, design: Design) -> State:
        """Draw everything given presence in the cells with scored reports."""
        new = State(*(part.copy() for part in state))
        there = presence.reported[design.derived(Design.scored_places)]
        draw_given_presence(rng, *new, there, *self._placed(design))
        return new

    def factors(self, state: State, design: Design) -> Floats:
        """Return P(scores | present) / P(scores | absent) of each reported cell."""
        cell = design.derived(Design.scored_places)
        log = log_factors(
            state.mean, state.precision, *self._placed(design), cell, len(design.layout.reported.recording)
        )
        return np.exp(np.clip(log, -FARTHEST, FARTHEST))

    def _placed(self, design: Design) -> tuple[Ints, Ints, Floats]:
        """Return machine, species and score, in units of the machine, of each scored report."""
        scores = design.scores
        middle, unit = np.array(self.middle), np.array(self.unit)
        return scores.machine, scores.species, (scores.score - middle[scores.machine]) / unit[scores.machine]

    def keep(self, state: State) -> dict[str, Floats]:
        """Return the values of the variables, on the scale of logits."""
        middle, unit = np.array(self.middle), np.array(self.unit)
        kept: dict[str, Any] = {}
        for i, side in enumerate(SIDES):
            common = state.common[i]
            kept[f"score_mean_{side}"] = middle[:, None] + unit[:, None] * state.mean[i]
            kept[f"score_sd_{side}"] = unit[:, None] / np.sqrt(state.precision[i])
            kept[f"score_centre_{side}"] = middle + unit * common[:, CENTRE]
            kept[f"score_width_{side}"] = unit * common[:, WIDTH]
            kept[f"score_typical_sd_{side}"] = unit * np.sqrt(common[:, TYPICAL])
            kept[f"score_alike_{side}"] = common[:, ALIKE]
        return kept

    def draws(self, values: Values, species: Ints) -> ScoreDraws:
        """Return mean and spread of scores of these species in kept draws."""
        both = [
            np.stack([values(f"score_{what}_{side}")[..., species] for side in SIDES])
            for what in ("mean", "sd")
        ]
        return ScoreDraws(*(np.ascontiguousarray(part, np.float32) for part in both))

    def simulate(self, rng: np.random.Generator, state: State, present: Any, where: Any) -> Floats:
        """Draw scores, as logits, of reports of machine and species `where`, present or not."""
        machine, species = where
        side = np.where(present, 0, 1)
        at = side, machine, species
        score = rng.normal(state.mean[at], 1 / np.sqrt(state.precision[at]))
        return np.asarray(np.array(self.middle)[machine] + np.array(self.unit)[machine] * score)
