"""Scored reports: the score of a machine has one distribution where a species is present, another elsewhere.

A machine m is an annotator like any other: it reports a species, that is, passes its threshold, with a true
and a false positive rate. Given a report of species k, its score s, as a logit, is

    s | present ~ Normal(mean[m, k, present], sd[m, k, present]²),
    s | absent  ~ Normal(mean[m, k, absent],  sd[m, k, absent]²),

each cut off below at the machine's threshold c, if it has one: densities are those of normal distributions
over Φ((mean − c) / sd), the part of them above c. `cut` has the thresholds, as logits.

So a scored report multiplies the odds of presence by tpr / fpr, as before, and by the ratio of these two
densities, whoever else voted on the cell and however audible the bird is. All scored reports on a cell
together are one factor of a reported cell (`ReportedCells.further`), as what is known from elsewhere is.

Means and spreads of species are pooled: for presence and for absence each, and for each machine,

    mean[k] ~ Normal(centre, width²),   1 / sd[k]² ~ Gamma(alike, rate = alike · typical),

so that what is learned of common species is expected of rare ones. With z = (s − middle) / unit, middle and
unit being the mean and the standard deviation of all scores of the machine, the priors are

    centre ~ Normal(0, 1), above in presence than in absence,   width ~ half-normal(1/2),
    typical ~ Gamma(2, rate = 4),   log(alike) ~ Normal(log 5, 0.7²).

Mean and sd are those before scores are cut off. Where most scores of a species are, different pairs of them
describe what is left equally well, and these priors decide. Without centre(present) > centre(absent),
presence and absence could change their places where only the machine has voted. Single species may have it
the other way round. draws.py has the draws given presence.

>>> import dawnchorus as dc
>>> annotations = dc.simulate_portal(recordings=40, species=8, machine="BirdNET", seed=1).annotations
>>> scored = ScoredReports.of(annotations)
>>> scored.machines
('BirdNET',)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from ....annotations.labelled import LabelledVotes
from ....common.ragged import Floats, Ints
from ....common.wording import listed
from ...design import Design
from ...earlier import Earlier
from ...predictive.parameters import ScoreDraws, Values
from ...predictive.score_ratios import FARTHEST
from ...presence.draw import Presence
from ...variables import Variable
from .draws import draw_given_presence, log_factors
from .pooling import ALIKE, CENTRE, TYPICAL, WIDTH, Placed, State, draw_from_prior

LEAST_UNIT = 0.25
"""The unit of scores is at least so large, on the logit scale."""
SIDES = ("present", "absent")
KEPT = ("mean", "sd", "centre", "width", "typical_sd", "alike")
"""What is kept of each side."""


@dataclass(frozen=True)
class ScoredReports:
    """Machines whose reports have scores, and the scale of these.

    Parameters
    ----------
    machines
        The annotators whose scores are used.
    middle, unit
        The mean and the standard deviation of the scores of each, as logits.
    cut
        The threshold of each below which it is silent, as a logit; minus infinity if there is none. Empty if
        no machine has any.
    """

    machines: tuple[str, ...]
    middle: tuple[float, ...]
    unit: tuple[float, ...]
    cut: tuple[float, ...] = ()

    @classmethod
    def of(cls, annotations: LabelledVotes) -> ScoredReports:
        """Return the machines of annotations, those with scores."""
        machines = annotations.machines
        scores = annotations.scores_by(machines)
        by = [scores.score[scores.machine == m] for m in range(len(machines))]
        unit = tuple(max(float(of.std()), LEAST_UNIT) for of in by)
        return cls(machines, tuple(float(of.mean()) for of in by), unit, annotations.score_cuts(machines))

    @property
    def cuts(self) -> Floats:
        """The cut-off of each machine, as a logit."""
        return np.array(self.cut or [-np.inf] * len(self.machines))

    @property
    def parts(self) -> dict[str, str]:
        """What they do, in words."""
        return {"scores": f"reports of {listed(self.machines, 3)} count by their scores"}

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Mean and spread by species, and what species have in common."""
        found = []
        before = ", before they are cut off" if np.isfinite(self.cuts).any() else ""
        for side in SIDES:
            where = f"reports where species are {side}" + before
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

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> State:
        """Take over what scores of machines were like; draw those of new species and machines."""
        state = self.init(rng, design.annotations.n_species)
        middle, unit = np.array(self.middle), np.array(self.unit)
        for i, side in enumerate(SIDES):
            kept = {what: f"score_{what}_{side}" for what in KEPT}
            if not earlier.has(*kept.values()):
                continue
            place = earlier.places(kept["centre"], self.machines)
            now, then = np.flatnonzero(place >= 0), place[place >= 0]
            by = unit[now]
            common = {what: earlier.values[kept[what]][then] for what in KEPT}
            state.common[i, now, CENTRE] = (common["centre"] - middle[now]) / by
            state.common[i, now, WIDTH] = common["width"] / by
            state.common[i, now, TYPICAL] = (common["typical_sd"] / by) ** 2
            state.common[i, now, ALIKE] = common["alike"]
            mean = (common["mean"] - middle[now, None]) / by[:, None]
            precision = (by[:, None] / common["sd"]) ** 2
            both = earlier._replace(values={"mean": mean, "precision": precision})
            state.mean[i, now] = both.by_species("mean", state.mean[i, now])
            state.precision[i, now] = both.by_species("precision", state.precision[i, now])
        return state

    def update(self, rng: np.random.Generator, state: State, presence: Presence, design: Design) -> State:
        """Draw everything given presence in the cells with scored reports."""
        new = State(*(part.copy() for part in state))
        there = presence.reported[design.derived(Design.scored_places)]
        draw_given_presence(rng, new, there, self._placed(design))
        return new

    def factors(self, state: State, design: Design) -> Floats:
        """Return P(scores | present) / P(scores | absent) of each reported cell."""
        cell = design.derived(Design.scored_places)
        placed = self._placed(design)
        kept = _log_kept(state.mean, 1 / np.sqrt(state.precision), placed.cut)
        log = log_factors(state, kept, placed, cell, len(design.layout.reported.recording))
        return np.exp(np.clip(log, -FARTHEST, FARTHEST))

    def _placed(self, design: Design) -> Placed:
        """Return machine, species and score of each scored report, and cut-offs, in units of the machine."""
        scores = design.scores
        middle, unit = np.array(self.middle), np.array(self.unit)
        score = (scores.score - middle[scores.machine]) / unit[scores.machine]
        return Placed(scores.machine, scores.species, score, (self.cuts - middle) / unit)

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
        mean, sd = (
            np.stack([values(f"score_{what}_{side}")[..., species] for side in SIDES])
            for what in ("mean", "sd")
        )
        parts = mean, sd, _log_kept(mean, sd, self.cuts)
        return ScoreDraws(*(np.ascontiguousarray(part, np.float32) for part in parts))

    def simulate(self, rng: np.random.Generator, state: State, present: Any, where: Any) -> Floats:
        """Draw scores, as logits, of reports of machine and species `where`, present or not."""
        machine, species = where
        at = np.where(present, 0, 1), machine, species
        middle, unit = np.array(self.middle)[machine], np.array(self.unit)[machine]
        mean, sd = state.mean[at], 1 / np.sqrt(state.precision[at])
        score = rng.normal(mean, sd)
        cut = (self.cuts[machine] - middle) / unit
        some = np.flatnonzero(cut > -np.inf)
        kept = log_ndtr((mean[some] - cut[some]) / sd[some])
        score[some] = mean[some] - sd[some] * ndtri_exp(kept - rng.standard_exponential(len(some)))
        return np.asarray(middle + unit * score)


def _log_kept(mean: Floats, sd: Floats, cut: Floats) -> Floats:
    """Return the logarithm of how much of normal distributions, … × machines × species, is not cut off."""
    return np.asarray(log_ndtr((mean - cut[:, None]) / sd))
