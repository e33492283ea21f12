"""Readers: one file a format. A new one is a function and a line in `READERS`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from ..annotations.annotations import Annotations
from ..annotations.votes import Absence
from ..common.errors import AnnotationError
from .readers.kerttu import read_kerttu
from .readers.table import read_table
from .readers.truth import read_truth

__all__ = ["READERS", "Reader", "read", "read_kerttu", "read_table", "read_truth"]


class Reader(Protocol):
    """Reads one format; the first line of its docstring says which, for `dawnchorus formats`."""

    __doc__: str | None

    def __call__(self, path: Any, *, absence: Absence | None = None) -> Annotations:
        """Read the file or folder at `path`, or raise `AnnotationError`; options may be more."""
        ...


READERS: dict[str, Reader] = {"table": read_table, "kerttu": read_kerttu}


def read(
    path: str | Path, format: str = "table", absence: Absence | None = None, **options: Any
) -> Annotations:
    r"""Read annotations from a file or folder.

    Parameters
    ----------
    path
        The file or folder.
    format
        One of `READERS`: `"table"` or `"kerttu"`.
    absence
        What silence about a species means: `"explicit"`, `"scope"` or `"checklist"`.
    options
        Further options of the reader, such as `columns=` or `scope=` for tables.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/annotations.csv"
    ...     with open(path, "w") as file:
    ...         _ = file.write("recording,annotator,species\nclip 1,Aino,wren\nclip 1,Onni,\n")
    ...     dc.read(path, absence="checklist")
    <Annotations: 2 visits by 2 annotators to 1 recording; 1 report of 1 species>
    """
    if not isinstance(path, str | Path):
        raise TypeError(
            f"expected a path, got {type(path).__name__}; a frame goes into dc.Annotations.from_frame(…)"
        )
    if format not in READERS:
        raise AnnotationError(
            f"there is no reader for the format '{format}'", f"use one of: {', '.join(READERS)}"
        )
    reader: Callable[..., Annotations] = READERS[format]
    return reader(path, absence=absence, **options)
