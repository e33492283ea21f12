"""Cells: the probability of presence given the votes on a recording, over every draw of the parameters.

With components r of weight[r] (one, if species are independent), the votes on recording i have the
probability

    ∏ over votes P(vote | absent) · Σ_r weight[r] ∏_k (1 − occurrence[r, k] + occurrence[r, k] · m[k]),

m[k] being the product of P(vote | present) / P(vote | absent) over the votes on species k, 1 if there are
none: presence is summed out. Given component r, species k is present with probability
occurrence[r, k] · m[k] / (1 − occurrence[r, k] + occurrence[r, k] · m[k]), and r has a share in proportion
to its term of the sum. So what is averaged are probabilities, not drawn zeros and ones (Rao–Blackwell), in
the same way for fitted recordings and for new ones. In a Dirichlet process, all components without members
count as one, with the mean occurrence of the prior. This is exact for the likelihood and for new recordings;
for fitted recordings the error is of the order of concentration / recordings.

Cells with a report are averaged over every kept draw. Silent cells are nearly all cells, and nearly all of
them are improbable; they are averaged over some draws first, evenly spread, and those whose Monte-Carlo error
exceeds AIM over every draw as well. `mcse` is the error of every cell.

`predict_reports` returns, beside presence, the same of what one more listener would report.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...common.intervals import LEVEL
from ...common.ragged import Floats, Ints, Ragged
from ...common.showing.progress import Progress
from .cell_votes import Votes
from .independent_cells import IndependentCells
from .listening.listener import Listener
from .listening.one_more_report import chances_of_report
from .mixed.cells import MixedCells
from .mixed.layout import Components
from .parameters import Occurrence, Parameters
from .shared_occurrence import occurrence_in
from .summaries import summarise
from .vote_ratios import TABLE, RatioTable

BLOCK = 1_000_000
"""A block of recordings has about so many cells."""
VALUES = 2_000_000
"""So many probabilities, cells × draws, are in memory at a time."""
FIRST = 256
"""Silent cells are averaged over so many draws first."""
AIM = 0.001
"""Silent cells with a larger Monte-Carlo standard error than this are averaged over every draw."""


class Cells(NamedTuple):
    """Cells of a block of recordings, with the probability of presence, its bounds and its error."""

    recording: Ints
    species: Ints
    probability: Floats
    lower: Floats
    upper: Floats
    mcse: Floats


class Wanted(Protocol):
    """Which cells are asked for."""

    def of(self, first: int, last: int) -> Ragged:
        """Return the species, ascending, of each of these recordings."""


class EveryCell:
    """All cells."""

    def __init__(self, n_species: int) -> None:
        self.n_species = n_species

    def of(self, first: int, last: int) -> Ragged:
        """Return all species, for each of these recordings."""
        n = last - first
        return Ragged.from_sizes(np.full(n, self.n_species), np.tile(np.arange(self.n_species), n))


class ListedCells:
    """The cells of a list."""

    def __init__(self, cells: Ragged) -> None:
        self.cells = cells

    def of(self, first: int, last: int) -> Ragged:
        """Return their part of the list."""
        return self.cells.take(np.arange(first, last))


def predict_cells(
    votes: Votes,
    pairs: Ragged,
    parameters: Parameters,
    wanted: Wanted | Ragged | None = None,
    *,
    level: float = LEVEL,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Cells]:
    """Return the probability of presence in cells, in blocks of whole recordings.

    Parameters
    ----------
    votes, pairs
        The votes, and the species list of each annotator if rates differ by species; otherwise empty.
    parameters
        All draws.
    wanted
        The species of each recording that are asked for; by default, all.
    level
        Of the interval between `lower` and `upper`.
    threads
        How many; by default, one for each core. Results do not depend on it.
    progress
        Called with the number of recordings done and that of all.

    Returns
    -------
    iterator of Cells
    """
    told: dict[str, Any] = {"level": level, "threads": threads, "progress": progress}
    return (cells for cells, _ in predict_reports(votes, pairs, parameters, None, wanted, **told))


def predict_reports(
    votes: Votes,
    pairs: Ragged,
    parameters: Parameters,
    listener: Listener | None,
    wanted: Wanted | Ragged | None = None,
    *,
    level: float = LEVEL,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[Cells, Cells | None]]:
    """Return cells as `predict_cells` does, and beside them the probability that a listener would report.

    Without a listener, there is nothing beside them.
    """
    prior = occurrence_in(parameters)
    if wanted is None:
        wanted = EveryCell(prior.n_species)
    elif isinstance(wanted, Ragged):
        wanted = ListedCells(wanted)
    every = np.arange(len(parameters.tpr))
    tables = tuple(
        RatioTable(parameters, draws) for draws in (first_draws(len(every), parameters.chains), every)
    )
    n, cores = votes.n_recordings, threads or os.cpu_count() or 1
    size = _block_size(votes, prior, wanted, tables[1])
    done = 0
    with ThreadPoolExecutor(cores) as pool:
        for first in range(0, n, size):
            last = min(first + size, n)
            cells = wanted.of(first, last)
            context, chances = prior.of(first, last)
            job = cells_of(votes, pairs, parameters, first, cells, context, chances)
            found = _summarised(job, tables, parameters.chains, level, pool, listener)[:, job.unit]
            recording = cells.row_of_item() + first
            present = Cells(recording, cells.item, *found[:4])
            yield present, None if listener is None else Cells(recording, cells.item, *found[4:])
            done = last
            if progress:
                progress(done, n)


def cells_of(
    votes: Votes,
    pairs: Ragged,
    parameters: Parameters,
    first: int,
    cells: Ragged,
    context: Ints,
    chances: Floats,
) -> IndependentCells | MixedCells:
    """Return the cells of a block of recordings, from `first` on, with occurrence `chances` by context."""
    if chances.shape[1] == 1:
        return IndependentCells(votes, pairs, first, cells, context, chances)
    return mixed_cells(votes, pairs, parameters, first, cells, context, chances)


def mixed_cells(
    votes: Votes,
    pairs: Ragged,
    parameters: Parameters,
    first: int,
    cells: Ragged,
    context: Ints,
    chances: Floats,
) -> MixedCells:
    """Return the cells of a block of recordings as those of a mixture, even if it has one component."""
    components = Components(parameters.components, parameters.weight, chances)
    return MixedCells(votes, pairs, first, cells, context, components)


def first_draws(n: int, chains: int) -> Ints:
    """Return the draws that silent cells are averaged over first: evenly spread, as many of each chain.

    >>> first_draws(4000, 4)[:3].tolist(), len(first_draws(4000, 4)), len(first_draws(500, 4))
    ([0, 15, 31], 256, 500)
    """
    if n < 2 * FIRST:
        return np.arange(n)
    length = n // chains
    some = np.linspace(0, length - 1, max(FIRST // chains, 1)).astype(np.int64)
    return (np.arange(chains)[:, None] * length + some).ravel()


def _block_size(votes: Votes, prior: Occurrence, wanted: Wanted, table: RatioTable) -> int:
    """Return how many recordings make a block."""
    n = votes.n_recordings
    some = np.unique(np.linspace(0, max(n - 1, 0), 50).astype(int))[:n]
    cells = float(np.mean([len(wanted.of(i, i + 1).item) for i in some])) if n else 1.0
    size = BLOCK / max(cells, 1.0)
    if not table.fits:
        size = min(size, n * TABLE / (8 * table.tpr.shape[1] * len(table.draws)))
    if prior.most:
        size = min(size, prior.most)
    return max(int(size), 1)


def _summarised(
    job: IndependentCells | MixedCells,
    tables: tuple[RatioTable, ...],
    chains: int,
    level: float,
    pool: ThreadPoolExecutor,
    listener: Listener | None,
) -> Floats:
    """Return mean, lower, upper and error of each unit of a job, of presence and then of a report."""
    found = np.empty((4 if listener is None else 8, len(job.reported)), np.float32)

    def fill(units: Ints, table: RatioTable) -> None:
        prepared: Any = job.prepare(table)

        def one(chunk: Ints) -> None:
            present = job.chances(chunk, prepared)
            if listener is not None:  # before draws are sorted
                rates = listener.tpr, listener.fpr, job.species[chunk]
                every_one, heard = np.arange(len(chunk)), None
                if table.votes_depend:
                    heard = every_one, *job.votes_of(chunk), table
                said = chances_of_report(present, every_one, rates, table.draws, heard)
                found[4:, chunk] = summarise(said, chains, level)
            found[:4, chunk] = summarise(present, chains, level)

        run_all(pool, one, job.chunks(units, max(VALUES // len(table.draws), 1)))

    few, every = tables
    if len(few.draws) == len(every.draws):
        fill(np.arange(len(job.reported)), every)
        return found
    fill(np.flatnonzero(~job.reported), few)
    fill(np.flatnonzero(job.reported | (found[3] > AIM)), every)
    return found


def run_all(pool: ThreadPoolExecutor, run: Callable[[Ints], None], chunks: Iterable[Ints]) -> None:
    """Run over all chunks: first one item alone, which may compile kernels, then the rest in threads."""
    rest = iter(chunks)
    head = next(rest, None)
    if head is not None:
        run(head[:1])
        list(pool.map(run, chain([head[1:]], rest)))
