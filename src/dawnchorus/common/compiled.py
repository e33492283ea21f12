"""Compiled: how kernels are compiled. Once per machine, kept in a cache, free of the interpreter's lock."""

from __future__ import annotations

from numba import njit

compiled = njit(cache=True, nogil=True, error_model="numpy")
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
