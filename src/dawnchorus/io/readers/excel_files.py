"""Reading of tables in Excel workbooks, through openpyxl."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any
from xml.etree.ElementTree import ParseError
from zipfile import ZipFile

import pandas as pd

from ...annotations.frames.bad_rows import BadRows
from ...annotations.frames.columns import Source
from ...annotations.frames.reading import SAMPLE
from ...common.errors import AnnotationError, MissingPackageError
from ...common.lazy import lazy
from ...common.wording import listed, option
from .damaged_files import UNREADABLE
from .guards import check_unpacked
from .inputs import WORKBOOK, InputFile

openpyxl = lazy("openpyxl", extra="excel", purpose="reading Excel workbooks")

BROKEN = (*UNREADABLE, LookupError, ValueError, TypeError, ArithmeticError, ParseError, AttributeError)
"""What openpyxl raises about a workbook that is damaged, or that is another document."""
MOST_ROWS = 1 << 20
"""A sheet of Excel has no more rows."""
MOST_CELLS = 1 << 25
"""The largest number of cells in a sheet, blank ones included, which take memory but no space in the file."""


@dataclass(frozen=True)
class ExcelFile:
    """A sheet of a workbook: how to open it, its columns, which its first row names, and its first rows.

    The first rows are kept, because all texts of a workbook are read whenever it is opened.
    """

    source: Source
    file: InputFile
    sheet: str
    columns: list[str]
    first: list[list[Any]]

    def frame(
        self,
        columns: Collection[str] | None = None,
        bad: BadRows | None = None,
        kinds: Mapping[str, str] | None = None,
    ) -> Any:
        """Return all rows, with all columns or only these."""
        with _book(self.file) as book:
            rows = list(islice(_rows(book, self.sheet, self.file), 1, None))
        width = len(self.columns)
        frame = pd.DataFrame(
            [[*row[:width], *[None] * (width - len(row))] for row in rows], columns=self.columns, dtype=object
        )
        return frame if columns is None else frame[list(columns)]

    def sample(self, rows: int) -> Mapping[str, list[object]]:
        """Return the first values of each column, at most a thousand."""
        found = self.first[:rows]
        return {
            name: [row[i] if i < len(row) else None for row in found] for i, name in enumerate(self.columns)
        }


def is_workbook(start: bytes) -> bool:
    """Return whether a file that begins with these bytes is a workbook (or another zip archive)."""
    return start[:4] == b"PK\x03\x04"


def open_excel(file: InputFile, sheet: str | None = None) -> ExcelFile:
    """Return a sheet of a workbook: that of this name, or the only one."""
    with _book(file) as book:
        chosen = _chosen([each.title for each in book.worksheets], sheet, file)
        header, *first = list(islice(_rows(book, chosen, file), SAMPLE + 1)) or [[]]
    while header and header[-1] in (None, ""):
        header = header[:-1]
    if not header:
        raise AnnotationError(
            f"the first row of the sheet '{chosen}' is blank",
            "put the column names in the first row",
            file=file.name,
            row=1,
        )
    columns = ["" if name is None else str(name) for name in header]
    return ExcelFile(Source(file.name, code=None), file, chosen, columns, first)


def _chosen(sheets: list[str], sheet: str | None, file: InputFile) -> str:
    """Return the name of the sheet to read; raise an error if there is none of that name, or several."""
    if sheet is None and len(sheets) != 1:
        raise AnnotationError(
            f"the workbook has {len(sheets)} sheets: {listed(sheets)}",
            f"say which to read, as in {option('sheet', sheets[0] if sheets else 'NAME')}",
            file=file.name,
        )
    if sheet is not None and sheet not in sheets:
        raise AnnotationError(
            f"there is no sheet '{sheet}'; the sheets are {listed(sheets)}",
            "name one of them",
            file=file.name,
        )
    return sheets[0] if sheet is None else sheet


def _rows(book: Any, sheet: str, file: InputFile) -> Iterator[list[Any]]:
    """Yield the values of each row; values of formulas are those that Excel has saved."""
    cells = 0
    book[sheet].reset_dimensions()  # what a workbook says of its size may be wrong, or a million columns
    for number, row in enumerate(book[sheet].iter_rows(values_only=True), start=1):
        cells += len(row)
        if number > MOST_ROWS or cells > MOST_CELLS:
            raise AnnotationError(
                f"the sheet '{sheet}' has over {MOST_ROWS:,} rows or {MOST_CELLS:,} cells, blank or not",
                "delete blank columns and rows, or save it as CSV (UTF-8)",
                file=file.name,
                row=number,
            )
        yield list(row)


@contextmanager
def _book(file: InputFile) -> Iterator[Any]:
    """Open a workbook that is no bomb; errors about what is broken in it name the file."""
    try:
        with file.anywhere() as stream:
            with ZipFile(stream) as parts:
                if WORKBOOK not in parts.namelist():
                    raise AnnotationError(
                        "this is a zip archive inside another archive", "unpack one of them", file=file.name
                    )
                unpacked = sum(part.file_size for part in parts.infolist())
            check_unpacked(unpacked, stream.seek(0, os.SEEK_END), file.name)
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            yield book
            book.close()
    except MissingPackageError as error:
        raise AnnotationError(
            error.problem, f"{error.remedy}, or save the table as CSV (UTF-8)", file=file.name
        ) from None
    except AnnotationError:
        raise
    except BROKEN as error:
        raise _unreadable(file, error) from None


def _unreadable(file: InputFile, error: BaseException) -> AnnotationError:
    return AnnotationError(
        f"the workbook cannot be read ({type(error).__name__})",
        "open it in a spreadsheet and save it again as .xlsx or CSV (UTF-8)",
        file=file.name,
    )
