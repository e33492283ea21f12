"""Folder: a result as a folder of files, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from ..._version import __version__
from ...annotations.counting import ALL_CELLS
from ...common.checked import probability, yes_or_no
from ...common.errors import AnnotationWarning, OutputError
from ...common.files.sealed import checksum
from ...common.files.whole import add_to_manifest, whole_folder
from ...common.json_text import write_json
from ...common.lazy import lazy
from ...common.showing.progress import Phases, no_phases
from ...common.warn import warn
from ...common.wording import argument
from ...io.writers.csv_tables import csv_lines, write_table
from ..parts.posterior_in_parts import PosteriorInParts
from ..parts.writing import write_parts
from ..presence.wanted_cells import mean_of_unlisted
from ..result import Result
from .from_tree import DRAWS
from .saved_result import RECORD

PAGES = lazy("dawnchorus.report")
"""Pages and plots are imported only when they are needed."""
MOST_ROWS = 200_000_000
"""A presence.csv with more rows than this is refused."""
MIN_PROBABILITY = 0.01
SUFFIX = "_given"
"""A user's column with a name that we use has this after it."""
REPORT = "report.html"


def write_result(
    result: Result | PosteriorInParts,
    path: str | Path,
    *,
    min_probability: float = MIN_PROBABILITY,
    keep_reported: bool = True,
    overwrite: bool = False,
    exact_labels: bool = False,
    record: dict[str, Any] | None = None,
    report: bool = False,
    progress: Phases | None = None,
    cluster: Any = None,
) -> dict[str, Any]:
    """Write presence.csv, annotators.csv, species.csv, recordings.csv and fit.json into a new folder.

    A posterior adds posterior.nc and, as the model has them, annotator_species.csv, components.csv,
    where_and_when.csv, skill.csv, audibility.csv, deceptive.csv, known.csv, score_calibration.csv and
    score_thresholds.csv; with `report`, also report.html. presence.csv has every cell if there are at most
    five million; otherwise the cells with a probability of at least `min_probability` and, unless told
    otherwise, those with a report. Of a dataset in parts, presence and recordings are Parquet files in
    folders of these names.

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
    exact_labels
        Write labels and metadata that begin with =, +, -, @, a tab or a carriage return as they are. By
        default they get an apostrophe in front, because a spreadsheet would take them for formulas; readers
        of Dawnchorus remove it.
    record
        Further entries of fit.json, such as the command.
    report
        Whether to write report.html as well.
    progress
        Called with what is being done, the steps done and their number (0 if it is unknown).
    cluster
        Of a dataset in parts: whose workers write presence, as for `fit`; by default this process.

    Returns
    -------
    dict
        The contents of fit.json.

    Raises
    ------
    OutputError
        If the folder exists and may not be replaced, cannot be written, or presence.csv would be too long.
    AnnotationError
        If `min_probability` is not between 0 and 1.

    Warns
    -----
    AnnotationWarning
        If a column of your metadata has the name of a column that the tables have already, so that it is
        written under another name. If the report could not be made; everything else is written all the same.

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
    probability("min_probability", min_probability)
    yes_or_no(keep_reported=keep_reported, exact_labels=exact_labels, report=report)
    if isinstance(result, PosteriorInParts):
        contents = write_parts(
            result,
            path,
            min_probability=min_probability,
            keep_reported=keep_reported,
            overwrite=overwrite,
            exact_labels=exact_labels,
            record=record,
            progress=progress,
            cluster=cluster,
        )
        if report:
            write_report_beside(result, Path(path), record=contents, progress=progress)
        return contents
    with whole_folder(path, overwrite=overwrite) as folder:
        contents = write_result_files(
            result,
            folder,
            min_probability=min_probability,
            exact_labels=exact_labels,
            keep_reported=keep_reported,
            record=record,
            progress=progress,
        )
    if report:
        write_report_beside(result, Path(path), record=contents, progress=progress)
    return contents


def write_report_beside(result: Result | PosteriorInParts, folder: Path, **options: Any) -> None:
    """Write report.html into the folder of a result; if that fails, warn and leave the folder as it is."""
    if not hasattr(result, "report"):  # majority vote has no draws to report on
        return
    draws: Any = result
    try:
        PAGES.write_report(draws, folder / REPORT, **options)
        add_to_manifest(folder / REPORT)
    except Exception as error:
        warn(
            f"the result is whole, but its report could not be made ({error}). "
            f"Remedy: please report this, and try `dawnchorus report {folder}`.",
            AnnotationWarning,
        )


def write_result_files(
    result: Result,
    folder: Path,
    *,
    min_probability: float = MIN_PROBABILITY,
    exact_labels: bool = False,
    keep_reported: bool = True,
    record: dict[str, Any] | None = None,
    progress: Phases | None = None,
) -> dict[str, Any]:
    """Write the files of a result into an empty folder, which `write_result` then moves to its place."""
    say = progress or no_phases
    say("Probabilities", 0, 0)
    a = result.annotations
    cells = a.n_recordings * a.n_species
    least = 0.0 if cells <= ALL_CELLS else min_probability
    rows = result.count_presence(least, keep_reported=keep_reported)
    if rows > MOST_ROWS:
        raise OutputError(
            f"presence.csv would have {rows:,} rows. Remedy: raise {argument('min_probability')} above "
            f"{least} (the mean probability of a cell is {result.mean_probability():.4f})."
        )
    folder.mkdir(exist_ok=True)
    done, total = 0, 0.0
    with (folder / "presence.csv").open("w", encoding="utf-8", newline="") as file:
        for number, block in enumerate(result.file_blocks(least, keep_reported=keep_reported)):
            total += float(block["probability"].sum())
            for text, more in csv_lines(block, header=number == 0, exact_labels=exact_labels):
                file.write(text)
                done += more
                say("Probabilities", done, rows)
    known = {"annotators": a.annotators, "species": a.species, "recordings": a.recordings}
    say("Tables", 0, 0)
    for name, table in result.tables().items():
        if name in known:
            table = _with_metadata(table, known[name], f"{name}.csv")
        write_table(table, folder / f"{name}.csv", exact_labels=exact_labels)
    if hasattr(result, "save"):
        say("Draws", 0, 0)
        result.save(folder / DRAWS)
    left = cells - done
    listing = {"rows": done, "cells": cells, "min_probability": least, "exact_labels": exact_labels}
    if left:
        listing |= means_of_unlisted(result, total, left, least)
    contents = {
        "version": __version__,
        "model": result.name,
        **(record or {}),
        **result.details(),
        "data": a.summary().as_dict(),
        "presence": listing,
        "checksums": {file.name: checksum(file) for file in sorted(folder.iterdir()) if file.suffix},
    }
    write_json(contents, folder / RECORD)
    return contents


def means_of_unlisted(result: Result, total: float, left: int, least: float) -> dict[str, float]:
    """Return mean probabilities of the cells that are not listed, given the sum over the others."""
    cells = result.annotations.n_recordings * result.annotations.n_species
    mean = mean_of_unlisted(result.mean_probability() * cells - total, left, least)
    if not hasattr(result, "mean_would_report"):
        return {"mean_of_unlisted": mean}
    return {"mean_of_unlisted": mean, "would_report_of_unlisted": result.mean_would_report(mean)}


def _with_metadata(table: pd.DataFrame, metadata: pd.DataFrame, file: str) -> pd.DataFrame:
    """Return a table with the user's columns after ours; those with a name of ours get another."""
    names: dict[Any, Any] = {}
    for name in metadata:
        new = name
        while new in table or new in names.values() or (new != name and new in metadata):
            new = f"{new}{SUFFIX}"
        names[name] = new
    renamed = [f"'{name}' is '{new}' there" for name, new in names.items() if name != new]
    if renamed:
        warn(f"{file} has columns of its own with names of your metadata, so your {', your '.join(renamed)}")
    exact = metadata.assign(**{name: _exact(metadata[name]) for name in metadata.select_dtypes("floating")})
    return pd.concat([table, exact.rename(columns=names).reset_index(drop=True)], axis=1)


def _exact(column: pd.Series) -> pd.Series:
    """Return numbers of the user's with all digits; whole ones, of which some are missing, as such again."""
    known = column.dropna()
    if len(known) < len(column) and (known % 1 == 0).all() and (known.abs() < 2**53).all():
        return column.astype("Int64")
    return column.astype(object)
