"""Freed memory: a process that fits keeps it for the next sweep.

The C library of most Linux systems gives large arrays back to the system when they are freed, and asks for
them anew in the next sweep, page by page. With millions of rates that takes up to a tenth of a sweep. Only
commands ask for this: in Python, the process belongs to the user.
"""

from __future__ import annotations

import ctypes
import sys

ARENAS, MAPPED_FROM, GIVEN_BACK_FROM = -8, -3, -1
"""Of glibc's mallopt: how many pools of memory there are, from which size on arrays have memory of their own,
and from how much free memory on it is given back."""
LARGE = 1 << 30


def keep_freed_memory() -> None:
    """Keep freed memory, where the C library has a way to say so; elsewhere do nothing."""
    if not sys.platform.startswith("linux"):
        return
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt"):
        return
    for option, value in ((ARENAS, 1), (MAPPED_FROM, LARGE), (GIVEN_BACK_FROM, LARGE)):
        library.mallopt(option, value)
