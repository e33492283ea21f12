"""Reader of Raven selection tables and Audacity label tracks: a file for each annotator and recording.

Public descriptions:
https://www.ravensoundsoftware.com/knowledge-base/save-all-selections-in-current-tables/ and
https://manual.audacityteam.org/man/importing_and_exporting_labels.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.labels import counted, verb
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed, option
from ...plain import PlainTables
from ..damaged_files import UNREADABLE, damaged
from ..field_rows import FieldError, FieldRows, number_field, tidy
from ..glimpse import Glimpse
from ..guards import with_lines
from ..inputs import InputFile, Inputs
from ..long_rows import LongRows
from ..windows import Recordings, Windows

LABELS = ("species", "annotation", "label", "common_name", "scientific_name", "tags", "code", "species_code")
"""The columns of a selection table that may have the species, the likeliest first."""
BEGIN, END = "begin_time_s", "end_time_s"
ENDING = re.compile(r"(\.table\.\d+)?(\.selections)?(\.(txt|tsv|csv))?$", re.IGNORECASE)
DEFAULT = "{annotator}/{recording}"
AUDACITY = re.compile(
    r"\s*-?\d+([.,]\d+)?(e[+-]?\d+)?\t\s*-?\d+([.,]\d+)?(e[+-]?\d+)?(\t.*)?$", re.IGNORECASE
)


class Selection(NamedTuple):
    """A label of a stretch of time in a recording, and its row."""

    recording: str
    start: float
    end: float
    label: str
    row: int


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    window: float | None = None,
    duration: float | None = None,
    pattern: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> PlainTables:
    """Raven selection tables or Audacity labels, a file for each annotator and recording.

    Parameters
    ----------
    inputs
        A folder of files, or several files. By default a file's folder is named like the annotator and the
        file like the recording.
    absence
        What silence means; by default `"checklist"`: who labels a recording answers for all species.
    window
        Cut recordings into windows of so many seconds, each of which is a recording; by default files are
        whole.
    duration
        The length of the recordings in seconds; by default until the last label by anybody.
    pattern
        How files are named, with `{annotator}` and `{recording}`, as in `"{recording}_{annotator}"`.
    columns
        The column of selection tables with the species, as in `{"species": "Call Type"}`.
    """
    windows, recordings = Windows(window, duration), Recordings()
    named = _names(inputs, pattern, recordings, bad)
    label = tidy(columns["species"]) if columns and "species" in columns else None
    rows = LongRows()
    visits: dict[tuple[str, str], str] = {}
    reports: list[tuple[str, str, int, Selection]] = []
    unlabelled = 0
    for file, annotator, recording in named:
        if recording:
            visits.setdefault((recording, annotator), file.name)
        for found in _selections(file, recording, label, partial(recordings.key, owner=annotator), bad):
            visits.setdefault((found.recording, annotator), file.name)
            try:
                where = windows.overlapped(found.recording, found.start, found.end)
            except AnnotationError as error:
                bad.found(FieldError(END, error.problem).at(file, found.row, error.remedy))
                continue
            unlabelled += not found.label.strip()
            if found.label.strip():
                reports += [(file.name, annotator, index, found) for index in where]
    names = recordings.named(inputs.name)
    windows.rename(names)
    for (recording, annotator), name in visits.items():
        rows.file(name)
        for index in windows.of(names[recording]):
            rows.add(windows.name(names[recording], index), annotator)
    for name, annotator, index, found in reports:
        rows.file(name)
        rows.add(windows.name(names[found.recording], index), annotator, found.label, row=found.row)
    if unlabelled:
        warn(
            f"{inputs.name}: {counted(unlabelled, 'selection')} without a label "
            f"{verb(unlabelled, 'was', 'were')} left out"
        )
    if not len(rows):
        raise AnnotationError("there is no table to read", "check the files", file=inputs.name)
    return PlainTables(
        rows.frame(), absence or "checklist", sources=Sources(rows.source(inputs.name, guarded=True))
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether the first text is a selection table, or a label track, of a person."""
    text = glimpse.first_text(".txt", ".tsv")
    first = text.splitlines()[0] if text.strip() else ""
    columns = {tidy(name) for name in first.split("\t")}
    return ({BEGIN, END} <= columns and "confidence" not in columns) or bool(AUDACITY.match(first))


def _names(
    inputs: Inputs, pattern: str | None, recordings: Recordings, bad: BadRows
) -> list[tuple[InputFile, str, str]]:
    """Return the files with the annotator and the recording that they are named by.

    Files of one annotator, or below one folder, with the same name are of different recordings.
    """
    told = pattern or DEFAULT
    if "{annotator}" not in told:
        raise AnnotationError(
            f"{option('pattern', told)} does not have {{annotator}}",
            f"write for example {option('pattern', '{recording}_{annotator}')}",
        )
    parts = re.split(r"(\{annotator\}|\{recording\})", told)
    groups = {"{annotator}": "(?P<annotator>[^/]+?)", "{recording}": "(?P<recording>[^/]+?)"}
    if len(set(parts) & set(groups)) != sum(part in groups for part in parts):
        raise AnnotationError(f"{option('pattern', told)} names something twice", "name it once")
    expected = re.compile("(?:^|/)" + "".join(groups.get(part, re.escape(part)) for part in parts) + "$")
    found = []
    for file in inputs.files:
        name = ENDING.sub("", file.inside.replace("\\", "/"))
        match = expected.search(name)
        if match is None:
            error = AnnotationError(
                f"its name does not tell the annotator: it is not like {told}",
                f"put the files of each annotator into a folder, or give {option('pattern')}",
                file=file.name,
            )
            bad.found(error)
            continue
        annotator, recording = match["annotator"], match.groupdict().get("recording", "")
        if recording:
            root = file.name.replace("\\", "/").removesuffix(".gz").removesuffix(file.inside)
            folders = [each for each in (root + name[: match.start()]).split("/") if each != annotator]
            recording = recordings.below("/".join(folders), recording, f"annotator {annotator}", f"in {root}")
        found.append((file, annotator, recording))
    return found


Told = Callable[[str], str]
"""A function that returns the recording of a path."""


def _selections(
    file: InputFile, recording: str, label: str | None, told: Told, bad: BadRows
) -> Iterator[Selection]:
    """Yield the selections in a file; an empty file has none."""
    head = file.head(4096)
    text = head.decode("utf-8-sig", "ignore")
    if not head.strip():
        return
    first = text.lstrip("\r\n").splitlines()[0] if text.strip() else ""
    if AUDACITY.match(first):
        yield from _audacity(file, recording, bad)
    else:
        table = FieldRows(file, quoted="\t" not in first)  # Raven writes fields as they are, between tabs
        yield from _raven(table, recording, label, told, bad)


def _raven(
    table: FieldRows, recording: str, label: str | None, told: Told, bad: BadRows
) -> Iterator[Selection]:
    file = table.file
    table.needs([BEGIN, END], "a selection table of Raven")
    column = label or next((name for name in LABELS if name in table.columns), None)
    if column not in table.columns:
        if not any(table.rows([BEGIN], BadRows(skip=True))):
            return  # who selected nothing needed no column of labels
        what = f"is called '{label}'" if label else "has the species"
        raise AnnotationError(
            f"no column {what}; the columns are {listed(table.columns)}",
            f"say which has the species, as in {option('columns', {'species': 'Call Type'})}",
            file=file.name,
            row=1,
        )
    fields = (BEGIN, END, column, "begin_file", "begin_path", "file_offset_s")
    for number, found in table.rows(fields, bad):
        begin, end, name, audio, path, offset = map(_unquoted, found) if '"' in "".join(found) else found
        try:
            start, last = number_field(begin, BEGIN), number_field(end, END)
            where = recording or told(path or audio)
            if not where:
                raise FieldError("begin_file", "neither the file's name nor the row tells the recording")
            if not recording and offset.strip():
                start, last = number_field(offset, "file_offset_s"), last - start
                last += start
            _check(start, last, END)
        except FieldError as wrong:
            bad.found(wrong.at(file, number, "correct the row, or save the table again"))
            continue
        yield Selection(where, start, last, name, number)


def _unquoted(field: str) -> str:
    """Return a field without the quotation marks in which spreadsheets and R put it."""
    inside = field[1:-1].replace('""', "")
    whole = len(field) > 1 and field[0] == field[-1] == '"' and '"' not in inside
    return field[1:-1].replace('""', '"') if whole else field


def _audacity(file: InputFile, recording: str, bad: BadRows) -> Iterator[Selection]:
    try:
        with file.open() as stream:
            lines = with_lines(stream, file.name).read().decode("utf-8-sig").splitlines()
    except UnicodeError:
        raise AnnotationError("the text is not UTF-8", "save it as UTF-8", file=file.name) from None
    except AnnotationError:
        raise
    except UNREADABLE as error:
        raise damaged(error, file.name) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("\\"):  # a line of frequencies follows a label of a region
            continue
        start, _, rest = line.partition("\t")
        end, _, label = rest.partition("\t")
        try:
            first, last = (number_field(value.strip().replace(",", "."), "time") for value in (start, end))
            _check(first, last, "time")
            if not recording:
                raise FieldError("label", "the file's name does not tell the recording")
            if "\t" in label.rstrip():
                raise FieldError(
                    "label",
                    "a further column follows it, which labels of Audacity do not have; of BirdNET's "
                    "results, use those in CSV or for Raven",
                )
        except FieldError as wrong:
            bad.found(wrong.at(file, number, "export the labels again, or correct the line"))
            continue
        yield Selection(recording, first, last, label, number)


def _check(start: float, end: float, field: str) -> None:
    if start < 0 or end < start:
        raise FieldError(field, f"the selection is from {start:g} to {end:g} seconds")
