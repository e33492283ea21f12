"""Truth tables: what is really there, for some cells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ...annotations.frames.columns import resolve
from ...annotations.truth import WORDS, truth_frame
from .text_files import open_table


def read_truth(
    path: str | Path, *, columns: Mapping[str, str] | None = None, encoding: str | None = None
) -> pd.DataFrame:
    r"""Read a truth table (recording, species, present) from CSV, TSV or Parquet.

    Column names are recognised as in `read`. Every cell needs a 1 or a 0. Truth is no part of
    annotations, so that no model can see it; it goes into `evaluate`.

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
    table = open_table(path, encoding)
    names = resolve(table.columns, WORDS, [], table.source, columns)
    frame: Any = table.frame(names.values())
    return truth_frame(frame, columns=names, source=table.source)
