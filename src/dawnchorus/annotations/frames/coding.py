"""Coding: the rows of a long table, or of a part of one, as codes of labels, checked row by row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Floats, Ints
from ...common.wording import option
from ..labels import Coded
from ..votes import PRESENT, VOTES
from .bad_rows import BadRows, BadTableRows
from .columns import Source
from .lists import one_species_a_row
from .reading import native_frame, read_columns, refuse_blank, tell_missing
from .rows import Rows


def declared_scopes(scope: Any, source: Source, keep_na: bool) -> Mapping[str, Coded]:
    """Return the scope table, if there is one: species by annotator, or by a column `scope`."""
    if scope is None:
        return {}
    scope, source = one_species_a_row(scope, source, None, BadRows())
    found = native_frame(scope, source).columns
    key = "scope" if "scope" in found and "annotator" not in found else "annotator"
    cells = read_columns(scope, [key, "species"], [], source, keep_na=keep_na, side=True)[1]
    tell_missing(cells, cells, source)
    return cells


def without_bad(
    cells: Mapping[str, Coded], source: Source, wrong: BadTableRows, bad: BadRows
) -> Mapping[str, Coded]:
    """Raise an error at the first invalid row, or return the columns with invalid rows blank."""
    row = _not_blank(cells)
    if not len(row):
        if bad.first is not None:  # rows that were bad in the file are blank
            raise bad.all_bad(source.name)
        raise AnnotationError(
            "all rows are blank", "check that the table is complete", file=source.name, row=2
        )
    refuse_blank(cells, ("recording", "annotator"), row, source, wrong)
    if "present" in cells:
        _refuse_votes(cells["present"], cells["species"], row, source, wrong)
    if not wrong.mask.any():
        return cells
    kept = {word: column.blanked(wrong.mask) for word, column in cells.items()}
    if not len(_not_blank(kept)):
        raise bad.all_bad(source.name)
    return kept


def _not_blank(cells: Mapping[str, Coded]) -> Ints:
    return np.flatnonzero(~reduce(and_, (column.blank for column in cells.values())))


def _votes(present: Coded) -> Ints:
    return np.array([VOTES.get(text.lower(), -1) for text in present.text], np.int8)[present.code]


def _refuse_votes(present: Coded, species: Coded, row: Ints, source: Source, wrong: BadTableRows) -> None:
    """Raise an error, or leave rows out, where a vote is unknown or a report does not name its species."""
    vote = _votes(present)
    other = np.zeros(len(vote), bool)
    other[row] = True
    unknown = other & (vote < 0)
    if unknown.any():
        i = int(np.argmax(unknown))
        error = AnnotationError(
            f"'present' is '{present.text[present.code[i]]}'",
            "write 1, true, yes or present; 0, false, no or absent; or leave it empty for unsure",
            **source.at(i),
        )
        wrong.found(unknown, error)
    nameless = other & species.blank & (vote == PRESENT)
    if nameless.any():
        i = int(np.argmax(nameless))
        word = species.missing[species.code[i]]
        what = f"missing ('{word}')" if word else "blank"
        keep = f", or use {option('keep_na', True)} if '{word}' is a name" if word else ""
        error = AnnotationError(
            f"'present' is 1, but the species is {what}",
            f"name the species{keep}; "
            "a visit that reported nothing has an empty species and an empty 'present'",
            **source.at(i),
        )
        wrong.found(nameless, error)


def rows_in_numbers(
    cells: Mapping[str, Coded], tables: Mapping[str, pd.DataFrame], scores: Floats, source: Source
) -> Rows:
    """Return the rows that are not blank as numbers."""
    row = _not_blank(cells)
    if "present" in cells:
        vote = _votes(cells["present"])[row]
    else:  # every row is a report, so that one without a species says nothing
        row = row[(cells["species"].missing == "")[cells["species"].code[row]]]
        vote = np.full(len(row), PRESENT, np.int8)
        if not len(row):
            raise AnnotationError(
                "the species is missing in all rows",
                f"name the species, leave it empty for a visit that reported nothing, or use "
                f"{option('keep_na', True)} if words such as NA are names",
                **source.at(0),
            )
    recording, annotator, species = (
        cells[word].codes_in(tables[word].index)[row] for word in ("recording", "annotator", "species")
    )
    return Rows(row, recording, annotator, species, vote, scores[row] if len(scores) else scores)
