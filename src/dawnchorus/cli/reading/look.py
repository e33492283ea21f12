"""The command `dawnchorus look`: tells what is in files, and how to fit them."""

from __future__ import annotations

from typing import Any

import dawnchorus as dc

from ...common.lazy import lazy
from ..options import Json
from .shared import Files, with_reading

TERMINAL = lazy("dawnchorus.cli.terminal")


@with_reading
def look(path: Files, reading: dict[str, Any], json: Json = False) -> None:
    """Tell what is in files, and how to fit them."""
    with TERMINAL.notes(), TERMINAL.working(f"Reading {', '.join(path)}"):
        seen = dc.look(path, **reading)
    if json:
        TERMINAL.print_json(seen.as_dict())
        return
    TERMINAL.show_pairs("A first look", seen.as_rows())
    for note in seen.notes:
        TERMINAL.say_aside(f"note: {note}")
    TERMINAL.say(f"To fit it: {seen.command}")
