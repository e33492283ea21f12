"""Reader of results of BirdNET-Analyzer: CSV tables or Raven selection tables, one file or a folder.

Public description: https://birdnet-team.github.io/BirdNET-Analyzer/.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import option
from ...plain import PlainTables, told_absence
from ..damaged_files import UNREADABLE, damaged
from ..field_rows import FieldError, FieldRows, number_field, tables_among
from ..glimpse import Glimpse
from ..inputs import InputFile, Inputs, PathLike, input_files
from ..long_rows import LongRows
from ..windows import Recordings, Windows

TIMES = {"start_s": "end_s", "begin_time_s": "end_time_s"}
"""The columns of beginning and end in CSV results and in Raven tables."""
FIELDS = ("confidence", "file", "begin_path", "begin_file", "file_offset_s")
NOTHING = ("", "nocall", "background", "no call", "noise")
RESULT_NAME = re.compile(r"(\.birdnet)?(\.(results|selection\.table|table))*$", re.IGNORECASE)
PATH_END = re.compile(r"\.(csv|txt|tsv)$", re.IGNORECASE)
MACHINE = "BirdNET"
NO_CHECKLIST = "the machine answers for the species list of its run"


class Found(NamedTuple):
    """The best score of a species in a window, and the row that has it."""

    score: float
    row: int


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    threshold: float | None = None,
    species_list: PathLike | None = None,
    window: float = 3.0,
    duration: float | None = None,
    common_names: bool = False,
    machine: str = MACHINE,
) -> PlainTables:
    """Results of BirdNET-Analyzer: CSV or Raven tables of detections with their confidence.

    Parameters
    ----------
    inputs
        The results, one file or a folder of them.
    absence
        What silence means: with a species list `"scope"`, absent if the species is in it; otherwise
        `"explicit"`, no vote.
    threshold
        The smallest confidence of a report; by default all that is in the results. Scores count as cut off
        there, or at the smallest confidence in the results if that is higher.
    species_list
        Path of the species list of the run: a species a line, as `Scientific name_Common name` or one of the
        two.
    window
        The length of windows in seconds, each of which is a recording; 0 takes whole files.
    duration
        The length of the audio files in seconds; by default until the last detection by anybody.
    common_names
        Name species by their common names, not by their scientific ones.
    machine
        The name of the annotator.
    """
    told = told_absence(absence, "scope" if species_list else "explicit", ("explicit", "scope"), NO_CHECKLIST)
    if told == "scope" and species_list is None:
        raise AnnotationError(
            f"{option('absence', 'scope')} needs the species list of the run",
            f"give {option('species_list')}",
            file=inputs.name,
        )
    species = {} if species_list is None else read_species_list(species_list, common_names)
    windows = Windows(window, duration)
    rows, recordings, smallest = LongRows(), Recordings(), math.inf
    for table in tables_among(inputs, _results, "table of results"):
        rows.file(table.file.name)
        visited, found, least = _detections(table, recordings, windows, threshold, common_names, bad)
        smallest = min(smallest, least)
        found = {(name, species.get(label, label)): best for (name, label), best in found.items()}
        for recording in visited:
            for index in windows.of(recording):
                name = windows.name(recording, index)
                if rows.new_visit(name, machine):
                    rows.add(name, machine)
        for (name, label), best in found.items():
            rows.add(name, machine, label, row=best.row, score=best.score)
    rows.rename("recording", windows.renaming(recordings.named(inputs.name)))
    names = list(dict.fromkeys(species.values()))
    scope = None if species_list is None else pd.DataFrame({"annotator": machine, "species": names})
    if told == "explicit":
        warn(
            f"{inputs.name}: without {option('species_list')}, what the machine does not report is no vote, "
            "so its error rates cannot be estimated"
        )
    return PlainTables(
        rows.frame(),
        told,
        scope=scope,
        sources=Sources(rows.source(inputs.name)),
        score_scale="probability",
        score_thresholds={machine: max(smallest, threshold or 0.0)} if smallest < math.inf else {},
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether one of the tables has times, names and the confidence of detections."""
    return any(
        {"confidence", "common_name"} <= columns and not columns.isdisjoint(TIMES)
        for columns in glimpse.tables
    )


def read_species_list(path: PathLike, common_names: bool) -> dict[str, str]:
    """Return the names of species in a list as BirdNET writes it, by both names; raise an error if none.

    Selection tables have common names only, so these lead to the scientific ones.
    """
    file = input_files(path).files[0]
    try:
        with file.open() as stream:
            lines = stream.read(1 << 24).decode("utf-8-sig").splitlines()
    except UnicodeError:
        raise AnnotationError("the text is not UTF-8", "save it as UTF-8", file=file.name) from None
    except UNREADABLE as error:
        raise damaged(error, file.name) from None
    parts = [line.strip().partition("_") for line in lines if line.strip()]
    if not parts:
        raise AnnotationError("the species list is empty", "write a species a line", file=file.name)
    names = {}
    for first, _, common in parts:
        names[first] = names[common or first] = (common or first) if common_names else first
    return names


def _results(file: InputFile) -> FieldRows:
    """Return a table of results; raise an error if it is none."""
    table = FieldRows(file)
    start = next((name for name in TIMES if name in table.columns), "start_s")
    table.needs([start, TIMES[start], "confidence"], "a table of BirdNET's results")
    if not {"scientific_name", "common_name"} & set(table.columns):
        table.needs(["scientific_name", "common_name"], "a table of BirdNET's results")
    return table


def _detections(
    table: FieldRows,
    recordings: Recordings,
    windows: Windows,
    threshold: float | None,
    common_names: bool,
    bad: BadRows,
) -> tuple[list[str], dict[tuple[str, str], Found], float]:
    """Return the recordings of a table of results, the best score by window and species, and the smallest."""
    file = table.file
    start = next(name for name in TIMES if name in table.columns)
    names = ("common_name", "scientific_name") if common_names else ("scientific_name", "common_name")
    kind = next(name for name in names if name in table.columns)
    folders, _, own_name = file.name.replace("\\", "/").rpartition("/")
    own_name = RESULT_NAME.sub("", PATH_END.sub("", own_name.removesuffix(".gz")))
    visited: dict[str, None] = {}
    found: dict[tuple[str, str], Found] = {}
    smallest = math.inf
    for number, fields in table.rows((start, TIMES[start], kind, *FIELDS), bad):
        begin, end, label, confidence, audio, path, name, offset = fields
        try:
            first = number_field(begin, start)
            last = number_field(end, TIMES[start])
            if offset.strip():  # times of tables of several files are of all of them together
                first, last = number_field(offset, "file_offset_s"), last - first
                last += first
            if first < 0 or last < first:
                raise FieldError(TIMES[start], f"the detection ends at {last:g}, before it begins")
            score = number_field(confidence, "confidence")
            if not 0 <= score <= 1:
                raise FieldError("confidence", f"{score:g} is not between 0 and 1")
            recording = recordings.key(audio or path or name) or recordings.below(folders, own_name)
            visited[recording] = None
            try:
                where = windows.overlapped(recording, first, last)
            except AnnotationError as error:
                raise FieldError(TIMES[start], error.problem) from None
        except FieldError as wrong:
            bad.found(wrong.at(file, number, "analyse the recordings again, or correct the row"))
            continue
        if label.strip().lower() in NOTHING:
            continue
        smallest = min(smallest, score)
        if threshold is not None and score < threshold:
            continue
        for index in where:
            key = windows.name(recording, index), label
            if key not in found or found[key].score < score:
                found[key] = Found(score, number)
    return list(visited) or [recordings.below(folders, own_name)], found, smallest
