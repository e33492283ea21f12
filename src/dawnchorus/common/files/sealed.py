"""Sealed files: the checksum of a file at its own end, so that damage is found before anything is read.

HDF5 and zip archives may have further bytes at their end, so other programs read sealed files as they are.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, Literal

MARK = b"\nDawnchorus, sha256 of all bytes before this line: "
LENGTH = len(MARK) + 64 + 1
CHUNK = 2**20
TAIL = 2**16
"""A seal with at most so many bytes after it is found, and no longer that of the file."""


def checksum(path: Path) -> str:
    """Return the SHA-256 checksum of a file, as `sha256sum` does."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_sealed(content: Any, path: Path) -> None:
    """Write bytes, or a buffer of bytes, and their seal."""
    with path.open("wb") as file:
        file.write(content)
        file.write(_seal(hashlib.sha256(content).hexdigest()))


def seal(path: Path) -> None:
    """Add the seal to a file that was written."""
    found = checksum(path)
    with path.open("ab") as file:
        file.write(_seal(found))


def seal_of(path: Path) -> Literal["whole", "broken", "none"]:
    """Return whether the bytes of a file are those that were sealed, or whether it has no seal.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     file = Path(home, "file")
    ...     write_sealed(b"some bytes", file)
    ...     whole = seal_of(file)
    ...     _ = file.write_bytes(file.read_bytes().replace(b"some", b"none"))
    ...     print(whole, seal_of(file))
    whole broken
    """
    with path.open("rb") as file:
        left = file.seek(0, os.SEEK_END) - LENGTH
        if left < 0:
            return "none"
        file.seek(left)
        end = file.read()
        if not end.startswith(MARK):
            file.seek(max(left - TAIL, 0))
            return "broken" if MARK in file.read() else "none"
        file.seek(0)
        digest = hashlib.sha256()
        while left:
            part = file.read(min(CHUNK, left))
            digest.update(part)
            left -= len(part)
    return "whole" if end == _seal(digest.hexdigest()) else "broken"


def _seal(digest: str) -> bytes:
    return MARK + digest.encode() + b"\n"
