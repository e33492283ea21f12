"""The commands `dawnchorus formats` and `dawnchorus docs`: what can be read, by programs and by people."""

from __future__ import annotations

from typing import Annotated

import typer

import dawnchorus as dc

from ..common.files.pages import page_title, pages, read_page
from ..common.lazy import lazy
from ..common.wording import option_name
from .options import Json

READING = lazy("dawnchorus.io.reading")
WRITING = lazy("dawnchorus.io.writing")
TERMINAL = lazy("dawnchorus.cli.terminal")


def formats(
    name: Annotated[str | None, typer.Argument(help="The format to explain. Default: a list of all.")] = None,
    json: Json = False,
) -> None:
    """List the formats that can be read and written."""
    written = [name] if name in dc.WRITERS else [] if name else list(dc.WRITERS)
    read = [name] if name in dc.READERS or (name and not written) else [] if name else list(dc.READERS)
    found = [READING.described(each) for each in read]
    writers = [WRITING.described_writer(each) for each in written]
    if json:
        TERMINAL.print_json([*found, *writers])
        return
    if name:
        for each, use, page in (
            *((reader, "reads", f"formats/{name}") for reader in found),
            *((writer, "writes", "export") for writer in writers),
        ):
            TERMINAL.say(f"{name} {use}: {each[use]}")
            rows = [(option_name(option), words) for option, words in each["options"].items()]
            TERMINAL.show_table("Options", ("option", "meaning"), rows, f"More: dawnchorus docs {page}")
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
    TERMINAL.show_table("Formats that can be read", columns, table)
    table = [
        (
            each["format"],
            each["writes"],
            " ".join(each["endings"]) or "folder",
            " ".join(map(option_name, each["options"])),
        )
        for each in writers
    ]
    columns = "export --to", "what it writes", "into", "options"
    more = "dawnchorus formats NAME explains the options of one."
    TERMINAL.show_table("Formats that can be written", columns, table, more)


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
