"""Writing of a consensus in any format: the writer is found and called, and the output appears whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..common.errors import AnnotationError, OutputError
from ..common.files.whole import check_free, check_new, check_place, whole_file, whole_folder
from ..common.wording import listed, option
from .described import check_options, described
from .writers.consensus import Consensus
from .writers.registry import WRITERS, Writer

GIVEN = ("found", "place")
"""What writers are given besides their options."""


def writer_of(to: str) -> Writer:
    """Return the writer of a format; raise an error if there is none."""
    if to not in WRITERS:
        raise AnnotationError(
            f"there is no writer for the format '{to}'", f"use one of: {', '.join(WRITERS)}"
        )
    return WRITERS[to]


def described_writer(to: str) -> dict[str, Any]:
    """Return what a writer says of itself: what it writes, and its options in words."""
    writer = writer_of(to)
    found = described(writer.write, GIVEN)
    return {"format": to, "writes": found["what"], "options": found["options"], "endings": writer.endings}


def check_output(out: Path, to: str, options: dict[str, Any], *, overwrite: bool) -> None:
    """Raise an error if a format lacks an option, or cannot be written there, before any work is done."""
    writer = writer_of(to)
    check_options(writer.write, GIVEN, options, option("to", to))
    if not writer.endings:
        check_free(out, overwrite=overwrite)
        return
    if out.suffix.lower() not in writer.endings:
        endings = listed(writer.endings, last=" or ")
        raise OutputError(f"{out} does not end in {endings}. Remedy: choose a name that does.")
    check_new(out, overwrite=overwrite)
    check_place(out)


def write_consensus(
    found: Consensus, out: Path, to: str, options: dict[str, Any], *, overwrite: bool
) -> dict[str, Any]:
    """Write a consensus, whole or not at all, and return what was written."""
    check_output(out, to, options, overwrite=overwrite)
    writer = writer_of(to)
    if writer.endings:
        with whole_file(out) as place:
            numbers = writer.write(found, place, **options)
        files = [out.name]
    else:
        with whole_folder(out, overwrite=overwrite) as place:
            numbers = writer.write(found, place, **options)
        files = sorted(file.relative_to(out).as_posix() for file in out.glob("[!.]*"))
    return {
        "to": to,
        "out": str(out),
        "files": files,
        "as": found.as_,
        "probability": found.meaning,
        **numbers,
    }
