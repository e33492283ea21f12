"""Trajectories: logits of all rates, both spreads over cells and log-odds of presence move at once.

Their density, with presence, classes, levels and means of levels summed out, is

    P(votes) · p(logits) · half-normal(faintness) · half-normal(deception) · p(log-odds),

with P(votes) as in votes.py and p(logits) as in centres.py. It is known with its slopes, so that positions can
run along it like a ball that was pushed, in a random direction and with a random number of leaps of a random
size (Hamiltonian Monte Carlo; Neal 2011). The mass of logits is their precision before any vote plus about
what votes tell of each; all masses depend on data and on what stays as it is.
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


class Given(NamedTuple):
    """What stays as it is."""

    cells: AllCells
    odds: Floats
    """Of presence in each cell, before log-odds move."""
    known: Floats
    """As in `ReportedCells`."""
    unsure: float
    """As in `VoteRates`."""
    tpr: Centres
    fpr: Centres
    scale: Floats
    """Of the half-normal priors of faintness and deception."""
    before: LogOdds
    """Of each species that moves, before it does."""


class Position(NamedTuple):
    """What moves; slopes, momenta and velocities have the same form."""

    tpr: Floats
    fpr: Floats
    spread: Floats
    """The logarithms of faintness and deception."""
    raised: Floats
    """By how much the log-odds of each species are above those before."""


@compiled
def log_density(given: Given, at: Position) -> tuple[float, Position]:
    """Return the log density at a position, and its slopes; minus infinity if it is too far away."""
    n, slope = len(at.tpr), Position(np.zeros(len(at.tpr)), np.zeros(len(at.fpr)), np.zeros(2), 0 * at.raised)
    if np.abs(at.spread).max() > FARTHEST:
        return -math.inf, slope
    odds, total = given.odds, 0.0
    if len(at.raised) > 0:
        if np.abs(given.before.at + at.raised).max() > FARTHEST:
            return -math.inf, slope
        odds = odds * np.exp(at.raised)[given.cells.place]
        total += log_odds_density(given.before, at.raised, slope.raised)
    there, gone = Slopes(np.empty(n), np.empty(1)), Slopes(np.empty(n), np.empty(1))
    spread, chance = np.exp(at.spread), np.empty(len(odds))
    sides = at.tpr, spread[0], at.fpr, spread[1]
    total += log_votes(given.cells, odds, given.known, *sides, given.unsure, there, gone, chance)
    total += density(given.tpr, at.tpr, slope.tpr) + density(given.fpr, at.fpr, slope.fpr)
    slope.tpr[:] += there.logit
    slope.fpr[:] += gone.logit
    for side, more in ((0, there), (1, gone)):
        away = (spread[side] / given.scale[side]) ** 2
        total += at.spread[side] - 0.5 * away
        slope.spread[side] = more.spread[0] * spread[side] + 1 - away
    if len(at.raised) > 0:
        for cell in range(len(odds)):
            slope.raised[given.cells.place[cell]] += chance[cell] - odds[cell] / (1 + odds[cell])
    return total, slope


@compiled
def run(rng: np.random.Generator, given: Given, start: Position) -> tuple[Position, bool]:
    """Return where a trajectory ends if that is accepted, otherwise where it starts; and if it is."""
    at, (now, slope) = start, log_density(given, start)
    push, (of_spread, of_odds) = _push(rng, given, start), _masses(given, start)
    size = LEAP[0] + (LEAP[1] - LEAP[0]) * rng.random()
    energy = now - _kinetic(push, _velocity(given, push, of_spread, of_odds))
    then = now
    for _ in range(1 + int(rng.random() * LEAPS)):
        if then == -math.inf:
            return start, False
        push = _added(push, slope, 0.5 * size)
        at = _added(at, _velocity(given, push, of_spread, of_odds), size)
        then, slope = log_density(given, at)
        push = _added(push, slope, 0.5 * size)
    gain = then - _kinetic(push, _velocity(given, push, of_spread, of_odds)) - energy
    if then == -math.inf or not accepted(rng, gain):
        return start, False
    return at, True


@compiled
def _masses(given: Given, at: Position) -> tuple[float, Floats]:
    """Return the mass of logarithms of spreads, and that of the log-odds of each species, by their cells."""
    of_odds = np.full(len(at.raised), 0.3)
    if len(of_odds) > 0:
        for k in given.cells.place:
            of_odds[k] += 0.12
    return 1 + 0.5 * len(given.odds), of_odds


@compiled
def _push(rng: np.random.Generator, given: Given, at: Position) -> Position:
    """Draw momenta."""
    of_spread, of_odds = _masses(given, at)
    tpr = momentum(rng, given.tpr, given.cells.known_well)
    fpr = momentum(rng, given.fpr, given.cells.known_well)
    spread = rng.standard_normal(2) * math.sqrt(of_spread)
    return Position(tpr, fpr, spread, rng.standard_normal(len(of_odds)) * np.sqrt(of_odds))


@compiled
def _velocity(given: Given, push: Position, of_spread: float, of_odds: Floats) -> Position:
    """Return the velocities that momenta give."""
    tpr = answer(given.tpr, given.cells.known_well, push.tpr)
    fpr = answer(given.fpr, given.cells.known_well, push.fpr)
    return Position(tpr, fpr, push.spread / of_spread, push.raised / of_odds)


@compiled
def _kinetic(push: Position, velocity: Position) -> float:
    """Return the energy of a movement."""
    total = 0.0
    for part in range(4):
        total += 0.5 * (push[part] * velocity[part]).sum()
    return total


@compiled
def _added(one: Position, other: Position, times: float) -> Position:
    """Return one plus so many times the other."""
    return Position(
        one.tpr + times * other.tpr,
        one.fpr + times * other.fpr,
        one.spread + times * other.spread,
        one.raised + times * other.raised,
    )
