"""Interweaving: levels move together with their logits (Yu and Meng 2011).

Where votes are few, a level given its logits hardly moves, because these say little but the level itself.
`shift_levels` moves each level, and `shift_group` anything else that the centres of some logits contain,
with the distances of logits from their centres held fixed. Logits that their counts determine better than the
prior does stay where they are, since otherwise no large move would be accepted. With m the move, s successes
and the sums of trials.py of logits that move along, and with t = 1/spread² of those that stay, the log
density changes by

    m·Σ s − Σ (log after − log before) + m·Σ t·(x − centre) − m²/2·Σ t

and by what the prior of the level says. Moves are Newton's and a little beyond (level_steps.py), accepted by
Metropolis–Hastings. The spread moves with its logits too: see stretching.py.
"""

from __future__ import annotations

import numpy as np

from ....common.compiled import ZERO, compiled, inlined
from ....common.ragged import Floats, Ints
from ...lookups import accepted
from .gathered import Gathered, evaluate, room_for
from .level_steps import level_step, root_for, way_back
from .trials import INFORMED, Trials, informed, offset_of

ALL: Ints = np.empty(0, np.int64)
"""In place of the numbers of some logits: all of them."""


@compiled
def shift_levels(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    spread: float,
    own: Floats,
    mean: Floats,
    sd: float,
) -> int:
    """Move each level together with its logits that are not informed, in place; return how many moved.

    `mean` and `sd` are of the prior of levels, `mean` by annotator.
    """
    start, room, moved = trials.start, room_for(trials), 0
    tight = (spread * own) ** -2
    for j in range(len(level)):
        group = ALL, start[j], start[j + 1]
        move = shift_group(rng, x, trials, level, tight, group, (level[j] - mean[j]) / sd, sd, room)
        level[j] += move
        moved += move != 0
    return moved


@inlined
def shift_group(
    rng: np.random.Generator,
    x: Floats,
    trials: Trials,
    level: Floats,
    tight: Floats,
    group: tuple[Ints, int, int],
    away: float,
    sd: float,
    room: Gathered,
) -> float:
    """Move those logits of a group that are not informed, in place; return by how much, or 0.

    What moves with them is a value that all their centres contain. It is `away` from its prior's mean, in
    standard deviations `sd`. The `group` has the numbers of the logits, and which part of these is meant; all
    logits of this part if there are no numbers. `tight` is 1 / spread² by owner.
    """
    s, n, owner, offset = trials.successes, trials.trials, trials.owner, trials.offset
    item, low, high = group
    place, at_x = room.place, room.x
    successes, tried, along, count = ZERO, ZERO, ZERO, ZERO
    pull, held = -away / sd, sd**-2
    for i in range(low, high):
        p = item[i] if len(item) > 0 else i
        if n[p] == 0:
            continue
        successes, tried = successes + s[p], tried + n[p]
        close = tight[owner[p]]
        if informed(s[p], n[p], max(INFORMED, close)):
            pull += close * (x[p] - level[owner[p]] - offset_of(offset, p))
            held += close
        else:
            along += s[p]
            place[count], at_x[count] = p, x[p]
            count += 1
    evaluate(room, trials, count, 0.0)
    log, hits, curved = _totals(room, count)
    slope, curvature = pull + along - hits, held + curved
    root = root_for(successes, tried)
    move, step = level_step(rng, slope, curvature, root)
    if step.times == 0:
        return 0.0
    evaluate(room, trials, count, move)
    then_log, then_hits, then_curved = _totals(room, count)
    gain = move * (pull + along) - 0.5 * move * move * held - (then_log - log)
    back, curvature_back = pull - move * held + along - then_hits, held + then_curved
    if not accepted(rng, gain + way_back(step, slope, curvature, back, curvature_back, root)):
        return 0.0
    for at in range(count):
        x[place[at]] += move
    return move


@inlined
def _totals(room: Gathered, count: int) -> tuple[float, float, float]:
    """Return the sums of what counts say of gathered logits."""
    logs, all_hits, curves = room.log, room.hits, room.curved
    log, hits, curved = 0.0, 0.0, 0.0
    for at in range(count):
        log += logs[at]
        hits += all_hits[at]
        curved += curves[at]
    return log, hits, curved
