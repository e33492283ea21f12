"""Scopes: the species that a visit answers for by silence, by annotator or by the name of a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Bools, Ints, Ragged
from ...common.warn import warn
from ...common.wording import listed
from ..labels import Coded, counted
from .bad_rows import BadRows
from .columns import Source


class Scopes(NamedTuple):
    """Lists of species, and which list each annotator or each row of the long table has."""

    lists: Ragged
    annotator: Ints | None = None
    row: Ints | None = None

    def of_visits(self, row: Ints, new: Bools, visit_annotator: Ints, source: Source, bad: BadRows) -> Ints:
        """Return the list of each visit; `row` are the rows of all visits, `new` where a visit begins."""
        if self.row is None:
            assert self.annotator is not None
            return self.annotator[visit_annotator]
        which = self.row[row]
        first = which[new]
        clash = np.flatnonzero(which != first[np.cumsum(new) - 1])
        if len(clash):
            error = AnnotationError(
                "the rows of one visit have different scopes",
                "write the same scope into all rows of an annotator and a recording",
                **source.at(int(row[clash[0]])),
                field="scope",
            )
            bad.found(error, len(clash))
        return first


def scopes_by_annotator(declared: Mapping[str, Coded], tables: Mapping[str, pd.DataFrame]) -> Scopes:
    """Return the species that each annotator declared; rows with a blank are ignored."""
    annotators = len(tables["annotator"])
    who, what = (declared[word].codes_in(tables[word].index) for word in ("annotator", "species"))
    return Scopes(_lists(who, what, annotators), annotator=np.arange(annotators))


def scopes_by_name(
    column: Coded, declared: Mapping[str, Coded], tables: Mapping[str, pd.DataFrame], source: Source
) -> Scopes:
    """Return the lists in the scope table by name; a row with a blank name has an empty list."""
    names = pd.Index(pd.unique(declared["scope"].text), dtype=object)
    which = column.codes_in(names)
    unknown = (which < 0) & ~column.blank
    if unknown.any():
        i = int(np.argmax(unknown))
        raise AnnotationError(
            f"the scope '{column.text[column.code[i]]}' is not in the scope table",
            f"add it there; the scopes are {listed([name for name in names if name], 6)}",
            **source.at(i),
            field="scope",
        )
    which = np.where(column.blank, len(names), which)
    list_of, what = declared["scope"].codes_in(names), declared["species"].codes_in(tables["species"].index)
    return Scopes(_lists(list_of, what, len(names) + 1), row=which)


def _lists(which: Ints, species: Ints, rows: int) -> Ragged:
    use = (which >= 0) & (species >= 0)
    return Ragged.from_pairs(which[use], species[use], rows=rows)


def with_others(lists: Ragged, visit_list: Ints, beyond: Ragged) -> tuple[Ragged, Ints]:
    """Return the scope of each visit: its list, with any reported species outside it added."""
    special = np.flatnonzero(beyond.sizes)
    base, more = lists.take(visit_list[special]), beyond.take(special)
    wider = Ragged.from_pairs(
        np.concatenate([base.row_of_item(), more.row_of_item()]),
        np.concatenate([base.item, more.item]),
        rows=len(special),
    )
    visit_scope = visit_list.copy()
    visit_scope[special] = lists.rows + np.arange(len(special))
    return lists.stack(wider), visit_scope


def warn_of_scopes(
    outside: int, scopes: Scopes, visit_annotator: Ints, index: pd.Index, source: Source
) -> None:
    """Warn of annotators without a list, and of reports outside the list of a visit."""
    lists = scopes.annotator
    without = (
        []
        if lists is None
        else [index[j] for j in np.unique(visit_annotator) if not scopes.lists.sizes[lists[j]]]
    )
    if without:
        warn(
            f"{source.name}: {counted(len(without), 'annotator')} {'has' if len(without) == 1 else 'have'} "
            "visits but no row in the scope table, so species they do not mention get no vote: "
            f"{listed(without, 5)}"
        )
    if outside:
        whose = "the annotator's scope" if scopes.row is None else "the scope"
        warn(
            f"{source.name}: {counted(outside, 'report')} {'is' if outside == 1 else 'are'} of a species "
            f"outside {whose}; the species is added to the scope of that visit"
        )
