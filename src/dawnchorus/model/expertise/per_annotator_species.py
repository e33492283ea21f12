"""Rates by annotator and species: an overall level per annotator, around which species vary.

    P(report | present) = σ(x[j, k]),   x[j, k] ~ Normal(level[j], spread²),   level[j] ~ Normal(mean, sd²)

over the species k on annotator j's list, and in the same way P(report | absent) with a level and a spread of
its own; σ is the logistic function. With `difficulty`, x[j, k] ~ Normal(level[j] + shift[k], spread²): see
difficulty.py. With `skill`, the mean of levels depends on what annotators say of themselves: see levels.py.
A few annotators may have rates that hardly differ between species: see logits/evenness.py.
With `faint`, P(report | present) = σ(x[j, k] + g), the same g for all who listen to a bird: see faint.py.
With `deceptive`, P(report | absent) is so too: see deceptive/.
With `unsure="ordered"`, unsure marks are votes between silence and report: see unsure.py.
The spread has a half-normal prior or, with `spread="empirical-bayes"`, is set in every sweep to the root mean
square of x[j, k] − level[j], as in the paper (which understates uncertainty).

Given presence, true and false positive rates are the same problem: binomial counts with logits around levels.
With `update="direct"`, logits are drawn from their exact conditional distribution. Levels and spread are
drawn twice: with the logits held fixed, and together with those logits that few votes inform (interweaving).
Logits of pairs without a trial are left out of that, and of the root mean square, and drawn afterwards. With
`update="polya-gamma"`, everything is as in the paper: Pólya-Gamma variables, centred, all pairs (with the
size of the annotator's list as the number of terms, where the published code has the number of all species).

Wang, Lauha and Dunson, "Bayesian modeling of multi-species labeling errors in ecological studies",
sections 2.5 and A1.3; Polson, Scott and Windle (2013) for Pólya-Gamma variables.

>>> import dawnchorus as dc
>>> from dawnchorus.model.design import Design
>>> design = Design(dc.simulate_paper(recordings=50, annotators=6, species=4).annotations, by_species=True)
>>> model = PerAnnotatorSpecies.from_priors(dc.Priors.expecting(n_species=4))
>>> model.rates(model.init(np.random.default_rng(1), design, chain=0))[0].shape
(24,)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats, Ints, Ragged
from ..audibility import ALIKE, Audibility, VoteRates, evidence_from_logits, heard_rates
from ..context import Context
from ..design import Design
from ..distributions import HalfNormal, HalfNormalForMost, LearnedNormal, Prior
from ..distributions.priors import Priors
from ..earlier import Earlier
from ..learning import first_normal
from ..predictive.parameters import Asked, RateDraws, Values
from ..presence.draw import Presence
from ..presence.odds import Odds
from ..variables import Variable
from . import count, polya_gamma
from .by_cell import flattened
from .deceptive import WORDS as DECEPTIVE
from .drawn_kinds import draw_kinds
from .faint import WORDS as FAINT
from .kinds import with_unsure
from .logits.difficulty import WORDS as HARD
from .logits.difficulty import Shifts, logits_by_species
from .logits.draws import draw_untried, update
from .logits.evenness import even_draws, flip_even
from .logits.in_parts import draw_untried_parts, parts_of, update_parts
from .logits.levels import Skill, shift_effects
from .logits.trials import Trials, owners
from .sides import KINDS, NONE, VARIED, Side, SidePrior, State
from .starting import side_from
from .summed_out import refined, reflected
from .summed_out.by_species import refine_blocks, species_blocks
from .summed_out.reflected import votes_by_rate
from .summed_out.shifted import rates_of_annotators
from .unsure import WORDS as MARKED

Update = Literal["direct", "polya-gamma"]
Spread = Literal["sampled", "empirical-bayes"]
Unsure = Literal["missing", "ordered"]
PAPER_SPREAD = "how far rates differ between species is estimated once in every sweep, as in the paper"
PAPER_UPDATE = "rates are drawn by Pólya-Gamma variables, as in the paper"
START = 0.3
"""Chains start with a spread of up to so many times the scale of its prior, and with learned levels that are
so much nearer to the guess."""


@dataclass(frozen=True)
class PerAnnotatorSpecies:
    """Annotators with rates that differ from species to species."""

    tpr: SidePrior
    fpr: SidePrior
    spread: Spread = "sampled"
    update_by: Update = "direct"
    step: HalfNormal | None = None
    """By how much the logit of "report or unsure" is above that of a report; None if marks are no votes."""

    by_species: ClassVar[bool] = True
    words: ClassVar[str] = "each annotator has their own rates of hits and false alarms for every species"

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Levels, spreads and rates and, if they are learned, mean and spread of levels."""
        found = *self.tpr.variables("tpr"), *self.fpr.variables("fpr")
        words = "how much likelier 'report or unsure' is than a report, as a logit"
        return (*found, Variable("unsure_step", (), words, prior="unsure_step")) if self.step else found

    @property
    def parts(self) -> dict[str, str]:
        """What is switched on, in words."""
        skill = self.tpr.skill
        every = {
            "difficulty": HARD if self.tpr.difficulty else "",
            "faint": FAINT if self.tpr.varied else "",
            "deceptive": DECEPTIVE if self.fpr.varied else "",
            "unsure": MARKED if self.step else "",
            f"skill({skill.said.formula})" if skill else "skill": skill.words if skill else "",
            f"spread({self.spread})": PAPER_SPREAD if self.spread != "sampled" else "",
            f"update({self.update_by})": PAPER_UPDATE if self.update_by != "direct" else "",
        }
        return {name: words for name, words in every.items() if words}

    @property
    def marks_vote(self) -> bool:
        """Whether unsure marks are votes."""
        return self.step is not None

    @property
    def said(self) -> Context | None:
        """What annotators say of themselves, if levels depend on it."""
        return self.tpr.skill.said if self.tpr.skill else None

    def __post_init__(self) -> None:
        _check("spread", self.spread, Spread)
        _check("update", self.update_by, Update)
        if self.update_by != "direct":
            side_names = "faint", "deceptive"
            for side in (self.tpr, self.fpr):
                part = "priors that are learned" if isinstance(side.level, LearnedNormal) else ""
                part = "the difficulty of species" if side.difficulty else part
                part = "what annotators say of themselves" if side.skill else part
                part = f"{side_names[side is self.fpr]} birds" if side.varied else part
                part = "unsure marks that are votes" if self.step else part
                if part:
                    raise AnnotationError(
                        f"update {self.update_by} does not go together with {part}", "leave out one of them"
                    )

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        found: dict[str, Prior] = {}
        for name, side in (("tpr", self.tpr), ("fpr", self.fpr)):
            found |= {f"{name}_level": side.level, f"{name}_spread": side.spread}
            if side.difficulty:
                found[f"{name}_difficulty"] = side.difficulty
            if side.skill:
                found[f"{name}_skill"] = side.skill.scale
            if side.varied:
                found[VARIED[name][0]] = side.varied
        return found | ({"unsure_step": self.step} if self.step else {})

    @classmethod
    def from_priors(
        cls,
        priors: Priors,
        *,
        difficulty: bool = False,
        faint: bool = False,
        deceptive: bool = False,
        skill: Context | None = None,
        unsure: Unsure = "missing",
        spread: Spread = "sampled",
        update: Update = "direct",
    ) -> PerAnnotatorSpecies:
        """Return this side with its own priors out of all, and its options."""
        _check("unsure", unsure, Unsure)
        spreads: list[HalfNormal | HalfNormalForMost] = [priors.tpr_spread, priors.fpr_spread]
        if spread != "sampled" or update != "direct":  # as in the paper, with one spread for all
            spreads = [s.of_most if isinstance(s, HalfNormalForMost) else s for s in spreads]
        tpr, fpr = SidePrior(priors.tpr_level, spreads[0]), SidePrior(priors.fpr_level, spreads[1])
        if difficulty:
            tpr = tpr._replace(difficulty=priors.tpr_difficulty)
            fpr = fpr._replace(difficulty=priors.fpr_difficulty)
        if faint:
            tpr = tpr._replace(varied=priors.faintness)
        if deceptive:
            fpr = fpr._replace(varied=priors.deception)
        if skill is not None:
            tpr = tpr._replace(skill=Skill(skill, priors.tpr_skill))
            fpr = fpr._replace(skill=Skill(skill, priors.fpr_skill))
        return cls(tpr, fpr, spread, update, priors.unsure_step if unsure == "ordered" else None)

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> State:
        """Draw levels from the prior, and logits around them.

        Chains start with a small spread, and with nobody who reports at random. Otherwise silence would be a
        sign of presence for some of millions of pairs, and all cells that such an annotator has not reported
        would have to be drawn.
        """
        share, sides = START * rng.uniform(0.5, 1), []
        for prior in (self.tpr, self.fpr):
            among = first_normal(rng, prior.level, START)
            alike = prior._replace(spread=HalfNormal(prior.spread.scale))
            sides.append(alike.draw(rng, design, among, share * prior.scales))
        step = rng.uniform(0.5, 1) * self.step.scale if self.step else 0.0
        return State(sides[0], sides[1], np.array(step))

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> State:
        """Take over levels, spreads and logits; draw those of new annotators, species and pairs."""
        tpr = side_from(rng, design, "tpr", self.tpr, earlier, START)
        fpr = side_from(rng, design, "fpr", self.fpr, earlier, START)
        return State(tpr, fpr, np.array(earlier.number("unsure_step") if self.step else 0.0))

    def update(
        self, rng: np.random.Generator, state: State, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Draw both sides given the votes on present and on absent cells."""
        priors = self.tpr.numbers(state.tpr), self.fpr.numbers(state.fpr)
        sampled = self.spread == "sampled"
        if self.update_by == "polya-gamma":
            return polya_gamma.draw_sides(rng, state, presence, design, priors, sampled), {}
        n, by_species = count(presence, design.totals), design.derived(logits_by_species)
        shared = (design.derived(parts_of), design.threads) if design.in_blocks else ()
        sides, both = [], (self.tpr, self.fpr)
        by_truth = (n.hits, n.present), (n.false, n.absent)
        state, counts, kinds, acceptance = draw_kinds(
            rng, state, both, self.step, by_truth, presence, design, stretch=sampled
        )
        for name, side, prior, known, kind in zip(KINDS, state.sides, both, counts, kinds, strict=True):
            classes = with_unsure(kind, state.unsure) if self.step else kind.classes
            among = prior.numbers(side)
            trials = Trials(known[0], known[1], *design.derived(owners), side.offset(design), classes)
            level, x, own, shift = side.level.copy(), side.logit.copy(), side.own.copy(), side.shift.copy()
            shifts = Shifts(shift, *by_species, float(prior.scales[1])) if prior.difficulty else None
            if prior.even:
                flipped = flip_even(rng, x, trials, level, float(side.spread), own, prior.even, among[:2])
                acceptance[f"{name}_even_flipped"] = flipped / len(level)
            given = prior.uneven or None, among, sampled, shifts, float(side.hard)
            start = rng, x, trials, level, float(side.spread), own
            spread, hard, moved = update_parts(*start, *given, *shared) if shared else update(*start, *given)
            effect = side.effect
            if prior.skill:
                effects = prior.skill.effects(effect.copy(), side.effect_scale)
                shifted = shift_effects(rng, x, trials, level, spread, own, effects)
                effect, acceptance[f"{name}_skill_shifted"] = effects.effect, float(shifted)
            new = Side(level, np.array(spread), x, own, side.among, shift, np.array(hard))
            new = new._replace(effect_scale=side.effect_scale, varied=side.varied)
            new = prior.next(rng, new, effect, trials)
            untried = rng, x, trials, new.level, spread, own
            if shared:
                draw_untried_parts(*untried, *shared)
            else:
                draw_untried(*untried)
            sides.append(new)
            acceptance[f"{name}_level_shifted"] = moved.levels
            if prior.uneven:
                acceptance[f"{name}_own_spread_stretched"] = moved.own
                acceptance[f"{name}_spread_balanced"] = moved.balanced
            if sampled:
                acceptance[f"{name}_spread_stretched"] = moved.spread
        return State(sides[0], sides[1], state.step), acceptance

    def refine(
        self, rng: np.random.Generator, state: State, odds: Odds, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Move the rates of pairs with votes in reported cells, with presence in those cells summed out.

        Many lone reports of a species by one annotator are mostly all true or all false. Drawn cell by cell,
        the chain would rarely change from one to the other.
        """
        if self.update_by != "direct":
            return state, {}
        n = len(design.layout.reported.rates)
        tpr, fpr = (
            reflected.Side(
                side.level.copy(), float(side.spread), side.logit.copy(), side.own, side.offset(design)
            )
            for side in state.sides
        )
        reported, starts = design.layout.reported, design.pairs.start
        prior, unsure = self.fpr.numbers(state.fpr), self.unsure(state)
        differing = self.audibility(state), unsure, self.deception(state)
        says = evidence_from_logits(reported.rates, tpr.logit, fpr.logit, *differing)
        if design.in_blocks:
            blocks = design.derived(species_blocks)
            votes = starts, odds, presence.misses, prior, says, unsure
            moved = refine_blocks(rng, tpr, fpr, reported, blocks, *votes, design.threads)
        else:
            by_rate, of_annotator = design.derived(votes_by_rate), design.derived(by_annotator)
            told = presence.misses, prior, says.ratio, says.together, unsure
            moved = refined.refine(rng, tpr, fpr, reported, by_rate, starts, of_annotator, odds, *told)
        turns = refined.TPR_TURNS, refined.FPR_TURNS, refined.LEVEL_TURNS
        tried = n, n, len(state.fpr.level)
        shares = (
            times * share / number if number else np.nan
            for times, share, number in zip(turns, moved, tried, strict=True)
        )
        names = "tpr_reflected", "fpr_reflected", "fpr_level_jumped"
        sides = [
            side._replace(level=new.level, logit=new.logit)
            for side, new in zip(state.sides, (tpr, fpr), strict=True)
        ]
        return State(sides[0], sides[1], state.step), dict(zip(names, shares, strict=True))

    def movable(self, state: State) -> bool:
        """Return whether rates of a species move for all annotators: if species may be hard for everyone."""
        return len(state.tpr.shift) > 0

    def logits(self, state: State) -> tuple[Floats, Floats]:
        """Return the logits of true and of false positive rates."""
        return state.tpr.logit, state.fpr.logit

    def raised(
        self, state: State, side: int, species: Ints, step: Floats, design: Design
    ) -> tuple[State, Floats]:
        """Return the state with logits of one side raised for these species, and gains in log density."""
        one = state.sides[side]
        steps = np.zeros(len(one.shift))
        steps[species] = step
        now, new = one.shift[species], one.shift[species] + step
        moved = one._replace(shift=one.shift + steps, logit=one.logit + steps[design.pairs.item])
        then = state._replace(fpr=moved) if side else state._replace(tpr=moved)
        return then, (now**2 - new**2) / (2 * one.hard**2)

    def fainter(self, state: State, times: float, *, stretch: bool) -> tuple[State, float]:
        """Return the state with birds that differ so many times as much in how audible they are.

        Also the gain in log density, with the logarithm of the spread as what moves. If asked to, logits are
        stretched so that rates over all birds stay about as they are.
        """
        assert self.tpr.varied
        now = float(state.tpr.varied)
        new = now * times
        side, gain = state.tpr, 0.0
        if stretch and self.spread == "sampled":
            side, gain = self.tpr.stretched(side, flattened(new) / flattened(now))
        gain += math.log(times) - 0.5 * (new**2 - now**2) / self.tpr.varied.scale**2
        return state._replace(tpr=side._replace(varied=np.array(new))), gain

    def audibility(self, state: State) -> Audibility:
        """Return the classes of birds that differ in how audible they are, if some are faint."""
        return self.tpr.heard(state.tpr)

    def deception(self, state: State) -> Audibility:
        """Return the classes of absent birds that differ in how deceptive they are, if some are."""
        return self.fpr.heard(state.fpr)

    def unsure(self, state: State) -> float:
        """Return how many unsure marks there are for a report; 0 if they are no votes (see VoteRates)."""
        return state.unsure

    def rates(self, state: State) -> VoteRates:
        """Return the rates of each annotator and species, for a bird of average loudness or deception."""
        rates = heard_rates(state.tpr.logit, ALIKE), heard_rates(state.fpr.logit, ALIKE)
        return VoteRates(*rates, self.audibility(state), self.unsure(state), self.deception(state))

    def keep(self, state: State, design: Design) -> dict[str, Floats]:
        """Return levels, spreads, the rates of pairs, and their mean over each annotator's list."""
        kept = self.tpr.keep("tpr", state.tpr, design) | self.fpr.keep("fpr", state.fpr, design)
        return kept | ({"unsure_step": state.step} if self.step else {})

    def rates_in(self, values: Values, known: Design, asked: Asked | None = None) -> RateDraws:
        """Return the rates of each annotator and species."""
        faintness = values("faintness") if self.tpr.varied else NONE
        unsure = np.expm1(values("unsure_step")) if self.step else NONE
        others = faintness, unsure, values("deception") if self.fpr.varied else NONE
        if asked is None:
            return RateDraws(values("species_tpr"), values("species_fpr"), *others)
        tpr = self.tpr.rates_in("tpr", values, known, asked)
        return RateDraws(tpr, self.fpr.rates_in("fpr", values, known, asked), *others)

    def even(self, values: Values) -> Bools | None:
        """Return who reports at random in which of these draws; None if nobody is expected to."""
        return even_draws(values, "fpr", self.fpr.even) if self.fpr.even else None

    def simulate(self, rng: np.random.Generator, design: Design) -> State:
        """Draw from the prior."""
        sides = []
        for prior in (self.tpr, self.fpr):
            scales = np.abs(rng.normal(0, prior.scales))
            sides.append(prior.draw(rng, design, first_normal(rng, prior.level), scales))
        step = abs(rng.normal(0, self.step.scale)) if self.step else 0.0
        return State(sides[0], sides[1], np.array(step))


def by_annotator(design: Design) -> Ragged:
    """Return the places of each annotator's rates among those with votes in reported cells."""
    return rates_of_annotators(design.derived(votes_by_rate), design.annotations.n_annotators)


def _check(option: str, value: str, known: Any) -> None:
    """Raise an error if an option has no such value."""
    if value not in known.__args__:
        raise AnnotationError(f"there is no {option} '{value}'", f"use one of: {', '.join(known.__args__)}")
