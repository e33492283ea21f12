"""In a shard: what a worker finds in its recordings: presence, which it writes, and what results are made of.

A shard may be large, so it is gone through in stretches of recordings, about a million cells each. Sums are
added up, and of single recordings those are kept that stand out (../findings/examples.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...annotations.annotations import Annotations
from ...annotations.selection import of_recordings
from ...common.ragged import Bools, Ints
from ...io.parts.pieces import recording_labels
from ...model.predictive.cells import Cells
from ...model.predictive.listening.listener import Listener, mean_rates
from ...sampling.convergence import Diagnostics
from ...sampling.draws import Draws
from ...sampling.shards.logs import Log, Means
from ...sampling.shards.places import Places, shard_means
from ..findings.confusions import Meetings, Sure, added, meetings, sure_visits, votes_on_reported
from ..findings.encounters import Listed, votes_by_species
from ..findings.examples import Examples, Known, standing_out, together
from ..findings.overall import Overall
from ..fitted import Fitted
from ..listening.fit_reports import COLUMN
from ..presence.presence_table import Block, PresenceTable
from ..presence.wanted_cells import WantedCells
from ..tables import cell_rows, counts_by_recording
from .files import ShardFiles

BLOCKS = 8
"""Confusions are looked for in so many blocks of recordings at a time."""
NO_CELLS = Cells(*np.empty((2, 0), np.int64), *np.empty((4, 0), np.float32))
NO_MEETINGS, NO_SURE = Meetings(*np.empty((3, 0), np.int64)), Sure(*np.empty((3, 0), np.int64))


class Tally(NamedTuple):
    """What has to be known of all votes before anything is found."""

    votes_by_species: Ints
    visits_without_report: int
    most_visits: int
    """To a recording."""

    def plus(self, other: Tally) -> Tally:
        """Return the same of two parts of the data."""
        votes, silent = self.votes_by_species + other.votes_by_species, self.visits_without_report
        return Tally(votes, silent + other.visits_without_report, max(self.most_visits, other.most_visits))


class Asked(NamedTuple):
    """What is to be found in each shard."""

    logs: Sequence[Log] | Means
    sweeps: Sequence[int]
    draws: Draws
    diagnostics: Diagnostics
    visited: Bools
    """Which annotators have visits, and so are typical."""
    known: Known
    least: float
    """Findings are about cells that are reported, or at least so probable."""
    files: WantedCells
    """The cells that are written."""
    folder: str | None
    """Where they are written, if they are."""


class FoundHere(NamedTuple):
    """What was found in a shard: the rows that were written, the sum of their probabilities, and findings."""

    rows: int
    total: float
    overall: Overall
    examples: Examples
    meetings: Meetings

    def plus(self, other: FoundHere) -> FoundHere:
        """Return what was found in two stretches that follow each other."""
        return FoundHere(
            self.rows + other.rows,
            self.total + other.total,
            self.overall.plus(other.overall),
            together([self.examples, other.examples]),
            added([self.meetings, other.meetings]),
        )


def tally(places: Places, shard: int) -> Tally:
    """Return the tally of a shard."""
    a = places.get(shard).design.annotations
    silent = int(np.count_nonzero(a.reports.sizes == 0))
    return Tally(votes_by_species(a), silent, int(a.visits_by_recording.sizes.max(initial=0)))


def find_in(places: Places, shard: int, asked: Asked) -> FoundHere:
    """Find presence in the recordings of a shard, and what stands out; write presence where asked to."""
    design, votes = places.get(shard).design, _votes(places, shard)
    means = shard_means(places, shard, asked.logs, asked.sweeps)
    fitted = Fitted(places.model, votes, asked.draws, means, asked.diagnostics, {})
    fitted.__dict__["design"] = design
    rates = fitted.model.expertise.rates_in(fitted.draws.at(fitted.draws.places()), design)
    listener = Listener(
        *(mean_rates(rate, design.pairs, asked.visited, votes.n_species) for rate in rates[:2])
    )
    every = WantedCells(min(asked.least, asked.files.min_probability), keep_reported=True)
    first, found = places.recordings(shard)[0], None
    with ShardFiles(asked.folder, shard) as files:
        for low, high, block in _stretches(PresenceTable(fitted).would_report(every, listener), votes):
            labels = recording_labels(places.coded.pieces, first + low, first + high)
            table = pd.DataFrame(index=pd.Index(labels, dtype=object, name="recording"))
            part = replace(of_recordings(votes, np.arange(low, high)), recordings=table)
            here = _find(fitted, part, block, asked, files)
            found = here if found is None else found.plus(here)
    assert found is not None  # a shard has recordings
    examples = found.examples
    return found._replace(examples=examples.take(standing_out(examples.findings(fitted, asked.known))))


def _votes(places: Places, shard: int) -> Annotations:
    """Return the votes of a shard, of which it is not asked a second time who visited what."""
    mine = places.get(shard).design.annotations
    votes = Annotations.of(mine)
    votes.__dict__["visits_by_recording"] = mine.visits_by_recording
    return votes


def _stretches(blocks: Iterable[Block], votes: Annotations) -> Iterator[tuple[int, int, Block]]:
    """Yield blocks of cells with the recordings that they are about, which are numbered from 0 in each."""
    done = 0
    for cells, reports, said in blocks:
        if len(cells.recording):
            end = int(cells.recording[-1]) + 1
            yield done, end, (cells._replace(recording=cells.recording - done), reports, said)
            done = end
    if done < votes.n_recordings:
        yield done, votes.n_recordings, (NO_CELLS, np.empty(0, np.int64), NO_CELLS)


def _find(fitted: Fitted, votes: Annotations, block: Block, asked: Asked, files: ShardFiles) -> FoundHere:
    """Return what is found in a stretch of recordings, and write its presence."""
    cells, reports, said = block
    assert said is not None  # there is a listener
    some = asked.files.mask(cells.recording, cells.species, cells.probability, reports)
    rows = cell_rows(votes, Cells(*(part[some] for part in cells)), reports[some])
    rows = rows.assign(**{COLUMN: said.probability[some].astype(float)})
    files.write(rows, counts_by_recording(votes))
    listed = WantedCells(asked.least, keep_reported=True)
    some = listed.mask(cells.recording, cells.species, cells.probability, reports)
    here = Examples(votes, Listed(*(part[some] for part in (*cells[:5], reports))))
    findings = here.findings(fitted, asked.known)
    met = [NO_MEETINGS] if not votes.n_votes else [meetings(votes, findings.votes_on_reported())]
    few = here.take(standing_out(findings))
    return FoundHere(len(rows), float(rows["probability"].sum()), findings.overall, few, added(met))


def sure_in(places: Places, shard: int, known: Known, keys: Ints) -> Sure:
    """Return in how many visits to a shard species are surely present, by annotator, for these keys."""
    votes = _votes(places, shard)
    blocks = places.blocks[places.shards[shard] : places.shards[shard + 1] + 1]
    edges = np.union1d(blocks[::BLOCKS], blocks[-1:]) - blocks[0]
    mean = known.mean_rates["tpr"], known.mean_rates["fpr"], known.mean_unsure, known.mean_occurrence
    found = [NO_SURE]
    for low, high in pairwise(edges):
        part = of_recordings(votes, np.arange(low, high))
        if part.n_votes:
            found.append(sure_visits(part, votes_on_reported(places.model.design(part), *mean), keys))
    places.loaded.pop(shard, None)  # it is not needed any more
    return added(found)
