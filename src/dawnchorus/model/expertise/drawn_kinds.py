"""Drawn kinds: what makes trials of a logit differ, given presence.

How audible birds are, how deceptive where they are absent, and whether unsure marks are votes.
"""

from __future__ import annotations

import numpy as np

from ...common.ragged import Ints
from ..design import Design
from ..distributions import HalfNormal
from ..presence.draw import Presence
from .deceptive.draws import draw_deceptive
from .faint import draw_faint
from .kinds import ONE_KIND, Kinds, reports_and_silences
from .sides import SidePrior, State
from .unsure import draw_step

Counts = tuple[tuple[Ints, Ints], ...]


def draw_kinds(
    rng: np.random.Generator,
    state: State,
    priors: tuple[SidePrior, SidePrior],
    step: HalfNormal | None,
    counts: Counts,
    presence: Presence,
    design: Design,
    *,
    stretch: bool,
) -> tuple[State, Counts, list[Kinds], dict[str, float]]:
    """Draw how far cells differ for everybody, and the step of unsure marks; each if it is asked for.

    Return the state with both, successes and trials of both sides, trials by kind, and the shares of accepted
    steps. `counts` are successes and trials, as votes have them. If asked to, logits are stretched together
    with how far cells differ.
    """
    kinds = [reports_and_silences(*known) if step else ONE_KIND for known in counts]
    moved: dict[str, float] = {}
    (heard, false), more = priors, 0
    if heard.varied:
        given = design.layout, presence, heard, state.tpr, state.unsure
        tpr, kinds[0], tried = draw_faint(rng, *given, stretch=stretch)
        moved |= dict(zip(("faintness_stretched", "faintness_moved"), tried, strict=True))
        state = state._replace(tpr=tpr)
    if false.varied:
        told = presence, design, false, state.fpr, state.unsure
        fpr, kinds[1], successes, tried = draw_deceptive(rng, *told, stretch=stretch)
        moved |= dict(zip(("deception_stretched", "deception_moved"), tried, strict=True))
        state, more = state._replace(fpr=fpr), int(successes.sum())
        so_far = np.append(0, np.cumsum(kinds[1].classes.trials))[kinds[1].classes.start]
        counts = counts[0], (counts[1][0] + successes, np.diff(so_far))
    if step:
        logits = (state.tpr.logit, kinds[0]), (state.fpr.logit, kinds[1])
        new = draw_step(rng, float(state.step), design.n_marks, float(step.scale), *logits, more)
        state = state._replace(step=np.array(new))
    return state, counts, kinds, moved
