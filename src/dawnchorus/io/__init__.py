"""Reading of annotations and truth tables from files; a new format is a function and a line in `READERS`."""

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
    """A function that reads one format; `dawnchorus formats` shows the first line of its docstring."""

    __doc__: str | None

    def __call__(
        self,
        path: Any,
        *,
        absence: Absence | None = None,
        fold_case: bool = False,
        keep_na: bool = False,
    ) -> Annotations:
        """Return the annotations in the file or folder at `path`; a reader may have more options."""
        ...


READERS: dict[str, Reader] = {"table": read_table, "kerttu": read_kerttu}
"""The reader of each format, by name."""


def read(
    path: str | Path,
    format: str = "table",
    absence: Absence | None = None,
    *,
    fold_case: bool = False,
    keep_na: bool = False,
    **options: Any,
) -> Annotations:
    r"""Return the annotations in a file or folder.

    Parameters
    ----------
    path
        The file or folder, or `"-"` for a table on standard input.
    format
        One of `READERS`: `"table"` (CSV, TSV or Parquet) or `"kerttu"`.
    absence
        What it means if a visit does not mention a species: `"explicit"`, no vote; `"scope"`, absent if the
        species is in the annotator's scope table, otherwise no vote; `"checklist"`, absent. Required for
        tables.
    fold_case
        Take labels of annotators, and of species, that differ only in upper and lower case for one; by
        default a warning lists them.
    keep_na
        Take labels such as `NA`, `N/A`, `nan`, `None` and `-` for names; by default they are missing values.
    options
        Further options of the reader, such as `columns=` or `scope=` for tables; see `read_table` and
        `read_kerttu` in `dawnchorus.io`.

    Returns
    -------
    Annotations

    Raises
    ------
    AnnotationError
        If there is no such format, or the file cannot be used. The message names the file, the row and what
        to do.
    TypeError
        If `path` is not a path, for example a data frame; or the reader has no such option.

    Warns
    -----
    AnnotationWarning
        If the file can be used but something is suspicious, such as reports outside the scope, labels that
        differ only in case, or missing species.

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
            f"expected a path, got {type(path).__name__}; for a frame, use dc.Annotations.from_frame(…)"
        )
    if format not in READERS:
        raise AnnotationError(
            f"there is no reader for the format '{format}'", f"use one of: {', '.join(READERS)}"
        )
    reader: Callable[..., Annotations] = READERS[format]
    labels = {"fold_case": fold_case, "keep_na": keep_na}
    options |= {name: True for name, given in labels.items() if given}
    return reader(path, absence=absence, **options)
