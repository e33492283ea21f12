"""Recognition of the columns of a user's table: which is the recording, which the annotator, and so on."""

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
"""Other names by which a column is recognised, also if they end in `_id` or `_name`."""
MANY = 6
"""A table with more columns than this, but no species column, may have one column per species."""
WIDE = "a table with one column per species must first be made long, with one row per vote (see pandas.melt)"


class Source(NamedTuple):
    """The name and the row numbers of a table, for messages; rows are numbered as in a spreadsheet."""

    name: str = "the table"
    rows: Any = None
    """The number of each row in a spreadsheet, if they are not 2, 3, 4, …"""

    def row(self, position: int) -> int:
        """Return the number in a spreadsheet of the row at this position."""
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
    """Return the column for each word: as given in `columns`, by its own name, or by another known name.

    For a `side` table, `columns` cannot be given, so messages only suggest to rename the column.

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
                f"each of the columns {_listed(hits)} could be the {word}",
                "rename one"
                + ("" if side or len(set(hits)) == 1 else f", or say which to use: {_how(word, hits[0])}"),
                file=source.name,
                row=1,
            )
        if hits:
            chosen[word] = hits[0]
        elif word in required:
            taken = [w for w, c in told.items() if _hits([c], word)]
            why = f" ('{told[taken[0]]}' is already used as {taken[0]})" if taken else ""
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
                f"'{word}' is not one of {_listed(ALIASES)}",
                "use one of these, as in recording=clip_name",
                file=source.name,
            )
        if column not in found:
            raise AnnotationError(
                f"there is no column '{column}' to use as {word}; the columns are {_listed(found)}",
                "check the spelling of the column",
                file=source.name,
                row=1,
            )
        if list(told.values()).count(column) > 1:
            raise AnnotationError(
                f"the column '{column}' is given for two different things",
                "give each column once",
                file=source.name,
                row=1,
            )


def _hits(columns: list[str], word: str) -> list[str]:
    """Return the columns with that name or, if there is none, those with another known name."""
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
