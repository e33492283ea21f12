"""Recordings that BirdNET has analysed: rows of results name them, results are called like them, or a list.

Results of one recording are called `NAME.BirdNET.results.csv` or `NAME.BirdNET.selection.table.txt`. Those
of all recordings in one table do not tell of recordings without a detection; the list beside it, which some
versions write, `BirdNET_SelectionTable.list.txt`, does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..inputs import InputFile
from ..windows import Recordings
from .birdnet_runs import text_of

RESULT_NAME = re.compile(r"(\.birdnet)?(\.(results|selection\.table|table))*$", re.IGNORECASE)
PATH_END = re.compile(r"\.(csv|txt|tsv|parquet)$", re.IGNORECASE)
OF_ALL = re.compile(r"BirdNET_(CombinedTable|SelectionTable)", re.IGNORECASE)
"""The names of tables of results of all recordings."""
LIST = re.compile(r"SelectionTable\.list\.txt$", re.IGNORECASE)


class Analysed:
    """The recordings of some results, by the folder and the name of these."""

    def __init__(self, recordings: Recordings) -> None:
        self.recordings = recordings
        self._told: dict[tuple[str, str], dict[str, None]] = {}

    def called_like(self, file: InputFile) -> str:
        """Return the recording that results are called like."""
        return self.recordings.below(*_place(file))

    def told(self, file: InputFile, recordings: Iterable[str]) -> None:
        """Remember the recordings that rows of results name, if there are any."""
        self._told.setdefault(_place(file), {}).update(dict.fromkeys(recordings))

    def lists(self, file: InputFile) -> bool:
        """Return whether a file lists recordings that were analysed, and remember these."""
        if not LIST.search(file.name.removesuffix(".gz")):
            return False
        self.told(file, filter(None, map(self.recordings.key, text_of(file).splitlines())))
        return True

    def all(self) -> list[str]:
        """Return all recordings.

        Results without any row are of the recording that other results of the same name tell, or that they
        are called like; in one table for all recordings, nothing tells which that is.
        """
        found: dict[str, None] = {}
        for (folders, name), told in self._told.items():
            if not told and not OF_ALL.fullmatch(name):
                told[self.recordings.below(folders, name)] = None
            found |= told
        return list(found)


def _place(file: InputFile) -> tuple[str, str]:
    """Return the folder of results, and their name without its endings."""
    folders, _, name = file.name.replace("\\", "/").rpartition("/")
    return folders, RESULT_NAME.sub("", PATH_END.sub("", name.removesuffix(".gz")))
