"""Difficulty: some species are hard for everyone, and some are easily taken for present.

    x[j, k] ~ Normal(level[j] + shift[k], spread²),   shift[k] ~ Normal(0, scale²),   scale ~ half-normal

The shift of a species is the same for all annotators. Given logits, it is normal times normal, like a level
(draws.py). It moves a second time with those of its logits that few votes inform (interweaving.py).

The scale is drawn twice as well: given shifts, by a slice step, and given z = shift / scale. Then logits are
linear in the scale, so it is normal; half-normal times a sign, which shifts take over, is normal too.

Levels plus a number and shifts minus that number are the same centres: this number is drawn last.

Species without a trial say nothing of the scale. They are left out, and their shifts are drawn afterwards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....common.compiled import compiled, inlined
from ....common.ragged import Floats, Ints, Ragged
from ...design import Design
from ...spreads import half_normal_spread
from .gathered import room_for
from .interweaving import shift_group
from .trials import Trials

WORDS = "some species are hard for everyone, and some are easily taken for present"


class Shifts(NamedTuple):
    """The shift of each species, and the numbers of its logits; no shifts if no species is harder."""

    shift: Floats
    start: Ints
    logit: Ints
    scale: float
    """The scale of the half-normal prior of their scale."""


def logits_by_species(design: Design) -> Ragged:
    """Return the numbers of the logits of each species."""
    species = design.pairs.item
    order = np.argsort(species, kind="stable")
    return Ragged.from_sizes(np.bincount(species, minlength=design.annotations.n_species), order)


@compiled
def update_difficulty(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    shifts: Shifts,
    scale: float,
    prior: tuple[Floats, float],
) -> float:
    """Draw shifts and their scale, and move levels, logits and offsets with them, in place; return the scale.

    `prior` is the mean of levels by annotator, and their standard deviation.
    """
    scale = stretch_shifts(rng, x, trials, level, spread, own, shifts, scale)
    scale = draw_scale(rng, trials, shifts, scale)
    draw_shifts(rng, x, trials, level, spread, own, shifts, scale)
    move_shifts(rng, x, trials, level, (spread * own) ** -2, shifts, scale)
    balance(rng, trials, level, shifts, scale, prior)
    return scale


@compiled
def move_shifts(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    tight: Floats,
    shifts: Shifts,
    scale: float,
) -> None:
    """Move the shift of each species with its logits, in place; `tight` is 1 / spread² by annotator."""
    room = room_for(trials)
    for k in range(len(shifts.shift)):
        group = shifts.logit, shifts.start[k], shifts.start[k + 1]
        away = shifts.shift[k] / scale
        move = shift_group(rng, x, trials, level, tight, group, away, scale, room)
        _move(trials, shifts, k, move)


@compiled
def draw_shifts(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    shifts: Shifts,
    scale: float,
) -> None:
    """Draw the shift of each species, in place, given its logits with a trial."""
    n, owner = trials.trials, trials.owner
    for k in range(len(shifts.shift)):
        total, precision = 0.0, scale**-2
        for p in shifts.logit[shifts.start[k] : shifts.start[k + 1]]:
            if n[p] > 0:
                tight = (spread * own[owner[p]]) ** -2
                total += tight * (x[p] - level[owner[p]])
                precision += tight
        new = total / precision + rng.standard_normal() / math.sqrt(precision)
        _move(trials, shifts, k, new - shifts.shift[k])


@compiled
def draw_scale(rng: np.random.Generator, trials: Trials, shifts: Shifts, scale: float) -> float:
    """Draw the scale given the shifts of species with a trial."""
    squares, count = 0.0, 0
    for k in range(len(shifts.shift)):
        if _tried(trials, shifts, k):
            squares += shifts.shift[k] ** 2
            count += 1
    return half_normal_spread(rng, scale, squares, count, shifts.scale)


@compiled
def stretch_shifts(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    shifts: Shifts,
    scale: float,
) -> float:
    """Draw the scale with all shifts over it held fixed, and move the shifts, in place; return it."""
    n, owner = trials.trials, trials.owner
    total, precision = 0.0, shifts.scale**-2
    for k in range(len(shifts.shift)):
        z = shifts.shift[k] / scale
        for p in shifts.logit[shifts.start[k] : shifts.start[k + 1]]:
            if n[p] > 0:
                tight = (spread * own[owner[p]]) ** -2
                total += tight * z * (x[p] - level[owner[p]])
                precision += tight * z * z
    new = total / precision + rng.standard_normal() / math.sqrt(precision)
    for k in range(len(shifts.shift)):
        _move(trials, shifts, k, shifts.shift[k] * (new / scale - 1))
    return abs(new)


@compiled
def balance(
    rng: np.random.Generator,
    trials: Trials,
    level: Floats,
    shifts: Shifts,
    scale: float,
    prior: tuple[Floats, float],
) -> None:
    """Add a number to all levels and subtract it from all shifts, in place: logits do not change."""
    mean, sd = prior
    precision = len(level) / sd**2 + len(shifts.shift) / scale**2
    total = np.sum(mean - level) / sd**2 + np.sum(shifts.shift) / scale**2
    move = total / precision + rng.standard_normal() / math.sqrt(precision)
    level += move
    for k in range(len(shifts.shift)):
        _move(trials, shifts, k, -move)


@inlined
def _move(trials: Trials, shifts: Shifts, k: int, move: float) -> None:
    """Add to the shift of a species and to the offsets of its logits."""
    shifts.shift[k] += move
    for p in shifts.logit[shifts.start[k] : shifts.start[k + 1]]:
        trials.offset[p] = shifts.shift[k]


@inlined
def _tried(trials: Trials, shifts: Shifts, k: int) -> bool:
    """Return whether some logit of a species has a trial."""
    tried = False
    for p in shifts.logit[shifts.start[k] : shifts.start[k + 1]]:
        tried |= trials.trials[p] > 0
    return tried
