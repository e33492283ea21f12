"""Compiled: how every kernel is compiled. Once per machine, kept in a cache, and free of the interpreter's lock."""

from __future__ import annotations

from numba import njit

compiled = njit(cache=True, nogil=True, error_model="numpy")
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
