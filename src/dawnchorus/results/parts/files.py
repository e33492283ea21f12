"""Files of results in parts: each shard has a Parquet file of presence, and one of its recordings."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

from ...common.lazy import lazy

pa = lazy("pyarrow", extra="parquet", purpose="results in parts")
pq = lazy("pyarrow.parquet", extra="parquet", purpose="results in parts")

FOLDERS = ("presence", "recordings")
TEXT, NUMBERS = ("recording", "species"), ("votes", "reports", "visits")
"""The columns that are text, and those with whole numbers; all others are in double precision."""


def part_name(shard: int) -> str:
    """Return the name of the files of a shard."""
    return f"part-{shard:05}.parquet"


class ShardFiles:
    """The files of a shard, written bit by bit; or none, if there is no folder."""

    def __init__(self, folder: str | None, shard: int) -> None:
        self.folder, self.name = folder, part_name(shard)
        self.writers: list[Any] = []

    def __enter__(self) -> Self:
        return self

    def write(self, presence: pd.DataFrame, recordings: pd.DataFrame) -> None:
        """Write rows of both files."""
        if self.folder is None:
            return
        tables = [_arrow(presence), _arrow(recordings)]
        if not self.writers:
            paths = (Path(self.folder, place, self.name) for place in FOLDERS)
            pairs = zip(paths, tables, strict=True)
            self.writers = [pq.ParquetWriter(path, table.schema) for path, table in pairs]
        for writer, table in zip(self.writers, tables, strict=True):
            writer.write_table(table)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for writer in self.writers:
            writer.close()


def _arrow(table: pd.DataFrame) -> Any:
    """Return a table for Parquet, its columns of the same types whatever rows there are."""
    types = {name: pa.string() if name in TEXT else pa.float64() for name in table}
    types |= {name: pa.int64() for name in table if name in NUMBERS}
    return pa.Table.from_pandas(table, pa.schema(list(types.items())), preserve_index=False)
