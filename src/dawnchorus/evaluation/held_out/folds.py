"""Folds: which visits are held out, and what is left to fit.

By visits, a fold holds out at most one visit of a recording, and only of recordings that have others: so the
other visits tell what is there. By recordings, or by a column of their metadata such as the site or the date,
it holds out all visits of whole groups of recordings, whose presence has to be predicted from the context.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from ...annotations.annotations import Annotations
from ...annotations.arrays import VoteArrays
from ...annotations.labelled import LabelledVotes
from ...annotations.labels import as_text
from ...annotations.metadata.when import metadata_column
from ...common.errors import AnnotationError
from ...common.ragged import Ints
from ...common.wording import option

VISIT, RECORDING = "visit", "recording"


class About(NamedTuple):
    """The recordings with held-out visits.

    Attributes
    ----------
    every, seen
        Their visits: all, and those that are not held out.
    held
        Which visits of `every` are held out.
    visit
        The place of each visit of `every` among all visits to all recordings.
    """

    every: Annotations
    seen: Annotations
    held: Ints
    visit: Ints


class Fold(NamedTuple):
    """The visits that are held out, by position, and whether whole recordings are."""

    visits: Ints
    whole: bool

    def fitted(self, annotations: Annotations) -> Annotations:
        """Return what is left to fit."""
        if not self.whole:
            return annotations.drop(visits=self.visits)
        out = np.unique(annotations.visit_recording[self.visits])
        return annotations.drop(recordings=annotations.recordings.index[out])

    def about(self, annotations: Annotations) -> About:
        """Return the recordings with held-out visits."""
        a = annotations
        out = np.unique(a.visit_recording[self.visits])
        inside = np.flatnonzero(np.isin(a.visit_recording, out))
        who = a.annotators.index[np.unique(a.visit_annotator[inside])]
        every = a.select(recordings=a.recordings.index[out], annotators=who)
        held = np.flatnonzero(np.isin(inside, self.visits))
        seen = np.flatnonzero(~np.isin(inside, self.visits)) if not self.whole else np.empty(0, np.int64)
        return About(every, every.select(visits=seen), held, inside)


def make_folds(
    annotations: LabelledVotes, folds: int, by: str = VISIT, *, held_out: int | None = None, seed: int = 0
) -> list[Fold]:
    """Return folds, at random; with `held_out`, each with at most so many visits (or recordings).

    Raises
    ------
    AnnotationError
        If too few recordings have several visits, there are fewer groups than folds, or no such column.
    """
    voting = (annotations.scopes.sizes[annotations.visit_scope] - annotations.unsure.sizes) > 0
    rng = np.random.default_rng(seed)
    if by == VISIT:
        few = folds > np.count_nonzero(voting)  # then there is no need to make them, which may take long
        found = [] if few else _by_visit(annotations, voting, folds, rng)
        if few or not all(map(len, found)):
            raise AnnotationError(
                f"there are too few visits for {folds:,} folds: some would have none",
                f"use fewer folds: {option('folds', _most(annotations, voting, folds, seed))}",
            )
    else:
        found = _by_group(annotations, voting, folds, by, rng)
    chosen = []
    for visits in found:
        visits = visits[voting[visits]]
        if held_out is not None:
            visits = _some(annotations, visits, held_out, by, rng)
        chosen.append(Fold(np.sort(visits), by != VISIT))
    return chosen


def _most(annotations: VoteArrays, voting: np.ndarray, folds: int, seed: int) -> int:
    """Return a number of folds of which none is empty, as large as bisection finds it."""
    works, fails = 1, min(folds, int(np.count_nonzero(voting)) + 1)
    while fails - works > 1:
        middle = (works + fails) // 2
        found = _by_visit(annotations, voting, middle, np.random.default_rng(seed))
        works, fails = (middle, fails) if all(map(len, found)) else (works, middle)
    return works


def _by_visit(
    annotations: VoteArrays, voting: np.ndarray, folds: int, rng: np.random.Generator
) -> list[Ints]:
    """Return folds of visits: of each recording with several, one goes to a fold, another to the next."""
    visits = np.flatnonzero(voting)
    recording = annotations.visit_recording[visits]
    order = np.lexsort((rng.random(len(visits)), recording))
    visits, recording = visits[order], recording[order]
    start = np.searchsorted(recording, recording)
    rank, number = np.arange(len(visits)) - start, np.searchsorted(recording, recording, "right") - start
    offset = rng.integers(folds, size=annotations.n_recordings)[recording]
    usable = (number > 1) & (rank < folds)
    if not usable.any():
        raise AnnotationError(
            "no recording was visited more than once, so there is no visit that others could predict",
            f"hold out whole recordings, if your models have a context: {option('by', RECORDING)}, "
            f"or {option('by', 'site')}; or let some recordings be visited twice",
        )
    fold = (offset + rank) % folds
    return [visits[usable & (fold == f)] for f in range(folds)]


def _by_group(
    annotations: LabelledVotes, voting: np.ndarray, folds: int, by: str, rng: np.random.Generator
) -> list[Ints]:
    """Return folds of all visits to groups of recordings, of about equal numbers of visits with votes."""
    if folds < 2:
        folds_needed = f"use at least two folds: {option('folds', 2)}"
        raise AnnotationError("with one fold, no recording would be left to fit", folds_needed)
    group = groups(annotations, by)
    sizes = np.bincount(group[annotations.visit_recording[voting]], minlength=int(group.max()) + 1)
    known = np.flatnonzero(sizes)
    if len(known) < 2:
        raise AnnotationError(
            f"by {by} there are fewer than two groups of recordings with votes",
            f"hold out single visits ({option('by', VISIT)}), or name another column",
        )
    if len(known) < folds:
        raise AnnotationError(
            f"by {by} there are {len(known)} groups of recordings with votes, but {folds:,} folds",
            f"use fewer folds: {option('folds', len(known))}",
        )
    fold_of, room = np.full(len(sizes), -1), np.zeros(folds)
    known = known[np.lexsort((rng.random(len(known)), -sizes[known]))]
    for one in known:  # the largest first, each into the emptiest fold
        fold_of[one] = int(np.argmin(room))
        room[fold_of[one]] += sizes[one]
    fold = fold_of[group[annotations.visit_recording]]
    return [np.flatnonzero(fold == f) for f in range(folds)]


def groups(annotations: LabelledVotes, by: str) -> Ints:
    """Return the group of each recording: itself, or its value in a column of the metadata."""
    if by == RECORDING:
        return np.arange(annotations.n_recordings)
    texts = [as_text(value) for value in metadata_column(annotations.recordings, by)]
    return np.asarray(pd.factorize(pd.Index(texts))[0], np.int64)


def _some(annotations: VoteArrays, visits: Ints, most: int, by: str, rng: np.random.Generator) -> Ints:
    """Return at most so many visits or, where recordings are whole, all visits to so many of these."""
    if by == VISIT:
        return visits if len(visits) <= most else rng.choice(visits, most, replace=False)
    recordings = np.unique(annotations.visit_recording[visits])
    if len(recordings) > most:
        recordings = rng.choice(recordings, most, replace=False)
    return visits[np.isin(annotations.visit_recording[visits], recordings)]
