"""Trajectories: logits of all rates, spreads and log-odds of presence move at once.

Their density, with presence, classes, levels and means of levels summed out, is

    P(votes) · p(logits | spreads) · p(spreads) · half-normal(faintness) · half-normal(deception)
    · p(log-odds),

with P(votes) as in votes.py and p(logits | spreads) as in centres.py. Its slopes are
known too, so that Hamiltonian Monte Carlo (Neal 2011) can propose a position far away: it starts with a
random velocity, and follows the slopes for a random number of leaps of a random size.

The spreads of a side, sd of levels and spread of logits around them, grow together, by a factor exp(size),
and logits with them. With the mean of v over all logits of a side, these are

    x = centre + mean of v + exp(size) · (v − mean of v),

volumes of x are those of v times exp(size)^(number of logits − 1), and v and size are what moves. For a size
of 0, the root of the sum of squares of both spreads is 1. The mass of v is its precision before any vote, at
that size, plus about what votes tell of each logit; all masses depend on the data and on what stays as it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats
from ..lookups import accepted
from ..occurrence.log_odds import LogOdds, log_odds_density
from .centres import Centres, answer, density, momentum
from .votes import AllCells, Slopes, log_votes

LEAPS = 40
"""A trajectory has at most so many leaps: any number from 1 on is as likely as any other."""
LEAP = 0.4, 1.0
"""How far a leap goes, between these bounds."""
FARTHEST = 20.0
"""Log-odds beyond that, and logarithms of spreads, stay."""


class Moving(NamedTuple):
    """One side: what its logits lie around if its size is 0."""

    around: Centres
    spread: float
    """Of logits around levels, if the size is 0."""
    scales: tuple[float, float]
    """Of the half-normal priors of the sd of levels and of that spread; both 0 if the size does not move."""
    varied: float
    """The scale of the half-normal prior of how far cells differ."""


class Given(NamedTuple):
    """What stays as it is."""

    cells: AllCells
    odds: Floats
    """Of presence in each cell, before log-odds move."""
    further: Floats
    """As in `ReportedCells`."""
    unsure: float
    """As in `VoteRates`."""
    tpr: Moving
    fpr: Moving
    before: LogOdds
    """Of each species that moves, before it does."""


class Position(NamedTuple):
    """What moves; slopes, momenta and velocities have the same form."""

    tpr: Floats
    fpr: Floats
    size: Floats
    varied: Floats
    """The logarithms of faintness and deception."""
    raised: Floats
    """By how much the log-odds of each species are above those before."""


@compiled
def logits_at(side: Moving, v: Floats, size: float) -> Floats:
    """Return the logits of a side."""
    mean = v.mean()
    return side.around.centre + mean + math.exp(size) * (v - mean)


@compiled
def place_of(side: Moving, x: Floats, size: float) -> Floats:
    """Return where logits are, if the size is as it is."""
    y = x - side.around.centre
    return y.mean() + math.exp(-size) * (y - y.mean())


@compiled
def centres_at(side: Moving, size: float) -> Centres:
    """Return what the logits of a side lie around."""
    centre, tight, start, sd, width = side.around
    return Centres(centre, tight * math.exp(-2 * size), start, sd * math.exp(size), width)


@compiled
def log_density(given: Given, at: Position) -> tuple[float, Position]:
    """Return the log density at a position, and its slopes; minus infinity if it is too far away."""
    slope = Position(0 * at.tpr, 0 * at.fpr, np.zeros(2), np.zeros(2), 0 * at.raised)
    if max(np.abs(at.varied).max(), np.abs(at.size).max()) > FARTHEST:
        return -math.inf, slope
    odds, total, n = given.odds, 0.0, len(at.tpr)
    if len(at.raised) > 0:
        if np.abs(given.before.at + at.raised).max() > FARTHEST:
            return -math.inf, slope
        odds = odds * np.exp(at.raised)[given.cells.place]
        total += log_odds_density(given.before, at.raised, slope.raised)
    there, gone = Slopes(np.empty(n), np.empty(1)), Slopes(np.empty(n), np.empty(1))
    spread, chance = np.exp(at.varied), np.empty(len(odds))
    tpr, fpr = logits_at(given.tpr, at.tpr, at.size[0]), logits_at(given.fpr, at.fpr, at.size[1])
    sides = tpr, spread[0], fpr, spread[1]
    total += log_votes(given.cells, odds, given.further, *sides, given.unsure, there, gone, chance)
    total += _add_side(given.tpr, 0, at.tpr, tpr, at, there, slope.tpr, slope)
    total += _add_side(given.fpr, 1, at.fpr, fpr, at, gone, slope.fpr, slope)
    for cell in range(len(odds) if len(at.raised) > 0 else 0):
        slope.raised[given.cells.place[cell]] += chance[cell] - odds[cell] / (1 + odds[cell])
    return total, slope


@compiled
def _add_side(
    side: Moving, which: int, v: Floats, x: Floats, at: Position, votes: Slopes, of_v: Floats, slope: Position
) -> float:
    """Return the log density of a side but for votes, and set its slopes, with those of votes."""
    size, around = at.size[which], centres_at(side, at.size[which])
    total, grows = density(around, x, of_v)
    times, mean, middle = math.exp(size), v.mean(), 0.0
    for p in range(len(v)):
        of_v[p] += votes.logit[p]
        grows += of_v[p] * times * (v[p] - mean)
        middle += of_v[p] / len(v)
    for p in range(len(v)):
        of_v[p] = times * of_v[p] + (1 - times) * middle
    if side.scales[0] > 0:
        sd, spread = (around.sd / side.scales[0]) ** 2, (side.spread * times / side.scales[1]) ** 2
        total += (len(v) + 1) * size - 0.5 * sd - 0.5 * spread
        slope.size[which] = grows + len(v) + 1 - sd - spread
    varied = math.exp(at.varied[which])
    away = (varied / side.varied) ** 2
    slope.varied[which] = votes.spread[0] * varied + 1 - away
    return total + at.varied[which] - 0.5 * away


@compiled
def run(rng: np.random.Generator, given: Given, start: Position) -> tuple[Position, bool]:
    """Return where a trajectory ends if that is accepted, otherwise where it starts; and if it is."""
    at, (now, slope) = start, log_density(given, start)
    masses = _masses(given, start)
    push = _push(rng, given, masses)
    size = LEAP[0] + (LEAP[1] - LEAP[0]) * rng.random()
    energy, then = now - _kinetic(push, _velocity(given, masses, push)), now
    for _ in range(1 + int(rng.random() * LEAPS)):
        if then == -math.inf:
            return start, False
        push = _added(push, slope, 0.5 * size)
        at = _added(at, _velocity(given, masses, push), size)
        then, slope = log_density(given, at)
        push = _added(push, slope, 0.5 * size)
    gain = then - _kinetic(push, _velocity(given, masses, push)) - energy
    if then == -math.inf or not accepted(rng, gain):
        return start, False
    return at, True


@compiled
def _masses(given: Given, at: Position) -> Position:
    """Return the masses of sizes, logarithms of spreads and log-odds; and what votes tell of logits."""
    told, odds = given.cells.known_well, np.full(len(at.raised), 0.3)
    for k in given.cells.place[: len(given.cells.place) if len(odds) > 0 else 0]:
        odds[k] += 0.12
    return Position(told, told, np.full(2, 1 + 0.3 * told.sum()), np.full(2, 1 + 0.5 * len(given.odds)), odds)


@compiled
def _push(rng: np.random.Generator, given: Given, masses: Position) -> Position:
    """Draw momenta; where a size does not move, it has none."""
    size, varied = (
        rng.standard_normal(2) * np.sqrt(masses.size),
        rng.standard_normal(2) * np.sqrt(masses.varied),
    )
    for which, side in ((0, given.tpr), (1, given.fpr)):
        size[which] *= side.scales[0] > 0
    return Position(
        momentum(rng, given.tpr.around, masses.tpr),
        momentum(rng, given.fpr.around, masses.fpr),
        size,
        varied,
        rng.standard_normal(len(masses.raised)) * np.sqrt(masses.raised),
    )


@compiled
def _velocity(given: Given, masses: Position, push: Position) -> Position:
    """Return the velocities that momenta give."""
    return Position(
        answer(given.tpr.around, masses.tpr, push.tpr),
        answer(given.fpr.around, masses.fpr, push.fpr),
        push.size / masses.size,
        push.varied / masses.varied,
        push.raised / masses.raised,
    )


@compiled
def _kinetic(push: Position, velocity: Position) -> float:
    """Return the energy of a movement."""
    total = 0.0
    for part in range(len(push)):
        total += 0.5 * (push[part] * velocity[part]).sum()
    return total


@compiled
def _added(one: Position, other: Position, times: float) -> Position:
    """Return one plus so many times the other."""
    return Position(
        one.tpr + times * other.tpr,
        one.fpr + times * other.fpr,
        one.size + times * other.size,
        one.varied + times * other.varied,
        one.raised + times * other.raised,
    )
