"""A first look at files: which format they seem to be, what is in them, and how to fit them."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..annotations.frames.columns import resolve
from ..annotations.frames.reading import native_frame
from ..annotations.labels import as_text
from ..annotations.summary import Summary
from ..annotations.votes import ABSENT, VOTES, Absence
from ..common.errors import AnnotationError, AnnotationWarning
from ..common.files.whole import check_new, check_place
from ..common.wording import option_name
from .folders import sorted_files
from .names import suggested_names, write_suggested_names
from .plain import PlainTables
from .readers.glimpse import Glimpse
from .readers.inputs import Inputs, PathLike, Paths, input_files, path_list
from .reading import PLAIN, plain_format, read_tables, tell_guess
from .registry import READERS, guessed

MOST_SPECIES = 5
LABELLING = ("drop_unreported", "fold_case", "keep_na", "score_scale")
"""Options that are not of readers."""


@dataclass(frozen=True)
class Look:
    """What a first look at files has found; print it for a table.

    Attributes
    ----------
    format, guessed
        The format in which they were read, and whether it was recognised by the files themselves.
    others
        Files of a folder that are no annotations, and what they are for: `"scope"`, `"recordings"`,
        `"annotators"`, `"species"`, `"names"`, `"truth"`, or nothing that is known.
    files
        The number of files.
    columns
        The columns of the first table, if it is one.
    summary
        Numbers of recordings, annotators, species, visits and so on.
    most_reported
        The most reported species, with their reports.
    bad_rows, first_bad
        The number of rows that cannot be used, and what is wrong with the first.
    names
        Species that have nearly the name of another, as a names table to accept: from, to, why, and the rows
        of both.
    told
        The warnings while reading; `notes` has them as text.
    command
        The command that fits the files.
    advice
        What to know before it is used, such as other meanings that silence may have.
    """

    format: str
    guessed: bool
    files: int
    columns: list[str]
    summary: Summary
    most_reported: dict[str, int]
    bad_rows: int
    first_bad: str | None
    names: pd.DataFrame
    told: list[AnnotationWarning]
    command: str
    others: dict[str, str]
    advice: list[str]

    @property
    def notes(self) -> list[str]:
        """What was noticed while reading."""
        return [str(note) for note in self.told]

    def as_dict(self) -> dict[str, Any]:
        """Return what was found as a dict of plain values."""
        plain = {"summary": self.summary.as_dict(), "names": self.names.to_dict("records")}
        found = {"notes" if name == "told" else name: value for name, value in vars(self).items()}
        return {**found, "notes": self.notes, **plain}

    def as_rows(self) -> list[tuple[str, str]]:
        """Return what was found as pairs of a name and a readable value."""
        plain = "plain table (no other format recognised)"
        how = f"{self.format} ({'recognised' if self.guessed else 'as told'})"
        most = ", ".join(f"{name} ({number:,})" for name, number in self.most_reported.items())
        bad = [("bad rows", f"{self.bad_rows:,}; the first: {self.first_bad}")] if self.bad_rows else []
        rows = [*bad, ("format", plain if self.format == PLAIN else how), ("files", f"{self.files:,}")]
        if self.others:
            others = [f"{name} ({what})" if what else name for name, what in self.others.items()]
            rows.append(("no annotations", ", ".join(others)[:300]))
        rows += [("columns", ", ".join(self.columns)[:300])] if self.columns else []
        rows += [row for row in self.summary.as_rows() if row[0] in SHOWN]
        rows += [("most reported", most)] if most else []
        if len(self.names):
            few = self.names.head(MOST_SPECIES)
            pairs = [f"{a} and {b}" for a, b in zip(few["from"], few["to"], strict=True)]
            more = len(self.names) - len(few)
            rows.append(("nearly the same", ", ".join([*pairs, *([f"{more:,} more"] if more else [])])))
        return rows

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.as_rows())
        lines = [f"{name:<{width}}  {value}" for name, value in self.as_rows()]
        return "\n".join([*lines, f"To fit it: {self.command}", *self.advice])


NOT = {"drop_unreported": option_name("keep_unreported"), "fold_case": "", "keep_na": "", "common_names": ""}
SHOWN = ("recordings", "annotators", "species", "visits", "visits per recording", "reports", "unsure")


def look(
    path: Paths,
    format: str | None = None,
    absence: Absence | None = None,
    *,
    write_names: PathLike | None = None,
    overwrite: bool = False,
    **options: Any,
) -> Look:
    r"""Return what is in files, which format they seem to be, and the command that fits them.

    Bad rows are left out and counted. If silence has no meaning of its own in the format and `absence` is not
    told, the command has the value that seems likely, and `advice` names the others. Of a folder with other
    tables beside the annotations, such as `scope.csv` or `recordings.csv`, these are recognised by name.

    Parameters
    ----------
    path, format, absence, options
        As in `read`.
    write_names
        A CSV file to write: the names table of species that have nearly the name of another, to be looked
        through and then given to `read` as `names`.
    overwrite
        Replace that file if it exists.

    Returns
    -------
    Look

    Raises
    ------
    AnnotationError
        If the files cannot be read.
    OutputError
        If the names table cannot be written.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/wide.csv", "w") as file:
    ...         _ = file.write("clip,user,wren,owl\n1,Aino,1,0\n2,Onni,0,\n")
    ...     seen = dc.look(f"{folder}/wide.csv")
    >>> seen.format, seen.summary.visits, seen.most_reported
    ('wide', 2, {'wren': 1})
    """
    if write_names is not None:
        check_new(Path(write_names), overwrite=overwrite)
        check_place(Path(write_names))
    inputs = input_files(path)
    glimpse = Glimpse(inputs.files)
    seems = guessed(glimpse)
    folder = sorted_files(inputs, options.get("columns")) if (format or seems or PLAIN) == PLAIN else None
    if folder is not None:
        inputs = Inputs(inputs.name, folder.annotations)
        glimpse, path = Glimpse(inputs.files), [file.name for file in inputs.files]
        beside = {word: file.name for word, file in folder.beside.items() if word != "truth"}
        options = {**beside, **options}
    chosen = format or seems or plain_format(glimpse)
    if chosen not in READERS:
        read_tables(path, chosen)  # raises
    labels: dict[str, Any] = {name: options.pop(name) for name in LABELLING if name in options}
    options.pop("skip_bad", None)
    told = absence
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", AnnotationWarning)
            read = read_tables(path, chosen, absence, inputs=inputs, skip_bad=True, **options)
            by_absence = read.tables.absence is None
            if by_absence:
                absence = _likely_absence(read.tables)
            annotations = read.annotations(absence=absence, **labels)
    except AnnotationError:
        if format is None and seems is not None:
            tell_guess(inputs, seems)
        raise
    names = suggested_names(annotations.provenance.near_misses)
    if write_names is not None:
        write_suggested_names(names, Path(write_names))
    reports = annotations.reports_by_species
    order = sorted(range(len(reports)), key=lambda k: (-reports[k], annotations.species.index[k]))
    return Look(
        format=chosen,
        guessed=chosen == seems,
        files=len(inputs.files),
        columns=[] if glimpse.table is None else list(glimpse.table.columns),
        summary=annotations.summary(),
        most_reported={
            str(annotations.species.index[k]): int(reports[k]) for k in order[:MOST_SPECIES] if reports[k]
        },
        bad_rows=read.bad.number,
        first_bad=None if read.bad.first is None else str(read.bad.first),
        names=names,
        told=[
            note.message
            for note in found
            if isinstance(note.message, AnnotationWarning) and "left out, as told" not in str(note.message)
        ],
        command=" ".join(
            [
                *_command(path, format if format != seems else None, {**options, **labels}),
                *([option_name("absence"), str(absence)] if told or by_absence else []),
                f"{option_name('out')} fitted",
            ]
        ),
        others={} if folder is None else folder.others(),
        advice=[
            *(_other_meanings(str(absence), "scope" in options) if by_absence else []),
            *(_about_bad_rows(read.bad.number) if read.bad.number else []),
            *(_about_truth(folder.beside["truth"].name) if folder and "truth" in folder.beside else []),
        ],
    )


MEANINGS = {
    "explicit": "no vote, since absences are rows with present = 0",
    "scope": "absent, if the species is in the annotator's scope table; otherwise no vote",
    "checklist": "absent, since every visit answers for every species",
}


def _likely_absence(tables: PlainTables) -> Absence:
    """Return what silence seems to mean: with a scope table that; where absences are said, nothing."""
    if tables.scope is not None:
        return "scope"
    table, source = native_frame(tables.votes, tables.sources.frame), tables.sources.frame
    column = resolve(table.columns, [], ["present"], source, tables.columns).get("present")
    said = set() if column is None else {as_text(each).lower() for each in table[column].unique().to_list()}
    return "explicit" if any(VOTES.get(text) == ABSENT for text in said) else "checklist"


def _other_meanings(chosen: str, with_scope: bool) -> list[str]:
    words = {name: f"{option_name('absence')} {name}" for name in MEANINGS}
    if not with_scope:
        words["scope"] += f" {option_name('scope')} scope.csv"
    width = max(map(len, words.values()))
    return [
        f"Here silence about a species means: {MEANINGS[chosen]}. If it means something else, write instead:",
        *(f"  {words[name]:<{width}}  {MEANINGS[name]}" for name in MEANINGS if name != chosen),
    ]


def _about_bad_rows(number: int) -> list[str]:
    rows = "1 bad row stops it: mend that" if number == 1 else f"{number:,} bad rows stop it: mend them"
    return [
        f"{rows} first. Or add {option_name('skip_bad')}, which leaves out what cannot be used, as if nobody "
        "had said it."
    ]


def _about_truth(name: str) -> list[str]:
    words = ["dawnchorus", "evaluate", "fitted", option_name("truth"), name]
    return [f"To compare the fit with the truth: {shlex.join(words)}"]


def _command(path: Paths, format: str | None, options: Mapping[str, Any]) -> list[str]:
    """Return the words of the command that reads the files in the same way; a guess is made again."""
    words = ["dawnchorus", "fit", *map(str, path_list(path))]
    words += [] if format is None else [option_name("format"), format]
    for name, value in options.items():
        if name == "names" and not isinstance(value, str | Path):
            words += [option_name(name), "names.csv"]  # a frame, which is to be written first
        elif isinstance(value, Mapping):
            words += [word for pair in value.items() for word in (option_name(name), "=".join(pair))]
        elif value is True or value is False:
            words.append(option_name(name) if value else NOT[name])
        else:
            several = value if isinstance(value, list | tuple) else [value]
            words += [word for each in several for word in (option_name(name), str(each))]
    return [shlex.quote(word) for word in words]
