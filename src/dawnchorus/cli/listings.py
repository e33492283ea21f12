"""The commands `dawnchorus formats` and `dawnchorus docs`: what can be read, by programs and by people."""

from __future__ import annotations

from typing import Annotated

import typer

import dawnchorus as dc

from ..common.lazy import lazy
from ..common.pages import page_title, pages, read_page
from ..common.wording import option_name
from .options import Json

READING = lazy("dawnchorus.io.reading")
TERMINAL = lazy("dawnchorus.cli.terminal")


def formats(
    name: Annotated[str | None, typer.Argument(help="The format to explain. Default: a list of all.")] = None,
    json: Json = False,
) -> None:
    """List the formats that can be read, with their options."""
    found = [READING.described(each) for each in ([name] if name else dc.READERS)]
    if json:
        TERMINAL.print_json(found)
        return
    if name:
        TERMINAL.say(f"{name}: {found[0]['reads']}")
        rows = [(option_name(option), words) for option, words in found[0]["options"].items()]
        TERMINAL.show_table("Options", ("option", "meaning"), rows, f"More: dawnchorus docs formats/{name}")
        return
    table = [
        (
            each["format"],
            each["reads"],
            " ".join(map(option_name, each["needs"])),
            " ".join(option_name(option) for option in each["options"] if option not in each["needs"]),
        )
        for each in found
    ]
    columns = "--format", "what it reads", "needs", "options"
    TERMINAL.show_table("Formats", columns, table, "dawnchorus formats NAME explains the options of one.")


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
