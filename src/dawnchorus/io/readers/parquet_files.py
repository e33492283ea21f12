"""Reading of tables in Parquet files, through pyarrow."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...annotations.frames.bad_rows import BadRows
from ...annotations.frames.columns import Source
from ...common.errors import AnnotationError, MissingPackageError
from ...common.lazy import lazy
from .damaged_files import damaged
from .guards import check_rows
from .inputs import InputFile

pa = lazy("pyarrow", extra="parquet", purpose="reading Parquet")
pq = lazy("pyarrow.parquet", extra="parquet", purpose="reading Parquet")

PARQUET = b"PAR1"
"""The first bytes of a file."""
ROWS_AT_ONCE = 10_000


@dataclass(frozen=True)
class ParquetFile:
    """A table in Parquet: how to open it, its columns, which of them are text, and its rows."""

    source: Source
    file: InputFile
    columns: list[str]
    texts: list[str]
    n_rows: int

    def frame(
        self,
        columns: Collection[str] | None = None,
        bad: BadRows | None = None,
        kinds: Mapping[str, str] | None = None,
    ) -> Any:
        """Return all rows, with all columns or only these.

        To save memory, columns are read one at a time, and text is dictionary-encoded.
        """
        names = self.columns if columns is None else columns
        again = [name for name in names if self.columns.count(name) > 1]
        if again:
            raise AnnotationError(
                f"two columns have the name '{again[0]}'", "rename one", file=self.source.name, row=1
            )
        return pa.table({name: self._column(name) for name in names})

    def sample(self, rows: int) -> Mapping[str, list[object]]:
        """Return the first values of each column."""
        with _opened(self.file) as stream:
            batch = next(pq.ParquetFile(stream).iter_batches(batch_size=rows), None)
            return {} if batch is None else batch.to_pydict()

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield the values of each row, one by one."""
        with _opened(self.file) as stream:
            for batch in pq.ParquetFile(stream).iter_batches(batch_size=ROWS_AT_ONCE):
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def _column(self, name: str) -> Any:
        texts = [name] if name in self.texts else []
        with _opened(self.file) as stream:
            column = pq.read_table(stream, columns=[name], read_dictionary=texts)[name]
            return column.dictionary_encode().combine_chunks() if texts else column


def open_parquet(file: InputFile) -> ParquetFile:
    """Return a table in Parquet after reading its schema."""
    with _opened(file) as stream:
        size = stream.seek(0, os.SEEK_END)
        parts, types = pq.ParquetFile(stream), pa.types
        check_rows(parts.metadata.num_rows, size, file.name)
        schema = parts.schema_arrow
        texts = [f.name for f in schema if types.is_string(f.type) or types.is_large_string(f.type)]
        return ParquetFile(Source(file.name, code=None), file, schema.names, texts, parts.metadata.num_rows)


@contextmanager
def _opened(file: InputFile) -> Iterator[Any]:
    """Open a file; errors about what is broken in it name the file."""
    try:
        with file.anywhere() as stream:
            yield stream
    except MissingPackageError as error:
        raise AnnotationError(
            error.problem, f"{error.remedy}, or save the table as CSV", file=file.name
        ) from None
    except (pa.ArrowException, OSError) as error:
        raise damaged(error, file.name) from None
