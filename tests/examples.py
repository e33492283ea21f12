"""A small file of each format, of our own making from its public description, for the shared contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from archives import kerttu_archive


class Example(NamedTuple):
    """How to make a file or folder with exactly one report, and how to read it."""

    make: Callable[[Path], Path]
    absence: str | None = None
    options: dict[str, Any] = {}
    guessed: bool = True
    """Whether its format is unmistakable."""


def text(name: str, content: str) -> Callable[[Path], Path]:
    """Give a function that writes a text file."""

    def make(folder: Path) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    return make


EXAMPLES = {
    "table": Example(
        text("example.csv", "recording,annotator,species\n1,A,wren\n1,B,\n"), "checklist", guessed=False
    ),
    "wide": Example(text("wide.csv", "clip,user,wren,owl\n1,A,1,0\n1,B,0,\n")),
    "kerttu": Example(kerttu_archive),
}
