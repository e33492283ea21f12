"""Guards against files that are made to fill the memory: bombs, and lines or fields without an end."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...common.errors import AnnotationError
from .damaged_files import UNREADABLE

HARMLESS = 1 << 28
"""So many unpacked bytes are harmless, however small they were packed."""
LARGEST_RATIO = 200
"""More is unpacked only if the packed file is at least one of so many parts of it; text packs to a tenth."""
LARGEST_GZIP_RATIO = 1032
"""No file unpacks to more than so many times what it is packed to by gzip."""
HARMLESS_ROWS = 5_000_000
"""So many rows are harmless, however small they were packed by Parquet."""
MOST_ROWS_A_BYTE = 50
"""More rows are read only if a byte of the file stands for no more than so many of them."""
LONGEST_LINE = 1 << 26
"""The largest number of bytes in a line of text."""
LONGEST_FIELD = 1 << 24
"""The largest number of characters in a field, such as one of JSON, or one with line breaks."""
BLOCK = 1 << 20


class Guarded(io.RawIOBase):
    """A stream of bytes that raises an error if there are too many, or too many without a line break."""

    def __init__(self, stream: Any, name: str, *, packed: int | None = None, line: int | None = None) -> None:
        self._stream, self._name, self._packed, self._line = stream, name, packed, line
        self._read = 0
        self._since_break = 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into the buffer."""
        block = self._stream.read(len(buffer))
        self._read += len(block)
        if self._packed is not None:
            check_unpacked(self._read, self._packed, self._name)
        if self._line is not None:
            self._count_line(block)
        buffer[: len(block)] = block
        return len(block)

    def _count_line(self, block: bytes) -> None:
        last = max(block.rfind(b"\n"), block.rfind(b"\r"))
        first = min((i for i in (block.find(b"\n"), block.find(b"\r")) if i >= 0), default=len(block))
        assert self._line is not None
        if self._since_break + first > self._line:
            raise AnnotationError(
                f"a line has more than {self._line:,} bytes",
                "check that this is a table; look for a quotation mark that is not closed",
                file=self._name,
            )
        self._since_break = len(block) - last - 1 if last >= 0 else self._since_break + len(block)

    def close(self) -> None:
        """Close the stream below as well."""
        self._stream.close()
        super().close()


def unpacked(stream: Any, name: str, packed: int) -> Any:
    """Return a stream of unpacked bytes that refuses to be a bomb, given the size of the packed file."""
    return io.BufferedReader(Guarded(stream, name, packed=packed), buffer_size=1 << 18)


def check_unpacked(size: int, packed: int, name: str) -> None:
    """Raise an error if a file unpacks to so much more than its size that it must be a bomb."""
    if size > max(HARMLESS, LARGEST_RATIO * packed):
        raise AnnotationError(
            f"it unpacks to {size:,} bytes or more, over {LARGEST_RATIO} times its size: this is no table, "
            "and may be made to fill the memory",
            "unpack it yourself if you know where it comes from",
            file=name,
        )


def check_gzip(opener: Callable[[], Any], packed: int) -> None:
    """Raise an error if a gzip file is a bomb, which is known only after unpacking, before any of it is kept.

    What is broken in other ways is left to whoever reads the file.
    """
    if packed * LARGEST_GZIP_RATIO <= HARMLESS:
        return
    try:
        _larger(opener, sys.maxsize)
    except UNREADABLE:
        return


def check_fields(opener: Callable[[], Any], records: Callable[[], Iterable[object]]) -> None:
    """Raise an error if a field of a large table has no end; one in quotation marks may have line breaks."""
    if _larger(opener, LONGEST_LINE):
        with long_fields():
            for _ in records():
                pass


def _larger(opener: Callable[[], Any], size: int) -> bool:
    """Return whether a file has more than so many bytes."""
    with opener() as stream:
        while size >= 0 and (block := stream.read(BLOCK)):
            size -= len(block)
    return size < 0


@contextmanager
def long_fields() -> Iterator[None]:
    """Let fields be longer than the 131,072 characters that Python allows, up to a limit of ours."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def check_rows(rows: int, size: int, name: str) -> None:
    """Raise an error if a packed table has so many more rows than bytes that it must be a bomb."""
    if rows > max(HARMLESS_ROWS, MOST_ROWS_A_BYTE * size):
        raise AnnotationError(
            f"it has {rows:,} rows in {size:,} bytes: this may be made to fill the memory",
            "save it as CSV if you know where it comes from",
            file=name,
        )


def with_lines(stream: Any, name: str) -> Any:
    """Return a stream of text in bytes that refuses lines without an end."""
    return io.BufferedReader(Guarded(stream, name, line=LONGEST_LINE), buffer_size=1 << 18)
