"""The command `dawnchorus formats`: lists the formats that can be read."""

from __future__ import annotations

from inspect import getdoc, signature

import dawnchorus as dc

from ..common.lazy import lazy
from ..common.wording import option_name
from .options import Json

TERMINAL = lazy("dawnchorus.cli.terminal")


def formats(json: Json = False) -> None:
    """List the formats that can be read, with their options."""
    found = [
        {
            "format": name,
            "reads": (getdoc(reader) or "").splitlines()[0],
            "options": [name for name in signature(reader).parameters if name != "path"],
        }
        for name, reader in dc.READERS.items()
    ]
    if json:
        TERMINAL.print_json(found)
        return
    rows = [(f["format"], f["reads"], " ".join(map(option_name, f["options"]))) for f in found]
    TERMINAL.show_table("Formats", ("--format", "what it reads", "options"), rows)
