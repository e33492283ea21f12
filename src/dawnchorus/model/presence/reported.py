"""Reported cells: their odds of presence given all votes, and their draw (see draw.py)."""

from __future__ import annotations

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Bools, Floats, Ints
from ..audibility import Evidence, cell_odds
from ..design import ReportedCells
from ..lookups import given_further, weighed
from .odds import Odds, odds_at


@compiled
def odds_given_votes(reported: ReportedCells, odds: Odds, ratio: Floats, together: Evidence | None) -> Floats:
    """Return the odds of presence in each reported cell, given what votes say."""
    # Arrays are taken out of their tuples once: inside loops that would count references every time.
    cell_species, cell_recording = reported.cells.item, reported.recording
    votes, vote = reported.vote_start, reported.vote
    factor, row, further = odds.factor, odds.row, reported.further
    w = np.empty(len(cell_species))
    for cell in range(len(cell_species)):
        prior = odds_at(factor, row, cell_recording[cell], cell_species[cell])
        low, high = votes[cell], votes[cell + 1]
        if together is None:
            w[cell] = weighed(prior, ratio, vote, low, high)
        else:
            w[cell] = cell_odds(prior, together, vote, low, high)
        w[cell] = given_further(w[cell], further, cell)
    return w


@compiled
def draw_reported(
    rng: np.random.Generator, reported: ReportedCells, odds: Floats, counts: tuple[Ints, Ints]
) -> Bools:
    """Draw reported cells, and take those that are absent out of the counts by species and by code.

    Where absence is unlikely, with odds 1 / w < 1, absences come as events along the line of all cells.
    """
    cell_species, votes, vote = reported.cells.item, reported.vote_start, reported.vote
    by_species, by_code = counts
    there = np.ones(len(cell_species), np.bool_)
    gap = rng.standard_exponential()
    for cell in range(len(cell_species)):
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
    return there
