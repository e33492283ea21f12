"""Long rows: votes that a reader finds one by one, kept as whole numbers until all are read."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ...annotations.frames.columns import Source
from ...annotations.labels import as_text

PRESENT_WORDS = ["0", "1", ""]


class Labels:
    """Labels with the number of each, in the order in which they came."""

    def __init__(self) -> None:
        self.known: dict[Any, int] = {}
        self._texts: dict[str, int] = {}
        self.texts: list[str] = []

    def number(self, label: Any) -> int:
        """Return the number of a label; the same text is always the same label."""
        found = self.known.get(label)
        if found is None:
            text = as_text(label)
            found = self._texts.setdefault(text, len(self.texts))
            if found == len(self.texts):
                self.texts.append(text)
            self.known[label] = found
        return found


class LongRows:
    """Rows of a long table: recording, annotator, species and vote, with scope and score if there are any."""

    def __init__(self) -> None:
        self._labels = {word: Labels() for word in ("recording", "annotator", "species", "scope")}
        self._codes = {word: array("i") for word in self._labels}
        self._present, self._score = array("b"), array("d")
        self._row, self._file = array("q"), array("i")
        self._visits: set[tuple[int, int]] = set()
        self._files: list[str] = []

    def __len__(self) -> int:
        return len(self._row)

    def file(self, name: str) -> None:
        """Say that the rows that follow come from this file."""
        if name not in self._files[-1:]:
            self._files.append(name)

    def new_visit(self, recording: Any, annotator: Any) -> bool:
        """Return whether this is the first visit of the annotator to the recording, and remember it."""
        visit = self._labels["recording"].number(recording), self._labels["annotator"].number(annotator)
        if visit in self._visits:
            return False
        self._visits.add(visit)
        return True

    def add(
        self,
        recording: Any,
        annotator: Any,
        species: Any = "",
        present: int | None = 1,
        *,
        row: int = 0,
        scope: Any = "",
        score: float | None = None,
    ) -> None:
        """Add a vote (1, 0, or none for unsure); without a species, it is a visit that reported nothing."""
        for codes, labels, label in zip(
            self._codes.values(), self._labels.values(), (recording, annotator, species, scope), strict=True
        ):
            known = labels.known.get(label)
            codes.append(labels.number(label) if known is None else known)
        self._present.append(2 if present is None or species == "" else present)
        self._score.append(np.nan if score is None else score)
        self._row.append(row)
        self._file.append(len(self._files) - 1)

    def rename(self, word: str, name: Callable[[str], str]) -> None:
        """Give recordings, annotators or species other names, once all rows are there."""
        renamed = Labels()
        code = np.array([renamed.number(name(text)) for text in self._labels[word].texts], np.int32)
        self._labels[word] = renamed
        self._codes[word] = array("i", code[np.array(self._codes[word], np.int32)].tobytes())

    def frame(self) -> pd.DataFrame:
        """Return the long table; columns of scopes and scores are there if any row has one."""
        columns: dict[str, Any] = {
            word: pd.Categorical.from_codes(
                np.frombuffer(self._codes[word], np.int32) if len(self) else [], labels.texts
            )
            for word, labels in self._labels.items()
            if word != "scope" or any(labels.texts)
        }
        columns["present"] = pd.Categorical.from_codes(np.array(self._present, np.int8), PRESENT_WORDS)
        score = np.array(self._score, float)
        if len(score) and not np.isnan(score).all():
            columns["score"] = score
        return pd.DataFrame(columns)

    def source(self, name: str, *, guarded: bool = False) -> Source:
        """Return where the rows come from, and whether labels may be guarded against spreadsheets."""
        rows = np.array(self._row, np.int64)
        several = len(self._files) > 1
        return Source(
            name if several or not self._files else self._files[0],
            rows=rows,
            guarded=guarded,
            code=None,
            files=tuple(self._files) if several else (),
            file=np.array(self._file, np.int32) if several else None,
        )
