"""Output: results on disk, whole or not at all, and back."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._version import __version__
from ...annotations.counting import ALL_CELLS
from ...common.errors import AnnotationWarning, OutputError
from ...common.json_text import as_json
from ...common.lazy import lazy
from ...common.whole_files import check_place
from ..result import Result
from .netcdf import DRAWS

PAGES = lazy("dawnchorus.report")
"""Plots are imported when they are needed."""
MOST_ROWS = 200_000_000
"""A presence.csv with more rows than this is of no use to anyone."""
MIN_PROBABILITY = 0.01
RECORD = "fit.json"
REPORT = "report.html"
MANIFEST = ".dawnchorus"
"""Lists the files of a folder that Dawnchorus wrote; only these does it ever replace."""

Progress = Callable[[int, int], None]


@contextmanager
def whole_folder(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a new folder to write into, which takes the name `path` only if all goes well.

    An existing folder is replaced only if asked, and only if Dawnchorus wrote every file in it; it stays
    untouched until the new one is complete.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with whole_folder(Path(home, "result")) as folder:
    ...         _ = (folder / "note.txt").write_text("done")
    ...     os.listdir(home)
    ['result']
    """
    path = Path(path)
    check_free(path, overwrite=overwrite)
    missing = [parent for parent in path.parents if not parent.exists()]
    draft = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{path.name[:40]}-", dir=path.parent))
        yield draft
        files = sorted(str(file.relative_to(draft)) for file in draft.rglob("*") if file.is_file())
        (draft / MANIFEST).write_text("\n".join([*files, MANIFEST]) + "\n", encoding="utf-8")
        draft.chmod(0o777 & ~_umask())
        _take_place(draft, path)
        missing = []
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
        for parent in missing:
            with suppress(OSError):
                parent.rmdir()


def check_free(path: str | Path, *, overwrite: bool) -> None:
    """Refuse early if a folder may not be written."""
    path = Path(path)
    if not path.name or path.name == "..":
        raise OutputError(f"'{path}' has no name of its own. Remedy: name a new folder as --out.")
    check_place(path)
    try:
        if not (path.exists() or path.is_symlink()):
            return
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            return
        foreign = _foreign_files(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    if not overwrite:
        raise OutputError(f"{path} exists. Remedy: choose another --out, or say --overwrite.")
    if foreign:
        raise OutputError(
            f"{path} holds what Dawnchorus did not write ({foreign[0]}), so it is not overwritten. "
            "Remedy: choose another --out, or remove it yourself."
        )


def _foreign_files(path: Path) -> list[str]:
    """List what is in a folder that its manifest does not name."""
    if path.is_symlink() or not (path / MANIFEST).is_file():
        return [path.name if not path.is_dir() else f"it has no {MANIFEST}"]
    ours = set((path / MANIFEST).read_text(encoding="utf-8", errors="replace").splitlines())
    inside = (file for file in sorted(path.rglob("*")) if not file.is_dir())
    return [name for file in inside if (name := str(file.relative_to(path))) not in ours]


def add_to_manifest(*files: Path) -> None:
    """Note files that Dawnchorus added to a folder of its own, so that the folder may still be replaced."""
    for file in files:
        file = file.resolve()
        for folder in file.parents:
            manifest = folder / MANIFEST
            if manifest.is_file():
                known = manifest.read_text(encoding="utf-8", errors="replace").splitlines()
                name = str(file.relative_to(folder))
                if name not in known:
                    manifest.write_text("\n".join([*known, name]) + "\n", encoding="utf-8")
                break


def write_result(
    result: Result,
    path: str | Path,
    *,
    min_probability: float = MIN_PROBABILITY,
    overwrite: bool = False,
    record: dict[str, Any] | None = None,
    report: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write presence.csv, annotators.csv, species.csv, recordings.csv and fit.json into a new folder.

    A posterior adds posterior.nc and, as the model has them, annotator_species.csv and components.csv; with
    `report`, also report.html.
    presence.csv has every cell up to five million cells; beyond that, the cells with a report or a
    probability of at least `min_probability`. `record` is added to fit.json, which is returned.

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
            result, folder, min_probability=min_probability, record=record, progress=progress
        )
    if report:
        write_report_beside(result, Path(path), record=contents, progress=progress)
    return contents


def write_report_beside(result: Result, folder: Path, **options: Any) -> None:
    """Write report.html into the folder of a result, which is there all the same if that fails."""
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
    record: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the files of a result into an empty folder; `write_result` makes it whole or nothing."""
    a = result.annotations
    cells = a.n_recordings * a.n_species
    least = 0.0 if cells <= ALL_CELLS else min_probability
    rows = result.count_presence(least)
    if rows > MOST_ROWS:
        raise OutputError(
            f"presence.csv would have {rows:,} rows. Remedy: raise --min-probability above {least} "
            f"(the mean probability of a cell is {result.mean_probability():.4f})."
        )
    folder.mkdir(exist_ok=True)
    done, total = 0, 0.0
    with (folder / "presence.csv").open("w", encoding="utf-8", newline="") as file:
        for block in result.presence_blocks(least):
            _spelt(block).to_csv(file, index=False, header=done == 0)
            done += len(block)
            total += float(block["probability"].sum())
            if progress:
                progress(done, rows)
    known = {"annotators": a.annotators, "species": a.species, "recordings": a.recordings}
    for name, table in result.tables().items():
        if name in known:
            more = known[name][[column for column in known[name] if column not in table]]
            table = pd.concat([table, more.reset_index(drop=True)], axis=1)
        write_table(table, folder / f"{name}.csv")
    if hasattr(result, "save"):
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


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, as all of ours are written."""
    _spelt(table).to_csv(path, index=False, encoding="utf-8")


def _spelt(table: pd.DataFrame) -> pd.DataFrame:
    """Spell numbers with six digits, each once: cells that nobody reported share few probabilities."""
    spelt = {}
    for name in table.select_dtypes("floating"):
        values, place = np.unique(table[name].to_numpy(), return_inverse=True)
        spelt[name] = np.array(["" if v != v else f"{v:.6g}" for v in values.tolist()], object)[place]
    return table.assign(**spelt)


def write_json(value: Any, path: Path) -> None:
    """Write a value as JSON; names of files that are no text are spelt out."""
    path.write_bytes(as_json(value).encode("utf-8", errors="backslashreplace") + b"\n")


@dataclass(frozen=True)
class SavedResult:
    """A result read back from its folder, to be evaluated."""

    presence: pd.DataFrame
    recordings: list[str]
    species: list[str]
    unlisted: float | None
    record: dict[str, Any]


def read_record(path: Path) -> dict[str, Any]:
    """Read what fit.json says, in a folder that `write_result` wrote."""
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
    """Read a folder that `write_result` wrote."""
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


def _take_place(draft: Path, path: Path) -> None:
    """Move the finished folder to its name; what was there goes only once the new one has arrived."""
    if not path.exists():
        draft.rename(path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name[:40]}-old-", dir=path.parent)) / path.name
    try:
        path.rename(old)
        draft.rename(path)
    except BaseException:  # also Ctrl-C between the two
        if old.exists():
            old.rename(path)
        raise
    finally:
        if path.exists():
            shutil.rmtree(old.parent, ignore_errors=True)


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{path} could not be written ({error.strerror or error}); nothing half-written was left. "
        "Remedy: check free space and permissions, or choose another --out."
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
