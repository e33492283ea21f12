"""The command `dawnchorus look`: tells what is in files, and how to fit them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ...common.lazy import lazy
from ..options import Json
from .shared import Files, with_reading

TERMINAL = lazy("dawnchorus.cli.terminal")


@with_reading
def look(
    path: Files,
    reading: dict[str, Any],
    write_names: Annotated[
        Path | None,
        typer.Option(help="CSV file to write: species with nearly the name of another, for --names."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace that file if it exists.")] = False,
    json: Json = False,
) -> None:
    """Tell what is in files, and how to fit them."""
    with TERMINAL.notes(), TERMINAL.working(f"Reading {', '.join(path)}"):
        seen = dc.look(path, write_names=write_names, overwrite=overwrite, **reading)
    if json:
        TERMINAL.print_json(seen.as_dict())
        return
    TERMINAL.show_pairs("A first look", seen.as_rows())
    for note in seen.told:
        TERMINAL.say_aside(f"note: {note.at_command_line()}")
    if write_names is not None:
        TERMINAL.say(
            f"Written: {write_names}. Look through it, delete rows of "
            f"species that differ, and give it by --names {write_names}"
        )
    for line in (f"To fit it: {seen.command}", *seen.advice):
        TERMINAL.say(line)
