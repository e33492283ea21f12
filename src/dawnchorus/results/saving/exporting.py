"""Exporting: a result in the formats of others."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ...annotations.counting import ALL_CELLS
from ...annotations.frames.columns import Source
from ...annotations.frames.reading import LabelTable
from ...common.checked import yes_or_no
from ...common.errors import AnnotationError
from ...common.warn import warn
from ...common.wording import option
from ...io.readers.open_tables import open_table
from ...io.writers.consensus import MEANINGS, Consensus
from ...io.writing import check_output, write_consensus
from ..parts.posterior_in_parts import PosteriorInParts
from ..posterior import Posterior
from ..result import COLUMNS, Result, no_reports
from .files import check_whole
from .folder import MIN_PROBABILITY, means_of_unlisted
from .from_tree import DRAWS
from .saved_result import SavedResult, is_in_parts, read_record, read_result

STREAMED = ("parquet", "arviz")
"""The formats of which a result in parts can be written."""
BOUNDS = ["probability_lower", "probability_upper"]


def export(
    result: Result | SavedResult | PosteriorInParts | str | Path,
    out: str | Path,
    to: str,
    *,
    as_: str = "present",
    recordings: Any = None,
    overwrite: bool = False,
    exact_labels: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Write what a fit says about presence in a format of others, whole or not at all.

    Parameters
    ----------
    result
        The result of `fit`, or the folder that `write_result` or `dawnchorus fit` wrote. A result in parts is
        written as Parquet or for ArviZ only.
    out
        The file or the folder to write.
    to
        One of `WRITERS`: `"camtrap"`, `"darwincore"`, `"labels"`, `"birdnet"`, `"raven"`, `"parquet"` or
        `"arviz"`.
    as_
        Which probability is written: `"present"`, that a species is present; or `"report"`, that a typical
        annotator would report it.
    recordings
        A table with further metadata of recordings, as its path or a frame: latitude, longitude, time,
        deployment, file, duration.
    overwrite
        Replace what exists; a folder, if Dawnchorus wrote all that is in it.
    exact_labels
        Write labels that begin with `=`, `+`, `-` or `@` into text files as they are, without the apostrophe
        that keeps spreadsheets from taking them for formulas.
    options
        Options of the format, such as `threshold=0.9`; `dawnchorus formats NAME` tells them.

    Returns
    -------
    dict
        `to`, `out`, `files`, `as`, `probability` (what it is about, in words), and how much was written.

    Raises
    ------
    AnnotationError
        If there is no such format or option, or the format needs metadata that are not there.
    OutputError
        If the output exists and may not be replaced, or cannot be written.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> result = dc.fit(dc.simulate_paper(recordings=50, seed=1).annotations, model="majority-vote")
    >>> with TemporaryDirectory() as home:
    ...     written = dc.export(result, f"{home}/training", "labels", threshold=0.9)
    >>> written["files"], written["recordings"], written["probability"]
    (['about.json', 'labels.csv', 'probabilities.csv', 'weights.csv'], 50,
     'the probability that the species is present')
    """
    if as_ not in MEANINGS:
        raise AnnotationError(
            f"probabilities cannot be written as {as_!r}", f"use one of: {', '.join(MEANINGS)}"
        )
    yes_or_no(exact_labels=exact_labels)
    check_output(Path(out), to, options, overwrite=overwrite)
    if isinstance(result, str | Path):
        result = _read(Path(result))
    if isinstance(result, PosteriorInParts):
        if recordings is not None:
            problem = f"{option('recordings')} does not go with a result in parts"
            raise AnnotationError(problem, "leave it out")
        parts = _in_parts(result, as_, to)
    else:
        parts = _saved(result, as_) if isinstance(result, SavedResult) else _fitted(result, as_)
    parts["recordings"] = _with_more(parts["recordings"], recordings)
    found = Consensus(**parts, as_=as_, exact_labels=exact_labels)
    return write_consensus(found, Path(out), to, options, overwrite=overwrite)


def _read(folder: Path) -> SavedResult | PosteriorInParts:
    """Return the result in a folder, in memory or in parts."""
    return PosteriorInParts.load(folder) if is_in_parts(read_record(folder)) else read_result(folder)


def _in_parts(result: PosteriorInParts, as_: str, to: str) -> dict[str, Any]:
    """Return the parts of a consensus of a result in parts, of which no table is in memory."""
    if to not in STREAMED:
        raise AnnotationError(
            f"a result in parts is not written as {to}, which needs all recordings at once",
            f"use one of: {', '.join(STREAMED)}; PosteriorInParts.presence() has some recordings as a table",
        )
    folder, blocks = result.folder, result.presence_blocks()
    assert folder is not None  # presence_blocks says so otherwise
    return {
        "listed": lambda: (pd.DataFrame(), result.unlisted(as_)),
        "streamed": lambda: (_cells(block, as_, result.name) for block in blocks),
        "recordings": pd.DataFrame(),
        "species": result.annotations.species,
        "model": result.name,
        "save": lambda path: _copy(folder / DRAWS, path),
    }


def _copy(draws: Path, path: Path) -> None:
    check_whole(draws)
    shutil.copyfile(draws, path)


def _fitted(result: Result, as_: str) -> dict[str, Any]:
    """Return the parts of a consensus of a result in memory."""
    a = result.annotations
    return {
        "listed": lambda: _listed(result, as_),
        "recordings": a.recordings.drop(columns="visits", errors="ignore").assign(
            visits=a.visits_by_recording.sizes
        ),
        "species": a.species,
        "model": result.name,
        "save": partial(result.save, overwrite=True) if isinstance(result, Posterior) else None,
    }


def _listed(result: Result, as_: str) -> tuple[pd.DataFrame, float | None]:
    """Return the cells that presence.csv would list, and the mean probability of the others."""
    cells = result.annotations.n_recordings * result.annotations.n_species
    least = 0.0 if cells <= ALL_CELLS else MIN_PROBABILITY
    table = pd.concat(list(result.file_blocks(least, keep_reported=True)), ignore_index=True)
    left = cells - len(table)
    means = means_of_unlisted(result, float(table["probability"].sum()), left, least) if left else {}
    unlisted = means.get("mean_of_unlisted" if as_ == "present" else "would_report_of_unlisted")
    return _cells(table, as_, result.name), unlisted


def _saved(saved: SavedResult, as_: str) -> dict[str, Any]:
    """Return the parts of a consensus of a result in a folder."""
    draws = saved.folder / DRAWS
    recordings, species = (
        saved.tables[name].set_index(word)
        for name, word in (("recordings", "recording"), ("species", "species"))
    )
    unlisted = saved.unlisted if as_ == "present" else saved.would_report_unlisted
    return {
        "listed": lambda: (_cells(saved.presence, as_, saved.record["model"]), unlisted),
        "recordings": recordings,
        "species": species,
        "model": saved.record["model"],
        "save": (lambda path: _copy(draws, path)) if draws.is_file() else None,
    }


def _cells(table: pd.DataFrame, as_: str, model: str) -> pd.DataFrame:
    """Return cells with the probability that is wanted, and its bounds if they are known."""
    column = COLUMNS[as_]
    if column not in table:
        raise no_reports(model)
    bounds = BOUNDS if as_ == "present" and set(BOUNDS) <= set(table) else []
    kept = ["recording", "species", column, *bounds, "votes", "reports"]
    return table[kept].rename(columns={column: "probability"})


def _with_more(recordings: pd.DataFrame, more: Any) -> pd.DataFrame:
    """Return the metadata of recordings with those of a further table, which come first."""
    if more is None:
        return recordings
    source = Source("the table of recordings")
    if isinstance(more, str | Path):
        opened = open_table(more)
        more, source = opened.frame(), opened.source
    table = LabelTable.read(more, "recording", source, keep_na=True)
    assert table is not None
    given = table.indexed()
    known = given.index.isin(recordings.index)
    if not known.any():
        raise AnnotationError(
            "none of its recordings is in the result", "check that both use the same labels", file=source.name
        )
    if not known.all():
        warn(f"{source.name}: {int((~known).sum()):,} of its recordings are not in the result")
    given = given.drop(columns="visits", errors="ignore").reindex(recordings.index)
    return given.join(recordings.drop(columns=given.columns.intersection(recordings.columns)))
