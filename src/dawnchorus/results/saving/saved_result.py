"""Saved result: the folder that `dawnchorus fit` wrote, read back to be evaluated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ...common.errors import AnnotationWarning, OutputError, reason
from ...common.files.sealed import checksum
from ...common.formulas import restored
from ...common.warn import warn

READ_BACK = ("presence.csv", "recordings.csv", "species.csv")
KNOWN = "known.csv"
"""Read back as well, if cells were known in the fit."""
RECORD = "fit.json"


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
    would_report_unlisted
        The mean probability that a typical annotator would report them.
    record
        The contents of fit.json.
    tables
        The tables of recordings and of species, with their metadata as text.
    folder
        Where it was read.
    known
        The table of known.csv, if cells were known in the fit; otherwise None.
    """

    presence: pd.DataFrame
    recordings: list[str]
    species: list[str]
    unlisted: float | None
    would_report_unlisted: float | None
    record: dict[str, Any]
    tables: dict[str, pd.DataFrame]
    folder: Path
    known: pd.DataFrame | None = None


def read_record(path: Path) -> dict[str, Any]:
    """Return the contents of fit.json in a folder that `write_result` wrote."""
    if not (path / RECORD).is_file() and (path / "fit" / RECORD).is_file():
        raise OutputError(f"{path} holds a result in its folder fit. Remedy: name {path / 'fit'}.")
    try:
        return dict(json.loads((path / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise _no_result(path, error) from None


def is_in_parts(record: dict[str, Any]) -> bool:
    """Return whether a result is in parts, by its fit.json."""
    return "parts" in record.get("presence", {})


def _no_result(path: Path, error: Exception) -> OutputError:
    if not path.exists():
        why = f"there is no folder {path}"
    elif not (path / RECORD).is_file():
        why = f"{path} has no {RECORD}, so it is not a folder that `dawnchorus fit` wrote"
    else:
        why = f"{path} is not a folder that `dawnchorus fit` wrote ({reason(error)})"
    return OutputError(f"{why}. Remedy: name the folder that the fit was written to.")


def _check_tables(path: Path, record: dict[str, Any]) -> None:
    """Raise an error if a table of the result is missing; warn of those that have changed."""
    known = record.get("checksums", {})
    for name in (*READ_BACK, *([KNOWN] if "known" in record else [])):
        if not (path / name).is_file():
            raise OutputError(f"{path / name} is missing. Remedy: take it from a copy, or fit again.")
        if name in known and checksum(path / name) != known[name]:
            warn(
                f"{path / name} is not as it was written (its checksum is not that in {RECORD}): "
                "somebody changed it, or it is damaged. What it says now is used.",
                AnnotationWarning,
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
        If it is not such a folder, or a table is missing.

    Warns
    -----
    AnnotationWarning
        If a table is not as it was written, by the checksums in fit.json.

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
    if is_in_parts(record):
        raise OutputError(
            f"{path} is a result in parts, which is not read as a whole. Remedy: open it with "
            "dc.PosteriorInParts.load, whose presence() reads some recordings or species."
        )
    _check_tables(path, record)
    try:
        text = {"recording": object, "species": object}
        presence = pd.read_csv(path / "presence.csv", dtype=text, na_filter=False)
        recordings = pd.read_csv(path / "recordings.csv", dtype=object, na_filter=False)
        species = pd.read_csv(path / "species.csv", dtype=object, na_filter=False)
        known = pd.read_csv(path / KNOWN, dtype=text, na_filter=False) if "known" in record else None
        if not record["presence"].get("exact_labels", True):
            for word, table in (("recording", recordings), ("species", species)):
                presence[word] = presence[word].map({name: restored(name) for name in table[word]})
                if known is not None:
                    known[word] = known[word].map(restored)
            recordings, species = (
                table.map(restored).rename(columns=restored) for table in (recordings, species)
            )
        names = recordings["recording"].tolist(), species["species"].tolist()
        means = (record["presence"].get(name) for name in ("mean_of_unlisted", "would_report_of_unlisted"))
        unlisted, silent = (None if mean is None else float(mean) for mean in means)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _no_result(path, error) from None
    tables = {"recordings": recordings, "species": species}
    return SavedResult(presence, *names, unlisted, silent, record, tables, path, known)
