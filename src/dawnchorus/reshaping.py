"""Reshaping: select from annotations, and put two sets together."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from .annotations import Annotations
from .assembly import assemble
from .errors import AnnotationError, AnnotationWarning
from .labels import counted, place
from .ragged import Bools, Ints, Ragged
from .votes import Provenance


def select(
    annotations: Annotations,
    *,
    recordings: Iterable[str] | None = None,
    annotators: Iterable[str] | None = None,
    species: Iterable[str] | None = None,
) -> Annotations:
    """Keep some recordings, annotators and species; `Annotations.select` is the way in."""
    a = annotations
    keep = {
        "recording": _mask(a.recordings.index, recordings),
        "annotator": _mask(a.annotators.index, annotators),
        "species": _mask(a.species.index, species),
    }
    new = {word: np.cumsum(mask) - 1 for word, mask in keep.items()}
    visits = np.flatnonzero(keep["recording"][a.visit_recording] & keep["annotator"][a.visit_annotator])

    def kept_species(lists: Ragged) -> Ragged:
        lists = lists.keep(keep["species"][lists.item])
        return Ragged.from_sizes(lists.sizes, new["species"][lists.item])

    return assemble(
        {
            "recording": a.recordings[keep["recording"]],
            "annotator": a.annotators[keep["annotator"]],
            "species": a.species[keep["species"]],
        },
        new["recording"][a.visit_recording[visits]],
        new["annotator"][a.visit_annotator[visits]],
        scopes=kept_species(a.scopes),
        visit_scope=a.visit_scope[visits],
        reports=kept_species(a.reports.take(visits)),
        unsure=kept_species(a.unsure.take(visits)),
        known=kept_species(a.lists),
        annotator_known=a.annotator_list[keep["annotator"]],
        provenance=a.provenance,
    )


def concatenate(first: Annotations, second: Annotations) -> Annotations:
    """Put two sets of annotations together.

    Labels are matched by text; those of the first set come first. Scopes stay what they were: a
    checklist of the first set does not come to answer for species that only the second set has. A visit
    that is in both must be the same.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=20).annotations
    >>> labels = annotations.recordings.index
    >>> parts = [annotations.select(recordings=some) for some in (labels[:7], labels[7:])]
    >>> dc.concatenate(*parts) == annotations
    True
    """
    both = (first, second)
    tables = {
        word: _joined(getattr(first, name), getattr(second, name))
        for word, name in (("recording", "recordings"), ("annotator", "annotators"), ("species", "species"))
    }
    places = [
        {
            "recording": tables["recording"].index.get_indexer(a.recordings.index),
            "annotator": tables["annotator"].index.get_indexer(a.annotators.index),
            "species": tables["species"].index.get_indexer(a.species.index),
        }
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
    recording, annotator, scope = recording[order], annotator[order], scope[order]
    reports, unsure = reports.take(order), unsure.take(order)
    again = np.zeros(len(order), bool)
    again[1:] = (recording[1:] == recording[:-1]) & (annotator[1:] == annotator[:-1])
    for v in map(int, np.flatnonzero(again)):
        if not (
            scope[v] == scope[v - 1]
            and np.array_equal(reports.row(v), reports.row(v - 1))
            and np.array_equal(unsure.row(v), unsure.row(v - 1))
        ):
            raise AnnotationError(
                f"the visit of annotator '{tables['annotator'].index[annotator[v]]}' to recording "
                f"'{tables['recording'].index[recording[v]]}' is in both sets and differs",
                "leave it out of one of them with select()",
            )
    once = np.flatnonzero(~again)
    # An annotator of both sets knows the species of both lists; `unite` takes any number of them.
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
        provenance=_both(first.provenance, second.provenance),
    )


def _mask(index: pd.Index, labels: Iterable[str] | None) -> Bools:
    mask = np.full(len(index), labels is None)
    if isinstance(labels, str):
        labels = [labels]
    if labels is not None:
        found = index.get_indexer(wanted := [str(label) for label in labels])
        if (found < 0).any():
            place(index, wanted[int(np.argmin(found))])  # raises
        mask[found] = True
    return mask


def _joined(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Give the first set's labels, then the second's; what the first does not know, the second may."""
    joined = pd.concat([first, second[~second.index.isin(first.index)]])
    joined.index = pd.Index(joined.index.to_numpy(object), dtype=object, name=first.index.name)
    shared = first.index.intersection(second.index)
    for name in second.columns if len(shared) else ():
        ours, theirs = joined.loc[shared, name], second.loc[shared, name]
        unknown = shared[ours.isna()]
        if len(unknown):
            joined.loc[unknown, name] = theirs[unknown]
        differ = shared[(ours.notna() & theirs.notna() & (ours != theirs)).to_numpy(bool)]
        if len(differ):
            warnings.warn(
                f"the {name} of {counted(len(differ), first.index.name)} ({differ[0]}, …) differs between "
                "the two sets; that of the first is kept",
                AnnotationWarning,
                stacklevel=4,
            )
    return joined


def _renumbered(lists: Ragged, species: Ints) -> Ragged:
    return Ragged.from_pairs(lists.row_of_item(), species[lists.item], rows=lists.rows)


def _both(first: Provenance, second: Provenance) -> Provenance:
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
    )
