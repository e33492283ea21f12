"""Spelling: labels of annotators and species that differ only in upper and lower case.

Labels of recordings are left alone: many are codes, in which upper and lower case make a difference.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ...common.warn import warn
from ...common.wording import option
from ..labels import Coded, counted
from .columns import Source
from .reading import LabelTable

FOLDED = ("annotator", "species")

Columns = Mapping[str, Coded]


class Spelling(NamedTuple):
    """A way in which a label is written, and the number of rows of the long table that have it."""

    text: str
    rows: int


def folded(text: str) -> str:
    """Return a label without its case; labels that differ only in case give the same text.

    >>> folded("Ural Owl") == folded("URAL owl")
    True
    """
    return unicodedata.normalize("NFC", text.casefold())


def one_spelling(
    cells: Columns,
    declared: Columns,
    tables: Mapping[str, LabelTable | None],
    source: Source,
    *,
    fold_case: bool,
    names: Iterable[str] = (),
) -> tuple[Columns, Columns, Mapping[str, LabelTable | None], int]:
    """Return the tables with one spelling for each label, and the number of spellings that were replaced.

    Without `fold_case`, the tables are left as they are, and a warning lists the labels with several
    spellings. The spelling in the table of metadata is preferred, then, for species, that of `names`, and
    then the one in most rows.
    """
    replaced = 0
    for word in FOLDED:
        table = tables[word]
        preferred = [] if table is None else [text for text in table.label.text if text]
        if word == "species" and not preferred:
            preferred = list(names)
        others = declared[word].text if word in declared else ()
        several = variants(cells[word], [*(preferred if table else ()), *others], preferred)
        if several and not fold_case:
            tell_spellings(several, word, source, f"use {option('fold_case', True)} to make them one")
        if not several or not fold_case:
            continue
        names = one_way(several)
        replaced += len(names)
        cells = {**cells, word: cells[word].renamed(names)}
        if word in declared:
            declared = {**declared, word: declared[word].renamed(names)}
        if table is not None:  # metadata of two spellings may differ, and two rows are then an error
            same = table._replace(label=table.label.renamed(names)) if table.other else table.renamed(names)
            tables = {**tables, word: same}
    return cells, declared, tables, replaced


def variants(
    column: Coded, others: Iterable[str] = (), preferred: Iterable[str] = ()
) -> list[list[Spelling]]:
    """Return the labels with several spellings; the spelling to keep comes first.

    Of spellings with as many rows, those that are all in capitals come last.
    """
    return spellings(rows_of(column, others), preferred)


def spellings(rows: Mapping[str, int], preferred: Iterable[str] = ()) -> list[list[Spelling]]:
    """Return the same, given the number of rows of each label."""
    groups: dict[str, list[Spelling]] = defaultdict(list)
    for text, number in rows.items():
        groups[folded(text)].append(Spelling(text, number))
    first = set(preferred)
    return [
        sorted(ways, key=lambda way: (way.text not in first, -way.rows, way.text.isupper(), way.text))
        for _, ways in sorted(groups.items())
        if len(ways) > 1
    ]


def rows_of(column: Coded, others: Iterable[str] = ()) -> dict[str, int]:
    """Return the number of rows of each label, which is 0 for others that are not in the column."""
    rows = dict.fromkeys(others, 0)
    times = np.bincount(column.code, minlength=len(column.text))
    for text, number in zip(column.text, times, strict=True):
        rows[str(text)] = rows.get(str(text), 0) + int(number)
    rows.pop("", None)
    return rows


def one_way(several: list[list[Spelling]]) -> dict[str, str]:
    """Return the spelling to keep for each of the other spellings."""
    return {way.text: ways[0].text for ways in several for way in ways[1:]}


def tell_spellings(several: list[list[Spelling]], word: str, source: Source, remedy: str) -> None:
    """Warn of labels that are written in several ways, all of them, and say what to do."""
    lines = (
        "\n  " + ", ".join(f"'{way.text}' ({counted(way.rows, 'row')})" for way in ways) for ways in several
    )
    each = "an" if word == "annotator" else "a"
    warn(
        f"{source.name}: {counted(len(several), word)} {'is' if len(several) == 1 else 'are'} written in "
        f"several ways that differ only in case, and each way counts as {each} {word} of its own; "
        f"{remedy}:{''.join(lines)}"
    )
