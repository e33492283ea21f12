"""Folder: a result as a folder of files, whole or not at all, and back."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..._version import __version__
from ...annotations.counting import ALL_CELLS
from ...common.errors import AnnotationWarning, OutputError
from ...common.json_text import write_json
from ...common.lazy import lazy
from ...common.progress import Phases, no_phases
from ...common.whole_files import add_to_manifest, whole_folder
from ...io.writers.csv_tables import csv_lines, write_table
from ..result import Result
from .netcdf import DRAWS

PAGES = lazy("dawnchorus.report")
"""Pages and plots are imported only when they are needed."""
MOST_ROWS = 200_000_000
"""A presence.csv with more rows than this is refused."""
MIN_PROBABILITY = 0.01
RECORD = "fit.json"
REPORT = "report.html"


def write_result(
    result: Result,
    path: str | Path,
    *,
    min_probability: float = MIN_PROBABILITY,
    keep_reported: bool = True,
    overwrite: bool = False,
    record: dict[str, Any] | None = None,
    report: bool = False,
    progress: Phases | None = None,
) -> dict[str, Any]:
    """Write presence.csv, annotators.csv, species.csv, recordings.csv and fit.json into a new folder.

    A posterior adds posterior.nc and, as the model has them, annotator_species.csv and components.csv; with
    `report`, also report.html. presence.csv has every cell if there are at most five million; otherwise the
    cells with a probability of at least `min_probability` and, unless told otherwise, those with a report.

    Parameters
    ----------
    result
        The result of `fit`.
    path
        The folder to write.
    min_probability, keep_reported
        Which cells to list if there are more than five million: those at least so probable, and those that
        anybody reported.
    overwrite
        Whether an existing folder may be replaced, if Dawnchorus wrote all that is in it.
    record
        Further entries of fit.json, such as the command.
    report
        Whether to write report.html as well.
    progress
        Called with what is being done, the steps done and their number (0 if it is unknown).

    Returns
    -------
    dict
        The contents of fit.json.

    Raises
    ------
    OutputError
        If the folder exists and may not be replaced, cannot be written, or presence.csv would be too long.

    Warns
    -----
    AnnotationWarning
        If the report could not be made; everything else is written all the same.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> simulation = dc.simulate_paper(recordings=50, seed=1)
    >>> with TemporaryDirectory() as home:
    ...     result = dc.fit(simulation.annotations, model="majority-vote")
    ...     _ = dc.write_result(result, f"{home}/result")
    ...     saved = dc.read_result(f"{home}/result")
    >>> saved.record["model"], len(saved.presence)
    ('majority-vote', 1250)
    """
    with whole_folder(path, overwrite=overwrite) as folder:
        contents = write_result_files(
            result,
            folder,
            min_probability=min_probability,
            keep_reported=keep_reported,
            record=record,
            progress=progress,
        )
    if report:
        write_report_beside(result, Path(path), record=contents, progress=progress)
    return contents


def write_report_beside(result: Result, folder: Path, **options: Any) -> None:
    """Write report.html into the folder of a result; if that fails, warn and leave the folder as it is."""
    if not hasattr(result, "report"):  # majority vote has no draws to report on
        return
    draws: Any = result
    try:
        PAGES.write_report(draws, folder / REPORT, **options)
    except Exception as error:
        warnings.warn(
            f"the result is whole, but its report could not be made ({error}). "
            f"Remedy: please report this, and try `dawnchorus report {folder}`.",
            AnnotationWarning,
            stacklevel=2,
        )
    else:
        add_to_manifest(folder / REPORT)


def write_result_files(
    result: Result,
    folder: Path,
    *,
    min_probability: float = MIN_PROBABILITY,
    keep_reported: bool = True,
    record: dict[str, Any] | None = None,
    progress: Phases | None = None,
) -> dict[str, Any]:
    """Write the files of a result into an empty folder, which `write_result` then moves to its place."""
    say = progress or no_phases
    compiling = " (compiling, once per machine)" if hasattr(result, "save") else ""
    say(f"Probabilities{compiling}", 0, 0)
    a = result.annotations
    cells = a.n_recordings * a.n_species
    least = 0.0 if cells <= ALL_CELLS else min_probability
    rows = result.count_presence(least, keep_reported=keep_reported)
    if rows > MOST_ROWS:
        raise OutputError(
            f"presence.csv would have {rows:,} rows. Remedy: raise --min-probability above {least} "
            f"(the mean probability of a cell is {result.mean_probability():.4f})."
        )
    folder.mkdir(exist_ok=True)
    done, total = 0, 0.0
    with (folder / "presence.csv").open("w", encoding="utf-8", newline="") as file:
        for number, block in enumerate(result.presence_blocks(least, keep_reported=keep_reported)):
            total += float(block["probability"].sum())
            for text, more in csv_lines(block, header=number == 0):
                file.write(text)
                done += more
                say("Probabilities", done, rows)
    known = {"annotators": a.annotators, "species": a.species, "recordings": a.recordings}
    say("Tables", 0, 0)
    for name, table in result.tables().items():
        if name in known:
            more = known[name][[column for column in known[name] if column not in table]]
            table = pd.concat([table, more.reset_index(drop=True)], axis=1)
        write_table(table, folder / f"{name}.csv")
    if hasattr(result, "save"):
        say("Draws", 0, 0)
        result.save(folder / DRAWS)
    left = cells - done
    listing = {"rows": done, "cells": cells, "min_probability": least}
    if left:
        listing["mean_of_unlisted"] = max(result.mean_probability() * cells - total, 0.0) / left
    contents = {
        "version": __version__,
        "model": result.name,
        **(record or {}),
        **result.details(),
        "data": a.summary().as_dict(),
        "presence": listing,
    }
    write_json(contents, folder / RECORD)
    return contents


@dataclass(frozen=True)
class SavedResult:
    """A result read back from its folder, to be evaluated.

    Attributes
    ----------
    presence
        The table of presence.csv.
    recordings, species
        The names of all recordings and species, listed in presence.csv or not.
    unlisted
        The mean probability of the cells that are not listed, or None if all are.
    record
        The contents of fit.json.
    """

    presence: pd.DataFrame
    recordings: list[str]
    species: list[str]
    unlisted: float | None
    record: dict[str, Any]


def read_record(path: Path) -> dict[str, Any]:
    """Return the contents of fit.json in a folder that `write_result` wrote."""
    if not (path / RECORD).is_file() and (path / "fit" / RECORD).is_file():
        raise OutputError(f"{path} holds a result in its folder fit. Remedy: name {path / 'fit'}.")
    try:
        return dict(json.loads((path / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise _no_result(path, error) from None


def _no_result(path: Path, error: Exception) -> OutputError:
    return OutputError(
        f"{path} is not a folder that `dawnchorus fit` wrote ({error}). "
        "Remedy: name the folder that was given as --out."
    )


def read_result(path: str | Path) -> SavedResult:
    """Return the result in a folder that `write_result` or `dawnchorus fit` wrote, to be evaluated.

    `Posterior.load` reads the draws of the same folder.

    Parameters
    ----------
    path
        The folder.

    Returns
    -------
    SavedResult
        The table of presence, the names of all recordings and species, and the contents of fit.json.

    Raises
    ------
    OutputError
        If it is not such a folder.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> simulation = dc.simulate_paper(recordings=50, seed=1)
    >>> with TemporaryDirectory() as home:
    ...     _ = dc.write_result(dc.fit(simulation.annotations, model="majority-vote"), f"{home}/result")
    ...     saved = dc.read_result(f"{home}/result")
    >>> dc.evaluate(saved.presence, simulation.truth).recordings
    50
    """
    path = Path(path)
    record = read_record(path)
    try:
        text = {"recording": object, "species": object}
        presence = pd.read_csv(path / "presence.csv", dtype=text, na_filter=False)
        recordings = pd.read_csv(path / "recordings.csv", dtype=object, na_filter=False)
        species = pd.read_csv(path / "species.csv", dtype=object, na_filter=False)
        names = recordings["recording"].tolist(), species["species"].tolist()
        unlisted = record["presence"].get("mean_of_unlisted")
        unlisted = None if unlisted is None else float(unlisted)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _no_result(path, error) from None
    return SavedResult(presence, *names, unlisted, record)
