"""Likelihood: the log likelihood of each recording's votes, presence summed out; and the paper's WAIC."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...common.compiled import compiled
from ...common.progress import Progress
from ...common.ragged import Floats, Ints, Ragged
from ..rates import inside, unpack_vote
from .cell_votes import CellVotes, Votes, votes_on
from .cells import (
    VALUES,
    EveryCell,
    Occurrence,
    SharedOccurrence,
    mixed_cells,
    run_all,
)
from .parameters import Parameters
from .vote_ratios import RatioTable

BLOCK = 1_000_000
"""Patterns of a block of recordings have at most so many species in all."""


def log_likelihood(
    votes: Votes,
    pairs: Ragged,
    parameters: Parameters,
    *,
    occurrence: Occurrence | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Return the log likelihood of each recording's votes, presence summed out: recordings × draws."""
    prior = SharedOccurrence(parameters.occurrence) if occurrence is None else occurrence
    n, n_draws = votes.n_recordings, len(parameters.tpr)
    found = np.empty((n, n_draws))
    table = RatioTable(parameters.tpr, parameters.fpr, np.arange(n_draws))
    size = max(min(BLOCK // max(prior.n_species, 1), prior.most or n), 1)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for first in range(0, n, size):
            last = min(first + size, n)
            job = mixed_cells(
                votes, pairs, parameters, first, Ragged.empty(last - first), *prior.of(first, last)
            )
            prepared = job.prepare(table, likelihood=True)
            # In order of patterns, so that what belongs to a pattern is at hand.
            order = np.argsort(job.layout.pattern, kind="stable")

            def one(rows: Ints, first: int = first, job=job, prepared=prepared) -> None:  # type: ignore[no-untyped-def]
                found[first + rows] = job.log_likelihood(rows, prepared)

            step = max(min(VALUES // n_draws, len(order) // 8), 1)
            run_all(pool, one, (order[i : i + step] for i in range(0, len(order), step)))
            if progress:
                progress(last, n)
    return found


def conditional_waic(votes: Votes, pairs: Ragged, parameters: Parameters) -> dict[str, float]:
    """Return the paper's WAIC: over single votes, conditional on presence as sampled.

    Presence is not sampled again but averaged over: the mean of P(vote), and mean and variance of its
    logarithm, are those that any number of samples of presence would lead to.
    """
    prior = SharedOccurrence(parameters.occurrence)
    n, n_draws = votes.n_recordings, len(parameters.tpr)
    table = RatioTable(parameters.tpr, parameters.fpr, np.arange(n_draws))
    size = max(VALUES // max(prior.n_species * n_draws, 1), 1)
    total = np.zeros(3)
    for first in range(0, n, size):
        last = min(first + size, n)
        cells = EveryCell(prior.n_species).of(first, last)
        job = mixed_cells(votes, pairs, parameters, first, cells, *prior.of(first, last))
        chances = job.chances(np.arange(len(cells.item)), job.prepare(table))
        cast = votes_on(votes, pairs, np.arange(first, last), cells, False)
        _add_waic(cast, chances, job.unit, parameters.tpr, parameters.fpr, total)
    lppd, p_waic, n_votes = total
    waic = -2 * (lppd - p_waic)
    return {"lppd": float(lppd), "p_waic": float(p_waic), "waic": float(waic), "votes": int(n_votes)}


@compiled
def _add_waic(cast: CellVotes, chances: Floats, unit: Ints, tpr: Floats, fpr: Floats, total: Floats) -> None:
    """Add votes: log mean density, variance of the log density, and how many."""
    n = chances.shape[1]
    for cell in range(len(unit)):
        for v in range(cast.start[cell], cast.start[cell + 1]):
            rate, said = unpack_vote(cast.code[v])
            density, mean, square = 0.0, 0.0, 0.0
            for d in range(n):
                p = np.float64(chances[unit[cell], d])
                there = inside(np.float64(tpr[d, rate]))
                absent = inside(np.float64(fpr[d, rate]))
                if not said:
                    there, absent = 1 - there, 1 - absent
                log_there, log_absent = np.log(there), np.log(absent)
                density += p * there + (1 - p) * absent
                mean += p * log_there + (1 - p) * log_absent
                square += p * log_there**2 + (1 - p) * log_absent**2
            total[0] += np.log(density / n)
            total[1] += (square - mean * mean / n) / (n - 1)
            total[2] += 1
