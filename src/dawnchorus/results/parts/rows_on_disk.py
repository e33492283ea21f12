"""Rows on disk: presence in parts, read as far as it is asked for, and never as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from ...annotations.labels import Names, names_of
from ...common.errors import AnnotationError, OutputError, reason
from ...common.lazy import lazy
from .files import part_name

pa = lazy("pyarrow", extra="parquet", purpose="results in parts")
ds = lazy("pyarrow.dataset", extra="parquet", purpose="results in parts")

ROWS = 200_000
"""So many rows are read at a time."""


def presence_rows(
    folder: Path,
    parts: int,
    min_probability: float,
    *,
    keep_reported: bool = False,
    recordings: Names | None = None,
    species: Names | None = None,
) -> Iterator[pd.DataFrame]:
    """Yield the rows of presence that are wanted, as they are listed."""
    wanted = ds.field("probability") >= min_probability
    if keep_reported:
        wanted = wanted | (ds.field("reports") > 0)
    for word, names in (("recording", recordings), ("species", species)):
        if names is not None:
            wanted = wanted & ds.field(word).isin(_texts(names))
    rows = _rows(folder / "presence", parts, wanted)
    first = next(rows, None)
    yield _no_rows(folder / "presence") if first is None else first
    yield from rows


def recordings_known(folder: Path, parts: int, names: Names) -> list[str]:
    """Return those of these recordings that are in the result."""
    found = _rows(folder / "recordings", parts, ds.field("recording").isin(_texts(names)), ["recording"])
    return [name for rows in found for name in rows["recording"]]


def check_recordings(folder: Path, parts: int, names: Names) -> None:
    """Raise an error if one of these recordings is not in the result."""
    wanted = list(dict.fromkeys(map(str, names_of(names))))
    known = set(recordings_known(folder, parts, wanted))
    for name in wanted:
        if name not in known:
            raise AnnotationError(f"there is no recording '{name}'", "check the spelling")


def _texts(names: Names) -> Any:
    return pa.array([str(name) for name in names_of(names)], pa.string())


def _rows(place: Path, parts: int, wanted: Any, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
    files = [place / part_name(part) for part in range(parts)]
    for file in files:
        if not file.is_file():
            raise OutputError(f"{file} is missing. Remedy: take it from a copy, or fit again.")
    for file in files:
        with _readable(file):
            source = ds.dataset(file, format="parquet")
            batches = source.to_batches(columns=columns, filter=wanted, batch_size=ROWS, batch_readahead=2)
        while True:
            with _readable(file):
                batch = next(batches, None)
            if batch is None:
                break
            if batch.num_rows:
                yield batch.to_pandas()


def _no_rows(place: Path) -> pd.DataFrame:
    return ds.dataset(place / part_name(0), format="parquet").schema.empty_table().to_pandas()


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Say which file cannot be read."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise OutputError(
            f"{file} cannot be read ({reason(error)}). Remedy: take it from a copy, or fit again."
        ) from None
