"""How numba compiles the kernels: once per machine, cached on disk, without Python's global lock (GIL)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

compiled = njit(cache=True, nogil=True, error_model="numpy")
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
shared = register_jitable(forceinline=True)
"""For short functions that both Python and kernels call: plain Python outside, inlined inside kernels."""
ZERO: Any = np.int64(0)
MINUS_ONE: Any = np.int64(-1)
"""Start values for variables in kernels: with a plain 0 or −1, numba would compile some kernels twice."""
