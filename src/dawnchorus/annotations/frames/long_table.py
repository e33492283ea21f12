"""Conversion of a long table to labelled votes, for the three meanings of silence about a species."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any, NamedTuple, cast, get_args

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Floats, Ints
from ...common.warn import warn
from ...common.wording import either, option
from ..labelled import LabelledVotes, Provenance
from ..labels import Coded, counted
from ..selection import without_unreported
from ..votes import PRESENT, VOTES, Absence, ScoreScale
from .bad_rows import BadRows, BadTableRows
from .columns import Source
from .lists import one_species_a_row
from .names import NameTable, read_names
from .near_misses import near_misses, tell_near_misses
from .reading import LabelTable, native_frame, read_columns, refuse_blank, with_labels
from .rows import Rows, assemble_rows
from .scopes import Scopes, scopes_by_annotator, scopes_by_name
from .scores import read_scores
from .spelling import one_spelling, rows_of

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
    names: Any = None,
    score_scale: ScoreScale | None = None,
    sources: Sources = Sources(),  # noqa: B008  (a constant)
    bad: BadRows | None = None,
) -> LabelledVotes:
    """Return labelled votes from tables; `Annotations.from_frame` documents the arguments."""
    source, bad = sources.frame, bad or BadRows()
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
            f"give {option('scope')}, a table with columns annotator, species (or scope, species); "
            f"or choose {option('absence', 'checklist')} if every visit answers for every species",
            file=source.name,
        )
    declared = _declared(scope, sources.scope, keep_na)
    by_visit = absence == "scope" and "scope" in declared
    needed = ["recording", "annotator", "species", *(["scope"] if by_visit else [])]
    cells: Mapping[str, Coded]
    optional = ["present", "score"]
    frame, source = one_species_a_row(frame, source, columns, bad)
    chosen, cells, wrong = read_columns(frame, needed, optional, source, columns, keep_na=keep_na, bad=bad)
    scores, scale = read_scores(frame, chosen.get("score"), score_scale, source, wrong)
    cells = _without_bad(cells, source, wrong)
    read: Mapping[str, LabelTable | None] = {
        word: LabelTable.read(table, word, table_source, keep_na=keep_na)
        for word, table, table_source in (
            ("recording", recordings, sources.recordings),
            ("annotator", annotators, sources.annotators),
            ("species", species, sources.species),
        )
    }
    one_name = read_names(names)
    cells, declared, read = _named(cells, declared, read, one_name, source, fold_case)
    cells, declared, read, folded = one_spelling(
        cells, declared, read, source, fold_case=fold_case, names=one_name.one.values()
    )
    near = near_misses(rows_of(cells["species"], _other_names(declared, read)), _known_names(read))
    tell_near_misses(near, source)
    known = {word: None if table is None else table.indexed() for word, table in read.items()}
    _warn_of_strangers(cells, known, sources)
    tables = {
        word: with_labels(word, table, *(column[word].text for column in (cells, declared) if word in column))
        for word, table in known.items()
    }
    rows = _read_rows(cells, tables, scores, source)
    if absence == "explicit" and "present" not in cells:
        warn(
            f"{source.name}: with {option('absence', 'explicit')} and no column 'present', every row is a "
            "report and there are no absent votes, so error rates cannot be estimated"
        )
    provenance = Provenance(
        source.name,
        absence,
        {word: name for word, name in chosen.items() if word != name},
        fold_case=fold_case,
        keep_na=keep_na,
        folded=folded,
        missing_species=_missing_species(cells, source),
        score_scale=scale,
        names=one_name.one,
        near_misses=tuple(near),
    )
    scopes: Scopes | None = None
    if by_visit:
        scopes = scopes_by_name(cells["scope"], declared, tables, source)
    elif "annotator" in declared:
        scopes = scopes_by_annotator(declared, tables)
    votes = assemble_rows(rows, absence, scopes, tables, provenance, source, bad)
    return without_unreported(votes) if drop_unreported else votes


def _named(
    cells: Mapping[str, Coded],
    declared: Mapping[str, Coded],
    read: Mapping[str, LabelTable | None],
    names: NameTable,
    source: Source,
    fold_case: bool,
) -> tuple[Mapping[str, Coded], Mapping[str, Coded], Mapping[str, LabelTable | None]]:
    """Return the tables with one name for each species, and warn of names that do not occur."""
    if not names.one:
        return cells, declared, read
    table = read["species"]
    columns = [column["species"] for column in (cells, declared) if "species" in column]
    texts = {text for column in (*columns, *([table.label] if table else [])) for text in column.text}
    names.tell_unused(texts, source, fold_case=fold_case)
    other = names.of(texts, fold_case=fold_case)
    cells = {**cells, "species": cells["species"].renamed(other)}
    if declared:
        declared = {**declared, "species": declared["species"].renamed(other)}
    return cells, declared, read if table is None else {**read, "species": table.renamed(other)}


def _other_names(declared: Mapping[str, Coded], read: Mapping[str, LabelTable | None]) -> list[str]:
    """Return the species that are named beside the long table."""
    table = read["species"]
    listed = declared["species"].text if declared else ()
    return [*listed, *(() if table is None else table.label.text)]


def _known_names(read: Mapping[str, LabelTable | None]) -> list[str]:
    """Return the species of which metadata are given: so many different ones somebody has told apart."""
    table = read["species"]
    return [] if table is None or not table.other else [str(text) for text in table.label.text if text]


def _declared(scope: Any, source: Source, keep_na: bool) -> Mapping[str, Coded]:
    """Return the scope table, if there is one: species by annotator, or by a column `scope`."""
    if scope is None:
        return {}
    scope, source = one_species_a_row(scope, source, None, BadRows())
    found = native_frame(scope, source).columns
    key = "scope" if "scope" in found and "annotator" not in found else "annotator"
    return read_columns(scope, [key, "species"], [], source, keep_na=keep_na, side=True)[1]


def _without_bad(cells: Mapping[str, Coded], source: Source, wrong: BadTableRows) -> Mapping[str, Coded]:
    """Raise an error at the first invalid row, or return the columns with invalid rows blank."""
    row = _not_blank(cells)
    if not len(row):
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
        raise AnnotationError("every row is bad", "look at the table", file=source.name, row=source.row(0))
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


def _read_rows(
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
