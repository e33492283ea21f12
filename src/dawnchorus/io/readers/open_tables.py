"""Opening of a table: text, Parquet or an Excel workbook, after looking at its first bytes."""

from __future__ import annotations

from pathlib import Path

from ...common.errors import AnnotationError
from ...common.wording import option
from .excel_files import ExcelFile, is_workbook, open_excel
from .inputs import InputFile, PathLike, input_files
from .parquet_files import PARQUET, ParquetFile, open_parquet
from .text_files import TableFile, open_text

Table = TableFile | ParquetFile | ExcelFile


def open_table(path: PathLike, encoding: str | None = None, *, sheet: str | None = None) -> Table:
    """Return the table at a path that leads to one file."""
    if Path(path).is_dir():
        raise AnnotationError("this is a folder, not a table", "name a file in it", file=path)
    files = input_files(path).files
    if len(files) > 1:
        raise AnnotationError(
            f"there are {len(files)} files in it, but one table is needed", "name one of them", file=path
        )
    return opened_table(files[0], encoding, sheet=sheet)


def opened_table(file: InputFile, encoding: str | None = None, *, sheet: str | None = None) -> Table:
    """Return a table after looking at its first bytes to find out how to read it."""
    start = file.head(len(PARQUET))
    if is_workbook(start):
        return open_excel(file, sheet)
    if sheet is not None:
        raise AnnotationError(
            f"{option('sheet', sheet)} cannot be used: this is not an Excel workbook",
            f"leave out {option('sheet')}",
            file=file.name,
        )
    if start == PARQUET:
        return open_parquet(file)
    return open_text(file.open, file.name, encoding)
