"""Reading of tables in CSV or TSV files as data frames of text.

Delimiter and encoding are detected. All values in text files stay text (`007` is not 7). Blank lines are
kept, so that messages can give the row number that a spreadsheet shows.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pandas as pd

from ...annotations.frames.bad_rows import BadRows
from ...annotations.frames.columns import Source
from ...common.errors import AnnotationError
from .damaged_files import UNREADABLE, broken_text, damaged, unparsed, wrong_length
from .guards import check_fields, with_lines
from .inputs import Opener

DELIMITERS = ",;\t|"
HEAD = 1 << 16
TOLD_DELIMITER = re.compile(r"""(["']?)sep=([^\w\s"']|\t)\1[,;]*[ \t]*(?:\r\n?|\n|$)""", re.IGNORECASE)
"""A first line that tells a spreadsheet the delimiter: `sep=;`"""

UNLIKE_TABLES = {
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

    def frame(
        self,
        columns: Collection[str] | None = None,
        bad: BadRows | None = None,
        kinds: Mapping[str, str] | None = None,
    ) -> Any:
        """Return all rows, with all columns or only these; bad rows that are left out are blank.

        Columns may be of another kind than text, to save memory: `kinds` are categories, or numbers, which
        are text all the same if one of them is none.
        """
        return _read_text(self, columns, bad or BadRows(), kinds or {})

    def sample(self, rows: int) -> Mapping[str, list[object]]:
        """Return the first values of each column."""
        records = islice(self.records(), 1, rows + 1)
        found = [record for record in records if len(record) == len(self.columns)]
        return {name: [record[i] for record in found] for i, name in enumerate(self.columns)}

    def records(self) -> Iterator[list[str]]:
        """Yield the rows as in a spreadsheet, one by one, from the header on."""
        return _records(self.open, self.encoding, self.delimiter, self.source.name, self.source.header - 1)


def open_text(opener: Opener, name: str, encoding: str | None = None) -> TableFile:
    """Return a text table with its encoding, delimiter and columns detected."""
    opener = _with_lines(opener, name)
    try:
        with opener() as file:
            head = file.read(HEAD)
    except UNREADABLE as error:
        raise damaged(error, name) from None
    encoding = _encoding(head, encoding, name)
    unlike = next((what for magic, what in UNLIKE_TABLES.items() if head.startswith(magic)), None)
    if unlike is None and b"\0" in head and not encoding.startswith(("utf-16", "utf-32")):
        unlike = "it contains bytes that do not occur in text"
    if unlike:
        raise AnnotationError(
            f"this is not a table: {unlike}", "save it as CSV (UTF-8), TSV or Parquet", file=name
        )
    text = head.decode(encoding, errors="replace").strip("\ufeff")
    told = TOLD_DELIMITER.match(text)
    skip = 1 if told else 0
    text = text[told.end() :] if told else text
    if not text.strip():
        raise AnnotationError("the file is empty", "check that it was written completely", file=name, row=1)
    if not re.split(r"[\r\n]", text, maxsplit=1)[0].strip():
        raise AnnotationError(
            "the first row is blank", "put the column names in the first row", file=name, row=skip + 1
        )
    possible = told.group(2) if told else DELIMITERS
    headers = {d: next(_records(opener, encoding, d, name, skip), []) for d in possible}
    delimiter = max(possible, key=lambda d: len(headers[d]))
    source = Source(name, header=skip + 1, guarded=True, code=None, commas=delimiter != ",")
    return TableFile(source, opener, encoding, delimiter, headers[delimiter])


def _with_lines(opener: Opener, name: str) -> Opener:
    return lambda: with_lines(opener(), name)


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


def _records(opener: Opener, encoding: str, delimiter: str, name: str, skip: int) -> Iterator[list[str]]:
    """Yield the rows as in a spreadsheet, one by one: for headers, and to find rows with errors."""
    row = 0
    try:
        with opener() as file, io.TextIOWrapper(file, encoding, errors="replace", newline="") as text:
            for row, record in enumerate(csv.reader(_unmarked(text), delimiter=delimiter), start=1):
                if row > skip:
                    yield record
    except csv.Error as error:
        if "field limit" in str(error):
            raise AnnotationError(
                f"a field has more than {csv.field_size_limit():,} characters",
                "check that this is a table; look for a quotation mark that is not closed",
                file=name,
                row=row + 1,
            ) from None
        raise AnnotationError(
            f"this is not a table ({error})", "save it as CSV (UTF-8), TSV or Parquet", file=name
        ) from None
    except UNREADABLE as error:
        raise damaged(error, name) from None


def _unmarked(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines without the byte-order mark of the first."""
    for first in islice(lines, 1):
        yield first.strip("\ufeff")
    yield from lines


def _read_text(
    file: TableFile, columns: Collection[str] | None, bad: BadRows, kinds: Mapping[str, str]
) -> pd.DataFrame:
    name = file.source.name
    try:
        check_fields(file.open, file.records)
    except UNREADABLE as error:
        raise damaged(error, name) from None
    try:
        with file.open() as stream, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                stream,
                sep=file.delimiter,
                encoding=file.encoding,
                dtype={column: kinds.get(column, object) for column in file.columns},
                na_filter="float" in kinds.values(),
                keep_default_na=False,
                na_values={column: [""] for column, kind in kinds.items() if kind == "float"},
                skip_blank_lines=False,
                skiprows=file.source.header - 1,
                index_col=False,
            )
        last = frame.iloc[:, -1] if len(frame) else pd.Series([])
        if ((last == "") | last.isna()).any():  # a row may have too few fields
            _check_lengths(file, BadRows())
    except UnicodeError:
        with file.open() as stream:
            content = stream.read()
        raise broken_text(content, file.encoding, file.delimiter, name) from None
    except (pd.errors.ParserWarning, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        if "EOF inside string" in str(error):
            raise unparsed(str(error), name) from None
        frame = _with_lengths(file, bad)
        if not bad.skip:
            raise unparsed(str(error), name) from None
    except AnnotationError:
        frame = _with_lengths(file, bad)
    except (ValueError, *UNREADABLE) as error:
        if kinds:
            return _read_text(file, columns, bad, {})
        raise damaged(error, name) from None
    names = [c for c in file.columns if c in frame.columns] if columns is None else list(columns)
    return frame[names]  # not with `usecols`, with which pandas ignores rows that are too long


def _with_lengths(file: TableFile, bad: BadRows) -> pd.DataFrame:
    """Return all rows, of which those with too many or too few fields are blank; or raise an error."""
    return pd.DataFrame(_check_lengths(file, bad), columns=file.columns, dtype=object)


def _check_lengths(file: TableFile, bad: BadRows) -> list[list[str]]:
    """Raise an error if a row has more or fewer fields than the header.

    If such rows are left out, return all rows, those as blank ones.
    """
    expected, rows = len(file.columns), []
    for row, record in enumerate(islice(file.records(), 1, None), start=file.source.header + 1):
        wrong = wrong_length(record, expected, file.source.name, row)
        if wrong:
            bad.found(wrong)
            record = []
        if bad.skip:
            rows.append([*record[:expected], *[""] * (expected - len(record))])
    return rows
