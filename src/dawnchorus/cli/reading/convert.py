"""The command `dawnchorus convert`: writes plain tables of files in any format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ...common.lazy import lazy
from ..options import ExactLabels, Json
from .shared import Files, with_reading

TERMINAL = lazy("dawnchorus.cli.terminal")


@with_reading
def convert(
    path: Files,
    reading: dict[str, Any],
    out: Annotated[Path, typer.Option(help="Table to write: its name ends in .parquet or .csv.")],
    exact_labels: ExactLabels = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")] = False,
    json: Json = False,
) -> None:
    """Write a plain table of annotations in any format."""
    with TERMINAL.notes(), TERMINAL.working(f"Reading {', '.join(path)}"):
        contents = dc.convert(path, out, overwrite=overwrite, exact_labels=exact_labels, **reading)
    if json:
        TERMINAL.print_json(contents)
        return
    TERMINAL.say(f"Read as {contents['format']}: {contents['annotations']}")
    TERMINAL.say(f"Written: {', '.join(contents['files'].values())}")
    TERMINAL.say(f"Next: {contents['command']}")
