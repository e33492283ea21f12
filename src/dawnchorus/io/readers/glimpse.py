"""A glimpse of files: enough to see which format they seem to be, without reading them."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from ...common.errors import AnnotationError
from .field_rows import tidy
from .inputs import InputFile
from .json_files import starts_json
from .open_tables import Table, opened_table

FIRST = 1 << 18
MOST_FILES = 50
"""So many files are looked at for a table, as tools put files of other kinds beside it."""


class Glimpse:
    """The names of some files and the beginning of the first that is a table or JSON."""

    def __init__(self, files: list[InputFile]) -> None:
        self.files = files
        self.names = [file.inside for file in files]

    @cached_property
    def table(self) -> Table | None:
        """The first file as a table, if it seems to be one."""
        return None if self.json is not None else _table(self.files[0])

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names of its columns, tidied."""
        return frozenset() if self.table is None else _columns(self.table)

    @cached_property
    def tables(self) -> list[frozenset[str]]:
        """The names of the columns of each table among the files, tidied."""
        further = (_table(file) for file in self.files[1:MOST_FILES])
        return [self.columns, *(_columns(table) for table in further if table is not None)]

    @cached_property
    def json(self) -> str | None:
        """The beginning of the first file, if it is JSON."""
        try:
            head = self.files[0].head(FIRST)
        except AnnotationError:
            return None
        return head.decode("utf-8-sig", "ignore").lstrip() if starts_json(head) else None

    @cached_property
    def json_start(self) -> Any:
        """The first object of a list, or the object itself, if it is short enough; otherwise nothing."""
        text = self.json or ""
        try:
            return json.JSONDecoder().raw_decode(text, 1 if text.startswith("[") else 0)[0]
        except (ValueError, RecursionError):
            return None

    def first_text(self, *endings: str) -> str:
        """Return the beginning of the first file with one of these endings, as text."""
        for file in self.files:
            if file.inside.lower().endswith(endings):
                try:
                    return file.head(4096).decode("utf-8-sig", "ignore")
                except AnnotationError:
                    return ""
        return ""


def _table(file: InputFile) -> Table | None:
    """Return a file as a table, if it seems to be one."""
    try:
        return opened_table(file)
    except AnnotationError:
        return None


def _columns(table: Table) -> frozenset[str]:
    return frozenset(map(tidy, table.columns))
