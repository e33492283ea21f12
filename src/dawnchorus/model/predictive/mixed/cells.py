"""Mixed cells: presence where species depend on each other through the components of a mixture.

Each recording has its own shares of components. Recordings with the same visits (annotators and scopes)
share a *pattern*: the product over species, for each component, as if nobody had reported or been unsure of
anything. A recording's own product differs by its *exceptions*, the species that were reported or marked
unsure, or that are known from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ....common.ragged import Bools, Floats, Ints, Ragged
from ...lookups import FEW
from ..cell_votes import UNSCORED, Votes, votes_on
from ..vote_ratios import MANY, Ratios, RatioTable, products_reach, with_truth
from .kernel import fill
from .layout import Components, Layout, SpeciesVotes


class Prepared(NamedTuple):
    """What the kernel needs for a set of draws."""

    ratios: Ratios
    layout: Layout


class MixedCells:
    """The cells of a block of recordings, each of them a unit of its own."""

    def __init__(
        self,
        votes: Votes,
        pairs: Ragged,
        first: int,
        cells: Ragged,
        context: Ints,
        components: Components,
    ) -> None:
        # In single precision, as mixtures are kept, so that the kernel is compiled once.
        chances = np.ascontiguousarray(components.occurrence, np.float32)
        self.components = components._replace(occurrence=chances)
        n_species = components.occurrence.shape[3]
        recordings = np.arange(first, first + cells.rows)
        pattern, example = _patterns(votes, recordings, context)
        every = Ragged.from_sizes(
            np.full(len(example), n_species), np.tile(np.arange(n_species), len(example))
        )
        exceptions = _exceptions(votes, recordings)
        own = _votes_by_species(votes, pairs, recordings, exceptions, by_scope=False)
        self.layout = Layout(
            pattern,
            np.asarray(context, np.int32),
            _votes_by_species(votes, pairs, recordings[example], every, by_scope=True),
            own._replace(known=votes.known_at(first, exceptions), scores=votes.scores_at(first, exceptions)),
        )
        # In order of patterns, so that the values of a pattern are computed once.
        row = cells.row_of_item()
        order = np.argsort(pattern[row], kind="stable")
        self.row, self.species = row[order], cells.item[order]
        self.votes, self.pairs, self.first, self.cells, self.order = votes, pairs, first, cells, order
        self.cast: Ragged | None = None
        self.unit = np.empty(len(order), np.int64)
        self.unit[order] = np.arange(len(order))
        self.reported: Bools = _reported(votes, first, cells)[order]
        known = votes.known_at(first, cells)
        self.known: Ints = known[order] if votes.known_as_truth and len(known) else known[:0]

    def votes_of(self, units: Ints) -> tuple[Ints, Ints]:
        """Return where the votes on each of these units start, and their codes."""
        if self.cast is None:
            recordings = np.arange(self.first, self.first + self.cells.rows)
            cast = votes_on(self.votes, self.pairs, recordings, self.cells, False)
            self.cast = Ragged(cast.start, cast.code).take(self.order)
        some = self.cast.take(units)
        return some.start, some.item

    def chunks(self, units: Ints, size: int) -> Iterator[Ints]:
        """Return units, which ascend, in pieces of this size."""
        return (units[i : i + size] for i in range(0, len(units), size))

    def prepare(self, table: RatioTable, *, likelihood: bool = False) -> Prepared:
        """Return the ratios that `chances` and, if wanted, `log_likelihood` need."""
        layout = self.layout
        ratios, codes, rate = table.of(layout.patterns.code, layout.exceptions.code)
        lists, far = [], []
        for votes, code in zip((layout.patterns, layout.exceptions), codes, strict=True):
            # Likelihoods are added up and compared, so they are wanted more exactly.
            many = FEW if likelihood else MANY
            reach, beyond = products_reach(ratios, votes.vote, code, votes.known, votes.scores, many)
            lists.append(votes._replace(code=code, reach=reach))
            far.append(beyond)
        ratios = table.with_logs(ratios, rate, np.unique(np.concatenate(far)), absent=likelihood)
        return Prepared(ratios, layout._replace(patterns=lists[0], exceptions=lists[1]))

    def chances(self, units: Ints, prepared: Prepared) -> Floats:
        """Return the probability of presence: units × draws."""
        row = self.row[units]
        new = np.append(True, row[1:] != row[:-1])[: len(row)]
        cells = Ragged(np.append(np.flatnonzero(new), len(row)), self.species[units])
        out = np.empty((len(units), len(prepared.ratios.draws)), np.float32)
        fill(row[new], cells, prepared.layout, self.components, prepared.ratios, out, np.empty((0, 0)))
        return with_truth(out, self.known[units]) if len(self.known) else out

    def log_likelihood(self, rows: Ints, prepared: Prepared) -> Floats:
        """Return the log likelihood of the votes on recordings, presence summed out: recordings × draws."""
        out = np.empty((len(rows), len(prepared.ratios.draws)))
        nothing = Ragged(np.zeros(len(rows) + 1, np.int64), np.empty(0, np.int32))
        unused = np.empty((0, 0), np.float32)
        fill(rows, nothing, prepared.layout, self.components, prepared.ratios, unused, out)
        return out


def _patterns(votes: Votes, recordings: Ints, context: Ints) -> tuple[Ints, Ints]:
    """Return the pattern of each recording, and a recording with each pattern."""
    first, last = int(votes.visits[recordings[0]]), int(votes.visits[recordings[-1] + 1])
    row = np.repeat(np.arange(len(recordings)), np.diff(votes.visits[recordings[0] : recordings[-1] + 2]))
    kind = votes.annotator[first:last].astype(np.int64) * votes.scopes.rows + votes.scope[first:last]
    _, kind = np.unique(kind, return_inverse=True)
    number = int(kind.max(initial=-1)) + 1
    visits = Ragged.from_pairs(
        np.concatenate([row, np.arange(len(recordings))]),
        np.concatenate([kind, number + np.asarray(context, np.int64)]),
        rows=len(recordings),
    )
    _, pattern = visits.distinct()
    _, example = np.unique(pattern, return_index=True)
    return pattern, example


def _exceptions(votes: Votes, recordings: Ints) -> Ragged:
    """Return for each recording the species that were reported or marked unsure, or that are known."""
    first, last = int(votes.visits[recordings[0]]), int(votes.visits[recordings[-1] + 1])
    visit_row = np.repeat(
        np.arange(len(recordings)), np.diff(votes.visits[recordings[0] : recordings[-1] + 2])
    )
    rows, items = [], []
    for lists in (votes.reports, votes.unsure):
        rows.append(np.repeat(visit_row, lists.sizes[first:last]))
        items.append(lists.item[lists.start[first] : lists.start[last]])
    if len(votes.known.item):
        known = votes.known.take(recordings)
        rows.append(known.row_of_item())
        items.append(known.item)
    return Ragged.from_pairs(np.concatenate(rows), np.concatenate(items), rows=len(recordings))


def _reported(votes: Votes, first: int, cells: Ragged) -> Bools:
    visits = votes.visits[first : first + cells.rows + 1]
    row = np.repeat(np.arange(cells.rows), np.diff(visits))
    sizes = votes.reports.sizes[visits[0] : visits[-1]]
    item = votes.reports.item[votes.reports.start[visits[0]] : votes.reports.start[visits[-1]]]
    reports = Ragged.from_pairs(np.repeat(row, sizes), item, rows=cells.rows)
    return reports.contains(cells.row_of_item(), cells.item)


def _votes_by_species(
    votes: Votes, pairs: Ragged, recordings: Ints, species: Ragged, *, by_scope: bool
) -> SpeciesVotes:
    """Return the votes on these species of each recording; without votes, only exceptions are kept."""
    cast = votes_on(votes, pairs, recordings, species, by_scope)
    sizes = np.diff(cast.start)
    if by_scope:
        keep = sizes > 0
        species, sizes = species.keep(keep), sizes[keep]
    reach = np.zeros(len(sizes))  # known when there are draws
    start = np.append(0, np.cumsum(sizes))
    nothing = np.empty(0, np.int8), UNSCORED
    return SpeciesVotes(species.start, species.item, start, cast.code, reach, *nothing)
