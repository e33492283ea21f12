"""Conversion of a long table to labelled votes, for the three meanings of silence about a species."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any, NamedTuple, cast, get_args

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError, AnnotationWarning
from ...common.ragged import Bools, Ints, Ragged
from ...common.warn import warn
from ..assembly import assemble
from ..labelled import LabelledVotes, Provenance
from ..labels import Coded
from ..selection import without_unreported
from ..votes import ABSENT, PRESENT, UNSURE, Absence
from .columns import Source
from .reading import metadata, read_columns, refuse_blank, with_labels

ABSENCE_HELP = """\
What does it mean if a visit does not mention a species? Use absence= (--absence):
  "explicit"   no vote: absences are rows with present = 0
  "scope"      absent, if the species is in the annotator's scope table; otherwise no vote
  "checklist"  absent: every visit answers for every species"""

VOTES = dict.fromkeys(("1", "1.0", "true", "yes", "present"), PRESENT)
VOTES |= dict.fromkeys(("0", "0.0", "false", "no", "absent"), ABSENT)
VOTES |= dict.fromkeys(("", "unsure"), UNSURE)


class Sources(NamedTuple):
    """The source of each table, for messages."""

    frame: Source = Source()
    scope: Source = Source("the scope table")
    recordings: Source = Source("the recordings table")
    annotators: Source = Source("the annotators table")
    species: Source = Source("the species table")


class Rows(NamedTuple):
    """A long table with whole numbers in place of labels; `species` is −1 where it is blank."""

    row: Ints
    recording: Ints
    annotator: Ints
    species: Ints
    vote: Ints


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
    sources: Sources = Sources(),  # noqa: B008  (a constant)
) -> LabelledVotes:
    """Return labelled votes from tables; `Annotations.from_frame` documents the arguments."""
    source = sources.frame
    if isinstance(absence, str):
        absence = cast(Absence, absence.strip().lower())
    if absence is None or absence not in get_args(Absence):
        came = "was not given" if absence is None else f"is '{absence}', which is not one of the three values"
        raise AnnotationError(f"absence, the meaning of silence, {came}", f"choose one.\n{ABSENCE_HELP}")
    if absence == "scope" and scope is None:
        raise AnnotationError(
            "absence='scope' needs a scope table",
            "give scope= (--scope), a table with columns annotator, species; "
            "or choose 'checklist' if every visit answers for every species",
            file=source.name,
        )
    names, cells = read_columns(frame, ["recording", "annotator", "species"], ["present"], source, columns)
    declared = (
        None
        if scope is None
        else read_columns(scope, ["annotator", "species"], [], sources.scope, side=True)[1]
    )
    known = {
        "recording": metadata(recordings, "recording", sources.recordings),
        "annotator": metadata(annotators, "annotator", sources.annotators),
        "species": metadata(species, "species", sources.species),
    }
    _warn_of_labels(cells, known, sources)
    found = {word: [cells[word].text] for word in known}
    if declared is not None:
        found["annotator"].append(declared["annotator"].text)
        found["species"].append(declared["species"].text)
    tables = {word: with_labels(word, table, *found[word]) for word, table in known.items()}
    rows = _read_rows(cells, tables, source)
    if absence == "explicit" and "present" not in cells:
        _warn(
            f"{source.name}: with absence='explicit' and no column 'present', every row is a report "
            "and there are no absent votes, so error rates cannot be estimated"
        )
    votes = _assemble_rows(rows, absence, declared, tables, names, source)
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
    if vote is None:
        vote = np.full(len(row), PRESENT, np.int8)
    elif len(bad := row[(species < 0) & (vote == PRESENT)]):
        raise AnnotationError(
            "'present' is 1, but the species is blank",
            "name the species; a visit that reported nothing has an empty species and an empty 'present'",
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


def _assemble_rows(
    rows: Rows,
    absence: Absence,
    declared: Mapping[str, Coded] | None,
    tables: Mapping[str, pd.DataFrame],
    names: Mapping[str, str],
    source: Source,
) -> LabelledVotes:
    rows = _in_order(rows, tables)
    new = _differs(rows.recording) | _differs(rows.annotator)
    visit = np.cumsum(new) - 1
    visit_recording, visit_annotator = rows.recording[new], rows.annotator[new]
    n_visits, n_species = len(visit_recording), len(tables["species"])
    again = ~(new | _differs(rows.species)) & (rows.species >= 0)
    _refuse_contradiction(rows, again, tables, source)
    votes = (rows.species >= 0) & ~again
    visit, species, vote = visit[votes], rows.species[votes], rows.vote[votes]

    def lists(mask: Any) -> Ragged:
        return Ragged.from_pairs(visit[mask], species[mask], rows=n_visits)

    reports, unsure = lists(vote == PRESENT), lists(vote == UNSURE)
    known = None if declared is None else _declared_lists(declared, tables)
    outside = 0
    if absence == "explicit":
        scopes = lists(slice(None))
        visit_scope: Ints = np.arange(n_visits)
    elif absence == "checklist":
        scopes = Ragged.from_sizes([n_species], np.arange(n_species))
        visit_scope = np.zeros(n_visits, np.int64)
    else:
        assert known is not None
        beyond = ~known.contains(visit_annotator[visit], species)
        outside = int(np.count_nonzero(beyond & (vote == PRESENT)))
        scopes, visit_scope = _scopes_with(known, visit_annotator, lists(beyond))
        _warn_of_scope(outside, known, visit_annotator, tables["annotator"].index, source)
    renamed = {word: name for word, name in names.items() if word != name}
    return assemble(
        tables,
        visit_recording,
        visit_annotator,
        scopes=scopes,
        visit_scope=visit_scope,
        reports=reports,
        unsure=unsure,
        known=known,
        annotator_known=None if known is None else np.arange(known.rows),
        provenance=Provenance(source.name, absence, renamed, int(again.sum()), outside),
    )


def _in_order(rows: Rows, tables: Mapping[str, pd.DataFrame]) -> Rows:
    """Return the rows sorted by recording, annotator and species; equal rows keep their order."""
    annotators, species = len(tables["annotator"]), len(tables["species"]) + 1
    if len(tables["recording"]) * annotators * species < 2**62:
        key = rows.recording.astype(np.int64) * annotators + rows.annotator
        order = np.argsort(key * species + rows.species, kind="stable")
    else:
        order = np.lexsort((rows.species, rows.annotator, rows.recording))
    return Rows(*(column[order] for column in rows))


def _differs(column: Ints) -> Bools:
    """Return, for each value, whether it differs from the one before it; true for the first."""
    return np.append(True, column[1:] != column[:-1])


def _refuse_contradiction(
    rows: Rows, again: Bools, tables: Mapping[str, pd.DataFrame], source: Source
) -> None:
    """Raise an error if an annotator has two different votes on one species in one recording."""
    clash = np.flatnonzero(again & _differs(rows.vote))
    if not len(clash):
        return
    at = clash[np.argmin(rows.row[clash])]
    what = {PRESENT: "present", ABSENT: "absent", UNSURE: "unsure"}
    said = [what[int(rows.vote[i])] for i in (at - 1, at)]
    who, where, which = (
        tables[word].index[getattr(rows, word)[at]] for word in ("annotator", "recording", "species")
    )
    raise AnnotationError(
        f"annotator '{who}' calls species '{which}' in recording '{where}' "
        f"both {said[0]} and {said[1]} (see row {source.row(rows.row[at - 1])})",
        "keep the correct row and delete the other",
        file=source.name,
        row=source.row(rows.row[at]),
    )


def _declared_lists(declared: Mapping[str, Coded], tables: Mapping[str, pd.DataFrame]) -> Ragged:
    """Return the species that each annotator declared; rows with a blank are ignored."""
    who, what = (declared[word].codes_in(tables[word].index) for word in ("annotator", "species"))
    use = (who >= 0) & (what >= 0)
    return Ragged.from_pairs(who[use], what[use], rows=len(tables["annotator"]))


def _scopes_with(known: Ragged, visit_annotator: Ints, beyond: Ragged) -> tuple[Ragged, Ints]:
    """Return the scope of each visit: that of its annotator, with any reported species outside it added."""
    special = np.flatnonzero(beyond.sizes)
    base, more = known.take(visit_annotator[special]), beyond.take(special)
    wider = Ragged.from_pairs(
        np.concatenate([base.row_of_item(), more.row_of_item()]),
        np.concatenate([base.item, more.item]),
        rows=len(special),
    )
    visit_scope = visit_annotator.copy()
    visit_scope[special] = known.rows + np.arange(len(special))
    return known.stack(wider), visit_scope


def _warn_of_labels(
    cells: Mapping[str, Coded], known: Mapping[str, pd.DataFrame | None], sources: Sources
) -> None:
    """Warn about tables that share no label, and about labels that differ only in upper and lower case."""
    for word, table, source in (
        ("recording", known["recording"], sources.recordings),
        ("annotator", known["annotator"], sources.annotators),
        ("species", known["species"], sources.species),
    ):
        used = [text for text in cells[word].text if text]
        if table is not None and len(table) and used and not table.index.isin(used).any():
            _warn(f"{source.name}: none of its {word} labels is in {sources.frame.name}; are they the same?")
        if word == "recording":
            continue
        spelt: dict[str, str] = {}
        for text in [*used, *(() if table is None else table.index)]:
            other = spelt.setdefault(text.casefold(), text)
            if other != text:
                _warn(
                    f"{sources.frame.name}: '{other}' and '{text}' are two {word} labels; should they be one?"
                )
                break


def _warn(message: str) -> None:
    warn(message, AnnotationWarning)


def _warn_of_scope(
    outside: int, known: Ragged, visit_annotator: Ints, index: pd.Index, source: Source
) -> None:
    without = [index[j] for j in np.unique(visit_annotator) if not known.sizes[j]]
    if without:
        _warn(
            f"{source.name}: {len(without)} annotator(s) have visits but no row in the scope table, "
            f"so species they do not mention get no vote: {', '.join(map(str, without[:5]))}"
        )
    if outside:
        _warn(
            f"{source.name}: {outside} report(s) are of a species outside the annotator's scope; "
            "the species is added to the scope of that visit"
        )
