"""Joining of several sets of votes into one; labels are matched by their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, get_args

import numpy as np
import pandas as pd

from ..common.checked import yes_or_no
from ..common.errors import AnnotationError
from ..common.ragged import Floats, Ints, Ragged
from ..common.warn import warn
from ..common.wording import listed, option
from .annotations import Annotations, check_annotations
from .assembly import assemble
from .frames.spelling import FOLDED, folded
from .labelled import FRAMES, SCORE_THRESHOLD, LabelledVotes, Provenance
from .labels import counted
from .selection import Votes
from .votes import ScoreScale


def concatenate(first: Annotations, *others: Annotations, fold_case: bool = False) -> Annotations:
    """Return several sets of annotations as one.

    Labels are matched by their text; those of the first set come first. Scopes do not change: a checklist of
    the first set does not answer for species that occur only in another set. A visit that is in several sets
    must be the same in all of them.

    Parameters
    ----------
    first, others
        The sets of annotations.
    fold_case
        Take labels of annotators, and of species, that differ only in upper and lower case for one, as the
        earlier set writes it.

    Returns
    -------
    Annotations

    Raises
    ------
    AnnotationError
        If a visit is in several sets and differs between them.

    Warns
    -----
    AnnotationWarning
        If metadata of a label differ between sets; those of the earlier set are kept. If labels of the sets
        differ only in case.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=20).annotations
    >>> labels = annotations.recordings.index
    >>> parts = [annotations.select(recordings=some) for some in (labels[:7], labels[7:9], labels[9:])]
    >>> dc.concatenate(*parts) == annotations
    True
    """
    for one in (first, *others):
        _check_one(one)
    yes_or_no(fold_case=fold_case)
    votes: LabelledVotes = first
    return Annotations.of(reduce(partial(joined, fold_case=fold_case), others, votes))


def _check_one(given: Any) -> None:
    if isinstance(given, Iterable) and any(isinstance(one, Annotations) for one in given):
        raise TypeError(
            f"concatenate takes annotations one by one, not in a {type(given).__name__}: "
            "write concatenate(*parts)"
        )
    check_annotations(given)


def joined(
    first: LabelledVotes, second: LabelledVotes, *, fold_case: bool = False, checklists: bool = False
) -> LabelledVotes:
    """Return two sets of votes as one.

    With `checklists`, if silence means absence in both sets, checklists of either answer for the species of
    the other too, as if both had been read as one table.
    """
    second = _in_spelling_of(first, second, fold_case=fold_case)
    if checklists and first.provenance.absence == second.provenance.absence == "checklist":
        first, second = _answering_for(first, second.species), _answering_for(second, first.species)
    first, second = both = _on_one_scale(first, second)
    tables = {
        word: _joined_table(getattr(first, name), getattr(second, name)) for word, name in FRAMES.items()
    }
    places = [
        {word: tables[word].index.get_indexer(getattr(a, name).index) for word, name in FRAMES.items()}
        for a in both
    ]

    def stacked(name: str) -> Ragged:
        parts = [_renumbered(getattr(a, name), p["species"]) for a, p in zip(both, places, strict=True)]
        return parts[0].stack(parts[1])

    scopes, reports, unsure, lists = map(stacked, ("scopes", "reports", "unsure", "lists"))
    scopes, same = scopes.distinct()
    recording, annotator = (
        np.concatenate([p[word][getattr(a, f"visit_{word}")] for a, p in zip(both, places, strict=True)])
        for word in ("recording", "annotator")
    )
    scope = same[np.concatenate([first.visit_scope, second.visit_scope + first.scopes.rows])]
    order = np.lexsort((annotator, recording))
    scores = Ragged(reports.start, np.arange(len(reports.item)))
    score_of = np.concatenate([_scores(a, p["species"]) for a, p in zip(both, places, strict=True)])
    recording, annotator, scope = recording[order], annotator[order], scope[order]
    reports, unsure, scores = reports.take(order), unsure.take(order), scores.take(order)
    again = np.zeros(len(order), bool)
    again[1:] = (recording[1:] == recording[:-1]) & (annotator[1:] == annotator[:-1])
    for v in map(int, np.flatnonzero(again)):
        if not (
            scope[v] == scope[v - 1]
            and np.array_equal(reports.row(v), reports.row(v - 1))
            and np.array_equal(unsure.row(v), unsure.row(v - 1))
            and np.array_equal(score_of[scores.row(v)], score_of[scores.row(v - 1)], equal_nan=True)
        ):
            raise AnnotationError(
                f"the visit of annotator '{tables['annotator'].index[annotator[v]]}' to recording "
                f"'{tables['recording'].index[recording[v]]}' is in both sets and differs",
                "remove it from one of them with drop()",
            )
    once = np.flatnonzero(~again)
    # The species list of an annotator who is in both sets is the union of the two lists.
    lists, annotator_list = lists.unite(
        np.concatenate([p["annotator"] for p in places]),
        np.concatenate([first.annotator_list, second.annotator_list + first.lists.rows]),
        rows=len(tables["annotator"]),
    )
    return assemble(
        tables,
        recording[once],
        annotator[once],
        scopes=scopes,
        visit_scope=scope[once],
        reports=reports.take(once),
        unsure=unsure.take(once),
        known=lists,
        annotator_known=annotator_list,
        provenance=_both(first.provenance, second.provenance, fold_case),
        scores=score_of[scores.take(once).item],
    )


def stacked(parts: Sequence[Votes]) -> Votes:
    """Return votes on different recordings as one, in their order; annotators and species are the same."""
    lists: dict[str, Any] = {}
    for name in ("scopes", "reports", "unsure"):
        each = [getattr(part, name) for part in parts]
        sizes, items = [one.sizes for one in each], [one.item for one in each]
        lists[name] = Ragged.from_sizes(np.concatenate(sizes), np.concatenate(items))
    recordings = np.cumsum([0, *(part.n_recordings for part in parts)])
    scopes = np.cumsum([0, *(part.scopes.rows for part in parts)])
    numbered = list(zip(parts, recordings, scopes, strict=False))
    lists["scopes"], visit_scope = lists["scopes"].compact(
        np.concatenate([part.visit_scope + first for part, _, first in numbered])
    )
    return replace(
        parts[0],
        n_recordings=int(recordings[-1]),
        recordings=pd.concat([part.recordings for part in parts]),
        visit_recording=np.concatenate([part.visit_recording + first for part, first, _ in numbered]),
        visit_annotator=np.concatenate([part.visit_annotator for part in parts]),
        visit_scope=visit_scope,
        scores=np.concatenate([part.scores for part in parts]),
        **lists,
    )


def _answering_for(a: LabelledVotes, species: pd.DataFrame) -> LabelledVotes:
    """Return votes of which each visit that answers for all species answers for these too."""
    new = species.index.difference(a.species.index, sort=False)
    every, more = np.flatnonzero(a.scopes.sizes == a.n_species), a.n_species + np.arange(len(new))
    tables = {word: getattr(a, name) for word, name in FRAMES.items()}
    index = pd.Index([*a.species.index, *new], dtype=object, name=a.species.index.name)
    return assemble(
        tables | {"species": a.species.reindex(index)},
        a.visit_recording,
        a.visit_annotator,
        scopes=Ragged.from_pairs(
            np.concatenate([a.scopes.row_of_item(), np.repeat(every, len(more))]),
            np.concatenate([a.scopes.item, np.tile(more, len(every))]),
            rows=a.scopes.rows,
        ),
        visit_scope=a.visit_scope,
        reports=a.reports,
        unsure=a.unsure,
        known=a.lists,
        annotator_known=a.annotator_list,
        provenance=a.provenance,
        scores=a.scores,
    )


def _scores(a: LabelledVotes, species: Ints) -> Floats:
    """Return the score of each report, in the order that species have in both sets together."""
    scores = a.scores if len(a.scores) else np.full(a.n_reports, np.nan)
    return scores[np.lexsort((species[a.reports.item], a.reports.row_of_item()))]


def _on_one_scale(first: LabelledVotes, second: LabelledVotes) -> tuple[LabelledVotes, LabelledVotes]:
    """Return both sets with scores on one scale: as logits, if they are of both kinds."""
    if {a.provenance.score_scale for a in (first, second)} != set(get_args(ScoreScale)):
        return first, second
    one, other = map(_as_logits, (first, second))
    return one, other


def _as_logits(a: LabelledVotes) -> LabelledVotes:
    """Return votes with scores and thresholds as logits."""
    annotators = a.annotators
    if SCORE_THRESHOLD in annotators:
        cut = pd.Series(a.score_cuts(annotators.index.astype(str)), annotators.index)
        annotators = annotators.assign(**{SCORE_THRESHOLD: cut.where(np.isfinite(cut))})
    provenance = replace(a.provenance, score_scale="logit")
    return replace(a, scores=a.score_logits, annotators=annotators, provenance=provenance)


def _in_spelling_of(first: LabelledVotes, second: LabelledVotes, *, fold_case: bool) -> LabelledVotes:
    """Return the second set with labels as the first writes them, where they differ only in case."""
    for word in FOLDED:
        table = getattr(second, FRAMES[word])
        ours, theirs = getattr(first, FRAMES[word]).index, table.index
        spelt = {folded(text): text for text in reversed(ours)}
        names = {
            text: spelt[folded(text)] for text in theirs.difference(ours, sort=False) if folded(text) in spelt
        }
        pairs = "".join(f"\n  '{name}', '{text}'" for text, name in names.items())
        if names and not fold_case:
            warn(
                f"{counted(len(names), word)} of the second set {'differs' if len(names) == 1 else 'differ'} "
                f"only in case from one of the first, and both are kept; use {option('fold_case', True)} to "
                f"make them one:{pairs}"
            )
        elif names:
            table = table.rename(index=names)
            if not table.index.is_unique:
                again = table.index[table.index.duplicated()][0]
                raise AnnotationError(
                    f"the second set has the {word} '{again}' in several ways of writing it",
                    f"read it with {option('fold_case', True)}",
                )
            second = replace(second, **{FRAMES[word]: table})
    return second


def _joined_table(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return the labels of both sets; metadata that the first set lacks are taken from the second.

    Of two thresholds of a machine, the lower one is kept: no score of either set is below it.
    """
    joined = pd.concat([first, second[~second.index.isin(first.index)]])
    joined.index = pd.Index(joined.index.to_numpy(object), dtype=object, name=first.index.name)
    shared = first.index.intersection(second.index)
    for name in second.columns if len(shared) else ():
        ours, theirs = joined.loc[shared, name], second.loc[shared, name]
        unknown = shared[ours.isna()]
        if len(unknown):
            joined.loc[unknown, name] = theirs[unknown]
        if name == SCORE_THRESHOLD:
            lower = shared[(pd.to_numeric(theirs) < pd.to_numeric(ours)).to_numpy(bool)]
            joined.loc[lower, name] = theirs[lower]
            continue
        differ = shared[(ours.notna() & theirs.notna() & (ours != theirs)).to_numpy(bool)]
        if len(differ):
            warn(
                f"the {name} of {counted(len(differ), first.index.name)} ({listed(differ, 3)}) differs "
                "between the two sets; the value in the first is kept"
            )
    return joined


def _renumbered(lists: Ragged, species: Ints) -> Ragged:
    return Ragged.from_pairs(lists.row_of_item(), species[lists.item], rows=lists.rows)


def _both(first: Provenance, second: Provenance, fold_case: bool) -> Provenance:
    def either(name: str) -> str:
        values = dict.fromkeys(getattr(p, name) for p in (first, second))
        return " and ".join(value for value in values if value)

    return replace(
        first,
        source=either("source"),
        absence=either("absence"),
        columns={**first.columns, **second.columns},
        duplicate_rows=first.duplicate_rows + second.duplicate_rows,
        outside_scope=first.outside_scope + second.outside_scope,
        fold_case=first.fold_case or second.fold_case or fold_case,
        keep_na=first.keep_na or second.keep_na,
        folded=first.folded + second.folded,
        missing_species=first.missing_species + second.missing_species,
        score_scale=first.score_scale or second.score_scale,
        names={**second.names, **first.names},
        near_misses=(*first.near_misses, *second.near_misses),
    )
