"""Columns: which column of a user's table holds which of our words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...common.errors import AnnotationError

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
    "species": ("taxon", "label", "bird"),
    "present": ("presence", "vote", "value", "detected", "is_present"),
}
"""Other names by which a column is recognised, also with `_id` or `_name` behind them."""
MANY = 6
"""A table with more columns than this and none for the species may have one for each of them."""
WIDE = "a table with a column for each species has to be made long, a row for each answer, as by pandas.melt"


class Source(NamedTuple):
    """Where a table comes from, for messages: rows are counted as a spreadsheet does."""

    name: str = "the table"
    rows: Any = None
    """The spreadsheet's number of each row, where these are not 2, 3, 4, …"""

    def row(self, position: int) -> int:
        """Return the spreadsheet's number of the row at this position."""
        return int(position) + 2 if self.rows is None else int(self.rows[position])


def resolve(
    found: Iterable[str],
    required: Iterable[str],
    optional: Iterable[str],
    source: Source,
    columns: Mapping[str, str] | None = None,
    *,
    side: bool = False,
) -> dict[str, str]:
    """Find the column for each word: as told, by its own name, or by an alias.

    Of a `side` table nothing can be told, so the remedy is to rename.

    Examples
    --------
    >>> resolve(["Clip_ID", "user", "taxon"], ["recording", "annotator"], ["species"], Source())
    {'recording': 'Clip_ID', 'annotator': 'user', 'species': 'taxon'}
    """
    found, required = list(found), list(required)
    told = dict(columns or {})
    _check_told(told, found, source)
    free = [column for column in found if column not in told.values()]
    chosen = {}
    for word in (*required, *optional):
        hits = [c for c in found if c == told[word]] if word in told else _hits(free, word)
        if len(hits) > 1:
            raise AnnotationError(
                f"the columns {_listed(hits)} could all be the {word}",
                "rename one"
                + ("" if side or len(set(hits)) == 1 else f", or say which is meant: {_how(word, hits[0])}"),
                file=source.name,
                row=1,
            )
        if hits:
            chosen[word] = hits[0]
        elif word in required:
            taken = [w for w, c in told.items() if _hits([c], word)]
            why = f" ('{told[taken[0]]}' is to be read as {taken[0]})" if taken else ""
            wide = word == "species" and not side and len(found) > MANY
            raise AnnotationError(
                f"there is no column '{word}'{why}; the columns are {_listed(found)}",
                f"rename a column to '{word}'"
                + ("" if side else f", or say which it is: {_how(word, '…')}")
                + (f"; {WIDE}" if wide else ""),
                file=source.name,
                row=1,
            )
    return chosen


def _check_told(told: Mapping[str, str], found: list[str], source: Source) -> None:
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
                row=1,
            )
        if list(told.values()).count(column) > 1:
            raise AnnotationError(
                f"the column '{column}' is to be read as two things at once",
                "map each column once",
                file=source.name,
                row=1,
            )


def _hits(columns: list[str], word: str) -> list[str]:
    """Return the columns of that name or, if there is none, of a name that is recognised."""
    exact = [c for c in columns if _tidy(c) == word]
    return exact or [c for c in columns if _is_alias(_tidy(c), word)]


def _how(word: str, column: str) -> str:
    return f"columns={{'{word}': '{column}'}} in Python, --column {word}={column} at the command line"


def _tidy(column: object) -> str:
    return str(column).strip().lower().replace(" ", "_").replace("-", "_")


def _is_alias(tidy: str, word: str) -> bool:
    stem = tidy.removesuffix("_id").removesuffix("_name")
    return stem == word or tidy in ALIASES[word] or stem in ALIASES[word]


def _listed(names: Iterable[object], most: int = 12) -> str:
    quoted = [f"'{str(name)[:40]}'" for name in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + more
