"""The formats that can be written: a new one is a file in `writers/formats/` and a line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .formats import arviz, birdnet, camtrap, darwincore, labels, parquet, raven


class Writer(NamedTuple):
    """A function of a consensus, a place to write to and further options; and what the place may be."""

    write: Callable[..., dict[str, Any]]
    endings: tuple[str, ...] = ()
    """How the name of the file ends; it is a folder if there are none."""


WRITERS: dict[str, Writer] = {
    "camtrap": Writer(camtrap.write),
    "darwincore": Writer(darwincore.write, (".csv",)),
    "labels": Writer(labels.write),
    "birdnet": Writer(birdnet.write),
    "raven": Writer(raven.write),
    "parquet": Writer(parquet.write, (".parquet",)),
    "arviz": Writer(arviz.write, (".nc",)),
}
"""The writer of each format, by name; `dawnchorus formats` shows the first line of its docstring."""
