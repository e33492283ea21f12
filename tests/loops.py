"""Loops over kernels, compiled once for sources as they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit

import dawnchorus as dc

PACKAGE, TESTS = Path(dc.__file__).parent, Path(__file__).parent
OURS = TESTS.with_name("src") / "dawnchorus" == PACKAGE
"""Whether tests are of the package beside them, and not of a copy with a fault."""


def compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop, or take it from numba's cache if no source has changed since.

    Numba itself looks for changes of the file with the loop alone: it would take a loop from its cache with
    kernels as they once were. With a copy of the package, which may have a fault, there is no cache.
    """
    kernel = njit(loop, cache=OURS)
    if OURS:
        file = kernel._cache._cache_file
        file._source_stamp = file._source_stamp, _sources()
    return kernel


@cache
def _sources() -> str:
    """Give a digest of all files that loops and kernels, and the constants in them, come from."""
    rooms = [path for room in ("annotations", "common", "model") for path in (PACKAGE / room).rglob("*.py")]
    digest = sha256()
    for path in sorted([*rooms, *TESTS.glob("*.py"), *TESTS.glob("steps/*.py")]):
        digest.update(f"{path} {path.stat().st_size} ".encode() + path.read_bytes())
    return digest.hexdigest()
