"""Columns: which column of a user's table holds which of our words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .errors import AnnotationError

ALIASES: dict[str, tuple[str, ...]] = {
    "recording": (
        "clip",
        "item",
        "task",
        "subject",
        "sample",
        "segment",
        "file",
        "filename",
        "audio",
    ),
    "annotator": (
        "user",
        "observer",
        "worker",
        "labeler",
        "labeller",
        "rater",
        "expert",
        "volunteer",
    ),
    "species": ("taxon", "label", "class", "bird"),
    "present": ("presence", "vote", "value", "detected", "is_present"),
}
"""Other names by which a column is recognised, also with `_id` or `_name` behind them."""


class Source(NamedTuple):
    """Where a table comes from, for messages: rows are counted as a spreadsheet does."""

    name: str = "the table"
    first_row: int = 2

    def row(self, position: int) -> int:
        """Give the spreadsheet's number of the row at this position."""
        return int(position) + self.first_row


def resolve(
    found: Iterable[str],
    required: Iterable[str],
    optional: Iterable[str],
    source: Source,
    columns: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Find the column for each word: as told, by its own name, or by an alias.

    Examples
    --------
    >>> resolve(["Clip_ID", "user", "taxon"], ["recording", "annotator"], ["species"], Source())
    {'recording': 'Clip_ID', 'annotator': 'user', 'species': 'taxon'}
    """
    found = list(found)
    required = list(required)
    wanted = [*required, *optional]
    told = dict(columns or {})
    for word, column in told.items():
        if word not in ALIASES:
            raise AnnotationError(
                f"'{word}' is not one of the columns {_listed(ALIASES)}",
                "map one of these, as in recording=clip_name",
                file=source.name,
            )
        if column not in found:
            raise AnnotationError(
                f"there is no column '{column}' to read as {word}; the columns are {_listed(found)}",
                "check the spelling of the column",
                file=source.name,
                row=source.first_row - 1,
            )
    tidy = {column: _tidy(column) for column in found if column not in told.values()}
    chosen = {word: told[word] for word in wanted if word in told}
    for word in wanted:
        if word in chosen:
            continue
        hits = [c for c in tidy if tidy[c] == word] or [c for c in tidy if _is_alias(tidy[c], word)]
        if len(hits) > 1:
            raise AnnotationError(
                f"the columns {_listed(hits)} could all be the {word}",
                f"say which, as in {word}={hits[0]} (--column {word}={hits[0]} on the command line)",
                file=source.name,
                row=source.first_row - 1,
            )
        if hits:
            chosen[word] = hits[0]
        elif word in required:
            raise AnnotationError(
                f"there is no column '{word}'; the columns are {_listed(found)}",
                f"rename a column to '{word}', or say which one it is "
                f"(columns={{'{word}': …}} in Python, --column {word}=… on the command line)",
                file=source.name,
                row=source.first_row - 1,
            )
    return {word: chosen[word] for word in wanted if word in chosen}


def _tidy(column: object) -> str:
    return str(column).strip().lower().replace(" ", "_").replace("-", "_")


def _is_alias(tidy: str, word: str) -> bool:
    stem = tidy.removesuffix("_id").removesuffix("_name")
    return stem == word or tidy in ALIASES[word] or stem in ALIASES[word]


def _listed(names: Iterable[object], most: int = 12) -> str:
    quoted = [f"'{name}'" for name in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + more
