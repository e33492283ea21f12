"""How numba compiles the kernels: once per machine, cached on disk, without Python's global lock (GIL)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.core.event import Listener, register
from numba.extending import register_jitable

from .showing.compiling import announce

compiled = njit(cache=True, nogil=True, error_model="numpy")
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
shared = register_jitable(forceinline=True)
"""For short functions that both Python and kernels call: plain Python outside, inlined inside kernels."""
ZERO: Any = np.int64(0)
MINUS_ONE: Any = np.int64(-1)
"""Start values for variables in kernels: with a plain 0 or −1, numba would compile some kernels twice."""


class _Announcer(Listener):
    """Hears of kernels that are really compiled; nothing is heard of those in the cache."""

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("dawnchorus."):
            announce()

    def on_end(self, event: Any) -> None:
        pass


register("numba:compile", _Announcer())  # type: ignore[no-untyped-call]
