"""Reader of plain tables: CSV, TSV or Parquet files with one row per report."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ...annotations.annotations import Annotations
from ...annotations.frames.columns import resolve
from ...annotations.frames.long_table import Sources, build
from ...annotations.frames.reading import SAMPLE
from ...annotations.votes import Absence
from ...common.errors import AnnotationError
from .open_tables import open_table
from .parquet_files import ParquetFile
from .text_files import TableFile

PathLike = str | Path
COLUMNS: dict[str, tuple[list[str], list[str]]] = {
    "frame": (["recording", "annotator", "species"], ["present"]),
    "scope": (["annotator", "species"], []),
    "recordings": (["recording"], []),
    "annotators": (["annotator"], []),
    "species": (["species"], []),
}
"""The columns that each table needs, and those that it may have."""


def read_table(
    path: PathLike,
    *,
    absence: Absence | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    scope: PathLike | None = None,
    recordings: PathLike | None = None,
    annotators: PathLike | None = None,
    species: PathLike | None = None,
    drop_unreported: bool = False,
    fold_case: bool = False,
    keep_na: bool = False,
) -> Annotations:
    r"""CSV, TSV or Parquet with columns recording, annotator, species and (optional) present.

    Parameters
    ----------
    path
        The table, or `"-"` for standard input. A row with an empty species is a visit that reported nothing.
    absence
        What it means if a visit does not mention a species: `"explicit"`, no vote; `"scope"`, absent if the
        species is in the annotator's scope table, otherwise no vote; `"checklist"`, absent. There is no
        default.
    columns
        The names of columns where they differ, as in `{"recording": "clip_name"}`.
    encoding
        The encoding of the text tables, if it is not UTF-8 (or UTF-16 with a byte-order mark).
    scope, recordings, annotators, species
        Paths of optional tables: the species that each annotator answers for, and metadata.
    drop_unreported
        Leave out species that nobody reported present.
    fold_case
        Take labels of annotators, and of species, that differ only in upper and lower case for one. The
        spelling in the tables of annotators and species is kept, otherwise that of most rows.
    keep_na
        Take labels such as `NA`, `N/A`, `nan`, `None` and `-` for names; by default they are missing values.
        A row with such a species is a visit without a report if its `present` is not 1; if there is no
        column `present`, it is left out.

    Returns
    -------
    Annotations

    Raises
    ------
    AnnotationError
        If a file cannot be used. The message names the file, the row and what to do.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "reports.csv")
    ...     _ = path.write_text("clip;user;taxon\nr1;Aino;wren\nr1;Onni;\n")
    ...     dc.io.read_table(path, absence="checklist")
    <Annotations: 2 visits by 2 annotators to 1 recording; 1 report of 1 species>
    """
    paths = {
        "frame": path,
        "scope": scope,
        "recordings": recordings,
        "annotators": annotators,
        "species": species,
    }
    tables = {word: open_table(each, encoding) for word, each in paths.items() if each is not None}
    names = _columns(tables, columns)
    return Annotations.of(
        build(
            tables["frame"].frame(names.values()),
            absence,
            columns=names,
            drop_unreported=drop_unreported,
            fold_case=fold_case,
            keep_na=keep_na,
            sources=Sources(**{word: table.source for word, table in tables.items()}),
            **{word: table.frame() for word, table in tables.items() if word != "frame"},
        )
    )


def _columns(
    tables: Mapping[str, TableFile | ParquetFile], columns: Mapping[str, str] | None
) -> dict[str, str]:
    """Return the columns of the long table; if columns of any table are missing, raise one error for all.

    Only headers are looked at, so that this comes before errors in the rows, such as a broken encoding.
    """
    names: dict[str, str] = {}
    errors = []
    for word, table in tables.items():
        needed, optional = COLUMNS[word]
        sample = partial(table.sample, SAMPLE)
        try:
            if word == "frame":
                names = resolve(table.columns, needed, optional, table.source, columns, sample=sample)
            else:
                resolve(table.columns, needed, optional, table.source, side=True)
        except AnnotationError as error:
            errors.append(error)
    AnnotationError.raise_all(errors)
    return names
