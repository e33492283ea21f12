"""Reader of truth tables: which species are really present, for some cells; and of known cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..annotations.frames.columns import resolve
from ..annotations.known import KnownAs, KnownCells, known_cells, known_columns
from ..annotations.labelled import LabelledVotes
from ..annotations.truth import WORDS, truth_frame
from ..common.checked import yes_or_no
from .names import named
from .readers.open_tables import open_table


def read_truth(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    fold_case: bool = False,
    species: Iterable[str] = (),
    keep_na: bool = False,
    names: Any = None,
) -> pd.DataFrame:
    r"""Return a truth table (recording, species, present) from a CSV, TSV or Parquet file.

    The truth is not part of annotations, so that no model can use it; give it to `evaluate`.

    Parameters
    ----------
    path
        The file, or `"-"` for standard input. Every row needs a recording, a species, and 1 or 0 for
        `present`.
    columns
        The names of columns where they differ, as in `{"recording": "clip_name"}`. Common names such as
        `clip` and `taxon` are recognised.
    encoding
        The encoding of the text, if it is not UTF-8 (or UTF-16 with a byte-order mark).
    fold_case, species
        Take species that differ only in upper and lower case for one: in the spelling of `species`, such as
        those of a result, or else of most rows.
    keep_na
        Take labels such as `NA`, `N/A`, `nan`, `None` and `-` for names; by default they are missing values.
    names
        One name for each code or synonym of a species: a table with columns `from` and `to`, as its path, a
        frame or a mapping.

    Returns
    -------
    pandas.DataFrame
        Columns recording, species (text) and present (0 or 1); duplicate rows are removed.

    Raises
    ------
    AnnotationError
        If the file cannot be used: a column is missing, a label is blank, a value of `present` is not 1 or
        0, or two rows contradict each other. The message names the file, the row and what to do.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/truth.csv"
    ...     with open(path, "w") as file:
    ...         _ = file.write("clip,taxon,present\nclip 1,wren,yes\n")
    ...     dc.read_truth(path)
      recording species  present
    0    clip 1    wren        1
    """
    yes_or_no(fold_case=fold_case, keep_na=keep_na)
    if not isinstance(path, str | Path):
        raise TypeError(
            f"expected a path, got {type(path).__name__}; a frame needs no reading: give it as it is to "
            "whatever takes a truth"
        )
    table = open_table(path, encoding)
    columns = resolve(table.columns, WORDS, [], table.source, columns)
    frame: Any = table.frame(columns.values())
    return truth_frame(
        frame,
        columns=columns,
        keep_na=keep_na,
        fold_case=fold_case,
        species=species,
        names=named(names),
        source=table.source,
    )


def read_known(known: Any, annotations: LabelledVotes, known_as: KnownAs = "truth") -> KnownCells:
    """Return known cells from a file, a frame (recording, species, present) or a `Truth`.

    A file is read with the same meaning of case and of missing values as the annotations.
    """
    if not isinstance(known, str | Path):
        return known_cells(known, annotations, known_as)
    table = open_table(known)
    names, _ = known_columns(table.columns, annotations, table.source)
    frame: Any = table.frame(names.values())
    keep_na = annotations.provenance.keep_na
    return known_cells(frame, annotations, known_as, keep_na=keep_na, source=table.source)
