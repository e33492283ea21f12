"""Sides: what is believed of true, and of false positive rates by annotator and species, and what is kept."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ...common.ragged import Floats
from ..audibility import ALIKE, Audibility, audibility, heard_rates, kept_rates
from ..design import Design
from ..distributions import HalfNormal, HalfNormalForMost, LearnedNormal, Normal
from ..learning import keep_normal, kept_normal, normal_variables
from ..predictive.parameters import Asked, Values
from ..variables import Dimension, Variable
from .logits.evenness import Even
from .logits.levels import Skill, matrix_of, next_normal, redraw_normal
from .logits.trials import Trials

NONE, NOTHING = np.empty(0), np.array(0.0)
KINDS = {"tpr": "true", "fpr": "false"}
VARIED = {
    "tpr": ("faintness", "how audible they are"),
    "fpr": ("deception", "how deceptive they are where they are absent"),
}
"""The name of how far cells differ for everybody, and in what."""


class Side(NamedTuple):
    """Levels, spread and logits of the true or of the false positive rates."""

    level: Floats
    spread: Floats
    logit: Floats
    own: Floats
    """What the spread of each annotator is multiplied by: 1, unless they may differ in that."""
    among: Floats
    """Mean and standard deviation of levels."""
    shift: Floats = NONE
    """By how much the logits of each species differ from those of others; nothing if they do not."""
    hard: Floats = NOTHING
    """The standard deviation of these shifts."""
    effect: Floats = NONE
    """What annotators say of themselves does this to their levels; nothing if it is not asked."""
    effect_scale: Floats = NONE
    """The standard deviation of these effects, by term."""
    varied: Floats = NOTHING
    """How far cells differ for everybody, as logits; 0 if they do not: birds that are there in how audible
    they are, and others in how deceptive."""

    def offset(self, design: Design) -> Floats:
        """Return by how much the centre of each logit differs from the level of its annotator."""
        return self.shift[design.pairs.item] if len(self.shift) else NONE


class State(NamedTuple):
    """The true and the false positive rates."""

    tpr: Side
    fpr: Side
    step: Floats = NOTHING
    """By how much the logit of "report or unsure" is above that of a report; 0 if marks are no votes."""

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides."""
        return self.tpr, self.fpr

    @property
    def unsure(self) -> float:
        """How many unsure marks there are for a report, where both are rare; 0 if they are no votes."""
        return float(np.expm1(self.step))


class SidePrior(NamedTuple):
    """The priors of the true or of the false positive rates."""

    level: Normal | LearnedNormal
    spread: HalfNormal | HalfNormalForMost
    difficulty: HalfNormal | None = None
    """How far species differ for everyone; None if they do not."""
    skill: Skill | None = None
    """What annotators say of themselves; None if levels do not depend on it."""
    varied: HalfNormal | None = None
    """How far cells differ for everybody; None if they do not."""

    @property
    def uneven(self) -> float:
        """How much annotators differ in their spread: the standard deviation of its logarithm."""
        return float(self.level.uneven) if isinstance(self.level, LearnedNormal) else 0.0

    @property
    def even(self) -> Even | None:
        """How many annotators report at random, and how these differ; None if levels are learned."""
        if isinstance(self.spread, HalfNormalForMost) and isinstance(self.level, Normal):
            return Even(float(self.spread.even), float(self.spread.times), float(self.spread.higher))
        return None

    def draw_own(self, rng: np.random.Generator, *shape: int) -> Floats:
        """Draw from the prior what the spreads of annotators are multiplied by."""
        if self.uneven:
            return np.exp(rng.normal(0, self.uneven, shape))
        if self.even:
            return np.where(rng.random(shape) < self.even.share, self.even.times, 1.0)
        return np.ones(shape)

    @property
    def own_spreads(self) -> bool:
        """Whether annotators differ in their spread."""
        return self.uneven > 0 or self.even is not None

    def heard(self, side: Side) -> Audibility:
        """Return the classes of cells that differ for everybody, if they do."""
        return audibility(float(side.varied)) if self.varied else ALIKE

    def numbers(self, side: Side) -> tuple[Floats, float, float]:
        """Return the mean of levels by annotator, their sd, and the scale of the spread, for kernels."""
        mean, sd = side.among.tolist()
        expected = self.expected(side.effect, len(side.level)) + self.higher(side.own)
        return mean + expected, sd, float(self.spread.scale)

    def expected(self, effect: Floats, annotators: int) -> Floats:
        """Return by how much each annotator's level is expected to differ, by what they say of themselves."""
        return self.skill.matrix @ effect if self.skill else np.zeros(annotators)

    def higher(self, own: Floats) -> Floats:
        """Return by how much levels of those who report at random are expected to be higher."""
        return np.where(own < 1, self.even.higher, 0.0) if self.even else np.zeros(own.shape)

    def next(self, rng: np.random.Generator, side: Side, effect: Floats, trials: Trials) -> Side:
        """Return a side with effects, and mean and sd of levels, drawn given levels, then given logits.

        `effect` are those that moved together with the levels.
        """
        scale = side.effect_scale
        if self.skill:
            mean, sd = side.among.tolist()
            away = side.level - mean - self.higher(side.own)
            effect, scale = self.skill.draw(rng, away, sd, effect, scale)
        expected = self.expected(effect, len(side.level)) + self.higher(side.own)
        among = next_normal(rng, self.level, side.among, side.level - expected)
        level = side.level
        if isinstance(self.level, LearnedNormal):
            (mean, sd), level = among.tolist(), level.copy()
            known = self.level.centre - mean, float(self.level.width), float(self.level.spread)
            before = mean + expected, sd
            move, sd = redraw_normal(
                rng, side.logit, trials, level, float(side.spread), side.own, before, known
            )
            among = np.array([mean + move, sd])
        return side._replace(level=level, among=among, effect=effect, effect_scale=scale)

    def stretched(self, side: Side, times: float) -> tuple[Side, float]:
        """Return a side with all logits, and what they are made of, multiplied; and the gain in log density.

        The gain includes the logarithm of what volumes are multiplied by. Densities of logits around levels,
        of shifts and of effects around 0 become lower by as much as volumes grow, so that only scales count
        and, unless they are learned, levels.
        """
        mean, sd = side.among.tolist()
        scales = np.array([side.spread, side.hard, *side.effect_scale], float)
        prior = self.scales[[0, 1, *range(3, len(self.scales))]]
        there = prior > 0
        gain = there.sum() * math.log(times)
        gain -= 0.5 * (times**2 - 1) * float(((scales[there] / prior[there]) ** 2).sum())
        among = side.among
        if isinstance(self.level, LearnedNormal):
            middle, width = float(self.level.centre), float(self.level.width)
            gain += 2 * math.log(times) - 0.5 * (times**2 - 1) * (sd / float(self.level.spread)) ** 2
            gain -= 0.5 * ((times * mean - middle) ** 2 - (mean - middle) ** 2) / width**2
            among = side.among * times
        else:
            around = mean + self.expected(side.effect, len(side.level)) * np.array([[1.0], [times]])
            around = around + self.higher(side.own)
            away = (np.array([side.level, times * side.level]) - around) ** 2 / (2 * sd**2)
            gain += len(side.level) * math.log(times) + float((away[0] - away[1]).sum())
        names = "level", "spread", "logit", "shift", "hard", "effect", "effect_scale"
        moved = {name: np.asarray(getattr(side, name) * times) for name in names}
        return side._replace(among=among, **moved), gain

    @property
    def scales(self) -> Floats:
        """The scales of the half-normal priors of spread, difficulty, `varied` (0 if not there), effects."""
        of_effects = [self.skill.scale.scale] * len(self.skill.terms) if self.skill else []
        parts = (prior.scale if prior else 0.0 for prior in (self.difficulty, self.varied))
        return np.array([self.spread.scale, *parts, *of_effects], np.float64)

    def draw(self, rng: np.random.Generator, design: Design, among: Floats, scales: Floats) -> Side:
        """Return a side drawn from the prior, with this mean and sd of levels, and these `scales`."""
        a, (spread, hard, varied), of_effects = design.annotations, scales[:3].tolist(), scales[3:].copy()
        effect = rng.normal(0, of_effects[self.skill.term]) if self.skill else NONE
        mean = among[0] + self.expected(effect, a.n_annotators)
        level, own, shift = rng.normal(mean, among[1]), self.draw_own(rng, a.n_annotators), NONE
        level = level + self.higher(own)
        centre = level[design.rate_annotator]
        if self.difficulty:
            shift = rng.normal(0, hard, a.n_species)
            centre = centre + shift[design.pairs.item]
        logit = rng.normal(centre, spread * own[design.rate_annotator])
        values = level, np.array(spread), logit, own, among, shift, np.array(hard), effect, of_effects
        return Side(*values, np.array(varied))

    def variables(self, name: str) -> tuple[Variable, ...]:
        """Return the variables that are kept of this side; its `name` is tpr or fpr."""
        rate = f"{KINDS[name]} positive rate"
        by: tuple[Dimension, ...] = ("annotator",)
        level, difficulty = f"{name}_level", f"{name}_difficulty"
        found = [*normal_variables(self.level, level, f"{rate}s")]
        if self.own_spreads:
            words = f"how far {rate}s of an annotator differ between species"
            found.append(Variable(f"{name}_unevenness", by, words))
        found += [
            Variable(level, by, f"{rate}s of annotators, as logits", f"level of the {rate}, as a logit"),
            Variable(f"{name}_spread", (), f"how far {rate}s differ between species", prior=f"{name}_spread"),
            Variable(name, by, f"{rate}s of annotators", rate, column=name, prior=level),
            Variable(
                f"mean_{name}",
                by,
                f"mean {rate}s over an annotator's species",
                f"mean {rate} over species",
                column=f"mean_{name}",
            ),
            Variable(
                f"species_{name}",
                ("pair",),
                f"{rate}s by annotator and species",
                rate,
                column=name,
                storage="limited",
            ),
        ]
        if self.difficulty:
            words = f"{rate}s of a typical annotator, by species"
            found += [
                Variable(
                    difficulty,
                    (),
                    f"how far {rate}s differ between species, alike for everyone",
                    prior=difficulty,
                ),
                Variable(f"typical_{name}_level", ("species",), f"{words}, as logits", f"{rate}, as a logit"),
                Variable(
                    f"typical_{name}",
                    ("species",),
                    words,
                    f"{rate} of a typical annotator",
                    column=f"typical_{name}",
                ),
            ]
        if self.varied:
            spread, words = VARIED[name]
            found.append(Variable(spread, (), f"how far birds differ in {words}, as logits", prior=spread))
        if self.skill:
            words = f"{rate}s differ by what annotators say of themselves, as logits"
            found += [
                Variable(
                    f"{name}_skill_scale",
                    ("skill_term",),
                    f"how far {words}",
                    prior=f"{name}_skill",
                    names=self.skill.terms,
                ),
                Variable(
                    f"{name}_skill",
                    ("skill_effect",),
                    f"by how much {words}",
                    names=self.skill.columns,
                ),
            ]
        return tuple(found)

    def keep(self, name: str, side: Side, design: Design) -> dict[str, Floats]:
        """Return the values of these variables."""
        heard = self.heard(side)
        rate, mean = kept_rates(side.logit, design.pairs.start, heard)
        kept = keep_normal(self.level, f"{name}_level", side.among) | {
            f"{name}_level": side.level,
            f"{name}_spread": side.spread,
            name: heard_rates(side.level, heard),
            f"mean_{name}": mean,
            f"species_{name}": rate,
        }
        if self.own_spreads:
            kept[f"{name}_unevenness"] = side.own * side.spread
        if self.difficulty:
            typical = side.level.mean() + side.shift
            kept |= {f"typical_{name}_level": typical, f"typical_{name}": heard_rates(typical, heard)}
            kept[f"{name}_difficulty"] = side.hard
        if self.varied:
            kept[VARIED[name][0]] = side.varied
        if self.skill:
            kept |= {f"{name}_skill_scale": side.effect_scale, f"{name}_skill": self.skill.named(side.effect)}
        return kept

    def rates_in(self, name: str, values: Values, known: Design, asked: Asked) -> Floats:
        """Return the rates that visits to new recordings depend on, in kept draws.

        Rates of known annotators for species that are new to them are drawn around the annotator's own level,
        rates of new annotators around a level drawn from the prior, given what they say of themselves.
        """
        new, owner = asked.annotator < 0, asked.annotator[asked.design.rate_annotator]
        species = asked.species[asked.design.pairs.item]
        place = np.where(owner >= 0, known.pairs.find(np.maximum(owner, 0), species), -1)
        unknown = np.flatnonzero(place < 0)
        annotator, n = asked.design.rate_annotator[unknown], int(new.sum())
        rate = values(f"species_{name}")[:, np.maximum(place, 0)]
        levels = values(f"{name}_level")
        level = levels[:, np.maximum(asked.annotator, 0)]
        mean, sd = kept_normal(self.level, f"{name}_level", values)
        if asked.said is not None:
            mean = mean + values(f"{name}_skill") @ matrix_of(asked.said)[new].T
        spread = np.broadcast_to(values(f"{name}_spread")[:, None], level.shape).copy()
        level[:, new] = asked.rng.normal(mean, sd, (len(level), n))
        if self.own_spreads:
            spread[:, ~new] = values(f"{name}_unevenness")[:, asked.annotator[~new]]
            own = self.draw_own(asked.rng, len(level), n)
            spread[:, new] *= own
            level[:, new] += self.higher(own)
        centre = level[:, annotator]
        if self.difficulty:
            typical = values(f"typical_{name}_level")[:, species[unknown]]
            centre = centre + typical - levels.mean(axis=1, keepdims=True)
        x = asked.rng.normal(centre, spread[:, annotator])
        if not self.varied:
            rate[:, unknown] = expit(x)
            return rate
        for d, varied in enumerate(values(VARIED[name][0])):
            rate[d, unknown] = heard_rates(x[d], audibility(float(varied)))
        return rate
