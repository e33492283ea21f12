"""Names tables: codes and synonyms of species, each with the one name that stands for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ...common.errors import AnnotationError
from ...common.warn import warn
from ...common.wording import listed, no_columns
from ..labels import MISSING, Coded, coded, counted, verb
from .columns import Source
from .reading import LONGEST, native_frame
from .spelling import folded

WORDS = {
    "from": ("from", "code", "synonym", "alias", "old", "old_name", "variant"),
    "to": ("to", "name", "accepted", "accepted_name", "new", "new_name", "species"),
}
"""The columns of a names table, and what else they may be called; the first that is there is taken."""
NAMES = Source("the names table", code=None)


@dataclass(frozen=True)
class NameTable:
    """One name for each code or synonym; names that are not in the table stay as they are.

    >>> names = NameTable({"ROBI": "Robin"})
    >>> names.of(["ROBI", "Wren"])
    {'ROBI': 'Robin'}
    """

    one: Mapping[str, str] = field(default_factory=dict)
    source: Source = NAMES

    def of(self, texts: Iterable[str], *, fold_case: bool = False) -> dict[str, str]:
        """Return the names of those texts that get another; with `fold_case`, case does not matter."""
        known = {folded(text): name for text, name in self.one.items()} if fold_case else {}
        found = {text: self.one.get(text, known.get(folded(text)) if known else None) for text in texts}
        return {text: name for text, name in found.items() if name is not None and name != text}

    def renamed(self, column: Coded, *, fold_case: bool = False) -> Coded:
        """Return a column of species with one name for each."""
        return column.renamed(self.of(column.text, fold_case=fold_case))

    def tell_unused(self, texts: Iterable[str], source: Source, *, fold_case: bool = False) -> None:
        """Warn of codes and synonyms that do not occur among the species that were read."""
        way = folded if fold_case else str
        there = {way(text) for text in texts}
        unused = [text for text in self.one if way(text) not in there]
        if unused:
            all_of_them = len(unused) == len(self.one)
            what = (
                "none of its codes and synonyms occurs"
                if all_of_them
                else f"{len(unused):,} of its {counted(len(self.one), 'name')} "
                f"{verb(len(unused), 'does', 'do')} not occur"
            )
            warn(f"{self.source.name}: {what} in {source.name}: {listed(unused, 3)}")


def read_names(names: Any, source: Source = NAMES) -> NameTable:
    """Return a names table from a mapping, or from a frame with columns such as `from` and `to`.

    Raises
    ------
    AnnotationError
        If a column or a name is missing, a code has two names, or a name is itself to be replaced.
    """
    if names is None or isinstance(names, NameTable):
        return names or NameTable()
    if isinstance(names, Mapping):
        names = pd.DataFrame({"from": [*names.keys()], "to": [*names.values()]}, dtype=object)
    frame = native_frame(names, source)
    columns = {word: _column(frame.columns, word, source) for word in WORDS}
    before, after = (coded(frame[column], guarded=source.guarded) for column in columns.values())
    one: dict[str, str] = {}
    rows: dict[str, int] = {}
    for i, (text, name) in enumerate(zip(before.text[before.code], after.text[after.code], strict=True)):
        if not text and not name:
            continue
        _check(text, name, source, i)
        if one.setdefault(text, name) != name:
            raise AnnotationError(
                f"'{text}' has two names, '{name}' and, in row {source.row(rows[text])}, '{one[text]}'",
                "keep one of the rows",
                **source.at(i),
            )
        rows.setdefault(text, i)
    for text, name in one.items():
        if one.get(name, name) != name and name != text:
            raise _chained(text, one, rows, source)
    return NameTable(one, source)


def _column(found: list[str], word: str, source: Source) -> str:
    tidy = {column.strip().lower().replace(" ", "_").replace("-", "_"): column for column in reversed(found)}
    for name in WORDS[word]:
        if name in tidy:
            return tidy[name]
    raise AnnotationError(
        f"{no_columns([word])} in the names table; the columns are {listed(found)}",
        "name the column of codes or synonyms 'from', and that of the names to use 'to'",
        file=source.name,
        row=source.header,
    )


def _check(text: str, name: str, source: Source, i: int) -> None:
    """Raise an error if one of two names is missing or too long."""
    if not text or not name:
        given, what = (name, "the code or synonym") if name else (text, "the name to use")
        raise AnnotationError(
            f"'{given}' stands alone: {what} is missing", "fill it in, or delete the row", **source.at(i)
        )
    if name in MISSING:
        raise AnnotationError(
            f"the name to use for '{text}' is missing ('{name}')",
            "fill it in, or delete the row",
            **source.at(i),
        )
    if max(len(text), len(name)) > LONGEST:
        raise AnnotationError(
            f"a name has more than {LONGEST:,} characters", "shorten it, or delete the row", **source.at(i)
        )


def _chained(text: str, one: Mapping[str, str], rows: Mapping[str, int], source: Source) -> AnnotationError:
    """Return an error about a name that is to be replaced itself."""
    way = [text]
    while way[-1] in one and one[way[-1]] not in way and one[way[-1]] != way[-1]:
        way.append(one[way[-1]])
    last, name = way[-1], one[text]
    if last in one and one[last] != last:  # the last name is to be replaced by an earlier one
        return AnnotationError(
            f"the names lead in a circle: {' → '.join([*way, one[last]])}",
            "decide for one name, and delete the row that replaces it",
            **source.at(rows[text]),
        )
    return AnnotationError(
        f"'{text}' is to become '{name}', but row {source.row(rows[name])} makes '{one[name]}' of '{name}'",
        f"write '{last}' here, the name to use in the end",
        **source.at(rows[text]),
    )
