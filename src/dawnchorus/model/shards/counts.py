"""Counts: what a shard answers to whoever draws occurrence and expertise (see the folder)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...annotations.labelled import LabelledVotes
from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats, Ints, Ragged
from ..audibility import VoteRates, evidence
from ..design import Design
from ..expertise.per_annotator import PerAnnotator
from ..occurrence.independent import Independent
from ..occurrence.rare_species import RARE
from ..occurrence.voted_patterns import voted_on
from ..presence.blocks import draw_blocks_of
from ..presence.odds import Odds
from ..presence.reported import odds_given_votes
from ..sweep import Model

NOBODY = np.empty(0, np.int32)


class Sums(NamedTuple):
    """What has to be known of all data in one place, as sums over shards."""

    reports: Ints
    """By rate, as silences are."""
    silences: Ints
    by_species: Ints
    """The reported cells of each species."""
    votes_by_code: Ints
    """How often each vote was cast in reported cells."""
    voted: Ints
    """Of each species, the recordings in which somebody voted on it."""
    reports_by_species: Ints
    visits: Ints
    """By annotator."""
    recordings: Ints
    """How many recordings, and with how many visits in all, as two numbers."""

    def plus(self, other: Sums) -> Sums:
        """Return the sums over two shards."""
        return Sums(*(one + two for one, two in zip(self, other, strict=True)))

    @property
    def rare(self) -> Bools:
        """Which species are rare."""
        return (self.by_species > 0) & (self.by_species <= RARE)


class RareCells(NamedTuple):
    """The reported cells of rare species, in the order of recordings, and the votes on them by code."""

    species: Ints
    n_votes: Ints
    votes: Ints


class Drawn(NamedTuple):
    """What a shard answers in a sweep: counts, and which cells of rare species are present."""

    by_species: Ints
    votes: Ints
    misses: Ints
    rare: Bools


def check_shards(model: Model) -> None:
    """Raise an error if a model cannot be fitted to data in several places."""
    sides: list[Any] = [type(model.occurrence), type(model.expertise)]
    if sides != [Independent, PerAnnotator] or model.known_votes or model.scored:
        raise AnnotationError(
            f"the model {model.name} with these options cannot be fitted to a dataset in parts yet",
            "use the model base; or, if the data fit into memory, fit dataset.read() in place of the dataset",
        )


def shard_design(model: Model, votes: LabelledVotes, blocks: Ints) -> Design:
    """Return the design of a shard; `blocks` are its blocks among all, its own first recording being 0."""
    design = model.design(votes)
    design.layout = design.layout._replace(blocks=blocks)
    return design


def sums_of(design: Design) -> Sums:
    """Return the sums of one shard."""
    a, reported = design.annotations, design.layout.reported
    return Sums(
        design.reports,
        design.silences,
        reported.by_species,
        reported.votes_by_code,
        design.derived(voted_on),
        a.reports_by_species,
        a.visits_of_annotators,
        np.array([a.n_recordings, a.n_visits]),
    )


def rare_cells(design: Design, rare: Bools) -> RareCells:
    """Return the reported cells of rare species in a shard."""
    reported = design.layout.reported
    cells = rare_places(design, rare)
    votes = Ragged(reported.vote_start, reported.vote)
    mine = [votes.row(cell) for cell in cells]
    return RareCells(
        reported.cells.item[cells],
        np.diff(reported.vote_start)[cells],
        np.concatenate([NOBODY, *mine]),
    )


def rare_places(design: Design, rare: Bools) -> Ints:
    """Return the places of the reported cells of rare species."""
    return np.flatnonzero(rare[design.layout.reported.cells.item])


def local_odds(factor: Floats, recordings: int) -> Odds:
    """Return the odds of the recordings of a shard, the same for all of them."""
    group = np.zeros(recordings, np.int32)
    return Odds(factor, group.reshape(-1, 1), group, factor, np.array([recordings]), False)


def draw_shard(
    design: Design, first: int, key: int, factor: Floats, rates: VoteRates, rare: Ints, threads: int = 1
) -> Drawn:
    """Draw presence in a shard whose first block has this number among all; `rare` are places of cells."""
    odds = local_odds(factor, design.annotations.n_recordings)
    reported, counts, _ = draw_blocks_of(key, first, design.layout, odds, evidence(rates), threads)
    return Drawn(counts.by_species, counts.votes, counts.misses, reported.present[rare])


def shard_chances(design: Design, factor: Floats, rates: VoteRates) -> Floats:
    """Return the probability of presence of each reported cell of a shard, given everything else."""
    says = evidence(rates)
    odds = local_odds(factor, design.annotations.n_recordings)
    w = odds_given_votes(design.layout.reported, odds, says.ratio, says.together)
    return np.asarray(w / (1 + w))
