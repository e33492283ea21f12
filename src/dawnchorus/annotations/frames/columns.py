"""Recognition of the columns of a user's table: which is the recording, which the annotator, and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypedDict

import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Floats
from ...common.warn import warn
from ...common.wording import listed, no_columns, option
from ..labels import as_text
from ..votes import VOTES
from .wide import refuse_wide

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
    "scope": (),
    "score": (),
}
"""Other names by which a column is recognised, also if they end in `_id` or `_name`."""
MANY = 6
"""A table with more columns than this, but no species column, may have one column per species."""

NAMELESS = re.compile(r"\s*$|Unnamed: \d+$|__index_level_\d+__$")
"""What programs call columns that have no name, such as the numbers of rows: nobody misses them."""

DECIMAL_COMMA = re.compile(r"^([-+]?\d*),(\d+)$")


class Place(TypedDict):
    """Where an error is: the file, and the number of the row."""

    file: str
    row: int


class Source(NamedTuple):
    """The name and the row numbers of a table, for messages; rows are numbered as in a spreadsheet."""

    name: str = "the table"
    rows: Any = None
    """The number of each row in a spreadsheet, if they do not follow the header one by one."""
    header: int = 1
    """The number of the row with the names of columns."""
    guarded: bool = False
    """Whether texts may have an apostrophe in front, so that they are no formulas to a spreadsheet."""
    code: str | None = "frame"
    """Python code for the table as a pandas frame, if it is a frame."""
    files: tuple[str, ...] = ()
    """The names of the files, if the rows come from several."""
    file: Any = None
    """For each row, the position of its file in `files`."""
    commas: bool = False
    """Whether numbers may have a decimal comma, since columns are separated by something else."""

    def numbers(self, texts: pd.Series) -> Floats:
        """Return texts as numbers, NaN where they are none."""
        if self.commas:
            texts = texts.str.replace(DECIMAL_COMMA, r"\1.\2", regex=True)
        return pd.to_numeric(texts.where(texts != "", None), errors="coerce").to_numpy(float)

    def row(self, position: int) -> int:
        """Return the number in a spreadsheet of the row at this position."""
        return int(position) + self.header + 1 if self.rows is None else int(self.rows[position])

    def at(self, position: int) -> Place:
        """Return the file and the row at this position, as an error takes them."""
        name = self.files[int(self.file[position])] if self.files else self.name
        return {"file": name, "row": self.row(position)}


def write_number(text: object, remedy: str) -> str:
    """Return what to do about a text that is no number: to write it with a point, if it has a comma.

    >>> write_number("0,85", "write a number"), write_number("1,234.5", "write a number")
    ('write 0.85, with a point', 'write a number')
    """
    pointed = DECIMAL_COMMA.sub(r"\1.\2", str(text))
    return remedy if pointed == str(text) else f"write {pointed}, with a point"


Sample = Callable[[], Mapping[str, Iterable[object]]]
"""A function that returns the first values of each column."""


def resolve(
    found: Iterable[str],
    required: Iterable[str],
    optional: Iterable[str],
    source: Source,
    columns: Mapping[str, str] | None = None,
    *,
    side: bool = False,
    hint: str = "",
    sample: Sample | None = None,
) -> dict[str, str]:
    """Return the column for each word: as given in `columns`, by its own name, or by another known name.

    For a `side` table, `columns` cannot be given, so messages only suggest to rename the column; `hint` is
    what else can be done if one is missing. With a `sample` of its values, a wide table is recognised.

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
            which = option("columns", {word: hits[0]})
            raise AnnotationError(
                f"each of the columns {listed(hits)} could be the {word}",
                "rename one" + ("" if side or len(set(hits)) == 1 else f", or say which to use: {which}"),
                file=source.name,
                row=source.header,
            )
        if hits:
            chosen[word] = hits[0]
    missing = [word for word in required if word not in chosen]
    if "species" in missing and sample and not side:
        refuse_wide(sample(), chosen, missing, source.name, source.header, source.code)
    if missing:
        raise _missing(missing, told, found, source, side, hint)
    return chosen


def tell_unread(
    found: Iterable[object],
    read: Collection[object],
    source: Source,
    *,
    votes: bool,
    sample: Sample | None = None,
) -> None:
    """Warn of columns that are not read, and of one that may have the votes, unless `votes` are read."""
    unread = [name for name in map(str, found) if name not in read and not NAMELESS.match(name)]
    if not unread:
        return
    first = sample() if sample and not votes else {}
    hints = [name for name in unread if name in first and _has_votes(first[name])]
    hint = f"; perhaps {option('columns', {'present': hints[0]})}" if hints else ""
    warn(f"{source.name}: columns not read: {listed(map(as_text, unread))}{hint}")


def _has_votes(values: Iterable[object]) -> bool:
    texts = {as_text(value).lower() for value in values}
    return texts <= VOTES.keys() and texts != {""}


def same_columns(found: Iterable[str], others: Iterable[object]) -> dict[str, str]:
    """Return the columns that have the name of one of others, but for case, and that name.

    >>> same_columns(["Site", "species"], ["site", "hour"])
    {'Site': 'site'}
    """
    names = {_tidy(other): str(other) for other in others}
    return {column: names[_tidy(column)] for column in found if _tidy(column) in names}


def _missing(
    missing: list[str], told: Mapping[str, str], found: list[str], source: Source, side: bool, hint: str
) -> AnnotationError:
    """Return an error that names all columns that are missing."""
    taken = [(w, c) for word in missing for w, c in told.items() if _hits([c], word)]
    why = f" ('{taken[0][1]}' is already used as {taken[0][0]})" if taken else ""
    which = option("columns", dict.fromkeys(missing, "NAME"))
    one = len(missing) == 1
    return AnnotationError(
        f"{no_columns(missing)}{why}; the columns are {listed(found)}",
        f"rename {'a column' if one else 'columns'} to {listed(missing, last=' and ')}"
        + ("" if side else f", or say which {'it is' if one else 'they are'}: {which}")
        + (_wide(source) if "species" in missing and not side and len(found) > MANY else "")
        + hint,
        file=source.name,
        row=source.header,
    )


def _wide(source: Source) -> str:
    how = f"is read with {option('format', 'wide')}" if source.code is None else "must first be made long"
    return f"; a table with one column per species {how}"


def _check_told(told: Mapping[str, str], found: list[str], source: Source) -> None:
    unknown = [word for word in told if word not in ALIASES]
    if unknown:
        raise AnnotationError(
            f"{listed(unknown)} {'is' if len(unknown) == 1 else 'are'} not one of {listed(ALIASES)}",
            f"use one of these, as in {option('columns', {'recording': 'clip_name'})}",
            file=source.name,
        )
    gone = [f"'{column}' to use as {word}" for word, column in told.items() if column not in found]
    if gone:
        raise AnnotationError(
            f"there is no column {' and no column '.join(gone)}; the columns are {listed(found)}",
            f"check the spelling of the column{'s' if len(gone) > 1 else ''}",
            file=source.name,
            row=source.header,
        )
    again = [column for column in told.values() if list(told.values()).count(column) > 1]
    if again:
        raise AnnotationError(
            f"the column '{again[0]}' is given for two different things",
            "give each column once",
            file=source.name,
            row=source.header,
        )


def _hits(columns: list[str], word: str) -> list[str]:
    """Return the columns with that name or, if there is none, those with another known name."""
    exact = [c for c in columns if _tidy(c) == word]
    return exact or [c for c in columns if _is_alias(_tidy(c), word)]


def _tidy(column: object) -> str:
    return str(column).strip().lower().replace(" ", "_").replace("-", "_")


def _is_alias(tidy: str, word: str) -> bool:
    stem = tidy.removesuffix("_id").removesuffix("_name")
    return stem == word or tidy in ALIASES[word] or stem in ALIASES[word]
