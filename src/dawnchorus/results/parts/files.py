"""Files of results in parts: each shard has a Parquet file of presence, and one of its recordings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

from ...common.errors import OutputError
from ...common.files.drafts import draft_file
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
    """The files of a shard, written bit by bit, which appear when all is written; or none, without a folder.

    So a worker that is killed leaves no half of a file, and one that was taken for dead does not write into
    the file of another.
    """

    def __init__(self, folder: str | None, shard: int) -> None:
        self.paths = [] if folder is None else [Path(folder, place, part_name(shard)) for place in FOLDERS]
        self.stack, self.drafts, self.writers = ExitStack(), list[Path](), list[Any]()

    def __enter__(self) -> Self:
        with _writing(self.paths):
            self.drafts = [self.stack.enter_context(draft_file(path)) for path in self.paths]
        return self

    def write(self, presence: pd.DataFrame, recordings: pd.DataFrame) -> None:
        """Write rows of both files."""
        tables = [_arrow(presence), _arrow(recordings)]
        with _writing(self.paths):
            if not self.writers:
                self.writers = [
                    pq.ParquetWriter(draft, table.schema)
                    for draft, table in zip(self.drafts, tables, strict=False)
                ]
            for writer, table in zip(self.writers, tables, strict=False):
                writer.write_table(table)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        with _writing(self.paths), self.stack:
            for writer in self.writers:
                writer.close()
            if kind is None:
                for draft, path in zip(self.drafts, self.paths, strict=True):
                    draft.replace(path)


@contextmanager
def _writing(paths: list[Path]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{paths[0]} could not be written ({error.strerror or error}). Remedy: check free space and "
            "permissions where workers run, and that all of them reach this folder."
        ) from error


def _arrow(table: pd.DataFrame) -> Any:
    """Return a table for Parquet, its columns of the same types whatever rows there are."""
    types = {name: pa.string() if name in TEXT else pa.float64() for name in table}
    types |= {name: pa.int64() for name in table if name in NUMBERS}
    return pa.Table.from_pandas(table, pa.schema(list(types.items())), preserve_index=False)
