"""The options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Silence(StrEnum):
    """What it means if a visit does not mention a species."""

    explicit = "explicit"
    scope = "scope"
    checklist = "checklist"


class Kind(StrEnum):
    """The two simulators."""

    paper = "paper"
    portal = "portal"


Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Out = Annotated[Path, typer.Option("--out", help="Folder to create; it appears only when it is complete.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace the folder if Dawnchorus wrote everything in it.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="Name of a column, as in recording=clip_name. Repeatable."),
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of the text, if it is not UTF-8; for example cp1252.")
]
FitFolder = Annotated[Path, typer.Argument(help="Folder that `dawnchorus fit` wrote.")]
OverwritePages = Annotated[bool, typer.Option("--overwrite", help="Replace existing pages.")]
SelfRating = Annotated[
    str | None,
    typer.Option(
        help="Column of the annotators' table with their self-rated level. Default: found by its name."
    ),
]
