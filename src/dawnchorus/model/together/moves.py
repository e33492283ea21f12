"""Moves of how often birds occur, of all rates and of how far cells differ, with all presence summed out.

If people vote on the same few recordings, and birds may be faint and absent ones deceptive, what votes on a
cell have in common is a logit that has one of two normal distributions,

    Normal(a, faintness²) if the bird is present,   Normal(b, deception²) if it is absent.

The mixture of both is well known from the votes, but its two parts are not: one may have more of the cells
than the other, and be nearer or wider. What tells them apart is who reported. Given presence, this can change
only together with many cells, and given rates only few cells can change; so the chain would move in tiny
steps. Here all rates with their spreads, faintness, deception and the log-odds of all species move at once
(trajectories.py). Then follows what depends on them alone: the sd of levels and the spread around them move
given logits (scales.py), levels and their mean are drawn (centres.py), and the prior of occurrence moves if
it is learned. This is the last step before presence is drawn again (../sweep.py).

Every cell with a vote is gone through, silent ones too. So this is for data with few votes in all, and mostly
for those with many votes on each cell; both are known before any sweep.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ...common.ragged import Ints
from ..design import Design
from ..distributions import LearnedNormal
from ..expertise.per_annotator_species import PerAnnotatorSpecies
from ..expertise.sides import Side, SidePrior, State
from ..occurrence.log_odds import LogOdds
from .centres import Centres, draw_levels
from .scales import move_scales
from .trajectories import LEAPS, Given, Moving, Position, centres_at, logits_at, place_of, run
from .votes import AllCells, all_cells, odds_in

WORK = 200_000
"""A sweep goes through at most so many votes, on average."""
DENSE = 10
"""If cells have fewer votes than that, on average, moves are rarer: presence holds rates less then."""
TURNS = 9
"""How often the sd of levels and the spread around them move given logits."""
NOBODY = np.empty(0)


@runtime_checkable
class OccurrenceInLogOdds(Protocol):
    """An occurrence in which the log-odds of a species can move by the same step in all recordings."""

    def raised(self, state: Any, species: Ints, step: Any) -> tuple[Any, Any]:
        """Return the state with log-odds of these species raised, and the gains in log density."""
        ...

    def log_odds(self, state: Any, species: Ints) -> LogOdds:
        """Return the log-odds of these species, and their prior given everything else."""
        ...

    def settled(self, rng: np.random.Generator, state: Any) -> Any:
        """Return the state with a prior that is learned moved, given how often species occur."""
        ...


def move_together(
    rng: np.random.Generator, sides: tuple[Any, Any], states: tuple[Any, Any], design: Design
) -> tuple[tuple[Any, Any], dict[str, float]]:
    """Return the states of occurrence and expertise after a move, if there is one, and if it was accepted."""
    occurrence, expertise = sides
    if not isinstance(expertise, PerAnnotatorSpecies) or not (expertise.tpr.varied and expertise.fpr.varied):
        return states, {}
    cells = design.derived(all_cells)
    votes, n = len(cells.votes.item), len(cells.recording)
    if n == 0 or rng.random() > min(WORK / (votes * LEAPS / 2), votes / (DENSE * n)):
        return states, {"moved_together": np.nan}
    of_occurrence, of_expertise = states
    given, start = starting(sides, states, design, cells)
    at, moved = run(rng, given, start)
    if len(at.raised):
        of_occurrence, _ = occurrence.raised(of_occurrence, cells.moving, at.raised)
        of_occurrence = occurrence.settled(rng, of_occurrence)
    new = []
    for which, prior in enumerate((expertise.tpr, expertise.fpr)):
        moving = given.fpr if which else given.tpr
        side = of_expertise.sides[which]._replace(varied=np.array(math.exp(at.varied[which])))
        side = side._replace(logit=logits_at(moving, at[which], at.size[which]))
        scales = scales_of(prior, sampled=expertise.spread == "sampled")
        new.append(_settled(rng, prior, side, moving, at.size[which], scales))
    return (of_occurrence, State(new[0], new[1], of_expertise.step)), {"moved_together": float(moved)}


def starting(
    sides: tuple[Any, Any], states: tuple[Any, Any], design: Design, cells: AllCells
) -> tuple[Given, Position]:
    """Return what stays as it is in a trajectory, and where it starts."""
    (occurrence, expertise), (of_occurrence, of_expertise) = sides, states
    before = LogOdds(NOBODY, NOBODY, NOBODY, NOBODY, NOBODY)
    if isinstance(occurrence, OccurrenceInLogOdds):
        before = occurrence.log_odds(of_occurrence, cells.moving)
    moving, places, sizes = [], [], []
    for prior, side in zip((expertise.tpr, expertise.fpr), of_expertise.sides, strict=True):
        one, size = _moving(prior, side, design, sampled=expertise.spread == "sampled")
        moving.append(one)
        sizes.append(size)
        places.append(place_of(one, side.logit, size))
    odds, further = odds_in(cells, occurrence.odds(of_occurrence)), design.layout.reported.further
    given = Given(cells, odds, further, of_expertise.unsure, moving[0], moving[1], before)
    varied = np.log([float(side.varied) for side in of_expertise.sides])
    return given, Position(places[0], places[1], np.array(sizes), varied, np.zeros(len(before.at)))


def scales_of(prior: SidePrior, *, sampled: bool) -> tuple[float, float]:
    """Return the scales of the priors of the sd of levels and of the spread; 0 if they do not move."""
    of_levels = float(prior.level.spread) if isinstance(prior.level, LearnedNormal) else 0.0
    return of_levels, float(prior.spread.scale) if sampled else 0.0


def _moving(prior: SidePrior, side: Side, design: Design, *, sampled: bool) -> tuple[Moving, float]:
    """Return what the logits of a side lie around if its size is 0, and the size."""
    mean, sd, _ = prior.numbers(side)
    owner, offset, width = design.rate_annotator, side.offset(design), 0.0
    if isinstance(prior.level, LearnedNormal):
        mean, width = mean + (float(prior.level.centre) - side.among[0]), float(prior.level.width)
    centre = mean[owner] + offset if len(offset) else mean[owner]
    times = math.hypot(sd, float(side.spread))
    spread = float(side.spread) / times
    around = Centres(centre, (spread * side.own[owner]) ** -2, design.pairs.start, sd / times, width)
    scales = scales_of(prior, sampled=sampled)
    return Moving(around, spread, scales if min(scales) > 0 else (0.0, 0.0), prior.scales[2]), math.log(times)


def _settled(
    rng: np.random.Generator,
    prior: SidePrior,
    side: Side,
    moving: Moving,
    size: float,
    scales: tuple[float, float],
) -> Side:
    """Return a side with its spreads moved given logits, and with levels and their mean drawn."""
    given = centres_at(moving, size), side.logit, moving.spread * math.exp(size)
    around, spread = move_scales(rng, *given, scales, TURNS)
    more, mean = draw_levels(rng, around, side.logit)
    among, middle = side.among, float(side.among[0])
    if isinstance(prior.level, LearnedNormal):
        middle = float(prior.level.centre)
        among = np.array([middle + mean, around.sd])
    level = middle + prior.expected(side.effect, len(side.level)) + prior.higher(side.own) + more
    return side._replace(level=level, spread=np.array(spread), among=among)
