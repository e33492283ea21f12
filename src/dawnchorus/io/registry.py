"""The formats that can be read: a new one is a file in `readers/formats/` and a line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .plain import PlainTables
from .readers.formats import (
    aoef,
    birdnet,
    camtrap,
    crowdkit,
    ebird,
    inaturalist,
    kerttu,
    labelstudio,
    raven,
    scores,
    table,
    wide,
    zooniverse,
)  # fmt: skip
from .readers.glimpse import Glimpse

Reader = Callable[..., PlainTables]
"""A function of input files, with the keywords `bad` and `absence` and further options."""

READERS: dict[str, Reader] = {
    "table": table.read,
    "wide": wide.read,
    "zooniverse": zooniverse.read,
    "birdnet": birdnet.read,
    "scores": scores.read,
    "raven": raven.read,
    "labelstudio": labelstudio.read,
    "aoef": aoef.read,
    "ebird": ebird.read,
    "inaturalist": inaturalist.read,
    "camtrap": camtrap.read,
    "crowdkit": crowdkit.read,
    "kerttu": kerttu.read,
}
"""The reader of each format, by name; `dawnchorus formats` shows the first line of its docstring."""

SEEMS: dict[str, Callable[[Glimpse], Any]] = {
    "wide": wide.seems,
    "zooniverse": zooniverse.seems,
    "birdnet": birdnet.seems,
    "raven": raven.seems,
    "labelstudio": labelstudio.seems,
    "aoef": aoef.seems,
    "ebird": ebird.seems,
    "inaturalist": inaturalist.seems,
    "camtrap": camtrap.seems,
    "crowdkit": crowdkit.seems,
    "kerttu": kerttu.seems,
}
"""For formats that can be told by their files: whether a glimpse of files seems to be one of them."""


def guessed(glimpse: Glimpse) -> str | None:
    """Return the format that files unmistakably are, if there is exactly one."""
    found = [name for name, seems in SEEMS.items() if seems(glimpse)]
    return found[0] if len(found) == 1 else None
