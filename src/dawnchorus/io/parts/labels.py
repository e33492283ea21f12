"""The first pass: which annotators and species there are in all parts, and how recordings are ordered.

Labels are sorted as in one table: as text, or by number if all of a kind are whole numbers. Recordings may be
too many to be listed in one place. Each part gives a sample of its recordings, evenly spaced among its sorted
rows, and from all samples together come the limits of *buckets*: ranges of recordings with about the same
number of rows, which the second pass sorts one by one. Equal labels are in one bucket, whichever parts they
come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...annotations.frames.bad_rows import BadRows
from ...annotations.frames.coding import without_bad
from ...annotations.frames.columns import Source
from ...annotations.frames.lists import one_species_a_row
from ...annotations.frames.near_misses import near_misses, tell_near_misses
from ...annotations.frames.reading import read_columns, with_labels
from ...annotations.frames.spelling import spellings, tell_spellings
from ...annotations.labels import Coded
from ...common.ragged import Ints
from .dataset import Dataset

SAMPLE = 2000
"""Each part gives so many of its recordings."""
ROWS = 2_000_000
"""A bucket has about so many rows."""
ONE_WAY = "make them one in the files; if the data fit into memory, dataset.read(fold_case=True) does"
"""What to do with labels that differ only in case."""
DIGITS = 18
"""Longer whole numbers are text."""


class Seen(NamedTuple):
    """What a part says of labels."""

    rows: int
    annotators: Counter[str]
    species: Counter[str]
    """The number of rows of each."""
    numbers: bool
    """Whether all its recordings are whole numbers."""
    sample: list[str]
    """Some of its recordings, each for the same number of rows."""


class Agreed(NamedTuple):
    """The labels that all parts agree on."""

    annotators: pd.DataFrame
    species: pd.DataFrame
    numbers: bool
    """Whether recordings are sorted by number."""
    limits: list[Any]
    """The first key of every bucket but the first."""
    rows: int

    def keys(self, texts: Any) -> Any:
        """Return what recordings are sorted by, before their text."""
        return np.array([int(text) for text in texts], np.int64) if self.numbers else texts

    def in_order(self, texts: Any) -> Any:
        """Return different recordings in the order of all."""
        texts = np.sort(texts)
        return texts[np.argsort(self.keys(texts), kind="stable")] if self.numbers else texts

    def buckets(self, texts: Any) -> Ints:
        """Return the bucket of each recording."""
        return np.searchsorted(_array(self.limits, self.numbers), self.keys(texts), side="right")


def cells_of(dataset: Dataset, place: int) -> tuple[dict[str, Coded], Source]:
    """Return a part of the long table as codes, with invalid rows refused, and where its rows come from."""
    part, bad = dataset.partitions[place], BadRows()
    table = part.table(dataset.encoding)
    names = dict(part.columns)
    frame, source = one_species_a_row(table.frame(names.values(), bad), table.source, names, bad)
    needed = ["recording", "annotator", "species", *(["scope"] if "scope" in names else [])]
    _, cells, wrong = read_columns(
        frame, needed, ["present"], source, names, keep_na=dataset.keep_na, bad=bad
    )
    return dict(without_bad(cells, source, wrong, bad)), source


def seen(dataset: Dataset, place: int) -> Seen:
    """Return what a part says of labels."""
    if dataset.partitions[place].rows == 0:
        return Seen(0, Counter(), Counter(), True, [])
    cells, _ = cells_of(dataset, place)
    recording = cells["recording"]
    texts = [text for text in recording.text if text]
    numbers = all(is_number(text) for text in texts)
    times = np.bincount(recording.code, minlength=len(recording.text))
    order = np.argsort(recording.text, kind="stable")
    if numbers:
        key = np.array([int(text or -1) for text in recording.text])
        order = np.argsort(key, kind="stable")
    ends = np.cumsum(times[order])
    wanted = np.linspace(0, max(ends[-1] - 1, 0), SAMPLE).astype(np.int64)
    sample = recording.text[order[np.searchsorted(ends, wanted, side="right")]]
    rows = {word: _rows(cells[word]) for word in ("annotator", "species")}
    return Seen(len(recording.code), rows["annotator"], rows["species"], numbers, sample.tolist())


def agreed(dataset: Dataset, parts: Sequence[Seen]) -> Agreed:
    """Return the labels that all parts agree on, and warn of those that are nearly the same."""
    rows: dict[str, Counter[str]] = {
        word: sum((getattr(part, word) for part in parts), Counter()) for word in ("annotators", "species")
    }
    declared = dataset.declared()
    known = {word: dataset.known(word) for word in ("annotator", "species")}
    tables = {}
    for word, found in (("annotator", rows["annotators"]), ("species", rows["species"])):
        table, column = known[word], declared.get(word)
        texts = [np.array(list(found), object), *([] if column is None else [column.text])]
        tables[word] = with_labels(word, None if table is None else table.indexed(), *texts)
        several = spellings({**dict.fromkeys(tables[word].index, 0), **found})
        if several:
            tell_spellings(several, word, Source(dataset.name), ONE_WAY)
    names = known["species"]
    told = [str(text) for text in names.label.text if text] if names is not None and names.other else []
    every = {**dict.fromkeys(tables["species"].index, 0), **rows["species"]}
    tell_near_misses(near_misses(every, told), Source(dataset.name))
    numbers, total = all(part.numbers for part in parts), sum(part.rows for part in parts)
    return Agreed(tables["annotator"], tables["species"], numbers, _limits(parts, numbers, total), total)


def _limits(parts: Sequence[Seen], numbers: bool, total: int) -> list[Any]:
    """Return where buckets begin, from the samples of all parts, each weighted by its rows."""
    sampled = [part for part in parts if part.rows]
    key = [(int(text or -1) if numbers else text) for part in sampled for text in part.sample]
    weight = np.repeat([part.rows / SAMPLE for part in sampled], [len(part.sample) for part in sampled])
    order = np.argsort(_array(key, numbers), kind="stable")
    below, buckets = np.cumsum(weight[order]), max(round(total / ROWS), 1)
    ends = np.searchsorted(below, total * np.arange(1, buckets) / buckets)
    return sorted({key[order[min(end, len(key) - 1)]] for end in ends})


def _array(keys: Sequence[Any], numbers: bool) -> Any:
    return np.array(keys, np.int64 if numbers else object)


def _rows(column: Coded) -> Counter[str]:
    times = np.bincount(column.code, minlength=len(column.text))
    return Counter({str(text): int(n) for text, n in zip(column.text, times, strict=True) if text})


def is_number(text: str) -> bool:
    """Return whether a label is a whole number, by which labels are sorted if all are.

    >>> is_number("07"), is_number("7a"), is_number("")
    (True, False, False)
    """
    return text.isascii() and text.isdigit() and len(text) <= DIGITS
