"""Assembly of labelled votes from their parts; readers, simulators, selecting and joining all use it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..common.ragged import Floats, Ints, Ragged
from .arrays import NO_SCORES
from .labelled import LabelledVotes, Provenance


def assemble(
    tables: Mapping[str, pd.DataFrame],
    visit_recording: Ints,
    visit_annotator: Ints,
    *,
    scopes: Ragged,
    visit_scope: Ints,
    reports: Ragged,
    unsure: Ragged,
    known: Ragged | None = None,
    annotator_known: Ints | None = None,
    provenance: Provenance,
    scores: Floats = NO_SCORES,
) -> LabelledVotes:
    """Return labelled votes from their parts; visits must be sorted by recording, then by annotator.

    Equal scopes are merged. The species list of each annotator consists of all species that they voted on
    and, if given, of the list in `known` to which `annotator_known` refers. `scores` are those of reports, in
    their order, or empty.
    """
    scopes, visit_scope = scopes.compact(visit_scope)
    lists, annotator_list = species_lists(
        len(tables["annotator"]), visit_annotator, visit_scope, scopes, unsure, known, annotator_known
    )
    numbers = [
        np.array(array, np.int32) for array in (visit_recording, visit_annotator, visit_scope, annotator_list)
    ]
    for array in numbers:
        array.flags.writeable = False
    return LabelledVotes(
        n_recordings=len(tables["recording"]),
        n_species=len(tables["species"]),
        recordings=tables["recording"],
        annotators=tables["annotator"],
        species=tables["species"],
        visit_recording=numbers[0],
        visit_annotator=numbers[1],
        visit_scope=numbers[2],
        scopes=scopes,
        reports=reports,
        unsure=unsure,
        lists=lists,
        annotator_list=numbers[3],
        provenance=provenance,
        scores=_frozen_scores(scores),
    )


def species_lists(
    annotators: int,
    visit_annotator: Ints,
    visit_scope: Ints,
    scopes: Ragged,
    unsure: Ragged,
    known: Ragged | None = None,
    annotator_known: Ints | None = None,
) -> tuple[Ragged, Ints]:
    """Return the lists of species that annotators voted on or know, and which one each annotator has."""
    if known is None or annotator_known is None:
        known, annotator_known = Ragged.empty(1), np.zeros(annotators, np.int64)
    lists, annotator_list = scopes.stack(known).unite(
        np.concatenate([visit_annotator, np.arange(annotators)]),
        np.concatenate([visit_scope, annotator_known + scopes.rows]),
        rows=annotators,
    )
    never = _never_voted(annotators, visit_annotator, visit_scope, scopes, unsure)
    who = never.row_of_item()
    never = never.keep(~known.contains(annotator_known[who], never.item))
    return _without(lists, annotator_list, never)


def _frozen_scores(scores: Floats) -> Floats:
    """Return scores read-only, or nothing if no report has any."""
    if not len(scores) or np.isnan(scores).all():
        return NO_SCORES
    scores = np.array(scores, float)
    scores.flags.writeable = False
    return scores


def _never_voted(
    annotators: int, visit_annotator: Ints, visit_scope: Ints, scopes: Ragged, unsure: Ragged
) -> Ragged:
    """Return, for each annotator, the species that they marked unsure in every visit with it in scope."""
    width = max(scopes.rows, 1)
    pair, visits = np.unique(visit_annotator * np.int64(width) + visit_scope, return_counts=True)
    scopes_of = Ragged.from_sizes(np.bincount(pair // width, minlength=annotators), pair % width)
    marked, who = unsure.item, visit_annotator[unsure.row_of_item()]
    species = int(marked.max(initial=0)) + 1
    key, marks = np.unique(who * np.int64(species) + marked, return_counts=True)
    who, marked = np.divmod(key, species)
    each = scopes_of.take(who)
    times = Ragged(scopes_of.start, visits).take(who).item
    inside = scopes.contains(each.item, marked[each.row_of_item()])
    asked = np.bincount(each.row_of_item(), weights=times * inside, minlength=len(key))
    never = marks == asked
    return Ragged.from_pairs(who[never], marked[never], rows=annotators)


def _without(lists: Ragged, which: Ints, less: Ragged) -> tuple[Ragged, Ints]:
    """Return the list of each row without the items in the same row of `less`."""
    rows = np.flatnonzero(less.sizes)
    shorter = lists.take(which[rows])
    shorter = shorter.keep(~less.contains(rows[shorter.row_of_item()], shorter.item))
    which = which.copy()
    which[rows] = lists.rows + np.arange(len(rows))
    return lists.stack(shorter).compact(which)
