"""Safe names: labels as names of files and folders, on every system and never outside of a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable

FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
LONGEST = 120
"""So many bytes a name has at most; systems allow about twice as many."""


def safe_name(text: str) -> str:
    """Return a label as the name of a file or folder.

    >>> safe_name("site 1/owls: 05.wav"), safe_name("../.."), safe_name("-nul")
    ('site 1_owls_ 05.wav', '_', 'nul_')
    """
    start = FORBIDDEN.sub("_", text).lstrip(".- ").encode(errors="replace")[:LONGEST]
    name = start.decode(errors="ignore").rstrip(". ")
    if RESERVED.match(name):
        name = f"{name}_"
    return name or "_"


def safe_names(texts: Iterable[str]) -> dict[str, str]:
    """Return a name for each label, different ones even where case does not matter.

    >>> safe_names(["a/b", "A_b", "c"])
    {'a/b': 'a_b', 'A_b': 'A_b (2)', 'c': 'c'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for text in dict.fromkeys(texts):
        name, number = safe_name(text), 1
        while name.casefold() in taken:
            number += 1
            name = f"{safe_name(text)} ({number})"
        taken.add(name.casefold())
        found[text] = name
    return found
