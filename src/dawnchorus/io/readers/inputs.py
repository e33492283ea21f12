"""Input files: a path, several, a glob, a folder, a zip or gzip archive become a list of files to open.

Nothing is ever unpacked to the disk. Archives with links, or with names that lead outside, are refused.
"""

from __future__ import annotations

import glob
import gzip
import io
import stat
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ...common.errors import AnnotationError
from ...common.wording import either
from .damaged_files import UNREADABLE, damaged
from .guards import check_gzip, check_unpacked, unpacked

STANDARD_INPUT = "-"
"""The path that stands for standard input."""
PIPED = "standard input"
MOST_FILES = 1_000_000
WORKBOOK = "[Content_Types].xml"
"""A zip archive with a member of this name is a document, such as an Excel workbook."""

Opener = Callable[[], Any]
"""A function that opens a file for reading bytes: from disk, from gzip or from an archive."""
PathLike = str | Path
Paths = PathLike | Iterable[PathLike]


class InputFile(NamedTuple):
    """A file to read: its name in messages, its path inside what the user named, and how to open it."""

    name: str
    inside: str
    open: Opener

    def head(self, size: int = 1 << 16) -> bytes:
        """Return the first bytes."""
        try:
            with self.open() as file:
                return bytes(file.read(size))
        except UNREADABLE as error:
            raise damaged(error, self.name) from None

    def anywhere(self) -> Any:
        """Open the file to be read from any place on; one in an archive is read whole."""
        stream = self.open()
        if stream.seekable():
            return stream
        try:
            with stream:
                return io.BytesIO(stream.read())
        except UNREADABLE as error:
            raise damaged(error, self.name) from None


def path_list(paths: Paths) -> list[PathLike]:
    """Return one path, or several, as a list.

    >>> path_list("a.csv"), path_list(["a.csv", "b.csv"])
    (['a.csv'], ['a.csv', 'b.csv'])
    """
    is_frame = hasattr(paths, "columns") or hasattr(
        paths, "collect_schema"
    )  # else its columns would be paths
    found: list[Any] = [paths] if isinstance(paths, str | Path) or is_frame else list(paths)
    for path in found:
        if not isinstance(path, str | Path):
            raise TypeError(
                f"expected a path, got {type(path).__name__}; for a frame, use dc.Annotations.from_frame(…)"
            )
    if not found:
        raise AnnotationError("no file is named", "name at least one")
    return found


class Inputs(NamedTuple):
    """All files that a reader is to read, and what the user named, for messages."""

    name: str
    files: list[InputFile]


def input_files(paths: Paths) -> Inputs:
    """Return all files that one path or several lead to, in the order of their names."""
    files = [file for path in path_list(paths) for file in _files_at(path)]
    name = ", ".join(PIPED if str(path) == STANDARD_INPUT else str(path) for path in path_list(paths))
    if not files:
        raise AnnotationError("there is no file in it", "check the path", file=name)
    return Inputs(name, files)


def _files_at(path: PathLike) -> Iterator[InputFile]:
    if str(path) == STANDARD_INPUT:
        content = _standard_input()
        yield _opened(PIPED, PIPED, partial(io.BytesIO, content), len(content))
        return
    place = Path(path)
    try:
        if place.is_dir():
            inside = (each for each in sorted(place.rglob("*")) if each.is_file())
            for number, each in enumerate(inside):
                within = each.relative_to(place)
                if any(part.startswith((".", "__MACOSX")) for part in within.parts):
                    continue
                _check_number(number, place)
                yield from _at_file(each, within.as_posix(), f"{within.with_suffix('').as_posix()}/")
        elif not place.exists() and any(sign in str(path) for sign in "*?["):
            found = sorted(glob.glob(str(path), recursive=True))
            if not found:
                raise AnnotationError(
                    "the file cannot be opened (no file is named like this)", "check the path", file=path
                )
            for name in found:
                yield from _files_at(name)
        elif place.exists() and not place.is_file():
            raise AnnotationError(
                "this is a pipe or a device, which can be read only once",
                f"save it to a file first, or give '{STANDARD_INPUT}' to read standard input",
                file=path,
            )
        else:
            yield from _at_file(place, place.as_posix(), "")
    except OSError as error:
        raise AnnotationError(
            f"the file cannot be opened ({error.strerror})", "check the path", file=path
        ) from None


def _at_file(path: Path, inside: str, unpacked_in: str) -> Iterator[InputFile]:
    """Yield a file or, if it is a zip archive, the files in it, as if they were unpacked in that folder."""
    with path.open("rb") as file:
        start = file.read(4)
    if start in (b"PK\x03\x04", b"PK\x05\x06"):
        yield from _in_zip(path, inside, unpacked_in)
    else:
        yield _on_disk(path, inside)


def _check_number(number: int, place: Path) -> None:
    if number >= MOST_FILES:
        raise AnnotationError(f"there are more than {MOST_FILES:,} files", "name fewer", file=place)


def _on_disk(path: Path, inside: str) -> InputFile:
    return _opened(str(path), inside, partial(path.open, "rb"), path.stat().st_size)


def _opened(name: str, inside: str, opener: Opener, size: int) -> InputFile:
    """Return a file, unpacked if it is packed with gzip."""
    with opener() as file:
        packed = file.read(2) == b"\x1f\x8b"
    if not packed:
        return InputFile(name, inside, opener)

    def unzipped() -> Any:
        return unpacked(_Gzip(fileobj=opener(), mode="rb"), name, size)

    check_gzip(unzipped, size)
    return InputFile(name, inside.removesuffix(".gz"), unzipped)


class _Gzip(gzip.GzipFile):
    """A gzip file that closes the file below it too."""

    def close(self) -> None:
        below: Any = self.fileobj
        super().close()
        if below is not None:
            below.close()


def _in_zip(path: Path, inside: str, unpacked_in: str) -> Iterator[InputFile]:
    """Yield the files in a zip archive; a workbook, which is a zip archive, is one file."""
    try:
        archive = zipfile.ZipFile(path)  # it is closed when nobody can open a file in it any more
    except UNREADABLE as error:
        raise AnnotationError(
            f"the zip file cannot be read ({error})", "check that it is complete", file=path
        ) from None
    members = sorted(archive.infolist(), key=lambda member: member.filename)
    check_unpacked(sum(member.file_size for member in members), path.stat().st_size, str(path))
    if any(member.filename == WORKBOOK for member in members):
        yield _on_disk(path, inside)
        return
    for number, member in enumerate(members):
        _check_number(number, path)
        _check_member(member, path)
        name, parts = f"{path}/{member.filename}", PurePosixPath(member.filename).parts
        if member.is_dir() or any(part.startswith((".", "__MACOSX")) for part in parts):
            continue
        opener = partial(_open_member, archive, member, name)
        try:
            yield _opened(name, unpacked_in + member.filename, opener, member.compress_size)
        except UNREADABLE as error:
            raise damaged(error, name) from None


def _open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Any:
    return unpacked(archive.open(member), name, member.compress_size)


def _check_member(member: zipfile.ZipInfo, path: Path) -> None:
    """Raise an error if a member of an archive is a link, or its name leads out of the archive."""
    name = member.filename
    if stat.S_ISLNK(member.external_attr >> 16):
        raise AnnotationError(
            f"the archive contains a link, '{name}'", "make it again, with files only", file=path
        )
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if ".." in parts or name.startswith(("/", "\\")) or (parts and parts[0].endswith(":")):
        raise AnnotationError(
            f"the archive contains a file that would lie outside of it, '{name}'",
            "make it again, with names that do not lead outside",
            file=path,
        )


def _standard_input() -> bytes:
    stream = sys.stdin
    pipe = either("start Python with a table on its standard input", "pipe a table into the command")
    if stream is None or not hasattr(stream, "buffer") or stream.isatty():
        raise AnnotationError("nothing is piped into standard input", f"{pipe}, or name a file", file=PIPED)
    try:
        content = stream.buffer.read()
    except (OSError, ValueError) as error:
        raise AnnotationError(
            f"standard input cannot be read ({error})", f"{pipe}, or name a file", file=PIPED
        ) from None
    if not content:
        raise AnnotationError(
            "nothing came from standard input",
            f"{pipe}; only one table can come from there, and only once",
            file=PIPED,
        )
    return bytes(content)
