"""Opening of a table, on disk or from standard input: text (perhaps compressed) or Parquet."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

from ...common.errors import AnnotationError
from ...common.wording import either, option
from .parquet_files import ParquetFile, open_parquet
from .text_files import TableFile, open_text

STANDARD_INPUT = "-"
"""The path that stands for standard input."""


def open_table(path: str | Path, encoding: str | None = None) -> TableFile | ParquetFile:
    """Return a table after looking at its first bytes to find out how to read it."""
    if str(path) == STANDARD_INPUT:
        return _open(_standard_input(), "standard input", encoding)
    path = Path(path)
    try:
        if path.is_dir():
            raise AnnotationError(
                "this is a folder, not a table",
                f"name a file in it or, for an archive, give its format, as in {option('format', 'kerttu')}",
                file=path,
            )
        if path.exists() and not path.is_file():
            raise AnnotationError(
                "this is a pipe or a device, which can be read only once",
                f"save it to a file first, or give '{STANDARD_INPUT}' to read standard input",
                file=path,
            )
        path.open("rb").close()
    except OSError as error:
        raise AnnotationError(
            f"the file cannot be opened ({error.strerror})", "check the path", file=path
        ) from None
    return _open(path, str(path), encoding)


def _open(place: Path | bytes, name: str, encoding: str | None) -> TableFile | ParquetFile:
    def opener() -> Any:
        return io.BytesIO(place) if isinstance(place, bytes) else place.open("rb")

    def unpacked() -> Any:
        return gzip.open(io.BytesIO(place) if isinstance(place, bytes) else place, "rb")

    path = None if isinstance(place, bytes) else str(place)
    with opener() as file:
        start = file.read(4)
    if start == b"PAR1":
        return open_parquet(opener, name, path)
    return open_text(unpacked if start[:2] == b"\x1f\x8b" else opener, name, encoding, path=path)


def _standard_input() -> bytes:
    stream = sys.stdin
    pipe = either("start Python with a table on its standard input", "pipe a table into the command")
    if stream is None or not hasattr(stream, "buffer") or stream.isatty():
        raise AnnotationError(
            "nothing is piped into standard input", f"{pipe}, or name a file", file="standard input"
        )
    try:
        content = stream.buffer.read()
    except (OSError, ValueError) as error:
        raise AnnotationError(
            f"standard input cannot be read ({error})", f"{pipe}, or name a file", file="standard input"
        ) from None
    if not content:
        raise AnnotationError(
            "nothing came from standard input",
            f"{pipe}; only one table can come from there, and only once",
            file="standard input",
        )
    return bytes(content)
