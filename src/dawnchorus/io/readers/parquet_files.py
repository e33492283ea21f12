"""Reading of tables in Parquet files, through pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ...annotations.frames.bad_rows import BadRows
from ...annotations.frames.columns import Source
from ...common.errors import AnnotationError, MissingPackageError
from ...common.lazy import lazy
from .damaged_files import damaged

pa = lazy("pyarrow", extra="parquet", purpose="reading Parquet")
pq = lazy("pyarrow.parquet", extra="parquet", purpose="reading Parquet")


@dataclass(frozen=True)
class ParquetFile:
    """A table in Parquet: how to open it, its columns, and which of them are text."""

    source: Source
    open: Callable[[], Any]
    columns: list[str]
    texts: list[str]

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
        try:
            with self.open() as file:
                batch = next(pq.ParquetFile(file).iter_batches(batch_size=rows), None)
                return {} if batch is None else batch.to_pydict()
        except (pa.ArrowException, OSError) as error:
            raise damaged(error, self.source.name) from None

    def _column(self, name: str) -> Any:
        try:
            with self.open() as file:
                column = pq.read_table(file, columns=[name])[name]
        except (pa.ArrowException, OSError) as error:
            raise damaged(error, self.source.name) from None
        return column.dictionary_encode().combine_chunks() if name in self.texts else column


def open_parquet(opener: Callable[[], Any], name: str) -> ParquetFile:
    """Return a table in Parquet after reading its schema."""
    try:
        with opener() as file:
            schema, types = pq.read_schema(file), pa.types
    except MissingPackageError as error:
        raise AnnotationError(error.problem, f"{error.remedy}, or save the table as CSV", file=name) from None
    except (pa.ArrowException, OSError) as error:
        raise damaged(error, name) from None
    texts = [f.name for f in schema if types.is_string(f.type) or types.is_large_string(f.type)]
    return ParquetFile(Source(name, code=None), opener, schema.names, texts)
