"""Levels: what is expected of annotators' levels, where that is learned, and what they say of themselves.

    level[j] ~ Normal(mean, sd²),   mean ~ Normal(centre, width²),   sd ~ half-normal(spread)

Given levels, this is the same problem as that of levels given logits: see draws.py. Where annotators are much
alike, the standard deviation moves slowly like that. So mean and standard deviation are drawn again, given
logits and z = (level − mean) / sd. A logit of annotator j is then normal around mean + sd·z[j], so that both
are those of a linear regression, and levels follow. As with scales below, a sign goes over to z.

With `skill`, levels differ by what annotators say of themselves, or by anything else that is known of them:

    level[j] ~ Normal(mean + Σ_b X[j, b]·effect[b], sd²),   effect[b] ~ Normal(0, scale_t²)

with a half-normal scale for each term t of a formula. Columns have mean 0 over annotators, so that `mean` is
that of all of them; whoever has not said it has 0 in its columns. Where self-ratings say nothing, the scale
is close to 0, and the effects with it.

Given levels, effects are those of a linear regression, and normal. A scale is drawn twice: given its effects,
by a slice step, and given effect / scale. Then levels are linear in the scale, so it is normal; half-normal
times a sign, which effects take over, is normal too.

Where votes are few, levels say little but the effects themselves, and logits little but the levels. So one
effect in turn also moves together with all levels, and with the logits that few votes inform, as in
interweaving.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints
from ...context import Context
from ...distributions import HalfNormal, LearnedNormal, Normal
from ...lookups import accepted
from ...spreads import half_normal_spread
from .draws import draw_levels, draw_spread
from .trials import INFORMED, Trials, expected_at, informed, offset_of


def next_normal(
    rng: np.random.Generator, prior: Normal | LearnedNormal, among: Floats, level: Floats
) -> Floats:
    """Return mean and standard deviation of levels, drawn given these if they are learned."""
    if isinstance(prior, Normal):
        return among
    n, centre, same = len(level), among[:1].copy(), np.ones(1)
    one, nobody = np.ones(n, np.int64), np.zeros(n, np.int64)
    every = Trials(nobody, one, nobody, np.array([0, n]), np.empty(0))  # all count, whatever the votes
    sd = draw_spread(rng, level, every, centre, float(among[1]), same, prior.spread)
    draw_levels(rng, level, every, centre, sd, same, np.array([prior.centre], float), float(prior.width))
    return np.array([centre[0], sd])


@compiled
def redraw_normal(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    among: tuple[Floats, float],
    prior: tuple[float, float, float],
) -> tuple[float, float]:
    """Draw mean and standard deviation of levels, which follow in place, given logits with a trial.

    `among` is the mean of levels by annotator, and their standard deviation; `prior` is centre, width and
    spread of a learned prior. Return by how much the mean moved, and the standard deviation.
    """
    n, owner, (mean, sd), (centre, width, scale) = trials.trials, trials.owner, among, prior
    total, count = np.zeros(len(level)), np.zeros(len(level))
    for p in range(len(x)):
        if n[p] > 0:
            total[owner[p]] += x[p] - mean[owner[p]] - offset_of(trials.offset, p)
            count[owner[p]] += 1
    # Precision of the mean's move and of the standard deviation, and what both are pulled by.
    of_mean, of_both, of_sd = width**-2, 0.0, scale**-2
    pull, stretch = centre / width**2, 0.0
    for j in range(len(level)):
        z, tight = (level[j] - mean[j]) / sd, (spread * own[j]) ** -2
        of_mean += count[j] * tight
        of_both += count[j] * z * tight
        of_sd += count[j] * z * z * tight
        pull += total[j] * tight
        stretch += total[j] * z * tight
    precision = of_sd - of_both * of_both / of_mean
    new = (stretch - of_both * pull / of_mean) / precision + rng.standard_normal() / math.sqrt(precision)
    move = (pull - of_both * new) / of_mean + rng.standard_normal() / math.sqrt(of_mean)
    for j in range(len(level)):
        level[j] = mean[j] + move + new * (level[j] - mean[j]) / sd
    return move, abs(new)


class Effects(NamedTuple):
    """Effects on levels, the scale of each, and the columns that they belong to, annotators × effects."""

    effect: Floats
    scale: Floats
    matrix: Floats


@dataclass(frozen=True, eq=False)
class Skill:
    """What is known of annotators, as the terms of a formula, and the prior of the scale of its effects."""

    said: Context
    scale: HalfNormal

    @property
    def words(self) -> str:
        """What it does, in words."""
        said = f"who say the same of themselves ({self.said.formula})"
        return f"annotators are expected to be as good as others {said}"

    @cached_property
    def matrix(self) -> Floats:
        """Annotators × columns; 0 for whoever has not said it."""
        return matrix_of(self.said)

    @cached_property
    def term(self) -> Ints:
        """The term of each column."""
        return np.repeat(np.arange(len(self.said.terms)), [len(term.columns) for term in self.said.terms])

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the terms."""
        return tuple(term.name for term in self.said.terms)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(
            column if term.kind != "levels" else f"{term.name}: {column}"
            for term in self.said.terms
            for column in term.columns
        )

    def effects(self, effect: Floats, scale: Floats) -> Effects:
        """Return effects for kernels, which move them in place."""
        return Effects(effect, scale[self.term], self.matrix)

    def named(self, effect: Floats) -> Floats:
        """Return effects as they are kept: those of values such as ratings as distances from the average.

        The columns of values add up to 0, so that a number added to all their effects would change nothing.
        """
        kept = effect.copy()
        for t, term in enumerate(self.said.terms):
            if term.kind == "levels":
                kept[self.term == t] = term.basis @ effect[self.term == t]
        return kept

    def draw(
        self, rng: np.random.Generator, away: Floats, sd: float, effect: Floats, scale: Floats
    ) -> tuple[Floats, Floats]:
        """Return effects and scales, drawn given how far levels are away from their mean."""
        effect = draw_effects(rng, away, sd, self.effects(effect, scale))
        scale = draw_scales(rng, effect, scale, self.term, float(self.scale.scale))
        for t in range(len(scale)):
            own = self.term == t
            rest = away - self.matrix[:, ~own] @ effect[~own]
            fit = self.matrix[:, own] @ effect[own]
            new = stretched_scale(rng, rest, sd, fit / scale[t], float(self.scale.scale))
            effect[own] *= new / scale[t]
            scale[t] = abs(new)
        return effect, scale


def matrix_of(said: Context) -> Floats:
    """Return the columns of all terms, annotators × columns; 0 for whoever has not said it."""
    return np.concatenate(
        [np.where(term.row[:, None] >= 0, term.basis[term.row], 0.0) for term in said.terms], axis=1
    )


def draw_effects(rng: np.random.Generator, away: Floats, sd: float, effects: Effects) -> Floats:
    """Return effects given how far levels are away from their mean: a linear regression."""
    x = effects.matrix
    precision = x.T @ x / sd**2 + np.diag(effects.scale**-2)
    root = np.linalg.cholesky(precision)
    centre = np.linalg.solve(precision, x.T @ away / sd**2)
    return np.asarray(centre + np.linalg.solve(root.T, rng.standard_normal(len(centre))))


@compiled
def draw_scales(rng: np.random.Generator, effect: Floats, scale: Floats, term: Ints, prior: float) -> Floats:
    """Return the scale of each term, drawn given its effects."""
    new = scale.copy()
    for t in range(len(scale)):
        squares, count = 0.0, 0
        for b in range(len(effect)):
            if term[b] == t:
                squares += effect[b] ** 2
                count += 1
        new[t] = half_normal_spread(rng, scale[t], squares, count, prior)
    return new


def stretched_scale(rng: np.random.Generator, away: Floats, sd: float, unit: Floats, prior: float) -> float:
    """Return a scale, or minus it, drawn given what levels gain from its term if it is 1."""
    precision = prior**-2 + unit @ unit / sd**2
    return float(unit @ away / sd**2 / precision + rng.standard_normal() / math.sqrt(precision))


@compiled
def shift_effects(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    effects: Effects,
) -> bool:
    """Move one effect with all levels, and with logits that are not informed, in place; return whether."""
    s, n, start = trials.successes, trials.trials, trials.start
    b = int(rng.random() * len(effects.effect))
    along, sd = effects.matrix[:, b].copy(), effects.scale[b]
    away = effects.effect[b] / sd
    now, slope, curvature = _moved(x, trials, level, spread, own, along, 0.0, away, sd)
    move = slope / curvature + rng.standard_normal() / math.sqrt(curvature)
    then, back, curved = _moved(x, trials, level, spread, own, along, move, away, sd)
    forth = 0.5 * math.log(curvature) - 0.5 * curvature * (move - slope / curvature) ** 2
    reverse = 0.5 * math.log(curved) - 0.5 * curved * (move + back / curved) ** 2
    if not accepted(rng, then - now - forth + reverse):
        return False
    effects.effect[b] += move
    for j in range(len(level)):
        level[j] += along[j] * move
        tight = (spread * own[j]) ** -2
        for p in range(start[j], start[j + 1]):
            if n[p] == 0 or not informed(s[p], n[p], max(INFORMED, tight)):
                x[p] += along[j] * move
    return True


@inlined
def _moved(
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    along: Floats,
    move: float,
    away: float,
    sd: float,
) -> tuple[float, float, float]:
    """Return log density, slope and curvature with an effect moved, which is `away` from 0 in its scales."""
    s, n, start, offset = trials.successes, trials.trials, trials.start, trials.offset
    away += move / sd
    density, slope, curvature = -0.5 * away * away, -away / sd, 1 / sd**2
    for j in range(len(level)):
        times, tight = along[j], (spread * own[j]) ** -2
        for p in range(start[j], start[j + 1]):
            if n[p] == 0:
                continue
            if informed(s[p], n[p], max(INFORMED, tight)):
                far = x[p] - level[j] - offset_of(offset, p) - times * move
                density -= 0.5 * far * far * tight
                slope += times * far * tight
                curvature += times * times * tight
            else:
                at = x[p] + times * move
                log, hits, curved = expected_at(trials, p, at)
                density += s[p] * at - log
                slope += times * (s[p] - hits)
                curvature += times * times * curved
    return density, slope, curvature
