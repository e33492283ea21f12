"""Readers: one file a format. A new one is a function and a line in `READERS`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from ..annotations import Annotations
from ..errors import AnnotationError
from ..votes import Absence
from .kerttu import read_kerttu
from .table import read_table
from .truth import read_truth

__all__ = ["READERS", "Reader", "read", "read_truth"]


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
    """Read annotations from a file or folder.

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
    >>> dc.read("annotations.csv", absence="checklist")  # doctest: +SKIP
    <Annotations: 814 visits by 20 annotators to 1,000 recordings; 402 reports of 25 species>
    """
    if format not in READERS:
        raise AnnotationError(
            f"there is no reader for the format '{format}'", f"use one of: {', '.join(READERS)}"
        )
    reader: Callable[..., Annotations] = READERS[format]
    return reader(path, absence=absence, **options)
