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


class Glimpse:
    """The names of some files and the beginning of the first that is a table or JSON."""

    def __init__(self, files: list[InputFile]) -> None:
        self.files = files
        self.names = [file.inside for file in files]

    @cached_property
    def table(self) -> Table | None:
        """The first file as a table, if it seems to be one."""
        try:
            return None if self.json is not None else opened_table(self.files[0])
        except AnnotationError:
            return None

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names of its columns, tidied."""
        return frozenset() if self.table is None else frozenset(map(tidy, self.table.columns))

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
