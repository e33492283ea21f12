"""Dataset: a long table in many files, which may be larger than memory, described without being read.

>>> import dawnchorus as dc
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as home:
...     _ = dc.write_portal(f"{home}/big", recordings=500, seed=1)
...     data = dc.open_dataset(f"{home}/big/visits", absence="scope", scope=f"{home}/big/scope.csv")
>>> data.columns, len(data.partitions)
(('recording', 'annotator', 'species', 'scope', 'present'), 1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...annotations.annotations import Annotations
from ...annotations.frames.coding import declared_scopes
from ...annotations.frames.columns import Source
from ...annotations.frames.long_table import checked_absence
from ...annotations.frames.reading import LabelTable
from ...annotations.labels import Coded, counted
from ...annotations.votes import Absence
from ...common.checked import yes_or_no
from ...common.errors import AnnotationError
from ...common.wording import option
from ..readers.formats.table import long_columns, tell_unread_columns
from ..readers.inputs import Inputs, PathLike, Paths, input_files
from ..readers.open_tables import Table, open_table, opened_table
from ..readers.parquet_files import ParquetFile
from ..reading import read_tables

SIDES = ("scope", "annotators", "species")


class Partition(NamedTuple):
    """A file of the long table, and what is known of it without reading it.

    Attributes
    ----------
    path
        The file.
    rows
        The number of its rows; None for text, which would have to be read.
    bytes
        Its size.
    columns
        Its columns by what they mean.
    """

    path: str
    rows: int | None
    bytes: int
    columns: Mapping[str, str]

    def table(self, encoding: str | None) -> Table:
        """Return the table, whose rows have not been read."""
        return opened_table(input_files(self.path).files[0], encoding)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A long table in many files; `open_dataset` makes it.

    Attributes
    ----------
    name
        What the user named.
    absence
        What it means if a visit does not mention a species.
    partitions
        The files.
    """

    name: str
    absence: Absence
    partitions: tuple[Partition, ...]
    sides: Mapping[str, str] = field(default_factory=dict)
    keep_na: bool = False
    encoding: str | None = None

    @property
    def rows(self) -> int | None:
        """The number of rows; None if any file is text, which would have to be read."""
        rows = [part.rows for part in self.partitions]
        return None if None in rows else sum(filter(None, rows))

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(part.bytes for part in self.partitions)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the columns mean that are read."""
        return tuple(self.partitions[0].columns)

    def __repr__(self) -> str:
        rows = "an unknown number of rows (text)" if self.rows is None else counted(self.rows, "row")
        return (
            f"Dataset {self.name}: {counted(len(self.partitions), 'partition')}, {rows}, "
            f"{self.bytes / 1e6:,.1f} MB; columns {', '.join(self.columns)}; silence means {self.absence}"
        )

    def read(self, *, fold_case: bool = False) -> Annotations:
        """Return all of it in memory, as `dawnchorus.read` does.

        Parameters
        ----------
        fold_case
            Take labels of annotators, and of species, that differ only in upper and lower case for one.

        Returns
        -------
        Annotations
            The votes.
        """
        yes_or_no(fold_case=fold_case)
        inputs = Inputs(
            self.name, [file for part in self.partitions for file in input_files(part.path).files]
        )
        told: dict[str, Any] = {} if self.encoding is None else {"encoding": self.encoding}
        names = self._renamed()
        told |= {"columns": names} if names else {}
        told |= self.sides
        found = read_tables(self.name, "table", self.absence, inputs=inputs, **told)
        return found.annotations(keep_na=self.keep_na, fold_case=fold_case)

    def _renamed(self) -> dict[str, str]:
        return {word: name for word, name in self.partitions[0].columns.items() if word != name}

    def declared(self) -> Mapping[str, Coded]:
        """Return the scope table; nothing if there is none."""
        if "scope" not in self.sides:
            return {}
        table = open_table(self.sides["scope"], self.encoding)
        return declared_scopes(table.frame(), table.source, self.keep_na)

    def known(self, word: str) -> LabelTable | None:
        """Return the table of annotators or of species, if there is one."""
        name = "annotators" if word == "annotator" else word
        if name not in self.sides:
            return None
        table = open_table(self.sides[name], self.encoding)
        return LabelTable.read(table.frame(), word, table.source, keep_na=self.keep_na)


def open_dataset(
    path: Paths,
    absence: Absence | None = None,
    *,
    scope: PathLike | None = None,
    annotators: PathLike | None = None,
    species: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    keep_na: bool = False,
    encoding: str | None = None,
) -> Dataset:
    """Describe a long table in many files, Parquet or text, without reading its rows.

    `fit` takes it in place of annotations, and reads it where it computes.

    Parameters
    ----------
    path
        A file, a folder, several of them, or a pattern such as `"visits/*.parquet"`. All files have the same
        columns.
    absence
        What it means if a visit does not mention a species, as in `read`.
    scope, annotators, species
        Paths of tables as in `read`; these are small, and read whole.
    columns, keep_na, encoding
        As in `read`.

    Returns
    -------
    Dataset
        The files, their columns, rows and sizes.

    Raises
    ------
    AnnotationError
        If there is no such file, a column is missing, or files differ in their columns.
    """
    yes_or_no(keep_na=keep_na)
    inputs = input_files(path)
    told = {"scope": scope, "annotators": annotators, "species": species}
    sides = {word: str(Path(place).absolute()) for word, place in told.items() if place is not None}
    absence = checked_absence(absence, scope, Source(inputs.name))
    by_name = False
    if absence == "scope":
        by_name = "scope" in open_table(sides["scope"], encoding).columns
    partitions: list[Partition] = []
    for table, each in _opened(inputs, encoding, columns, by_name=by_name):
        _refuse(table, each, partitions)
        if not partitions:
            tell_unread_columns([table], [each], inputs.name, absence)
        place = Path(table.source.name)
        rows = table.n_rows if isinstance(table, ParquetFile) else None
        partitions.append(Partition(str(place.absolute()), rows, place.stat().st_size, each))
    return Dataset(inputs.name, absence, tuple(partitions), sides, keep_na, encoding)


def _opened(
    inputs: Inputs, encoding: str | None, columns: Mapping[str, str] | None, *, by_name: bool
) -> Iterator[tuple[Table, Mapping[str, str]]]:
    for file in inputs.files:
        if not Path(file.name).is_file():
            raise AnnotationError(
                "this is inside an archive, or piped in, and cannot be read from several places",
                "unpack it to a folder",
                file=file.name,
            )
        table = opened_table(file, encoding)
        yield table, long_columns([table], {}, columns, by_name=by_name)[0]


def _refuse(table: Table, names: Mapping[str, str], before: list[Partition]) -> None:
    if before and names != before[0].columns:
        raise AnnotationError(
            f"its columns are {', '.join(names.values())}, but {before[0].path} has "
            f"{', '.join(before[0].columns.values())}",
            "give files that have the same columns",
            file=table.source.name,
            row=table.source.header,
        )
    if "score" in names:
        raise AnnotationError(
            f"the column '{names['score']}' has scores of machines, which are not read in parts yet",
            f"leave the column out, or read the files at once with dc.read and {option('scores', 'use')}",
            file=table.source.name,
        )
