"""Windows: recordings cut into pieces of the same length, so that people and machines speak of the same."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PureWindowsPath

from ...common.errors import AnnotationError
from ...common.wording import option

NEARLY = 1e-6
"""So little of a second is no overlap."""
MOST_WINDOWS = 10_000_000
WINDOW = re.compile(r"(?P<recording>.+) (?P<start>\d+(\.\d+)?)-(?P<end>\d+(\.\d+)?)")


@lru_cache(1 << 16)
def recording_of(path: str) -> str:
    r"""Return the name of a recording: that of its audio file, without folders and ending.

    >>> recording_of("C:\\night\\owls_1.wav"), recording_of("night/owls_1.wav")
    ('owls_1', 'owls_1')
    """
    return PureWindowsPath(path.strip()).stem


def window_name(recording: str, start: float, end: float) -> str:
    """Return the name of a stretch of a recording.

    >>> window_name("owls", 0, 2.5)
    'owls 0-2.5'
    """
    return f"{recording} {_spelt(start)}-{_spelt(end)}"


def window_of(name: str) -> tuple[str, float, float] | None:
    """Return the recording and the stretch of it that a name stands for, if it is that of a window.

    >>> window_of("owls 0-2.5"), window_of("owls")
    (('owls', 0.0, 2.5), None)
    """
    found = WINDOW.fullmatch(name)
    if found is None or float(found["end"]) <= float(found["start"]):
        return None
    return found["recording"], float(found["start"]), float(found["end"])


class Windows:
    """The windows of recordings; with no length, each recording is one window.

    >>> windows = Windows(3)
    >>> [windows.name("owls", i) for i in windows.overlapped("owls", 2, 7)]
    ['owls 0-3', 'owls 3-6', 'owls 6-9']
    >>> list(windows.of("owls"))
    [0, 1, 2]
    """

    def __init__(self, seconds: float | None, duration: float | None = None) -> None:
        for name, value in (("window", seconds), ("duration", duration)):
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise AnnotationError(
                    f"{option(name, value)} is no length of time", "give seconds, as a positive number"
                )
        self._seconds = seconds or None
        self._number = 1 if duration is None else self._count(duration)
        self._numbers: dict[str, int] = {}
        self._spans: dict[int, str] = {}

    def name(self, recording: str, index: int) -> str:
        """Return the name of a window."""
        if self._seconds is None:
            return recording
        if index not in self._spans:
            self._spans[index] = window_name("", index * self._seconds, (index + 1) * self._seconds)
        return recording + self._spans[index]

    def overlapped(self, recording: str, start: float, end: float) -> range:
        """Return the windows that a stretch of time overlaps, and remember that the recording has them."""
        if self._seconds is None:
            self._numbers.setdefault(recording, 1)
            return range(1)
        first = int((start + NEARLY) // self._seconds)
        number = max(first + 1, self._count(end))
        self._numbers[recording] = max(self._numbers.get(recording, self._number), number)
        return range(first, number)

    def of(self, recording: str) -> Iterator[int]:
        """Return all windows of a recording: until the end that is known, or the last that was seen."""
        return iter(range(self._numbers.get(recording, self._number)))

    def _count(self, end: float) -> int:
        if self._seconds is None:
            return 1
        number = max(1, math.ceil((end - NEARLY) / self._seconds))
        if number > MOST_WINDOWS:
            raise AnnotationError(
                f"a recording of {end:,.0f} seconds has {number:,} windows of {self._seconds:g} seconds",
                f"give a larger {option('window')}, or correct the times",
            )
        return number


def _spelt(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".")
