"""Options: those that several commands have, spelt once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Silence(StrEnum):
    """What silence about a species means."""

    explicit = "explicit"
    scope = "scope"
    checklist = "checklist"


class Kind(StrEnum):
    """Which simulator."""

    paper = "paper"
    portal = "portal"


Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]
Out = Annotated[Path, typer.Option("--out", help="Folder to write, whole or not at all.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace the folder if all in it was written by Dawnchorus.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="Which column is which, as in recording=clip_name. Repeatable."),
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of the text, if it is not UTF-8; for example cp1252.")
]
FitFolder = Annotated[Path, typer.Argument(help="Folder that `dawnchorus fit` wrote.")]
OverwritePages = Annotated[bool, typer.Option("--overwrite", help="Replace pages that are there.")]
SelfRating = Annotated[
    str | None,
    typer.Option(help="Column of the annotators' table with their self-rated level; found if it can be."),
]
