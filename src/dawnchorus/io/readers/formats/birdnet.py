"""Reader of results of BirdNET-Analyzer: tables in CSV or Parquet, or for Raven; one file or a folder.

Public description: https://birdnet-team.github.io/BirdNET-Analyzer/.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed, option
from ...plain import PlainTables, told_absence
from ..field_rows import FieldError, FieldRows, number_field, tables_and_others, tell_others
from ..glimpse import Glimpse
from ..inputs import InputFile, Inputs, PathLike
from ..long_rows import LongRows
from ..machines.birdnet_recordings import Analysed
from ..machines.birdnet_runs import Run, species_names
from ..windows import Recordings, Windows

TIMES = {"start_s": "end_s", "begin_time_s": "end_time_s"}
"""The columns of beginning and end in CSV results and in Raven tables."""
FIELDS = ("confidence", "file", "begin_path", "begin_file", "file_offset_s", "min_conf", "species_list")
NOTHING = ("", "nocall", "background", "no call", "noise")
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
    """Results of BirdNET-Analyzer: CSV, Parquet or Raven tables of detections with their confidence.

    Parameters
    ----------
    inputs
        The results, one file or a folder of them.
    absence
        What silence means: with a species list `"scope"`, absent if the species is in it; otherwise
        `"explicit"`, no vote.
    threshold
        The smallest confidence of a report; by default all that is in the results. Scores count as cut off
        there, or at the minimum confidence of the run if that is higher; if nothing tells that, it is the
        smallest confidence in the results.
    species_list
        Path of the species list of the run, with one species per line: `Scientific name_Common name`, or
        one of the two. By default the one that the results name, if it is among the files.
    window
        The length of windows in seconds, each of which is a recording; 0 takes whole files.
    duration
        The length of the audio files in seconds; by default until the last detection by anybody.
    common_names
        Name species by their common names, not by their scientific ones.
    machine
        The name of the annotator.
    """
    told = told_absence(absence, None, ("explicit", "scope"), NO_CHECKLIST)
    names = {} if species_list is None else species_names(species_list, common_names)
    windows, recordings, run = Windows(window, duration), Recordings(), Run()
    rows, analysed = LongRows(), Analysed(recordings)
    tables, others = tables_and_others(inputs, _results)
    others = [file for file in others if not run.settings(file) and not analysed.lists(file)]
    for table in tables:
        rows.file(table.file.name)
        found = _detections(table, analysed, windows, threshold, common_names, run, bad)
        for (name, label), best in found.items():
            rows.add(name, machine, label, row=best.row, score=best.score)
    for recording in analysed.all():
        for index in windows.of(recording):
            rows.add(windows.name(recording, index), machine)
    if not len(rows):
        raise AnnotationError(
            "nothing was detected, and nothing tells which recordings were analysed",
            "give results with a table for each recording",
            file=inputs.name,
        )
    beside = None if species_list else run.list_among(others)
    if beside is not None:
        names = species_names(beside, common_names)
        warn(f"{inputs.name}: the species list of the run is {beside.name}")
    tell_others([file for file in others if file != beside], "table of results", inputs.name)
    run.tell_names(names, inputs.name)
    rows.rename("recording", windows.renaming(recordings.named(inputs.name)))
    rows.rename("species", partial(run.name, species=names))
    told = told or ("scope" if names else "explicit")
    its = f"; that of the run was {listed(run.lists, 3)}" if run.lists else ""
    if told == "scope" and not names:
        raise AnnotationError(
            f"{option('absence', 'scope')} needs the species list of the run",
            f"give {option('species_list')}{its}",
            file=inputs.name,
        )
    if told == "explicit":
        warn(
            f"{inputs.name}: without {option('species_list')}, what the machine does not report is no vote, "
            f"so its error rates cannot be estimated{its}"
        )
    listed_species = pd.DataFrame({"annotator": machine, "species": list(dict.fromkeys(names.values()))})
    return PlainTables(
        rows.frame(),
        told,
        scope=listed_species if names else None,
        sources=Sources(rows.source(inputs.name)),
        score_scale="probability",
        score_thresholds={machine: run.cut(threshold, inputs.name)} if run.smallest < math.inf else {},
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether one of the tables has times, names and the confidence of detections."""
    return any(
        {"confidence", "common_name"} <= columns and not columns.isdisjoint(TIMES)
        for columns in glimpse.tables
    )


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
    analysed: Analysed,
    windows: Windows,
    threshold: float | None,
    common_names: bool,
    run: Run,
    bad: BadRows,
) -> dict[tuple[str, str], Found]:
    """Return the best score by window and species in a table of results, and remember its recordings."""
    file = table.file
    start = next(name for name in TIMES if name in table.columns)
    names = ("common_name", "scientific_name") if common_names else ("scientific_name", "common_name")
    kind, other = sorted(names, key=lambda name: name not in table.columns)
    visited: dict[str, None] = {}
    found: dict[tuple[str, str], Found] = {}
    called: dict[tuple[str, str], None] = {}
    lists: dict[str, None] = {}
    for number, fields in table.rows((start, TIMES[start], kind, other, *FIELDS), bad):
        begin, end, label, also, confidence, audio, path, name, offset, least, chosen = fields
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
            run.confidence(least)
            recording = analysed.recordings.key(audio or path or name) or analysed.called_like(file)
            visited[recording] = None
            try:
                where = windows.overlapped(recording, first, last)
            except AnnotationError as error:
                raise FieldError(TIMES[start], error.problem) from None
        except FieldError as wrong:
            bad.found(wrong.at(file, number, "analyse the recordings again, or correct the row"))
            continue
        lists[chosen] = None
        if label.strip().lower() in NOTHING:
            continue
        called[label, also] = None
        run.smallest = min(run.smallest, score)
        if threshold is not None and score < threshold:
            continue
        for index in where:
            key = windows.name(recording, index), label
            if key not in found or found[key].score < score:
                found[key] = Found(score, number)
    if "species_list" in table.columns:
        run.species_lists(lists)
    if other in table.columns:
        run.also_called(called)
    elif kind != names[0]:
        run.only_called(label for label, _ in called)
    analysed.told(file, visited)
    return found
