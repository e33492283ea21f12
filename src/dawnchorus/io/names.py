"""Names tables in files, and suggestions of names to be looked through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from ..annotations.frames.names import NameTable, read_names
from ..annotations.frames.near_misses import NearMiss
from ..common.files.whole import whole_file
from .readers.open_tables import open_table
from .writers.csv_tables import write_table

SUGGESTED = {"text": "from", "like": "to", "why": "why", "rows": "rows", "like_rows": "rows_of_to"}


def named(names: Any) -> NameTable:
    """Return a names table, which may be the path of a file, a frame or a mapping."""
    if not isinstance(names, str | Path):
        return read_names(names)
    table = open_table(names)
    return read_names(table.frame(), table.source)


def suggested_names(found: tuple[tuple[Any, ...], ...]) -> pd.DataFrame:
    """Return species that have nearly the name of another as a names table, with what speaks for it."""
    return pd.DataFrame(list(found), columns=list(NearMiss._fields)).rename(columns=SUGGESTED)


def write_suggested_names(table: pd.DataFrame, path: Path) -> None:
    """Write a names table as CSV, whole or not at all."""
    with whole_file(path) as draft:
        write_table(table, draft)
