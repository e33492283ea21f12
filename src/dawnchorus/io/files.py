"""Files: a table in CSV, TSV or Parquet becomes a frame of text, whatever wrote it.

Delimiter and encoding are detected. Every value stays the text that it is (`007` is not 7), blank lines
keep their place, so a row's position gives the row that a spreadsheet shows.
"""

from __future__ import annotations

import csv
import gzip
import re
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..columns import Source
from ..errors import AnnotationError

DELIMITERS = ",;\t|"
HEAD = 1 << 16

Opener = Callable[[], Any]
"""Opens a file for reading bytes: from disk, from gzip or from an archive."""

UNLIKE_TABLES = {
    b"PK\x03\x04": "it is a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "it is an old Excel workbook",
    b"\x89PNG": "it is a picture",
    b"\xff\xd8\xff": "it is a picture",
    b"RIFF": "it is a sound file",
    b"fLaC": "it is a sound file",
    b"ID3": "it is a sound file",
    b"%PDF": "it is a PDF document",
    b"SQLite": "it is a database",
}


@dataclass(frozen=True)
class TableFile:
    """A table on disk or in an archive: how to open it, and how its text is written."""

    source: Source
    open: Opener
    encoding: str
    delimiter: str
    columns: list[str]

    def frame(self, columns: Collection[str] | None = None) -> Any:
        """Read all rows, of these columns only if named."""
        return _read_text(self, columns)


@dataclass(frozen=True)
class ParquetFile:
    """A table in Parquet, read through pyarrow."""

    source: Source
    path: Path
    columns: list[str]
    texts: list[str]

    def frame(self, columns: Collection[str] | None = None) -> Any:
        """Read all rows, of these columns only if named.

        One column at a time, and texts as dictionaries, which are small.
        """
        import pyarrow as pa

        names = self.columns if columns is None else columns
        return pa.table({name: self._column(name) for name in names})

    def _column(self, name: str) -> Any:
        import pyarrow.parquet as pq

        column = pq.read_table(self.path, columns=[name])[name]
        return column.dictionary_encode().combine_chunks() if name in self.texts else column


def open_table(path: str | Path, encoding: str | None = None) -> TableFile | ParquetFile:
    """Look at the beginning of a file and find out how to read it as a table."""
    path = Path(path)
    if path.is_dir():
        raise AnnotationError(
            "this is a folder, not a table",
            "name a file in it, or say which archive it is with format= (--format kerttu)",
            file=path,
        )
    try:
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
    """Detect the encoding, delimiter and columns of a text table."""
    try:
        with opener() as file:
            head = file.read(HEAD)
    except (OSError, EOFError) as error:
        raise AnnotationError(
            f"the file cannot be read ({error})", "check that it is whole", file=name
        ) from None
    encoding = encoding or _encoding(head)
    unlike = next((what for magic, what in UNLIKE_TABLES.items() if head.startswith(magic)), None)
    if unlike is None and b"\0" in head and not encoding.startswith("utf-16"):
        unlike = "it holds bytes that no text has"
    if unlike:
        raise AnnotationError(
            f"this is not a table: {unlike}", "save it as CSV (UTF-8), TSV or Parquet", file=name
        )
    try:
        text = head.decode(encoding, errors="replace").strip("\ufeff")
    except LookupError:
        raise AnnotationError(
            f"'{encoding}' is no known encoding", "use for example utf-8 or cp1252", file=name
        ) from None
    if not text.strip():
        raise AnnotationError("the file is empty", "check that it was written completely", file=name, row=1)
    header = text.splitlines()[0]
    if not header.strip():
        raise AnnotationError("the first row is blank", "begin with a row of column names", file=name, row=1)
    delimiter = max(DELIMITERS, key=lambda d: len(_split(header, d)))
    return TableFile(Source(name), opener, encoding, delimiter, _split(header, delimiter))


def _encoding(head: bytes) -> str:
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "utf-8"


def _split(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


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
            # Not by `usecols`, with which pandas passes over rows that are too long.
            return frame if columns is None else frame[list(columns)]
    except UnicodeError:
        raise _broken_text(file) from None
    except pd.errors.ParserWarning:
        raise AnnotationError(
            "the row has more fields than the header",
            "put quotes around values that hold the delimiter",
            file=name,
            row=2,
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise _unparsed(str(error), name) from None
    except (OSError, EOFError, KeyError, ValueError) as error:
        raise AnnotationError(
            f"the file cannot be read as a table ({error})", "check that it is whole", file=name
        ) from None


def _unparsed(message: str, name: str) -> AnnotationError:
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message):
        expected, line, saw = map(int, found.groups())
        return AnnotationError(
            f"the row has {saw} fields, but the header has {expected}",
            "put quotes around values that hold the delimiter",
            file=name,
            row=line,
        )
    if found := re.search(r"EOF inside string starting at row (\d+)", message):
        return AnnotationError(
            "a quotation mark is opened and never closed",
            "close it, or remove it",
            file=name,
            row=int(found.group(1)) + 1,
        )
    return AnnotationError(
        f"this is not a table ({message.strip()})",
        "save it as CSV (UTF-8), TSV or Parquet",
        file=name,
    )


def _broken_text(file: TableFile) -> AnnotationError:
    """Find the first row that is not in the encoding, and show how Windows would read it."""
    with file.open() as stream:
        content = stream.read()
    try:
        content.decode(file.encoding)
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        word = re.search(rb"[^\s,;|]*$", content[: error.start])
        rest = re.match(rb"[^\s,;|]*", content[error.start :])
        around = (word.group() if word else b"") + (rest.group() if rest else b"")
        guess = around.decode("cp1252", errors="replace")[:40]
        return AnnotationError(
            f"the text is not {file.encoding.upper()}: "
            f"byte 0x{content[error.start]:02x} in what Windows would read as '{guess}'",
            "save the file as UTF-8, or, if that word looks right, say encoding='cp1252' (--encoding cp1252)",
            file=file.source.name,
            row=row,
        )
    return AnnotationError(
        f"the text is not {file.encoding.upper()}", "save the file as UTF-8", file=file.source.name
    )


def _open_parquet(path: Path) -> ParquetFile:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise AnnotationError(
            "reading Parquet needs the package pyarrow",
            "pip install 'dawnchorus[parquet]', or save the table as CSV",
            file=path,
        ) from None
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise AnnotationError(
            f"this Parquet file cannot be read ({error})", "check that it is whole", file=path
        ) from None
    texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
    return ParquetFile(Source(str(path)), path, schema.names, texts)
