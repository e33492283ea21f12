"""Selection of some recordings, annotators, species and visits from a set of votes; marks made reports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..common.errors import AnnotationError
from ..common.ragged import Bools, Ints, Ragged
from .assembly import assemble
from .labelled import FRAMES, LabelledVotes
from .labels import Names, places

Visits: TypeAlias = Any
"""Positions of visits, true or false for each visit, or a frame with columns recording and annotator."""
Votes = TypeVar("Votes", bound=LabelledVotes)


def select(
    votes: LabelledVotes,
    *,
    recordings: Names | None = None,
    annotators: Names | None = None,
    species: Names | None = None,
    visits: Visits | None = None,
    drop: bool = False,
) -> LabelledVotes:
    """Return the votes with only these recordings, annotators, species and visits, or without them.

    Users call `Annotations.select` and `Annotations.drop`.
    """
    a = votes
    keep = {
        "recording": _mask(a.recordings.index, recordings, drop),
        "annotator": _mask(a.annotators.index, annotators, drop),
        "species": _mask(a.species.index, species, drop),
    }
    new = {word: np.cumsum(mask) - 1 for word, mask in keep.items()}
    kept = keep["recording"][a.visit_recording] & keep["annotator"][a.visit_annotator]
    if visits is not None:
        kept &= _visit_mask(a, visits) != drop
    which = np.flatnonzero(kept)

    def kept_species(lists: Ragged) -> Ragged:
        lists = lists.keep(keep["species"][lists.item])
        return Ragged.from_sizes(lists.sizes, new["species"][lists.item])

    reports = a.reports.take(which)
    scores = a.scores_of(which)
    return assemble(
        {
            "recording": a.recordings[keep["recording"]],
            "annotator": a.annotators[keep["annotator"]],
            "species": a.species[keep["species"]],
        },
        new["recording"][a.visit_recording[which]],
        new["annotator"][a.visit_annotator[which]],
        scopes=kept_species(a.scopes),
        visit_scope=a.visit_scope[which],
        reports=kept_species(reports),
        unsure=kept_species(a.unsure.take(which)),
        known=kept_species(a.lists),
        annotator_known=a.annotator_list[keep["annotator"]],
        provenance=a.provenance,
        scores=scores[keep["species"][reports.item]] if len(scores) else scores,
    )


def of_recordings(votes: Votes, places_of: Ints) -> Votes:
    """Return the votes on these recordings, given by place in ascending order; all else stays as it is."""
    a, visits = votes, votes.visits_by_recording.take(places_of)
    return replace(
        a,
        n_recordings=len(places_of),
        recordings=a.recordings.iloc[places_of],
        visit_recording=visits.row_of_item().astype(a.visit_recording.dtype),
        visit_annotator=a.visit_annotator[visits.item],
        visit_scope=a.visit_scope[visits.item],
        reports=a.reports.take(visits.item),
        unsure=a.unsure.take(visits.item),
        scores=a.scores_of(visits.item),
    )


def without_unreported(votes: LabelledVotes) -> LabelledVotes:
    """Return the votes without the species that nobody reported present."""
    return select(votes, species=votes.species.index[votes.reports_by_species > 0])


def _mask(index: pd.Index, names: Names | None, drop: bool) -> Bools:
    mask = np.full(len(index), names is None or drop)
    if names is not None:
        mask[places(index, names)] = not drop
    return mask


def _visit_mask(votes: LabelledVotes, visits: Visits) -> Bools:
    """Return, for each visit, whether `visits` selects it."""
    n = votes.n_visits
    mask = np.zeros(n, bool)
    if isinstance(visits, pd.DataFrame):
        visits = _places_of(votes, visits)
    given: npt.NDArray[Any] = np.asarray(visits)
    if given.dtype == bool:
        if given.shape != (n,):
            raise AnnotationError(
                f"there are {n:,} visits, but {len(given):,} values of true or false",
                "give one for each visit",
            )
        return given
    if given.size and (not np.issubdtype(given.dtype, np.integer) or given.min() < 0 or given.max() >= n):
        raise AnnotationError(
            f"there is no such visit among the {n:,}", "use positions as in the index of visits()"
        )
    mask[given.astype(np.int64)] = True
    return mask


def _places_of(votes: LabelledVotes, frame: pd.DataFrame) -> Any:
    missing = [name for name in ("recording", "annotator") if name not in frame]
    if missing:
        raise AnnotationError(
            f"the frame of visits has no column '{missing[0]}'", "give columns recording and annotator"
        )
    i, j = (
        index.get_indexer(frame[name].astype(str))
        for name, index in (("recording", votes.recordings.index), ("annotator", votes.annotators.index))
    )
    key = votes.visit_recording.astype(np.int64) * votes.n_annotators + votes.visit_annotator
    wanted = i.astype(np.int64) * votes.n_annotators + j
    at = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
    found = (i >= 0) & (j >= 0) & (len(key) > 0)
    found[found] = key[at[found]] == wanted[found]
    if not found.all():
        row = frame.iloc[int(np.argmin(found))]
        raise AnnotationError(
            f"annotator '{row['annotator']}' did not visit recording '{row['recording']}'",
            "see `visits()` for a table of all visits",
        )
    return at


def marks_as_reports(votes: LabelledVotes) -> LabelledVotes:
    """Return votes with unsure marks among the reports; all marked species are on their annotators' lists."""
    a = votes
    visit = np.concatenate([lists.row_of_item() for lists in (a.reports, a.unsure)])
    item = np.concatenate([a.reports.item, a.unsure.item])
    scores = a.scores
    if len(scores):
        scores = np.append(scores, np.full(len(a.unsure.item), np.nan))[np.lexsort((item, visit))]
    return assemble(
        {word: getattr(a, frame) for word, frame in FRAMES.items()},
        a.visit_recording,
        a.visit_annotator,
        scopes=a.scopes,
        visit_scope=a.visit_scope,
        reports=Ragged.from_pairs(visit, item, rows=a.n_visits),
        unsure=Ragged.empty(a.n_visits),
        known=a.lists,
        annotator_known=a.annotator_list,
        provenance=a.provenance,
        scores=scores,
    )
