"""Rates by annotator and species: an overall level per annotator, around which species vary.

    P(report | present) = σ(x[j, k]),   x[j, k] ~ Normal(level[j], spread²),   level[j] ~ Normal(mean, sd²)

over the species k on annotator j's list, and in the same way P(report | absent) with a level and a spread of
its own; σ is the logistic function. The spread has a half-normal prior or, with
`spread="empirical-bayes"`, is set in every sweep to the root mean square of x[j, k] − level[j], as in
the paper (which understates uncertainty).

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
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import expit

from ...common.compiled import compiled
from ...common.errors import AnnotationError
from ...common.lazy import lazy
from ...common.ragged import Floats, Ints
from ..design import Design, Totals
from ..distributions import HalfNormal, LearnedNormal, Normal, Prior
from ..learning import first_normal, keep_normal, kept_normal, normal_variables
from ..predictive.parameters import Asked, Values
from ..presence.draw import Presence
from ..presence.odds import Odds
from ..priors import Priors
from ..variables import Dimension, Variable
from . import count, logits, refined, reflected
from .levels import next_normal
from .logits import Moved
from .reflected import votes_by_rate
from .trials import Trials

Drawn = tuple[Floats, float, Floats, Floats]
POLYAGAMMA = lazy("polyagamma", extra="polya-gamma", purpose="update polya-gamma")
Update = Literal["direct", "polya-gamma"]
Spread = Literal["sampled", "empirical-bayes"]
START = 0.3
"""Chains start with a spread of up to so many times the scale of its prior, and with learned levels that are
so much nearer to the guess."""


class Side(NamedTuple):
    """Levels, spread and logits of the true or of the false positive rates."""

    level: Floats
    spread: Floats
    logit: Floats
    own: Floats
    """What the spread of each annotator is multiplied by: 1, unless that is learned."""
    among: Floats
    """Mean and standard deviation of levels."""


class State(NamedTuple):
    """The true and the false positive rates."""

    tpr: Side
    fpr: Side


class SidePrior(NamedTuple):
    """The priors of the true or of the false positive rates."""

    level: Normal | LearnedNormal
    spread: HalfNormal

    @property
    def uneven(self) -> float:
        """How much annotators differ in their spread: the standard deviation of its logarithm."""
        return float(self.level.uneven) if isinstance(self.level, LearnedNormal) else 0.0

    def numbers(self, among: Floats) -> tuple[float, float, float]:
        """Return mean and standard deviation of levels, and the scale of the spread, for kernels."""
        mean, sd = among.tolist()
        return mean, sd, float(self.spread.scale)


def _variables(name: str, kind: str, prior: SidePrior) -> tuple[Variable, ...]:
    rate = f"{kind} positive rate"
    by: tuple[Dimension, ...] = ("annotator",)
    uneven = Variable(f"{name}_unevenness", by, f"how far {rate}s of an annotator differ between species")
    return (
        *normal_variables(prior.level, f"{name}_level", f"levels of {rate}s, as logits"),
        *((uneven,) if prior.uneven else ()),
        Variable(f"{name}_level", by, f"levels of {rate}s, as logits", f"level of the {rate}, as a logit"),
        Variable(
            f"{name}_spread",
            (),
            f"how far {rate}s differ between species",
            prior=f"{name}_spread",
        ),
        Variable(name, by, f"{rate}s of annotators", rate, column=name, prior=f"{name}_level"),
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
    )


@dataclass(frozen=True)
class PerAnnotatorSpecies:
    """Annotators with rates that differ from species to species."""

    tpr: SidePrior
    fpr: SidePrior
    spread: Spread = "sampled"
    update_by: Update = "direct"

    by_species: ClassVar[bool] = True
    words: ClassVar[str] = "each annotator has their own rates of hits and false alarms for every species"

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Levels, spreads and rates and, if they are learned, mean and spread of levels."""
        sides = ("tpr", "true", self.tpr), ("fpr", "false", self.fpr)
        return tuple(variable for side in sides for variable in _variables(*side))

    def __post_init__(self) -> None:
        for option, value, known in (("spread", self.spread, Spread), ("update", self.update_by, Update)):
            if value not in known.__args__:  # type: ignore[attr-defined]
                raise AnnotationError(
                    f"there is no {option} '{value}'",
                    f"use one of: {', '.join(known.__args__)}",  # type: ignore[attr-defined]
                )
        learned = any(isinstance(side.level, LearnedNormal) for side in (self.tpr, self.fpr))
        if learned and self.update_by != "direct":
            raise AnnotationError(
                "priors that are learned do not go together with update polya-gamma",
                "leave out one of them",
            )

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        return {
            "tpr_level": self.tpr.level,
            "tpr_spread": self.tpr.spread,
            "fpr_level": self.fpr.level,
            "fpr_spread": self.fpr.spread,
        }

    @classmethod
    def from_priors(
        cls, priors: Priors, *, spread: Spread = "sampled", update: Update = "direct"
    ) -> PerAnnotatorSpecies:
        """Return this side with its own priors out of all, and its options."""
        return cls(
            SidePrior(priors.tpr_level, priors.tpr_spread),
            SidePrior(priors.fpr_level, priors.fpr_spread),
            spread,
            update,
        )

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> State:
        """Draw levels from the prior, and logits around them.

        Chains start with a small spread. With a large one, silence would be a sign of presence for some of
        millions of pairs, and all cells that such an annotator has not reported would have to be drawn.
        """
        share, sides = START * rng.uniform(0.5, 1), []
        for prior in (self.tpr, self.fpr):
            among = first_normal(rng, prior.level, START)
            sides.append(self._draw(rng, prior, share * prior.spread.scale, among, design))
        return State(*sides)

    def update(
        self, rng: np.random.Generator, state: State, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Draw both sides given the votes on present and on absent cells."""
        owners = design.rate_annotator, design.pairs.start
        priors = self.tpr.numbers(state.tpr.among), self.fpr.numbers(state.fpr.among)
        sampled = self.spread == "sampled"
        if self.update_by == "polya-gamma":
            return _draw_by_polya_gamma(rng, state, presence, design.totals, owners, priors, sampled), {}
        (tpr, tpr_moved), (fpr, fpr_moved) = _draw_sides(
            rng, state, presence, design.totals, owners, priors, (self.tpr.uneven, self.fpr.uneven), sampled
        )
        acceptance = {"tpr_level_shifted": tpr_moved.levels, "fpr_level_shifted": fpr_moved.levels}
        if sampled:
            acceptance |= {"tpr_spread_stretched": tpr_moved.spread, "fpr_spread_stretched": fpr_moved.spread}
        sides = (
            _side(*drawn, next_normal(rng, prior.level, side.among, drawn[0]))
            for drawn, prior, side in ((tpr, self.tpr, state.tpr), (fpr, self.fpr, state.fpr))
        )
        return State(*sides), acceptance

    def refine(
        self, rng: np.random.Generator, state: State, odds: Odds, presence: Presence, design: Design
    ) -> tuple[State, dict[str, float]]:
        """Move the rates of pairs with votes in reported cells, with presence in those cells summed out.

        Many lone reports of a species by one annotator are mostly all true or all false. Drawn cell by cell,
        the chain would rarely change from one to the other.
        """
        if self.update_by != "direct":
            return state, {}
        by_rate, n = design.derived(votes_by_rate), len(design.layout.reported.rates)
        tpr, fpr = (
            reflected.Side(side.level.copy(), float(side.spread), side.logit.copy(), side.own)
            for side in (state.tpr, state.fpr)
        )
        reported, starts = design.layout.reported, design.pairs.start
        prior = self.fpr.numbers(state.fpr.among)
        moved = refined.refine(rng, tpr, fpr, reported, by_rate, starts, odds, presence.misses, prior)
        turns = refined.TPR_TURNS, refined.FPR_TURNS, refined.LEVEL_TURNS
        tried = n, n, len(state.fpr.level)
        shares = (
            times * share / number if number else np.nan
            for times, share, number in zip(turns, moved, tried, strict=True)
        )
        names = "tpr_reflected", "fpr_reflected", "fpr_level_jumped"
        return State(_side(*tpr, state.tpr.among), _side(*fpr, state.fpr.among)), dict(
            zip(names, shares, strict=True)
        )

    def rates(self, state: State) -> tuple[Floats, Floats]:
        """Return the rates of each annotator and species."""
        return expit(state.tpr.logit), expit(state.fpr.logit)

    def keep(self, state: State, design: Design) -> dict[str, Floats]:
        """Return levels, spreads, the rates of pairs, and their mean over each annotator's list."""
        kept: dict[str, Floats] = {}
        for name, side in zip(("tpr", "fpr"), state, strict=True):
            kept[f"{name}_level"], kept[f"{name}_spread"] = side.level, side.spread
            kept |= keep_normal(getattr(self, name).level, f"{name}_level", side.among)
            if getattr(self, name).uneven:
                kept[f"{name}_unevenness"] = side.own * side.spread
            kept[name] = expit(side.level)
            kept[f"species_{name}"], kept[f"mean_{name}"] = _kept_rates(side.logit, design.pairs.start)
        return kept

    def rates_in(self, values: Values, known: Design, asked: Asked | None = None) -> tuple[Floats, Floats]:
        """Return the rates of each annotator and species.

        Rates of known annotators for species that are new to them are drawn around the annotator's own level,
        rates of new annotators around a level drawn from the prior.
        """
        if asked is None:
            return values("species_tpr"), values("species_fpr")
        new, owner = asked.annotator < 0, asked.annotator[asked.design.rate_annotator]
        species = asked.species[asked.design.pairs.item]
        place = np.where(owner >= 0, known.pairs.find(np.maximum(owner, 0), species), -1)
        unknown = np.flatnonzero(place < 0)
        rates = []
        for name, side in (("tpr", self.tpr), ("fpr", self.fpr)):
            prior, uneven = side.level, side.uneven
            rate = values(f"species_{name}")[:, np.maximum(place, 0)]
            level = values(f"{name}_level")[:, np.maximum(asked.annotator, 0)]
            mean, sd = kept_normal(prior, f"{name}_level", values)
            level[:, new] = asked.rng.normal(mean, sd, (len(level), int(new.sum())))
            centre = level[:, asked.design.rate_annotator[unknown]]
            spread = np.broadcast_to(values(f"{name}_spread")[:, None], level.shape).copy()
            if uneven:
                spread[:, ~new] = values(f"{name}_unevenness")[:, asked.annotator[~new]]
                spread[:, new] *= np.exp(asked.rng.normal(0, uneven, (len(level), int(new.sum()))))
            spread = spread[:, asked.design.rate_annotator[unknown]]
            rate[:, unknown] = expit(asked.rng.normal(centre, spread))
            rates.append(rate)
        return rates[0], rates[1]

    def simulate(self, rng: np.random.Generator, design: Design) -> State:
        """Draw from the prior."""
        sides = (
            (self.tpr, abs(rng.normal(0, self.tpr.spread.scale))),
            (self.fpr, abs(rng.normal(0, self.fpr.spread.scale))),
        )
        return State(
            *(
                self._draw(rng, prior, spread, first_normal(rng, prior.level), design)
                for prior, spread in sides
            )
        )

    def _draw(
        self, rng: np.random.Generator, prior: SidePrior, spread: float, among: Floats, design: Design
    ) -> Side:
        """Draw levels from the prior, and logits around them."""
        n = design.annotations.n_annotators
        level, own = rng.normal(among[0], among[1], n), np.ones(n)
        if prior.uneven:
            own = np.exp(rng.normal(0, prior.uneven, n))
        logit = rng.normal(level[design.rate_annotator], spread * own[design.rate_annotator])
        return Side(level, np.array(spread), logit, own, among)


def _side(level: Floats, spread: float, logit: Floats, own: Floats, among: Floats) -> Side:
    return Side(level, np.array(spread), logit, own, among)


@compiled
def _kept_rates(logit: Floats, start: Ints) -> tuple[Floats, Floats]:
    """Return rates in single precision, and their mean over each annotator's list; 0 if that is empty."""
    rate, mean = np.empty(len(logit), np.float32), np.zeros(len(start) - 1)
    for j in range(len(mean)):
        for p in range(start[j], start[j + 1]):
            one = 1 / (1 + math.exp(-logit[p]))
            rate[p] = one
            mean[j] += one
        mean[j] /= max(start[j + 1] - start[j], 1)
    return rate, mean


@compiled
def _draw_sides(
    rng: np.random.Generator,
    state: State,
    presence: Presence,
    totals: Totals,
    owners: tuple[Ints, Ints],
    priors: tuple[tuple[float, float, float], tuple[float, float, float]],
    uneven: tuple[float, float],
    sampled: bool,
) -> tuple[tuple[Drawn, Moved], tuple[Drawn, Moved]]:
    """Return level, spread, logits and own spreads of true, then of false positive rates, and how they moved.

    `owners` has the annotator of each rate, and where each annotator's rates start.
    """
    n = count(presence, totals)
    owner, start = owners
    level, x, spread = state.tpr.level.copy(), state.tpr.logit.copy(), state.tpr.spread.item()
    hits, prior = Trials(n.hits, n.present, owner, start), priors[0]
    own = state.tpr.own.copy()
    spread, moved = logits.update(rng, x, hits, level, spread, own, uneven[0], prior, sampled)
    tpr = (level, spread, x, own), moved
    level, x, spread = state.fpr.level.copy(), state.fpr.logit.copy(), state.fpr.spread.item()
    false, prior = Trials(n.false, n.absent, owner, start), priors[1]
    own = state.fpr.own.copy()
    spread, moved = logits.update(rng, x, false, level, spread, own, uneven[1], prior, sampled)
    return tpr, ((level, spread, x, own), moved)


def _draw_by_polya_gamma(
    rng: np.random.Generator,
    state: State,
    presence: Presence,
    totals: Totals,
    owners: tuple[Ints, Ints],
    priors: tuple[tuple[float, float, float], tuple[float, float, float]],
    sampled: bool,
) -> State:
    """Draw both sides as in the paper."""
    n = count(presence, totals)
    sides = []
    for side, s, trials, prior in zip(state, n[::2], n[1::2], priors, strict=True):
        level, x, spread, (mean, sd, scale) = side.level.copy(), side.logit.copy(), float(side.spread), prior
        draw_by_polya_gamma(rng, x, Trials(s, trials, *owners), level, spread)
        every = Trials(s, np.ones_like(trials), *owners)  # every pair on the list counts, tried or not
        logits.draw_levels(rng, x, every, level, spread, side.own, mean, sd)
        spread = logits.next_spread(rng, x, every, level, spread, side.own, scale, sampled)
        sides.append(_side(level, spread, x, side.own, side.among))
    return State(*sides)


def draw_by_polya_gamma(
    rng: np.random.Generator, x: Floats, trials: Trials, level: Floats, spread: float
) -> None:
    """Draw each logit, in place, as in the paper: Pólya-Gamma variables given the logit, then the logit."""
    s, n, owner, _ = trials
    tried = n > 0
    weight = np.zeros(len(x))
    if tried.any():
        weight[tried] = POLYAGAMMA.random_polyagamma(n[tried].astype(float), x[tried], random_state=rng)
    precision = 1 / spread**2 + weight
    centre = (level[owner] / spread**2 + s - n / 2) / precision
    x[:] = centre + rng.standard_normal(len(x)) / np.sqrt(precision)
