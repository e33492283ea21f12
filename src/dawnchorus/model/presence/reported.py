"""Reported cells: their odds of presence given all votes, and their draw (see draw.py)."""

from __future__ import annotations

import numpy as np

from ...common.compiled import ZERO, compiled
from ...common.ragged import Bools, Floats, Ints
from ..audibility import Evidence, cell_odds, few_votes
from ..design import ReportedCells
from ..lookups import FEW, given_further, odds_from, weighed
from .odds import Odds, odds_at


@compiled
def odds_given_votes(reported: ReportedCells, odds: Odds, ratio: Floats, together: Evidence | None) -> Floats:
    """Return the odds of presence in each reported cell, given what votes say."""
    w = np.empty(len(reported.recording))
    fill_odds(w, reported, odds, ratio, together, ZERO, len(w))
    return w


@compiled
def fill_odds(
    w: Floats,
    reported: ReportedCells,
    odds: Odds,
    ratio: Floats,
    together: Evidence | None,
    first: int,
    last: int,
) -> None:
    """Set the odds of presence in the reported cells from `first` up to `last`."""
    # Arrays are taken out of their tuples once: inside loops that would count references every time.
    cell_species, cell_recording = reported.cells.item, reported.recording
    votes, vote = reported.vote_start, reported.vote
    factor, row, further = odds.factor, odds.row, reported.further
    if together is not None:
        over, unsure, deceptive = together.absent, together.unsure, len(together.gone.odds) > 0
        by_rate, (of_class, share), here = together.present
        gone_by_rate, (of_gone, gone_share), gone = together.gone
    for cell in range(first, last):
        prior = odds_at(factor, row, cell_recording[cell], cell_species[cell])
        low, high = votes[cell], votes[cell + 1]
        if together is None or high - low == 1:
            w[cell] = weighed(prior, ratio, vote, low, high)
        elif high - low < FEW:  # done here: a call would take longer
            says = few_votes(here, share, of_class, by_rate, over, unsure, vote, low, high)
            if deceptive:
                says /= few_votes(gone, gone_share, of_gone, gone_by_rate, over, unsure, vote, low, high)
            w[cell] = odds_from(prior * says, 0)
        else:
            w[cell] = cell_odds(prior, together, vote, low, high)
        w[cell] = given_further(w[cell], further, cell)


@compiled
def draw_reported(
    rng: np.random.Generator,
    reported: ReportedCells,
    odds: Floats,
    first: int,
    last: int,
    there: Bools,
    by_species: Ints,
    by_code: Ints,
) -> None:
    """Draw the reported cells from `first` up to `last`, and take absent ones out of both counts.

    Where absence is unlikely, with odds 1 / w < 1, absences come as events along the line of all cells.
    """
    cell_species, votes, vote = reported.cells.item, reported.vote_start, reported.vote
    gap = rng.standard_exponential()
    for cell in range(first, last):
        w = odds[cell]
        if w > 1:
            gap -= 1 / w
            if gap >= 0:
                continue
            present = True
            while gap < 0:
                present = present and rng.random() > w * np.log1p(1 / w)
                gap += rng.standard_exponential()
        else:
            present = rng.random() * (1 + w) < w
        if not present:
            there[cell] = False
            by_species[cell_species[cell]] -= 1
            for v in range(votes[cell], votes[cell + 1]):
                by_code[vote[v]] -= 1
