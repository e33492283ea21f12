"""Refined: rates by annotator and species move with presence in reported cells summed out."""

from __future__ import annotations

import numpy as np

from ....common.compiled import ZERO, compiled
from ....common.ragged import Floats, Ints, Ragged
from ...audibility import Evidence
from ...design import ReportedCells
from ...presence.odds import Odds
from ...presence.reported import odds_given_votes
from .reflected import Side, VotesByRate, reflect_logits
from .shifted import shift_annotators

TPR_STRIDE, FPR_STRIDE = 3, 5
"""True positive rates use every third point of a grid, false ones, which are less certain, every fifth."""
TPR_TURNS, FPR_TURNS, LEVEL_TURNS = 2, 1, 2
"""Every second true positive rate, and annotator, moves in a sweep, and every false positive rate: cells
depend most on these."""


@compiled
def refine(
    rng: np.random.Generator,
    tpr: Side,
    fpr: Side,
    reported: ReportedCells,
    by_rate: VotesByRate,
    pair_start: Ints,
    of_annotator: Ragged,
    odds: Odds,
    misses: Ints,
    prior: tuple[Floats, float, float],
    ratio: Floats,
    together: Evidence | None,
    unsure: float,
) -> tuple[int, int, int]:
    """Move false positive rates by annotator, then one by one, then true positive rates, in place.

    `misses` counts for every rate the silences in present cells that nobody reported, and `prior` is that of
    false positive rates; `ratio` and `together` are of `Evidence`. True rates stay if birds differ in how
    audible they are, and false ones if they differ in how deceptive they are: then votes on a cell depend on
    each other. `unsure` is as in `VoteRates`. Return how many true and how many false positive rates have
    moved, and levels.
    """
    w = odds_given_votes(reported, odds, ratio, together)
    levels, silent = ZERO, by_rate.silences - misses
    if together is None or len(together.gone.room) == 0:
        levels = shift_annotators(
            rng, fpr, w, by_rate, silent, pair_start, of_annotator, prior, unsure, LEVEL_TURNS
        )
    false = reflect_false(rng, fpr, w, by_rate, silent, unsure, together)
    true = reflect_true(rng, tpr, 1 / w, by_rate, misses, unsure, together)
    return true, false, levels


@compiled
def reflect_false(
    rng: np.random.Generator,
    side: Side,
    w: Floats,
    by_rate: VotesByRate,
    silent: Ints,
    unsure: float,
    together: Evidence | None,
) -> int:
    """Move false positive rates one by one, in place, if votes do not depend on each other given absence."""
    moved = ZERO
    if together is None or len(together.gone.room) == 0:
        # What a report says of presence depends most on the false positive rate, silence on the true one.
        moved = reflect_logits(rng, side, w, by_rate, silent, unsure, FPR_STRIDE, 1, FPR_TURNS)
    return moved


@compiled
def reflect_true(
    rng: np.random.Generator,
    side: Side,
    w: Floats,
    by_rate: VotesByRate,
    misses: Ints,
    unsure: float,
    together: Evidence | None,
) -> int:
    """Move true positive rates one by one, in place, if votes do not depend on each other given presence.

    Here `w` are the odds of absence.
    """
    moved = ZERO
    if together is None or len(together.present.room) == 1:
        moved = reflect_logits(rng, side, w, by_rate, misses, unsure, TPR_STRIDE, 0, TPR_TURNS)
    return moved
