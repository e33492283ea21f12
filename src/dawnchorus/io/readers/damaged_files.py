"""Messages about files that cannot be read: where they are damaged, and what to do."""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib

from ...common.errors import AnnotationError
from ...common.wording import option

UNREADABLE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError)
"""The errors that damaged, incomplete or encrypted files and archives cause."""


def unparsed(message: str, name: str) -> AnnotationError:
    """Return an error that says what pandas could not parse."""
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


def broken_text(content: bytes, encoding: str, delimiter: str, name: str) -> AnnotationError:
    """Return an error that names the first row with wrong encoding, and its text if read as Windows-1252."""
    encoding = encoding.removesuffix("-sig")
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        before = io.StringIO(content[: error.start].decode(encoding, "replace") + "x", newline="")
        row = sum(1 for _ in csv.reader(before, delimiter=delimiter))
        word = re.search(rb"[^\s,;|]*$", content[: error.start])
        rest = re.match(rb"[^\s,;|]*", content[error.start :])
        around = (word.group() if word else b"") + (rest.group() if rest else b"")
        guess = around.decode("cp1252", errors="replace")[:40]
        problem = f"the text is not {encoding.upper()}: byte 0x{content[error.start]:02x}"
        if encoding != "utf-8":
            return AnnotationError(problem, "give the correct encoding", file=name, row=row)
        return AnnotationError(
            f"{problem} in a word that would be '{guess}' in the Windows encoding cp1252",
            f"save the file as UTF-8 or, if that word is correct, use {option('encoding', 'cp1252')}",
            file=name,
            row=row,
        )
    return AnnotationError(f"the text is not {encoding.upper()}", "give the correct encoding", file=name)


def damaged(error: BaseException, name: str) -> AnnotationError:
    """Return an error about a file that is damaged or cannot be read."""
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return AnnotationError(f"the file cannot be read ({why})", "check that it is complete", file=name)


def wrong_length(record: list[str], expected: int, name: str, row: int) -> AnnotationError | None:
    """Return an error if a row has more or fewer fields than the header, blank rows and fields aside."""
    number = len(record)
    if number == expected or not any(record) or (number > expected and not any(record[expected:])):
        return None
    remedy = (
        "put quotes around values that contain the delimiter"
        if number > expected
        else "write all delimiters, also where fields are empty; the file may be incomplete"
    )
    return AnnotationError(
        f"the row has {number} fields, but the header has {expected}", remedy, file=name, row=row
    )
