"""Species in context: how likely a species is depends on where and when a recording was made.

The log-odds of species k in recording i are the sum of an intercept and of the effects of each term t of a
formula, such as `site + cc(hour, df=6)`,

    logit P(presence[i, k] = 1) = intercept[k] + Σ_t Σ_b basis_t[row_t[i], b] · effect_t[k, b],
    intercept[k] ~ Normal(mean, spread²),
    effect_t[k, b] ~ Normal(common_t[b], scale_t²),    common_t[b] ~ Normal(0, sd²),

with a normal prior of `mean` and half-normal priors of `spread` and of each `scale_t`. Species vary around
what they have in common, and how much they do is learned for each term: where a scale is close to 0, they all
react alike, and a rare species borrows from the others.

Intercept and terms are drawn by the same kernels: see effects/. Given presence, absences enter only through
sums over distinct contexts, so that an update costs present cells + distinct contexts × species; where these
are many, species take turns. Effects are drawn with all presence summed out as well, now and then
(effects/summed_out.py).

>>> import dawnchorus as dc
>>> from dawnchorus.model.context import Context, Term
>>> from dawnchorus.model.design import Design
>>> design = Design(dc.simulate_paper(recordings=50, species=4).annotations, by_species=False)
>>> names, sites = ("marsh", "wood"), np.arange(50) % 2
>>> site = Term("site", "levels", sites.astype(np.int32), np.eye(2), names, names, np.full(2, np.nan))
>>> model = InContext(Context("site", (site,)))
>>> model.odds(model.init(np.random.default_rng(1), design, chain=0)).table().shape
(50, 4)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import logit

from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats, Ints
from ..audibility import VoteRates, evidence
from ..context import Context
from ..design import Design
from ..distributions import HalfNormal, Normal, Prior
from ..distributions.priors import Priors
from ..earlier import Earlier
from ..predictive.contexts import contexts_of
from ..predictive.parameters import Asked, Kinds, Values, one_kind
from ..presence.draw import Presence
from ..presence.odds import Odds
from ..presence.recording_ratios import grouped, recording_ratios
from ..variables import Variable
from .effects import summed_out
from .effects.counts import Given, Present, SummedOut, VotedContexts, present_contexts, voted_contexts
from .effects.factors import Groups, make_groups, mean_occurrence, odds_of_effects
from .effects.starting import effects_from
from .effects.terms import Effects, Pool, Terms, in_order, lay_out, lay_out_blocks
from .effects.update import update
from .log_odds import LogOdds
from .voted_patterns import voted_on

APART = "how often species occur apart from context"
"""What an intercept is, in words."""
MEAN, SPREAD = Normal(-3.5, 2.0), HalfNormal(2.0)
"""Of intercepts: of 1,000 recordings, a typical species is in 1 to 450."""
COMMON, SCALE = Normal(0.0, 1.5), HalfNormal(1.5)
"""Of effects."""
WORK = 50_000
"""If there are more distinct contexts × species than this, species take turns."""
MOST_ROUNDS, ROUNDS_WORK = 4, 40_000
"""So many blocks and scales are moved with effects in a sweep; where contexts × species are many, ROUNDS_WORK
over these, on average."""
MOVES = "effects", "common_effects", "effect_scales"
NOWHERE = Present(np.zeros(1, np.int64), np.empty(0, np.int32))
STARTS = (0.4, 0.8, 1.3, 2.0)
"""Scales start from about these values, by chain."""


@dataclass(frozen=True, eq=False)
class InContext:
    """Species whose odds depend on the context of a recording."""

    context: Context
    mean: Normal = MEAN
    spread: HalfNormal = SPREAD
    common: Normal = COMMON
    scale: HalfNormal = SCALE

    words: ClassVar[str] = "species occur more or less often by the context of a recording"

    @property
    def parts(self) -> dict[str, str]:
        """What the context is, in words."""
        return {f"context({self.context.formula})": f"the context is {self.context.formula}"}

    def __post_init__(self) -> None:
        if not self.context.terms:
            raise AnnotationError("the context has no term", "name at least one column in the formula")
        for term in self.context.terms:
            if len(term.row) and term.row.min() < 0:
                raise AnnotationError(
                    f"'{term.name}' is not known for recording number {int(np.argmin(term.row)) + 1}",
                    "give its metadata, or leave the recording out",
                )

    @classmethod
    def from_priors(cls, priors: Priors, *, context: Context) -> InContext:
        """Return this side with the expected share of recordings with a species out of all priors."""
        return cls(context, Normal(float(logit(priors.occurrence.mean)), MEAN.sd))

    def believing(self, priors: Mapping[str, Prior]) -> InContext:
        """Return the same with other priors, by their names in `priors`."""
        names = dict(zip(self.priors, ("mean", "spread", "common", "scale"), strict=True))
        changed: dict[str, Any] = {names[name]: prior for name, prior in priors.items()}
        return replace(self, **changed)

    @property
    def priors(self) -> dict[str, Prior]:
        """Its priors by name."""
        return {
            "intercept_mean": self.mean,
            "intercept_spread": self.spread,
            "common_effect": self.common,
            "effect_scale": self.scale,
        }

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of which it keeps the draws."""
        terms = tuple(term.name for term in self.context.terms)
        columns = tuple(
            column if term.kind == "linear" else f"{term.name}: {column}"
            for term in self.context.terms
            for column in term.columns
        )
        return (
            Variable("occurrence", ("species",), "how often species occur", column="occurrence"),
            Variable("intercept", ("species",), f"{APART}, as log-odds", "log-odds where all effects are 0"),
            Variable("intercept_mean", (), f"{APART}, as log-odds, on average"),
            Variable("intercept_spread", (), f"how far species differ in {APART}", prior="intercept_spread"),
            Variable(
                "effect_scale",
                ("term",),
                "how much species differ in what context does to them",
                prior="effect_scale",
                names=terms,
            ),
            Variable(
                "common_effect", ("effect",), "effects of context that species have in common", names=columns
            ),
            Variable(
                "context_effect",
                ("effect", "species"),
                "effects of context on species",
                storage="limited",
                names=columns,
            ),
        )

    def init(self, rng: np.random.Generator, design: Design, chain: int) -> Effects:
        """Start intercepts from the share of recordings with a report, and scales apart from each other."""
        self._check_recordings(design)
        a = design.annotations
        guess = design.layout.reported.cells.item[design.first_guess()]
        share = (np.bincount(guess, minlength=a.n_species) + 0.5) / (voted_on(design) + 1)
        terms = self._terms
        scale = STARTS[chain % len(STARTS)] * np.exp(0.2 * rng.standard_normal(len(terms.levels)))
        sizes = np.diff(terms.column_start)
        common = np.repeat(scale, sizes) * 0.5 * rng.standard_normal(sizes.sum())
        effect = common + np.repeat(scale, sizes) * 0.5 * rng.standard_normal((a.n_species, sizes.sum()))
        effect[:, 0] = logit(np.minimum(share, 0.9)) + 0.3 * rng.standard_normal(a.n_species)
        common[0], scale[0] = effect[:, 0].mean(), max(effect[:, 0].std(), 0.3)
        return Effects(effect, common, scale)

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> Effects:
        """Take over intercepts, effects and scales; draw those of new species and of new levels."""
        self._check_recordings(design)
        variables = {variable.name: variable for variable in self.variables}
        kept, sizes = (self._kept_terms, self._kept_columns), np.diff(self._terms.column_start)
        return effects_from(rng, self._pool, sizes, kept, variables, earlier)

    def update(
        self, rng: np.random.Generator, state: Effects, presence: Presence, design: Design
    ) -> tuple[Effects, dict[str, float]]:
        """Draw effects, common effects and scales given presence."""
        if self._summed_out_alone:
            return state, {}
        terms = self._terms
        present = present_contexts(design.layout, presence, terms.context)
        given = Given(terms, self._blocks, self._pool, design.derived(self._voted), present)
        drawn = Effects(*(part.copy() for part in state))
        n_species, n_contexts = len(drawn.effect), terms.row.shape[1]
        turns = -(-n_species * n_contexts // WORK)
        species = np.arange(int(rng.random() * turns), n_species, turns)
        rounds = min(MOST_ROUNDS, int(ROUNDS_WORK / max(len(species) * n_contexts, 1) + rng.random()))
        moved = update(rng, drawn, given, species, rounds)
        return drawn, dict(zip(MOVES, moved, strict=True))

    def refine(
        self,
        rng: np.random.Generator,
        state: Effects,
        rates: VoteRates,
        presence: Presence,
        design: Design,
    ) -> tuple[Effects, dict[str, float]]:
        """Draw effects, common effects and scales with all presence summed out, if it is their turn."""
        drawn, moved = state, (np.nan, np.nan, np.nan)
        species = summed_out.species_in_turn(rng, design)
        if len(species):
            drawn = Effects(*(part.copy() for part in state))
            says, groups = evidence(rates), design.derived(grouped)
            ratio = recording_ratios(design.layout, groups, species, says).ratio
            voted, told = (
                design.derived(self._voted),
                SummedOut(ratio, *design.derived(self._report_curvature)),
            )
            given = Given(*self._by_recording, self._pool, voted, NOWHERE, told)
            moved = update(rng, drawn, given, species, summed_out.ROUNDS)
        return drawn, {f"{name}_summed_out": share for name, share in zip(MOVES, moved, strict=True)}

    def raised(self, state: Effects, species: Ints, step: Floats) -> tuple[Effects, Floats]:
        """Return the state with intercepts of these species raised, and the gains in log density."""
        effect, away = state.effect.copy(), state.effect[species, 0] - state.common[0]
        effect[species, 0] += step
        return state._replace(effect=effect), (away**2 - (away + step) ** 2) / (2 * state.scale[0] ** 2)

    def log_odds(self, state: Effects, species: Ints) -> LogOdds:
        """Return the intercepts of these species, and their prior given everything else."""
        one = np.ones(len(species))
        centre = state.common[0] * one, state.scale[0] ** -2 * one
        return LogOdds(state.effect[species, 0], 0 * one, 0 * one, *centre)

    def settled(self, rng: np.random.Generator, state: Effects) -> Effects:
        """Return the state as it is: mean and spread of intercepts are drawn given these in every sweep."""
        return state

    def odds(self, state: Effects) -> Odds:
        """Return the odds as products over terms."""
        return odds_of_effects(state.effect, self._terms, self._groups)

    def keep(self, rng: np.random.Generator, state: Effects, design: Design) -> dict[str, Floats]:
        """Return effects, common effects and scales, and the mean probability of species over recordings."""
        terms = self._terms
        weight = np.bincount(terms.context, minlength=terms.row.shape[1]) / len(terms.context)
        return {
            "occurrence": mean_occurrence(self.odds(state), terms.row, weight),
            "intercept": state.effect[:, 0],
            "intercept_mean": state.common[0],
            "intercept_spread": state.scale[0],
            "effect_scale": state.scale[self._kept_terms],
            "common_effect": state.common[self._kept_columns],
            "context_effect": np.ascontiguousarray(state.effect[:, self._kept_columns].T, np.float32),
        }

    def kinds(self, values: Values, species: Ints, asked: Asked | None = None) -> Kinds:
        """Return the mean occurrence, and what it is in each context."""
        contexts = contexts_of(self.context, values, species, asked, self.common.sd)
        return one_kind(values("occurrence")[:, species])._replace(contexts=contexts)

    def simulate(self, rng: np.random.Generator, design: Design) -> tuple[Effects, Bools]:
        """Draw from the prior, and presence."""
        pool, sizes = self._pool, np.diff(self._terms.column_start)
        scale = np.abs(pool.scale * rng.standard_normal(len(sizes)))
        common = pool.mean + pool.sd * rng.standard_normal(len(pool.mean))
        noise = rng.standard_normal((design.annotations.n_species, len(common)))
        state = Effects(common + np.repeat(scale, sizes) * noise, common, scale)
        odds = self.odds(state).table()
        return state, rng.random(odds.shape) * (1 + odds) < odds

    def _check_recordings(self, design: Design) -> None:
        here, there = self.context.n_recordings, design.annotations.n_recordings
        if here != there:
            raise AnnotationError(
                f"the context is of {here:,} recordings, and there are {there:,}",
                "make it of the recordings that are fitted",
            )

    @cached_property
    def _terms(self) -> Terms:
        return lay_out(in_order(self.context))

    @cached_property
    def _blocks(self) -> Terms:
        return lay_out_blocks(in_order(self.context), self._terms)

    @cached_property
    def _by_recording(self) -> tuple[Terms, Terms]:
        """Terms and blocks with every recording as a context of its own."""
        return summed_out.by_recording(self._terms), summed_out.by_recording(self._blocks)

    @cached_property
    def _summed_out_alone(self) -> bool:
        """Whether effects are never drawn given presence, since there are hardly fewer contexts."""
        return len(self._terms.context) < summed_out.FEW * self._terms.row.shape[1]

    @cached_property
    def _groups(self) -> Groups:
        return make_groups(in_order(self.context), self._terms)

    @cached_property
    def _kept_terms(self) -> Ints:
        """The place of each term of the formula in the state."""
        return 1 + np.argsort(
            np.argsort([term.kind == "levels" for term in self.context.terms], kind="stable")
        )

    @cached_property
    def _kept_columns(self) -> Ints:
        """The place of each column of the formula in the state."""
        start = self._terms.column_start
        return np.concatenate([np.arange(start[t], start[t + 1]) for t in self._kept_terms])

    @cached_property
    def _pool(self) -> Pool:
        columns, terms = self._terms.column_start[-1], len(self._terms.levels)
        mean, sd = np.full(columns, float(self.common.mean)), np.full(columns, float(self.common.sd))
        mean[0], sd[0] = self.mean.mean, self.mean.sd
        scale = np.full(terms, float(self.scale.scale))
        scale[0] = self.spread.scale
        return Pool(mean, sd, scale)

    def _report_curvature(self, design: Design) -> tuple[Floats, Floats, Bools]:
        return summed_out.report_curvature(design, self._by_recording[1])

    def _voted(self, design: Design) -> VotedContexts:
        return voted_contexts(design, self._terms.context, self._terms.row.shape[1])
