"""Guards against files that are made to fill the memory: bombs in archives, and lines without an end."""

from __future__ import annotations

import io
from typing import Any

from ...common.errors import AnnotationError

HARMLESS = 1 << 28
"""So many unpacked bytes are harmless, however small they were packed."""
LARGEST_RATIO = 200
"""More is unpacked only if the packed file is at least one of so many parts of it; text packs to a tenth."""
LONGEST_LINE = 1 << 26
"""The largest number of bytes in a line of text."""


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


def with_lines(stream: Any, name: str) -> Any:
    """Return a stream of text in bytes that refuses lines without an end."""
    return io.BufferedReader(Guarded(stream, name, line=LONGEST_LINE), buffer_size=1 << 18)
