"""Reader of plain tables: CSV, TSV or Parquet files with one row per report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...annotations.annotations import Annotations
from ...annotations.frames.columns import Source, resolve
from ...annotations.frames.long_table import Sources, build
from ...annotations.votes import Absence
from .text_files import open_table

PathLike = str | Path


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
) -> Annotations:
    r"""CSV, TSV or Parquet with columns recording, annotator, species and (optional) present.

    Parameters
    ----------
    path
        The table. A row with an empty species is a visit that reported nothing.
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
    table = open_table(path, encoding)
    names = resolve(table.columns, ["recording", "annotator", "species"], ["present"], table.source, columns)
    others: dict[str, Any] = {}
    sources: dict[str, Source] = {"frame": table.source}
    for word, other in (
        ("scope", scope),
        ("recordings", recordings),
        ("annotators", annotators),
        ("species", species),
    ):
        if other is not None:
            opened = open_table(other, encoding)
            others[word] = opened.frame()
            sources[word] = opened.source
    return Annotations.of(
        build(
            table.frame(names.values()),
            absence,
            columns=names,
            drop_unreported=drop_unreported,
            sources=Sources(**sources),
            **others,
        )
    )
