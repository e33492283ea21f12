"""Labels: the names of recordings, annotators and species, as cleaned text.

The computations use whole numbers; this module converts between numbers and labels. A label is always text
without invisible characters and without leading, trailing or double spaces, in one Unicode form (NFC). So
the same species name typed on two keyboards is one species, and `7`, `7.0` and `"7"` are one recording.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from ..common.errors import AnnotationError
from ..common.formulas import restored
from ..common.ragged import Bools, Ints
from ..common.wording import argument

LINE_BREAK = re.compile(r"[\r\n]")
MISSING = frozenset(
    ("NA", "na", "N/A", "n/a", "#N/A", "<NA>", "nan", "NaN", "None", "none", "NULL", "null", "-", "–", "—")
)
"""Words that programs and people write where there is no value; `Na` and `Nan` are names of people."""

Names: TypeAlias = Any
"""Names of recordings, annotators or species: several in any collection, or a single one."""


class Coded(NamedTuple):
    """A column as whole numbers, and the texts that they stand for (`""` is blank)."""

    code: Ints
    text: npt.NDArray[np.object_]
    broken: Bools
    """For each text, whether it contained a line break."""
    missing: npt.NDArray[np.object_]
    """For each text, the word that was written in its place if that is a word for a missing value, or ""."""

    @property
    def blank(self) -> Bools:
        """For each row, whether it is blank, or has a word for a missing value."""
        return (self.text == "")[self.code]

    def without_missing(self) -> Coded:
        """Return the column with words for missing values as blanks."""
        gone = np.array([text in MISSING for text in self.text])
        return self._replace(
            text=np.where(gone, "", self.text), missing=np.where(gone, self.text, self.missing)
        )

    def missing_words(self, rows: Ints) -> dict[str, int]:
        """Return how many of these rows have which word for a missing value, the most frequent first."""
        if not any(self.missing):
            return {}
        times = np.bincount(self.code[rows], minlength=len(self.text))
        found = {self.missing[i]: int(times[i]) for i in np.flatnonzero(times) if self.missing[i]}
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def renamed(self, names: Mapping[str, str]) -> Coded:
        """Return the column with some of its texts replaced by others; texts may then occur twice."""
        return self._replace(text=np.array([names.get(text, text) for text in self.text], object))

    def blanked(self, rows: Bools) -> Coded:
        """Return the column with these rows blank, and without the texts that no other row has."""
        used, code = np.unique(np.where(rows, len(self.text), self.code), return_inverse=True)
        return Coded(
            code.astype(np.int32),
            np.append(self.text, "")[used],
            np.append(self.broken, False)[used],
            np.append(self.missing, "")[used],
        )

    def codes_in(self, index: pd.Index) -> Ints:
        """Return the position of each row's text in `index`, −1 if it is not there."""
        return index.get_indexer(self.text).astype(np.int32)[self.code]


def coded(series: nw.Series[Any], *, guarded: bool = False) -> Coded:
    """Return a column of any data frame as codes and cleaned texts.

    If texts may be `guarded` against spreadsheets, they are restored.
    """
    code, distinct = _factorised(series)
    text = np.array([*(as_text(value) for value in distinct), ""], dtype=object)
    if guarded:
        text = np.array([restored(value) for value in text], dtype=object)
    lines = [isinstance(value, str) and bool(LINE_BREAK.search(value.strip())) for value in distinct]
    merged, texts = pd.factorize(text)
    broken = np.zeros(len(texts), bool)
    broken[merged[:-1][np.array(lines, bool)]] = True
    texts = np.asarray(texts, dtype=object)
    return Coded(merged.astype(np.int32)[code], texts, broken, np.full(len(texts), "", object))


def as_text(value: object) -> str:
    """Return a value as a label: cleaned text, `""` if it is missing.

    >>> [as_text(value) for value in (" Iso  Järvi ", 7, 7.0, None)]
    ['Iso Järvi', '7', '7', '']
    """
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    text = str(value)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if not text.isprintable():
        text = "".join(c for c in text if c.isspace() or not _unseen(c))
    return " ".join(text.split())


def _unseen(character: str) -> bool:
    """Return whether a character is invisible: a control or format character.

    The zero-width joiner and non-joiner are kept, because some scripts need them.
    """
    return unicodedata.category(character) in ("Cc", "Cf", "Cs") and character not in "\u200c\u200d"


def counted(number: int, word: str) -> str:
    """Return a number with its noun, in the singular or plural.

    >>> counted(1, "report"), counted(2000, "report"), counted(2, "species")
    ('1 report', '2,000 reports', '2 species')
    """
    return f"{number:,} {word if number == 1 or word == 'species' else word + 's'}"


def verb(number: int, one: str, several: str) -> str:
    """Return the verb that goes with so many things.

    >>> verb(1, "is", "are"), verb(0, "is", "are")
    ('is', 'are')
    """
    return one if number == 1 else several


def all_of(shown: int, total: int, word: str, order: str = "") -> str:
    """Return how many of a total are shown and, if several are, in which order, in words.

    >>> all_of(3, 3, "annotator"), all_of(1, 1, "recording", "the longest first")
    ('All 3 annotators', 'The only recording')
    >>> all_of(3, 20, "annotator", "the best first")
    '3 of 20 annotators, the best first'
    """
    if total == 1:
        return f"The only {word}"
    some = f"All {counted(total, word)}" if shown == total else f"{shown:,} of {counted(total, word)}"
    return f"{some}, {order}" if order and shown > 1 else some


def in_table(shown: int, total: int, word: str, order: str = "") -> str:
    """Return how many of a total a table holds, in words: a page need not show all of its rows at once.

    >>> in_table(3, 3, "annotator", "the best first"), in_table(3, 20, "annotator")
    ('3 annotators, the best first', '3 of 20 annotators')
    """
    return all_of(shown, total, word, order).removeprefix("All ")


def in_order(texts: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
    """Return labels sorted: by number if all are whole numbers, otherwise as text.

    Sorting makes results independent of the order of the rows in a file.
    """
    texts = np.sort(texts)
    if len(texts) and all(t.isascii() and t.isdigit() and len(t) <= 18 for t in texts):
        texts = texts[np.argsort(texts.astype(np.int64), kind="stable")]
    return texts


def label_index(name: str, known: pd.Index | None, *found: npt.NDArray[np.object_]) -> pd.Index:
    """Return an index of labels: first the known ones in their order, then the others that were found."""
    texts = pd.unique(np.concatenate([np.empty(0, object), *found]))
    if known is None:
        known = pd.Index([], dtype=object)
    new = texts[(texts != "") & (known.get_indexer(texts) < 0)]
    return pd.Index(np.concatenate([known.to_numpy(object), in_order(new)]), dtype=object, name=name)


def _factorised(series: nw.Series[Any]) -> tuple[Ints, Any]:
    """Return codes (−1 for missing) and the distinct values that occur."""
    if series.implementation.is_pyarrow():
        arrow = series.to_native()
        if series.dtype in (nw.String, nw.Categorical):
            if series.dtype == nw.String:
                arrow = arrow.dictionary_encode()
            elif arrow.num_chunks > 1:
                arrow = arrow.unify_dictionaries()
            arrow = arrow.combine_chunks()
            code = arrow.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            return _occurring(code, arrow.dictionary.to_numpy(zero_copy_only=False))
    values = as_pandas(series)
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _occurring(values.cat.codes.to_numpy(), values.cat.categories)
    return pd.factorize(values)


def _occurring(code: Ints, distinct: Any) -> tuple[Ints, Any]:
    """Return codes and values without the categories that no row has."""
    used = np.bincount(code + 1, minlength=len(distinct) + 1)[1:] > 0
    if used.all():
        return code, distinct
    new = np.append(np.cumsum(used) - 1, -1)
    return new[code], distinct[used]


def as_pandas(series: nw.Series[Any]) -> pd.Series:
    """Return a column of any data frame as a pandas series."""
    native = series.to_native()
    if isinstance(native, pd.Series):
        return native
    if series.null_count() and (series.dtype.is_integer() or series.dtype == nw.Boolean):
        nullable = "Int64" if series.dtype.is_integer() else "boolean"  # not through floats
        return pd.Series(series.to_list(), dtype=nullable)
    if series.implementation.is_pyarrow():
        return native.to_pandas()
    if series.dtype in (nw.Categorical, nw.Enum):
        series = series.cast(nw.String)
    return pd.Series(series.to_numpy())


def place(index: pd.Index, label: object) -> int:
    """Return the position of a label; if there is none, raise an error that suggests similar labels."""
    found = index.get_indexer([as_text(label)])[0]
    if found < 0:
        close = get_close_matches(str(label), index.astype(str), n=3)
        hint = f"perhaps you mean {' or '.join(close)}" if close else "check the spelling"
        raise AnnotationError(f"there is no {index.name} '{label}'", hint)
    return int(found)


def names_of(names: Names) -> list[str]:
    """Return several names, or a single one, as a list of texts.

    >>> names_of("Aino"), names_of(["Aino", "Onni"]), names_of(7)
    (['Aino'], ['Aino', 'Onni'], ['7'])
    """
    return [as_text(name) for name in several(names)]


def several(things: Any) -> list[Any]:
    """Return a collection as a list, and a single text or number as a list of one."""
    return [things] if isinstance(things, str) or not isinstance(things, Iterable) else list(things)


def places(index: pd.Index, names: Names) -> Ints:
    """Return the positions of several labels, or of a single one."""
    wanted = names_of(names)
    found = index.get_indexer(pd.Index(wanted, dtype=object))
    if (found < 0).any():
        place(index, wanted[int(np.argmax(found < 0))])  # raises
    return np.asarray(found, np.int64)


def annotator_column(annotators: pd.DataFrame, name: str) -> str:
    """Return `name` if it is a column of the annotators' metadata; otherwise raise `AnnotationError`."""
    if name not in annotators:
        columns = ", ".join(map(str, annotators))
        if not columns:
            raise AnnotationError(
                f"annotators have no column '{name}': nothing is known of them but their names",
                f"give a table with that column where annotations are read ({argument('annotators')})",
            )
        raise AnnotationError(
            f"annotators have no column '{name}'; the columns are {columns}", "name one of the columns"
        )
    return name
