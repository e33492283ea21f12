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
from .centres import Centres, draw_levels, move_scales
from .trajectories import LEAPS, Given, Position, run
from .votes import AllCells, all_cells, odds_in

WORK = 200_000
"""A sweep goes through at most so many votes, on average."""
TURNS = 9
"""How often both spreads of a side move."""
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
    of_occurrence, of_expertise = states
    priors, both = (expertise.tpr, expertise.fpr), of_expertise.sides
    given, start = _given(sides, states, design, cells)
    at, moved = run(rng, given, start)
    if len(at.raised):
        of_occurrence, _ = occurrence.raised(of_occurrence, cells.moving, at.raised)
    sampled, new = expertise.spread == "sampled", []
    for prior, side, x, around, varied in zip(
        priors, both, at[:2], (given.tpr, given.fpr), np.exp(at.spread), strict=True
    ):
        side = side._replace(logit=x, varied=np.array(varied)) if moved else side
        new.append(redrawn(rng, prior, side, around, sampled=sampled))
    return (of_occurrence, State(new[0], new[1], of_expertise.step)), {"moved_together": float(moved)}


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


def redrawn(
    rng: np.random.Generator, prior: SidePrior, side: Side, around: Centres, *, sampled: bool
) -> Side:
    """Return a side with spreads of levels and of logits moved, and with levels drawn, given logits.

    A spread of logits that is not `sampled` stays, and a sd of levels, with their mean, that is not learned.
    """
    learned = isinstance(prior.level, LearnedNormal)
    scales = float(prior.level.spread) if learned else 0.0, float(prior.spread.scale) if sampled else 0.0
    around, spread = move_scales(rng, around, side.logit, float(side.spread), scales, TURNS)
    more, mean = draw_levels(rng, around, side.logit)
    among = np.array([prior.level.centre + mean, around.sd]) if learned else side.among
    middle = float(prior.level.centre) if learned else side.among[0]
    level = middle + prior.expected(side.effect, len(side.level)) + more
    return side._replace(level=level, spread=np.array(spread), among=among)
