"""Rows of a table, text or Parquet, one by one, with the fields that a format needs; files may be large."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...annotations.frames.bad_rows import BadRows
from ...annotations.frames.columns import write_number
from ...annotations.labels import as_text, counted, verb
from ...common.errors import AnnotationError
from ...common.warn import warn
from ...common.wording import no_columns
from .damaged_files import UNREADABLE, damaged, wrong_length
from .guards import long_fields
from .inputs import InputFile, Inputs
from .parquet_files import PARQUET, ParquetFile, open_parquet
from .text_files import TableFile, open_text


def tidy(name: str) -> str:
    """Return the name of a column in one way of writing.

    >>> tidy("Begin Time (sec.)"), tidy("OBSERVER ID"), tidy("scientificName")
    ('begin_time_sec', 'observer_id', 'scientificname')
    """
    return re.sub(r"\W+", "_", name.strip().lstrip("\ufeff")).strip("_").lower()


class FieldRows:
    """The rows of a table: after its columns were found, each is a list of the fields that were asked for."""

    def __init__(self, file: InputFile, *, encoding: str | None = None, quoted: bool = True) -> None:
        self.file = file
        self._quoted = quoted
        packed = file.head(len(PARQUET)) == PARQUET
        self._table = open_parquet(file) if packed else open_text(file.open, file.name, encoding)
        self.columns = [tidy(name) for name in self._table.columns]

    def needs(self, names: Sequence[str], what: str) -> None:
        """Raise an error that names all columns that are missing, of a file that is not `what`."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise AnnotationError(
                f"this is not {what}: {no_columns(missing)}; the columns are {', '.join(self.columns)[:300]}",
                "give the file as it was exported",
                file=self.file.name,
                row=self._table.source.header,
            )

    def rows(self, names: Sequence[str], bad: BadRows) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of each row and its fields in these columns, `""` if there is no such column."""
        places = [self.columns.index(name) if name in self.columns else -1 for name in names]
        width = len(self.columns)
        header = self._table.source.header
        for number, record in enumerate(self._records(), start=header):
            if number == header or not any(record):
                continue
            wrong = wrong_length(record, width, self.file.name, number)
            if wrong:
                bad.found(wrong)
                continue
            yield number, [record[i] if i >= 0 else "" for i in places]

    def _records(self) -> Iterator[list[str]]:
        """Yield all rows as text, from the header on."""
        table = self._table
        if isinstance(table, ParquetFile):
            yield table.columns
            for row in table.rows():
                yield [as_text(value) for value in row]
        else:
            yield from self._text_records(table)

    def _text_records(self, table: TableFile) -> Iterator[list[str]]:
        name = self.file.name
        try:
            with (
                long_fields(),
                table.open() as stream,
                io.TextIOWrapper(stream, table.encoding, errors="strict", newline="") as text,
            ):
                for _ in range(table.source.header - 1):
                    text.readline()
                quoting: Any = csv.QUOTE_MINIMAL if self._quoted else csv.QUOTE_NONE
                yield from csv.reader(text, delimiter=table.delimiter, quoting=quoting, strict=self._quoted)
        except UnicodeError as error:
            raise AnnotationError(
                f"the text is not {table.encoding.upper()} ({error})",
                "export it again, or save it as UTF-8",
                file=name,
            ) from None
        except csv.Error as error:
            raise AnnotationError(
                f"this is not a table ({error})",
                "the file may be incomplete, or a quotation mark is not closed: export it again",
                file=name,
            ) from None
        except AnnotationError:
            raise
        except UNREADABLE as error:
            raise damaged(error, name) from None


def tables_among(inputs: Inputs, opened: Callable[[InputFile], FieldRows], what: str) -> list[FieldRows]:
    """Return the files that `opened` takes; among several, others are left out, and counted in a note."""
    found, others = tables_and_others(inputs, opened)
    tell_others(others, what, inputs.name)
    return found


def tables_and_others(
    inputs: Inputs, opened: Callable[[InputFile], FieldRows]
) -> tuple[list[FieldRows], list[InputFile]]:
    """Return the files that `opened` takes, and the others; raise an error if it takes none."""
    found: list[FieldRows] = []
    others: dict[InputFile, AnnotationError] = {}
    for file in inputs.files:
        try:
            found.append(opened(file))
        except AnnotationError as error:
            others[file] = error
    if not found:
        raise next(iter(others.values()))
    return found, list(others)


def tell_others(others: Sequence[InputFile], what: str, where: str) -> None:
    """Tell how many files were left out, if there are any, as they are not `what`."""
    if others:
        warn(
            f"{where}: {counted(len(others), 'file')} that {verb(len(others), 'is', 'are')} no {what} "
            f"{verb(len(others), 'was', 'were')} left out, such as {others[0].name}"
        )


def json_in(text: str) -> Any:
    """Return the value that JSON text stands for; raise `ValueError` with what is wrong."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error}") from None


class FieldError(ValueError):
    """A field that cannot be used, and why; the file and the row are known where it is caught."""

    def __init__(self, field: str, problem: object) -> None:
        super().__init__(str(problem))
        self.field = field

    def at(self, file: InputFile, row: int, remedy: str) -> AnnotationError:
        """Return an error that names the file and the row too."""
        return bad_field(file, row, self.field, self, remedy)


def number_field(text: str, field: str) -> float:
    """Return a finite number; raise `FieldError` if the text is none."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        point = write_number(str(text).strip(), "")
        why = f"; {point}" if point else ""
        raise FieldError(field, f"'{str(text)[:40]}' is not a number{why}") from None
    if not math.isfinite(value):
        raise FieldError(field, f"'{text}' is not a finite number")
    return value


def bad_field(file: InputFile, row: int, field: str, problem: object, remedy: str) -> AnnotationError:
    """Return an error about a field of a row."""
    return AnnotationError(str(problem), remedy, file=file.name, row=row, field=field)
