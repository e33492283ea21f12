"""Drafts: a file appears under its name whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import OutputError


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
        yield draft
        draft.replace(path)
    except OSError as error:
        raise OutputError(
            f"{path} could not be written ({error.strerror or error}). "
            "Remedy: check free space and permissions."
        ) from None
    finally:
        draft.unlink(missing_ok=True)
