"""Vote chances: the probability of votes that were not fitted, given the votes on the same recordings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....common.ragged import Floats, Ints, Ragged
from ..cell_votes import Votes
from ..cells import VALUES, cells_of
from ..parameters import Parameters
from ..shared_occurrence import occurrence_in
from ..vote_ratios import RatioTable
from .one_more_report import chances_of_report

BLOCK = 200_000
"""So many cells are prepared at a time."""


def report_probabilities(
    votes: Votes, pairs: Ragged, parameters: Parameters, asked: tuple[Ints, Ints, Ints]
) -> Floats:
    """Return the probability that each of these votes, none an unsure mark, is a report, averaged over draws.

    Parameters
    ----------
    votes, pairs
        The votes that are known, and the species list of each annotator if rates differ by species.
    parameters
        All draws.
    asked
        Recording, species and rate of each vote that is asked for.
    """
    recording, species, rate = asked
    cells = Ragged.from_pairs(recording, species, rows=votes.n_recordings)
    found = np.empty(len(recording))
    prior = occurrence_in(parameters)
    table = RatioTable(parameters, np.arange(len(parameters.tpr)))
    size = max(BLOCK // max(prior.n_species, 1), 1)
    size = min(size, prior.most) if prior.most else size
    for first in range(0, votes.n_recordings, size):
        last = min(first + size, votes.n_recordings)
        here = np.flatnonzero((recording >= first) & (recording < last))
        if not len(here):
            continue
        block = cells.take(np.arange(first, last))
        job = cells_of(votes, pairs, parameters, first, block, *prior.of(first, last))
        prepared: Any = job.prepare(table)
        unit = job.unit[block.find(recording[here] - first, species[here])]
        order = np.argsort(unit, kind="stable")
        step = max(VALUES // len(table.draws), 1)
        for start in range(0, len(order), step):
            some = order[start : start + step]
            units, place = np.unique(unit[some], return_inverse=True)
            rates = parameters.tpr, parameters.fpr, rate[here[some]]
            heard = None
            if table.votes_depend:
                heard = place, *job.votes_of(units), table
            given = job.chances(units, prepared), place, rates, table.draws, heard
            reports = chances_of_report(*given).mean(axis=1, dtype=np.float64)
            if len(parameters.unsure):
                reports /= chances_of_report(*given, parameters.unsure).mean(axis=1, dtype=np.float64)
            found[here[some]] = reports
    return found
