"""Likelihood: the log likelihood of each recording's votes, presence summed out; and the paper's WAIC.

**Presence summed out.** In draw s of the parameters, with components r of weight[r] (one, if species are
independent), the votes on recording i have the log likelihood

    Σ over votes log P(vote | absent)
    + log Σ_r weight[r] ∏_k (1 − occurrence[r, k] + occurrence[r, k] · m[k]),

m[k] being the product of P(vote | present) / P(vote | absent) over the votes on species k. It is what
leave-one-out cross-validation over recordings needs (Vehtari, Gelman and Gabry 2017). If unsure marks are
votes, each is a report and a silence, times a constant (expertise/unsure.py).

**The paper's WAIC** (Watanabe 2010; Wang, Lauha and Dunson) goes over single votes v, *conditional* on the
presence y that was drawn with the parameters θ. Over draws s,

    lppd   = Σ_v log mean_s P(v | y_s, θ_s),
    p_waic = Σ_v var_s log P(v | y_s, θ_s),
    waic   = −2 (lppd − p_waic).

Do not choose models by it. It scores a vote given a presence that was itself inferred from that vote. Each
cell has a presence of its own, and mostly one or two votes, so there are about as many unknowns as data, and
p_waic, which is an approximation for few unknowns and many data, does not make up for it. On the Kerttu data
and the model `base`, p_waic is about 15,700 while lppd is about −7,900. Merkle, Furr and Rabe-Hesketh (2019)
compare both likelihoods; the one with presence summed out tells how well a model predicts new recordings.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged
from ...common.showing.progress import Progress
from ..rates import inside, pack_vote, silence_of, unpack_vote
from .cell_votes import CellVotes, Votes, votes_on
from .cells import VALUES, EveryCell, mixed_cells, run_all
from .parameters import Parameters
from .shared_occurrence import occurrence_in
from .vote_ratios import RatioTable

BLOCK = 1_000_000
"""A block of recordings has at most so many cells."""


def log_likelihood(
    votes: Votes,
    pairs: Ragged,
    parameters: Parameters,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Return the log likelihood of each recording's votes, presence summed out: recordings × draws."""
    prior = occurrence_in(parameters)
    n, n_draws = votes.n_recordings, len(parameters.tpr)
    found = np.empty((n, n_draws))
    table = RatioTable(parameters, np.arange(n_draws))
    marks = votes.marks.start[votes.visits[1:]] - votes.marks.start[votes.visits[:-1]]
    size = max(min(BLOCK // max(prior.n_species, 1), prior.most or n), 1)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for first in range(0, n, size):
            last = min(first + size, n)
            job = mixed_cells(
                votes, pairs, parameters, first, Ragged.empty(last - first), *prior.of(first, last)
            )
            prepared = job.prepare(table, likelihood=True)
            # In order of patterns, so that the values of a pattern are computed once.
            order = np.argsort(job.layout.pattern, kind="stable")

            def one(rows: Ints, first: int = first, job=job, prepared=prepared) -> None:  # type: ignore[no-untyped-def]
                found[first + rows] = job.log_likelihood(rows, prepared)

            step = max(min(VALUES // n_draws, len(order) // 8), 1)
            run_all(pool, one, (order[i : i + step] for i in range(0, len(order), step)))
            if progress:
                progress(last, n)
    marked = np.flatnonzero(marks)
    found[marked] += marks[marked, None] * np.log(np.maximum(parameters.unsure_marks, 1e-300))
    return found


def conditional_waic(votes: Votes, pairs: Ragged, parameters: Parameters) -> dict[str, float]:
    """Return the paper's WAIC, over single votes and conditional on presence: lppd, p_waic, waic, votes.

    Presence is not drawn but averaged over. With p the probability of presence in a draw of the parameters,
    the mean of P(v) is that of p · P(v | present) + (1 − p) · P(v | absent), and so for the first two moments
    of log P(v): the values to which more and more draws of presence would lead.
    """
    prior = occurrence_in(parameters)
    n, n_draws = votes.n_recordings, len(parameters.tpr)
    unsure = parameters.unsure_marks
    table = RatioTable(parameters, np.arange(n_draws))
    size = max(VALUES // max(prior.n_species * n_draws, 1), 1)
    total = np.zeros(3)
    for first in range(0, n, size):
        last = min(first + size, n)
        cells = EveryCell(prior.n_species).of(first, last)
        job = mixed_cells(votes, pairs, parameters, first, cells, *prior.of(first, last))
        chances = job.chances(np.arange(len(cells.item)), job.prepare(table))
        cast = votes_on(votes, pairs, np.arange(first, last), cells, False)
        _add_waic(cast, chances, job.unit, (parameters.tpr, parameters.fpr, unsure), total)
    lppd, p_waic, n_votes = total
    waic = -2 * (lppd - p_waic)
    return {"lppd": float(lppd), "p_waic": float(p_waic), "waic": float(waic), "votes": int(n_votes)}


@compiled
def _add_waic(
    cast: CellVotes, chances: Floats, unit: Ints, rates: tuple[Floats, Floats, Floats], total: Floats
) -> None:
    """Add votes: log mean density, variance of the log density, and how many."""
    tpr, fpr, unsure = rates
    n = chances.shape[1]
    for cell in range(len(unit)):
        for v in range(cast.start[cell], cast.start[cell + 1]):
            rate, said = unpack_vote(cast.code[v])
            # The silence of an unsure mark comes after its report: both are one vote.
            if v > cast.start[cell] and cast.code[v - 1] == pack_vote(rate, 1):
                continue
            marked = v + 1 < cast.start[cell + 1] and said and cast.code[v + 1] == pack_vote(rate, 0)
            density, mean, square = 0.0, 0.0, 0.0
            for d in range(n):
                p = np.float64(chances[unit[cell], d])
                there = inside(np.float64(tpr[d, rate]))
                absent = inside(np.float64(fpr[d, rate]))
                if marked:
                    there *= silence_of(there, unsure[d]) * unsure[d]
                    absent *= silence_of(absent, unsure[d]) * unsure[d]
                elif not said:
                    there, absent = silence_of(there, unsure[d]), silence_of(absent, unsure[d])
                log_there, log_absent = np.log(there), np.log(absent)
                density += p * there + (1 - p) * absent
                mean += p * log_there + (1 - p) * log_absent
                square += p * log_there**2 + (1 - p) * log_absent**2
            total[0] += np.log(density / n)
            total[1] += (square - mean * mean / n) / (n - 1)
            total[2] += 1
