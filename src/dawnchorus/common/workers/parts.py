"""Parts: work in numbered parts that threads of this process share, with the same result for any number.

What the parts are depends on the data alone, and each has random numbers of its own: those of a key, which is
drawn anew for every piece of work, and its own number (Philox, a counter-based generator; Salmon, Moraes,
Dror and Shaw 2011). So whoever does a part, and in whatever order, draws the same. Kernels run without
Python's global lock.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import Any, TypeVar, cast

import numpy as np

from ..ragged import Ints

Result = TypeVar("Result")
MINE = local()
"""What each thread that shares its work has: the others, which wait for more. Starting them takes long."""


def new_key(rng: np.random.Generator) -> int:
    """Return the key of the random numbers of all parts."""
    return int(rng.integers(2**63))


def stream(key: int, part: int) -> np.random.Generator:
    """Return the random numbers of a part."""
    return np.random.Generator(np.random.Philox(key=[key, part]))


def in_threads(work: Callable[[int], Result], parts: int, threads: int) -> list[Result]:
    """Return `work(part)` for each part, in order, done by so many threads; this is one of them.

    >>> in_threads(lambda part: part**2, 4, threads=2)
    [0, 1, 4, 9]
    """
    if min(threads, parts) <= 1:
        return [work(part) for part in range(parts)]
    left, done = deque(range(parts)), [cast(Any, None)] * parts

    def share() -> None:
        while True:
            try:
                part = left.popleft()
            except IndexError:
                return
            try:
                done[part] = work(part)
            except BaseException:
                left.clear()
                raise

    others = _others(threads - 1)
    helping = [others.submit(share) for _ in range(min(threads, parts) - 1)]
    try:
        share()
    finally:  # whoever has not begun need not begin
        waited = [None if one.cancel() else one.exception() for one in helping]
    for error in waited:
        if error is not None:
            raise error
    return done


def _others(threads: int) -> ThreadPoolExecutor:
    """Return so many threads that help this one; they end with it."""
    asked = threads, os.getpid()  # a forked process has none of its parent's threads
    if getattr(MINE, "asked", None) != asked:
        MINE.asked, MINE.others = asked, ThreadPoolExecutor(threads)
    return cast(ThreadPoolExecutor, MINE.others)


def even_parts(sizes: Ints, size: int) -> Ints:
    """Return where parts of consecutive things start, and the number of things, given the size of each thing.

    Each part has about so much in all, and at least one thing.

    >>> even_parts(np.array([3, 0, 4, 9, 1, 2, 2]), 6).tolist()
    [0, 3, 4, 6, 7]
    """
    before = np.append(0, np.cumsum(sizes))
    ends = np.searchsorted(before, np.arange(size, before[-1], size))
    return np.unique(np.concatenate([[0], ends, [len(sizes)]]))
