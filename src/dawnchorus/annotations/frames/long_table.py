"""Conversion of a long table to labelled votes, for the three meanings of silence about a species."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any, NamedTuple, cast, get_args

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Ints
from ...common.warn import warn
from ...common.wording import either, option
from ..labelled import LabelledVotes, Provenance
from ..labels import Coded, counted
from ..selection import without_unreported
from ..votes import PRESENT, VOTES, Absence
from .columns import Source
from .reading import LabelTable, read_columns, refuse_blank, with_labels
from .rows import Rows, assemble_rows
from .spelling import one_spelling

ABSENCE_HELP = """\
What does it mean if a visit does not mention a species?
  "explicit"   no vote: absences are rows with present = 0
  "scope"      absent, if the species is in the annotator's scope table; otherwise no vote
  "checklist"  absent: every visit answers for every species"""


class Sources(NamedTuple):
    """The source of each table, for messages."""

    frame: Source = Source()
    scope: Source = Source("the scope table")
    recordings: Source = Source("the recordings table")
    annotators: Source = Source("the annotators table")
    species: Source = Source("the species table")


def build(
    frame: Any,
    absence: Absence | None,
    *,
    columns: Mapping[str, str] | None = None,
    scope: Any = None,
    recordings: Any = None,
    annotators: Any = None,
    species: Any = None,
    drop_unreported: bool = False,
    fold_case: bool = False,
    keep_na: bool = False,
    sources: Sources = Sources(),  # noqa: B008  (a constant)
) -> LabelledVotes:
    """Return labelled votes from tables; `Annotations.from_frame` documents the arguments."""
    source = sources.frame
    if isinstance(absence, str):
        absence = cast(Absence, absence.strip().lower())
    if absence is None or absence not in get_args(Absence):
        came = "was not given" if absence is None else f"is '{absence}', which is not one of the three values"
        raise AnnotationError(
            f"absence, the meaning of silence, {came}",
            f"choose one by {either('the argument absence', '--absence')}.\n{ABSENCE_HELP}",
        )
    if absence == "scope" and scope is None:
        raise AnnotationError(
            f"{option('absence', 'scope')} needs a scope table",
            f"give {option('scope')}, a table with columns annotator, species; "
            f"or choose {option('absence', 'checklist')} if every visit answers for every species",
            file=source.name,
        )
    cells: Mapping[str, Coded]
    names, cells = read_columns(
        frame, ["recording", "annotator", "species"], ["present"], source, columns, keep_na=keep_na
    )
    declared: Mapping[str, Coded] = (
        {}
        if scope is None
        else read_columns(scope, ["annotator", "species"], [], sources.scope, keep_na=keep_na, side=True)[1]
    )
    read: Mapping[str, LabelTable | None] = {
        word: LabelTable.read(table, word, table_source, keep_na=keep_na)
        for word, table, table_source in (
            ("recording", recordings, sources.recordings),
            ("annotator", annotators, sources.annotators),
            ("species", species, sources.species),
        )
    }
    cells, declared, read, folded = one_spelling(cells, declared, read, source, fold_case=fold_case)
    known = {word: None if table is None else table.indexed() for word, table in read.items()}
    _warn_of_strangers(cells, known, sources)
    tables = {
        word: with_labels(word, table, *(column[word].text for column in (cells, declared) if word in column))
        for word, table in known.items()
    }
    rows = _read_rows(cells, tables, source)
    if absence == "explicit" and "present" not in cells:
        warn(
            f"{source.name}: with {option('absence', 'explicit')} and no column 'present', every row is a "
            "report and there are no absent votes, so error rates cannot be estimated"
        )
    provenance = Provenance(
        source.name,
        absence,
        {word: name for word, name in names.items() if word != name},
        fold_case=fold_case,
        keep_na=keep_na,
        folded=folded,
        missing_species=_missing_species(cells, source),
    )
    votes = assemble_rows(rows, absence, declared, tables, provenance, source)
    return without_unreported(votes) if drop_unreported else votes


def _read_rows(cells: Mapping[str, Coded], tables: Mapping[str, pd.DataFrame], source: Source) -> Rows:
    """Return the rows that are not blank as numbers; raise an error at the first invalid row."""
    blank = {word: column.blank for word, column in cells.items()}
    row = np.flatnonzero(~reduce(and_, blank.values()))
    if not len(row):
        raise AnnotationError(
            "all rows are blank", "check that the table is complete", file=source.name, row=2
        )
    refuse_blank(cells, ("recording", "annotator"), row, source)
    vote = _read_votes(cells["present"], row, source) if "present" in cells else None
    species = cells["species"].codes_in(tables["species"].index)[row]
    if vote is None:  # every row is a report, so that one without a species says nothing
        named = (cells["species"].missing == "")[cells["species"].code[row]]
        row, species, vote = row[named], species[named], np.full(np.count_nonzero(named), PRESENT, np.int8)
        if not len(row):
            raise AnnotationError(
                "the species is missing in all rows",
                f"name the species, leave it empty for a visit that reported nothing, or use "
                f"{option('keep_na', True)} if words such as NA are names",
                file=source.name,
                row=source.row(0),
            )
    elif len(bad := row[(species < 0) & (vote == PRESENT)]):
        word = cells["species"].missing[cells["species"].code[bad[0]]]
        what = f"missing ('{word}')" if word else "blank"
        keep = f", or use {option('keep_na', True)} if '{word}' is a name" if word else ""
        raise AnnotationError(
            f"'present' is 1, but the species is {what}",
            f"name the species{keep}; "
            "a visit that reported nothing has an empty species and an empty 'present'",
            file=source.name,
            row=source.row(bad[0]),
        )
    return Rows(
        row,
        cells["recording"].codes_in(tables["recording"].index)[row],
        cells["annotator"].codes_in(tables["annotator"].index)[row],
        species,
        vote,
    )


def _read_votes(present: Coded, row: Ints, source: Source) -> Ints:
    vote = np.array([VOTES.get(text.lower(), -1) for text in present.text], np.int8)[present.code]
    bad = row[vote[row] < 0]
    if len(bad):
        raise AnnotationError(
            f"'present' is '{present.text[present.code[bad[0]]]}'",
            "write 1, true, yes or present; 0, false, no or absent; or leave it empty for unsure",
            file=source.name,
            row=source.row(bad[0]),
        )
    return vote[row]


def _warn_of_strangers(
    cells: Mapping[str, Coded], known: Mapping[str, pd.DataFrame | None], sources: Sources
) -> None:
    """Warn about tables that share no label with the long table."""
    for word, source in (
        ("recording", sources.recordings),
        ("annotator", sources.annotators),
        ("species", sources.species),
    ):
        table, used = known[word], [text for text in cells[word].text if text]
        if table is not None and len(table) and used and not table.index.isin(used).any():
            warn(f"{source.name}: none of its {word} labels is in {sources.frame.name}; are they the same?")


def _missing_species(cells: Mapping[str, Coded], source: Source) -> int:
    """Return in how many rows a word such as NA is in the place of the species, and warn about them."""
    species = cells["species"]
    words = species.missing_words(np.flatnonzero(~cells["recording"].blank))
    total = sum(words.values())
    if total:
        told = ", ".join(f"'{word}' {number:,}" for word, number in words.items())
        what = (
            "a visit that reported nothing, as 'present' is not 1"
            if "present" in cells
            else "left out; leave the species empty for a visit that reported nothing"
        )
        are = "is" if total == 1 else "are each"
        names = "this is a name" if len(words) == 1 else "these are names"
        warn(
            f"{source.name}: the species is missing in {counted(total, 'row')} ({told}), which {are} {what}; "
            f"use {option('keep_na', True)} if {names}"
        )
    return total
