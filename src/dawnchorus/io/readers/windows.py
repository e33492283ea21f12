"""Windows: recordings cut into pieces of the same length, so that people and machines speak of the same.

Recordings are called like their audio files, with folders only where these are needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import PureWindowsPath
from typing import Any

import numpy as np
import pandas as pd

from ...annotations.labels import as_text, counted, verb
from ...common.errors import AnnotationError
from ...common.warn import warn
from ...common.wording import listed, option

NEARLY = 1e-6
"""So little of a second is no overlap."""
MOST_WINDOWS = 10_000_000
MOST_FOLDERS = 64
"""So many folders of a path are looked at."""
WINDOW = re.compile(r"(?P<recording>.+) (?P<start>\d+(\.\d+)?)-(?P<end>\d+(\.\d+)?)")


@lru_cache(1 << 16)
def recording_of(path: str) -> str:
    r"""Return the name of a recording: that of its audio file, without folders and ending.

    >>> recording_of("C:\\night\\owls_1.wav"), recording_of("night/owls_1.wav"), recording_of("owls.1")
    ('owls_1', 'owls_1', 'owls.1')
    """
    file = PureWindowsPath(path.strip())
    return file.name if file.suffix[1:].isdigit() else file.stem


class Recordings:
    r"""Recordings by the paths of their audio files, and their names once all paths are known.

    A recording is called like its file. Where that would make one recording of several, as many folders are
    kept as tell them apart. Only files of one owner have to be told apart: two people may keep the same files
    in different places. A path that is the end of just one other path, as a bare name, is the same file.

    >>> recordings = Recordings()
    >>> for path in ("C:\\2024\\A\\n.wav", "2024/B/n.wav", "2024/B/m.wav", "B/n.mp3"):
    ...     _ = recordings.key(path)
    >>> recordings.names()
    {'C:/2024/A/n': 'A/n', '2024/B/n': 'B/n', 'B/n': 'B/n', '2024/B/m': 'm'}
    """

    def __init__(self) -> None:
        self._keys: dict[tuple[str, str], str] = {}
        self._owners: dict[str, set[str]] = {}

    def key(self, path: str, owner: str = "") -> str:
        """Return what stands for a recording until its name is known: its path in one form, "" if blank."""
        found = self._keys.get((path, owner))
        if found is None:
            recording = recording_of(path)
            folders = path.strip().replace("\\", "/").rpartition("/")[0] if recording else ""
            absolute = "/" if path.strip().startswith(("/", "\\")) else ""
            found = self._keys[path, owner] = self._remembered(absolute, folders, recording, (owner,))
        return found

    def below(self, folders: str, recording: str, *owners: str) -> str:
        """Return the same of a recording whose name is known, and whose folders are all known."""
        return self._remembered("/", folders, recording, owners or ("",))

    def names(self) -> dict[str, str]:
        """Return the name of each recording by what stands for it."""
        alike: dict[str, list[str]] = {}
        for key in self._owners:
            alike.setdefault(key.rpartition("/")[2], []).append(key)
        names = {}
        for name, keys in alike.items():
            names.update({keys[0]: name} if len(keys) == 1 else self._with_folders(keys))
        return names

    def named(self, where: str) -> dict[str, str]:
        """Return the same, and tell which recordings are called with folders."""
        names = self.names()
        longer = sorted({name for name in names.values() if "/" in name})
        if longer:
            warn(
                f"{where}: {counted(len(longer), 'recording')} {verb(len(longer), 'has', 'have')} the file "
                f"name of another in another folder, and {verb(len(longer), 'is', 'are')} called with "
                f"folders: {listed(longer, 4)}"
            )
        return names

    def _remembered(self, start: str, folders: str, recording: str, owners: tuple[str, ...]) -> str:
        parts = [part for part in map(as_text, folders.split("/")) if part not in ("", ".")]
        recording = as_text(recording)
        if not recording:
            return ""
        key = start + "/".join([*parts[-MOST_FOLDERS:], recording])
        self._owners.setdefault(key, set()).update(owners)
        return key

    def _with_folders(self, keys: list[str]) -> dict[str, str]:
        """Return the names of recordings whose files have one name."""
        parts = {key: tuple(key.split("/")) for key in keys}
        whole: dict[tuple[str, ...], tuple[str, ...]] = {}
        longer: dict[tuple[str, ...], tuple[str, ...]] = {}
        for path in sorted(parts.values(), key=len, reverse=True):
            whole[path] = longer.get(path) or path
            if whole[path] == path:
                for i in range(1, len(path)):
                    longer[path[i:]] = () if path[i:] in longer else path
        files = {(owner, whole[parts[key]]) for key in keys for owner in self._owners[key]}
        depth = 1
        while len({(owner, path[-depth:]) for owner, path in files}) < len(files):
            depth += 1
        return {key: "/".join(filter(None, whole[path][-depth:])) for key, path in parts.items()}


def check_length(name: str, seconds: float | None) -> None:
    """Raise an error if an option is no length of time."""
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        raise AnnotationError(
            f"{option(name, seconds)} is no length of time", "give seconds, as a positive number"
        )


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


def windows_named(names: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that gives windows of recordings their names, given those of recordings.

    >>> windows_named({"/nights/owls": "owls"})("/nights/owls 0-2.5")
    'owls 0-2.5'
    """

    def named(window: str) -> str:
        recording, _, span = window.rpartition(" ")
        return f"{names[recording]} {span}"

    return named


def windows_of_rows(start: Any, end: Any, seconds: float | None) -> tuple[Any, Any, list[str]]:
    """Return windows of many stretches of time: the row and the window of each, and what these add to names.

    They are as given, or those of so many seconds that a stretch overlaps.

    >>> row, window, spans = windows_of_rows(np.array([0.0, 2.5]), np.array([5.0, 7.5]), 5)
    >>> row.tolist(), [spans[i] for i in window]
    ([0, 1, 1], [' 0-5', ' 0-5', ' 5-10'])
    """
    if not seconds:
        begins, ends = pd.factorize(start), pd.factorize(end)
        window, pairs = pd.factorize(begins[0] * len(ends[1]) + ends[0])
        which = zip(*np.divmod(pairs, max(len(ends[1]), 1)), strict=True)
        return (
            np.arange(len(start)),
            window,
            [window_name("", begins[1][i], ends[1][j]) for i, j in which],
        )
    first = np.floor((start + NEARLY) / seconds)
    number = np.maximum(np.ceil((end - NEARLY) / seconds) - first, 1)
    if number.sum() > MOST_WINDOWS + len(start):
        raise AnnotationError(
            f"the rows are {number.sum():,.0f} windows of {seconds:g} seconds",
            f"give a larger {option('window')}, or correct the times",
        )
    row = np.repeat(np.arange(len(start)), number.astype(np.int64))
    before = np.cumsum(number) - number
    window, distinct = pd.factorize(first[row] + np.arange(len(row)) - before[row])
    return row, window, [window_name("", i * seconds, (i + 1) * seconds) for i in distinct]


class Windows:
    """The windows of recordings; with no length, each recording is one window.

    >>> windows = Windows(3)
    >>> [windows.name("owls", i) for i in windows.overlapped("owls", 2, 7)]
    ['owls 0-3', 'owls 3-6', 'owls 6-9']
    >>> list(windows.of("owls"))
    [0, 1, 2]
    """

    def __init__(self, seconds: float | None, duration: float | None = None) -> None:
        check_length("window", seconds)
        check_length("duration", duration)
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

    def renaming(self, names: Mapping[str, str]) -> Callable[[str], str]:
        """Return a function that gives windows their names, given those of recordings."""
        return names.__getitem__ if self._seconds is None else windows_named(names)

    def rename(self, names: Mapping[str, str]) -> None:
        """Give recordings their names; those that have the same are one, as long as the longest."""
        numbers, self._numbers = self._numbers, {}
        for recording, number in numbers.items():
            name = names[recording]
            self._numbers[name] = max(self._numbers.get(name, 0), number)

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
