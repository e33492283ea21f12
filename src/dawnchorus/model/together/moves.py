"""Moves of how often birds occur, of all rates and of how far cells differ, with all presence summed out.

If people vote on the same few recordings, and birds may be faint and absent ones deceptive, what votes on a
cell have in common is a logit that has one of two normal distributions,

    Normal(a, faintness²) if the bird is present,   Normal(b, deception²) if it is absent.

The mixture of both is well known from the votes, in contrast to its two parts: one may have more of the cells
than the other, and be nearer or wider. What tells them apart is who reported. Given presence, none of that
can change but with many cells, and given rates few cells can; so the chain would go along that ridge in tiny
steps. Here all rates, both spreads and the log-odds of all species move at once (trajectories.py). Then the
two spreads of levels, and of logits around them, move given logits, and levels are drawn (centres.py). This
is the last step before presence is drawn again (../sweep.py).

Every cell with a vote is gone through, silent ones too. So this is for data with few votes in all, by their
number alone; where presence is all that votes on other data tell, rates move by species, and one by one.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from ...common.ragged import Ints
from ..design import Design
from ..distributions import LearnedNormal
from ..expertise.per_annotator_species import PerAnnotatorSpecies
from ..expertise.sides import Side, SidePrior, State
from ..occurrence.log_odds import LogOdds
from .centres import Centres, draw_levels
from .scales import move_scales, stretch
from .trajectories import LEAPS, Given, Position, run
from .votes import AllCells, all_cells, odds_in

WORK = 200_000
"""A sweep goes through at most so many votes, on average."""
STRETCHES, TURNS = 3, 9
"""How often the spreads of a side move together with its logits, and given these."""
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
    if not len(cells.recording) or rng.random() * len(cells.votes.item) * LEAPS / 2 > WORK:
        return states, {"moved_together": np.nan}
    (of_occurrence, of_expertise), given_at = states, _given(sides, states, design, cells)
    at, moved = run(rng, *given_at)
    given, stretched, sampled, new = given_at[0], 0, expertise.spread == "sampled", []
    scales = [_scales(prior, sampled=sampled) for prior in (expertise.tpr, expertise.fpr)]
    spreads = [float(side.spread) for side in of_expertise.sides]
    for which in (0, 1):
        told = which, spreads[which], scales[which], STRETCHES
        given, at, spreads[which], times = stretch(rng, given, at, *told)
        stretched += times
    if len(at.raised):
        of_occurrence, _ = occurrence.raised(of_occurrence, cells.moving, at.raised)
        of_occurrence = occurrence.settled(rng, of_occurrence)
    for which, prior in enumerate((expertise.tpr, expertise.fpr)):
        around, x = given[4 + which], at[which]
        side = of_expertise.sides[which]._replace(logit=x, varied=np.exp(at.spread[which : which + 1])[0])
        around, spread = move_scales(rng, around, x, spreads[which], scales[which], TURNS)
        new.append(_with_levels(rng, prior, side, around, spread))
    accepted = {"moved_together": float(moved), "stretched_together": stretched / (2 * STRETCHES)}
    return (of_occurrence, State(new[0], new[1], of_expertise.step)), accepted


def _scales(prior: SidePrior, *, sampled: bool) -> tuple[float, float]:
    """Return the scales of the priors of the sd of levels and of the spread; 0 if they do not move."""
    of_levels = float(prior.level.spread) if isinstance(prior.level, LearnedNormal) else 0.0
    return of_levels, float(prior.spread.scale) if sampled else 0.0


def _given(
    sides: tuple[Any, Any], states: tuple[Any, Any], design: Design, cells: AllCells
) -> tuple[Given, Position]:
    """Return what stays as it is in a trajectory, and where it starts."""
    (occurrence, expertise), (of_occurrence, of_expertise) = sides, states
    priors, both = (expertise.tpr, expertise.fpr), of_expertise.sides
    before = LogOdds(NOBODY, NOBODY, NOBODY, NOBODY, NOBODY)
    if isinstance(occurrence, OccurrenceInLogOdds):
        before = occurrence.log_odds(of_occurrence, cells.moving)
    around = [centres_of(prior, side, design) for prior, side in zip(priors, both, strict=True)]
    given = Given(
        cells,
        odds_in(cells, occurrence.odds(of_occurrence)),
        design.layout.reported.known,
        of_expertise.unsure,
        around[0],
        around[1],
        np.array([prior.scales[2] for prior in priors]),
        before,
    )
    spread = np.log([float(side.varied) for side in both])
    return given, Position(both[0].logit.copy(), both[1].logit.copy(), spread, np.zeros(len(before.at)))


def centres_of(prior: SidePrior, side: Side, design: Design) -> Centres:
    """Return what the logits of a side lie around, levels and their mean summed out."""
    mean, sd, _ = prior.numbers(side)
    owner, offset, width = design.rate_annotator, side.offset(design), 0.0
    if isinstance(prior.level, LearnedNormal):
        mean, width = mean + (float(prior.level.centre) - side.among[0]), float(prior.level.width)
    centre = mean[owner] + offset if len(offset) else mean[owner]
    tight = (float(side.spread) * side.own[owner]) ** -2
    return Centres(centre, tight, design.pairs.start, float(sd), width)


def _with_levels(
    rng: np.random.Generator, prior: SidePrior, side: Side, around: Centres, spread: float
) -> Side:
    """Return a side with spreads as they are now, and with levels and, if it is learned, their mean drawn."""
    more, mean = draw_levels(rng, around, side.logit)
    among = side.among
    if isinstance(prior.level, LearnedNormal):
        among = np.array([prior.level.centre + mean, around.sd])
        more += prior.level.centre
    else:
        more += side.among[0]
    level = more + prior.expected(side.effect, len(side.level))
    return side._replace(level=level, spread=np.array(spread), among=among)
