"""Reading of tables in CSV, TSV or Parquet files as data frames of text.

Delimiter and encoding are detected. All values in text files stay text (`007` is not 7). Blank lines are
kept, so that messages can give the row number that a spreadsheet shows.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ...annotations.frames.columns import Source
from ...common.errors import AnnotationError, MissingPackageError
from ...common.lazy import lazy

pa = lazy("pyarrow", extra="parquet", purpose="reading Parquet")
pq = lazy("pyarrow.parquet", extra="parquet", purpose="reading Parquet")

DELIMITERS = ",;\t|"
HEAD = 1 << 16
UNREADABLE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError)
"""The errors that damaged, incomplete or encrypted files and archives cause."""

Opener = Callable[[], Any]
"""A function that opens a file for reading bytes: from disk, from gzip or from an archive."""

UNLIKE_TABLES = {
    b"PK\x03\x04": "it is a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "it is an old Excel workbook",
    b"\x89PNG": "it is a picture",
    b"\xff\xd8\xff": "it is a picture",
    b"%PDF": "it is a PDF document",
    b"SQLite format": "it is a database",
}


@dataclass(frozen=True)
class TableFile:
    """A text table on disk or in an archive: how to open it, its encoding, delimiter and columns."""

    source: Source
    open: Opener
    encoding: str
    delimiter: str
    columns: list[str]

    def frame(self, columns: Collection[str] | None = None) -> Any:
        """Return all rows, with all columns or only these."""
        return _read_text(self, columns)


@dataclass(frozen=True)
class ParquetFile:
    """A table in Parquet, read through pyarrow."""

    source: Source
    path: Path
    columns: list[str]
    texts: list[str]

    def frame(self, columns: Collection[str] | None = None) -> Any:
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

    def _column(self, name: str) -> Any:
        try:
            column = pq.read_table(self.path, columns=[name])[name]
        except (pa.ArrowException, OSError) as error:
            raise _damaged(error, self.source.name) from None
        return column.dictionary_encode().combine_chunks() if name in self.texts else column


def open_table(path: str | Path, encoding: str | None = None) -> TableFile | ParquetFile:
    """Return a table file after looking at its first bytes to find out how to read it."""
    path = Path(path)
    try:
        if path.is_dir():
            raise AnnotationError(
                "this is a folder, not a table",
                "name a file in it or, for an archive, give its format= (--format kerttu)",
                file=path,
            )
        if path.exists() and not path.is_file():
            raise AnnotationError(
                "this is a pipe or a device, which can be read only once",
                "save it to a file first",
                file=path,
            )
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise AnnotationError(
            f"the file cannot be opened ({error.strerror})", "check the path", file=path
        ) from None
    if start == b"PAR1":
        return _open_parquet(path)
    if start[:2] == b"\x1f\x8b":
        return open_text(lambda: gzip.open(path, "rb"), str(path), encoding)
    return open_text(lambda: path.open("rb"), str(path), encoding)


def open_text(opener: Opener, name: str, encoding: str | None = None) -> TableFile:
    """Return a text table with its encoding, delimiter and columns detected."""
    try:
        with opener() as file:
            head = file.read(HEAD)
    except UNREADABLE as error:
        raise _damaged(error, name) from None
    encoding = _encoding(head, encoding, name)
    unlike = next((what for magic, what in UNLIKE_TABLES.items() if head.startswith(magic)), None)
    if unlike is None and b"\0" in head and not encoding.startswith(("utf-16", "utf-32")):
        unlike = "it contains bytes that do not occur in text"
    if unlike:
        raise AnnotationError(
            f"this is not a table: {unlike}", "save it as CSV (UTF-8), TSV or Parquet", file=name
        )
    text = head.decode(encoding, errors="replace").strip("\ufeff")
    if not text.strip():
        raise AnnotationError("the file is empty", "check that it was written completely", file=name, row=1)
    if not re.split(r"[\r\n]", text, maxsplit=1)[0].strip():
        raise AnnotationError(
            "the first row is blank", "put the column names in the first row", file=name, row=1
        )
    headers = {d: next(_records(opener, encoding, d, name), []) for d in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda d: len(headers[d]))
    return TableFile(Source(name), opener, encoding, delimiter, headers[delimiter])


def _encoding(head: bytes, told: str | None, name: str) -> str:
    mark = None
    if head.startswith(codecs.BOM_UTF8):
        mark = "utf-8-sig"
    elif head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        mark = "utf-16"
    if told is None:
        return mark or "utf-8"
    try:
        encoding = codecs.lookup(told).name
        head.decode(encoding, errors="replace")
    except (LookupError, UnicodeError):
        raise AnnotationError(
            f"'{told}' is not a known text encoding", "use for example utf-8 or cp1252", file=name
        ) from None
    return mark if mark == "utf-8-sig" else encoding


def _records(opener: Opener, encoding: str, delimiter: str, name: str) -> Iterator[list[str]]:
    """Yield the rows as in a spreadsheet, one by one: for headers, and to find rows with errors."""
    try:
        with opener() as file, io.TextIOWrapper(file, encoding, errors="replace", newline="") as text:
            first = True
            for record in csv.reader(text, delimiter=delimiter):
                yield [record[0].strip("\ufeff"), *record[1:]] if first and record else record
                first = False
    except csv.Error as error:
        raise AnnotationError(
            f"this is not a table ({error})", "save it as CSV (UTF-8), TSV or Parquet", file=name
        ) from None
    except UNREADABLE as error:
        raise _damaged(error, name) from None


def _read_text(file: TableFile, columns: Collection[str] | None) -> pd.DataFrame:
    name = file.source.name
    try:
        with file.open() as stream, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                stream,
                sep=file.delimiter,
                encoding=file.encoding,
                dtype=object,
                na_filter=False,
                skip_blank_lines=False,
                index_col=False,
            )
    except UnicodeError:
        raise _broken_text(file) from None
    except (pd.errors.ParserWarning, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        if "EOF inside string" not in str(error):
            _check_lengths(file)
        raise _unparsed(str(error), name) from None
    except (ValueError, *UNREADABLE) as error:
        raise _damaged(error, name) from None
    if len(frame) and (frame.iloc[:, -1] == "").any():  # a row may have too few fields
        _check_lengths(file)
    names = [c for c in file.columns if c in frame.columns] if columns is None else list(columns)
    return frame[names]  # not with `usecols`, with which pandas ignores rows that are too long


def _check_lengths(file: TableFile) -> None:
    """Raise an error if a row has more or fewer fields than the header, blank rows and fields aside."""
    expected = len(file.columns)
    records = _records(file.open, file.encoding, file.delimiter, file.source.name)
    for row, record in enumerate(records, start=1):
        if (
            len(record) == expected
            or not any(record)
            or (not any(record[expected:]) and len(record) > expected)
        ):
            continue
        raise AnnotationError(
            f"the row has {len(record)} fields, but the header has {expected}",
            "put quotes around values that contain the delimiter"
            if len(record) > expected
            else "write all delimiters, also where fields are empty; the file may be incomplete",
            file=file.source.name,
            row=row,
        )


def _unparsed(message: str, name: str) -> AnnotationError:
    if found := re.search(r"EOF inside string starting at row (\d+)", message):
        return AnnotationError(
            "a quotation mark is not closed",
            "close it, or remove it",
            file=name,
            row=int(found.group(1)) + 1,
        )
    if found := re.search(r"Expected \d+ fields in line (\d+)", message):
        return AnnotationError(
            "the row ends with a delimiter that other rows do not have",
            "remove it, or add one to every row",
            file=name,
            row=int(found.group(1)),
        )
    return AnnotationError(
        f"this is not a table ({message.strip()})",
        "save it as CSV (UTF-8), TSV or Parquet",
        file=name,
    )


def _broken_text(file: TableFile) -> AnnotationError:
    """Return an error that names the first row with wrong encoding, and its text if read as Windows-1252."""
    with file.open() as stream:
        content = stream.read()
    name, encoding = file.source.name, file.encoding.removesuffix("-sig")
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        before = io.StringIO(content[: error.start].decode(encoding, "replace") + "x", newline="")
        row = sum(1 for _ in csv.reader(before, delimiter=file.delimiter))
        word = re.search(rb"[^\s,;|]*$", content[: error.start])
        rest = re.match(rb"[^\s,;|]*", content[error.start :])
        around = (word.group() if word else b"") + (rest.group() if rest else b"")
        guess = around.decode("cp1252", errors="replace")[:40]
        problem = f"the text is not {encoding.upper()}: byte 0x{content[error.start]:02x}"
        if encoding != "utf-8":
            return AnnotationError(problem, "give the correct encoding", file=name, row=row)
        return AnnotationError(
            f"{problem} in a word that would be '{guess}' in the Windows encoding cp1252",
            "save the file as UTF-8 or, if that word is correct, use encoding='cp1252' (--encoding cp1252)",
            file=name,
            row=row,
        )
    return AnnotationError(f"the text is not {encoding.upper()}", "give the correct encoding", file=name)


def _damaged(error: BaseException, name: str) -> AnnotationError:
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return AnnotationError(f"the file cannot be read ({why})", "check that it is complete", file=name)


def _open_parquet(path: Path) -> ParquetFile:
    try:
        schema, types = pq.read_schema(path), pa.types
    except MissingPackageError as error:
        raise AnnotationError(error.problem, f"{error.remedy}, or save the table as CSV", file=path) from None
    except (pa.ArrowException, OSError) as error:
        raise _damaged(error, str(path)) from None
    texts = [f.name for f in schema if types.is_string(f.type) or types.is_large_string(f.type)]
    return ParquetFile(Source(str(path)), path, schema.names, texts)
