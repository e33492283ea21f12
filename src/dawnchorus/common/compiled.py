"""Compiled: how kernels are compiled. Once per machine, kept in a cache, free of the interpreter's lock."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

compiled = njit(cache=True, nogil=True, error_model="numpy")
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
shared = register_jitable(forceinline=True)
"""For short functions of numbers or arrays: plain Python for NumPy, part of the kernels that call them."""
ZERO: Any = np.int64(0)
MINUS_ONE: Any = np.int64(-1)
"""For variables that kernels hand on and count up: with a plain 0 or −1, numba would compile them twice."""
