"""The commands `dawnchorus formats` and `dawnchorus docs`: what can be read, by programs and by people."""

from __future__ import annotations

from inspect import getdoc
from typing import Annotated

import typer

import dawnchorus as dc

from ..common.lazy import lazy
from ..common.pages import page_title, pages, read_page
from ..common.wording import option_name
from .options import Json

READING = lazy("dawnchorus.io.reading")
TERMINAL = lazy("dawnchorus.cli.terminal")


def formats(json: Json = False) -> None:
    """List the formats that can be read, with their options."""
    found = [
        {
            "format": name,
            "reads": (getdoc(reader) or "").splitlines()[0],
            "options": READING.options_of(name),
        }
        for name, reader in dc.READERS.items()
    ]
    if json:
        TERMINAL.print_json(found)
        return
    rows = [(f["format"], f["reads"], " ".join(map(option_name, f["options"]))) for f in found]
    TERMINAL.show_table("Formats", ("--format", "what it reads", "options"), rows)


def docs(
    page: Annotated[str | None, typer.Argument(help="The page to show. Default: a list of all.")] = None,
    json: Json = False,
) -> None:
    """Show a page of the documentation."""
    if page is not None:
        text = read_page(page)
        if json:
            TERMINAL.print_json({"page": page, "text": text})
        else:
            TERMINAL.say(text)
        return
    found = {name: page_title(path) for name, path in pages().items()}
    if json:
        TERMINAL.print_json(found)
        return
    rows = [(f"dawnchorus docs {name}", title) for name, title in found.items()]
    TERMINAL.show_table("Documentation", ("command", "page"), rows)
