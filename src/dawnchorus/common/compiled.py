"""Compiled: how kernels are compiled. Once per machine, kept in a cache, free of the interpreter's lock."""

from __future__ import annotations

from numba import njit
from numba.extending import register_jitable

compiled = njit(cache=True, nogil=True, error_model="numpy")
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
shared = register_jitable(forceinline=True)
"""For short functions of numbers or arrays: plain Python for NumPy, part of the kernels that call them."""
