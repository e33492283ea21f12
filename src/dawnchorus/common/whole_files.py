"""Drafts: a file appears under its name whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import OutputError


def check_place(path: Path) -> None:
    """Refuse early what cannot be written: in a folder that is a file, or may not be written to."""
    for parent in path.absolute().parents:
        if not parent.exists():
            continue
        if not parent.is_dir():
            raise OutputError(f"{parent} is a file, so {path} cannot be made. Remedy: choose another --out.")
        if not os.access(parent, os.W_OK):
            raise OutputError(
                f"{parent} may not be written to. Remedy: choose another --out, or change its permissions."
            )
        return


def check_page(path: Path, *, overwrite: bool) -> None:
    """Refuse early if a page may not be written."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"{path} is no name for a page. Remedy: choose one that ends in .html.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists. Remedy: choose another --out, or say --overwrite.")
    check_place(path)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a file to write to, which takes the name `path` only if all goes well.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     with whole_file(Path(home, "note.txt")) as draft:
    ...         _ = draft.write_text("done")
    ...     os.listdir(home)
    ['note.txt']
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield draft
        draft.replace(path)
    except OSError as error:
        raise OutputError(
            f"{path} could not be written ({error.strerror or error}). "
            "Remedy: check free space and permissions."
        ) from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
