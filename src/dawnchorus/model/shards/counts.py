"""Counts: what a shard answers to whoever draws occurrence and expertise (see the folder)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ...annotations.arrays import VoteArrays
from ...annotations.assembly import species_lists
from ...annotations.labelled import LabelledVotes
from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats, Ints, Ragged
from ..audibility import VoteRates, evidence
from ..design import Design
from ..expertise.per_annotator import PerAnnotator
from ..expertise.per_annotator_species import PerAnnotatorSpecies
from ..occurrence.independent import Independent
from ..occurrence.rare_species import RARE
from ..occurrence.voted_patterns import voted_on
from ..presence.blocks import draw_blocks_of
from ..presence.odds import Odds
from ..presence.reported import odds_given_votes
from ..sweep import Model

NOBODY = np.empty(0, np.int32)


class Lists(NamedTuple):
    """The species that annotators voted on or know, and how often they visited, in all shards."""

    lists: Ragged
    of_annotator: Ints
    """The list of each annotator."""
    visits: Ints
    """By annotator."""


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

    def by_annotator(self, rate_annotator: Ints) -> Sums:
        """Return the same with reports and silences by annotator, given whose each rate is."""
        n, both = len(self.visits), (self.reports, self.silences)
        reports, silences = (
            np.bincount(rate_annotator, counts, minlength=n).astype(np.int64) for counts in both
        )
        return self._replace(reports=reports, silences=silences)

    @property
    def rare(self) -> Bools:
        """Which species are rare."""
        return (self.by_species > 0) & (self.by_species <= RARE)


class ListedCells(NamedTuple):
    """The reported cells of some species, in the order of recordings, and the votes on them by code."""

    species: Ints
    n_votes: Ints
    votes: Ints


class Few(NamedTuple):
    """Counts, most of which are 0: the places of the others, and these."""

    place: Ints
    number: Ints

    @classmethod
    def of(cls, counts: Ints) -> Few:
        """Return those counts that are not 0."""
        place = np.flatnonzero(counts)
        return cls(place.astype(np.int32), counts[place].astype(np.int32))

    def add_to(self, counts: Ints) -> None:
        """Add them, in place."""
        counts[self.place] += self.number


class Drawn(NamedTuple):
    """What a shard answers in a sweep: counts, and which cells of rare species are present."""

    by_species: Ints
    absent: Few
    """By code, the votes in absent reported cells."""
    misses: Few
    rare: Bools


def check_shards(model: Model) -> None:
    """Raise an error if a model cannot be fitted to data in several places."""
    expertise: Any = model.expertise
    plain = type(expertise) is PerAnnotator
    if type(expertise) is PerAnnotatorSpecies:
        differing = (side.difficulty or side.skill or side.varied for side in (expertise.tpr, expertise.fpr))
        plain = expertise.update_by == "direct" and not (expertise.step or any(differing))
    if not plain or type(model.occurrence) is not Independent or model.known_votes or model.scored:
        raise AnnotationError(
            f"the model {model.name} with these options cannot be fitted to a dataset in parts yet",
            "use the model base or base-hierarchical without options; or, if the data fit into memory, fit "
            "dataset.read() in place of the dataset",
        )


def lists_of(votes: VoteArrays) -> Lists:
    """Return the species that annotators voted on in a shard."""
    given = votes.visit_annotator, votes.visit_scope, votes.scopes, votes.unsure
    return Lists(*species_lists(votes.n_annotators, *given), votes.visits_of_annotators)


def lists_in_all(shards: Iterable[Lists], known: tuple[Ragged, Ints] | None) -> Lists:
    """Return the lists of annotators in all shards, with the species that they know, if they say so."""
    parts = list(shards)
    visits = np.sum([part.visits for part in parts], axis=0)
    told = [(part.lists, part.of_annotator) for part in parts] + ([known] if known else [])
    stacked, which = told[0]
    every = [np.asarray(which)]
    for lists, of_annotator in told[1:]:
        every.append(of_annotator + stacked.rows)
        stacked = stacked.stack(lists)
    n = len(visits)
    return Lists(*stacked.unite(np.tile(np.arange(n), len(every)), np.concatenate(every), rows=n), visits)


def shard_design(model: Model, votes: LabelledVotes, blocks: Ints, lists: Lists | None) -> Design:
    """Return the design of a shard; `blocks` are its blocks among all, its own first recording being 0.

    `votes` have the lists of annotators in all shards, if rates differ by species.
    """
    design = model.design(votes)
    design.layout = design.layout._replace(blocks=blocks)
    if lists is not None:  # as in memory: draws of silent cells depend on them
        design.layout = design.layout._replace(species_lists=design.species_lists(lists.visits))
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


def listed_cells(design: Design, listed: Bools) -> ListedCells:
    """Return the reported cells of these species in a shard."""
    reported = design.layout.reported
    cells = listed_places(design, listed)
    votes = Ragged(reported.vote_start, reported.vote).take(cells)
    return ListedCells(reported.cells.item[cells], votes.sizes.astype(np.int32), votes.item)


def listed_places(design: Design, listed: Bools) -> Ints:
    """Return the places of the reported cells of these species."""
    return np.flatnonzero(listed[design.layout.reported.cells.item])


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
    absent = Few.of(design.layout.reported.votes_by_code - counts.votes)
    return Drawn(counts.by_species, absent, Few.of(counts.misses), reported.present[rare])


def shard_chances(design: Design, factor: Floats, rates: VoteRates) -> Floats:
    """Return the probability of presence of each reported cell of a shard, given everything else."""
    says = evidence(rates)
    odds = local_odds(factor, design.annotations.n_recordings)
    w = odds_given_votes(design.layout.reported, odds, says.ratio, says.together)
    return np.asarray(w / (1 + w))
