"""Conversion of a long table to labelled votes, for the three meanings of silence about a species."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast, get_args

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.warn import warn
from ...common.wording import either, option
from ..labelled import LabelledVotes, Provenance
from ..labels import Coded, counted
from ..selection import without_unreported
from ..votes import Absence, ScoreScale
from .bad_rows import BadRows
from .coding import declared_scopes, rows_in_numbers, without_bad
from .columns import Source, tell_unread
from .lists import one_species_a_row
from .names import NameTable, read_names
from .near_misses import near_misses, tell_near_misses
from .reading import SAMPLE, LabelTable, native_frame, read_columns, with_labels
from .rows import assemble_rows, checked_rows
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
    absence = checked_absence(absence, scope, source)
    declared = declared_scopes(scope, sources.scope, keep_na)
    by_visit = absence == "scope" and "scope" in declared
    needed = ["recording", "annotator", "species", *(["scope"] if by_visit else [])]
    cells: Mapping[str, Coded]
    optional = ["present", "score"]
    frame, source = one_species_a_row(frame, source, columns, bad)
    chosen, cells, wrong = read_columns(frame, needed, optional, source, columns, keep_na=keep_na, bad=bad)
    if source.code is not None:  # a user's own frame; readers know their columns
        table = native_frame(frame, source)
        tell_unread(
            table.columns,
            chosen.values(),
            source,
            votes="present" in chosen,
            sample=lambda: {name: table[name].head(SAMPLE).to_list() for name in table.columns},
        )
    scores, scale = read_scores(frame, chosen.get("score"), score_scale, source, wrong)
    cells = without_bad(cells, source, wrong, bad)
    read: Mapping[str, LabelTable | None] = {
        word: LabelTable.read(table, word, table_source, keep_na=keep_na)
        for word, table, table_source in (
            ("recording", recordings, sources.recordings),
            ("annotator", annotators, sources.annotators),
            ("species", species, sources.species),
        )
    }
    one_name = read_names(names)
    written = cells
    cells, declared, read = _named(cells, declared, read, one_name, source, fold_case)
    cells, declared, read, folded = one_spelling(
        cells, declared, read, source, fold_case=fold_case, names=one_name.one.values()
    )
    near = near_misses(rows_of(cells["species"], _other_names(declared, read)), _known_names(read))
    tell_near_misses(near, source)
    known = {word: None if table is None else table.indexed() for word, table in read.items()}
    _warn_of_strangers(cells, known, sources)
    tables = _tables(known, cells, declared)
    numbers = rows_in_numbers(cells, tables, scores, source)
    rows = checked_rows(numbers, tables, source, bad, written)
    if len(rows.row) < len(numbers.row):  # labels of rows that are left out are left out too
        gone = np.ones(len(wrong.mask), bool)
        gone[rows.row] = False
        cells = {word: column.blanked(gone) for word, column in cells.items()}
        tables = _tables(known, cells, declared)
        rows = checked_rows(rows_in_numbers(cells, tables, scores, source), tables, source, bad)
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


def _tables(
    known: Mapping[str, pd.DataFrame | None], cells: Mapping[str, Coded], declared: Mapping[str, Coded]
) -> dict[str, pd.DataFrame]:
    """Return the tables of metadata, with all labels that occur."""
    return {
        word: with_labels(word, table, *(column[word].text for column in (cells, declared) if word in column))
        for word, table in known.items()
    }


def checked_absence(absence: Absence | None, scope: Any, source: Source) -> Absence:
    """Return what silence means, in lower case; an error if it is not told, or a scope table is missing."""
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
    return absence


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
