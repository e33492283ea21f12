"""Consensus: what a fit says about presence, as plain tables, which every writer takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ..._version import __version__
from ...annotations.labels import as_text
from ...common.checked import probability, threshold_above
from ...common.errors import AnnotationError
from ...common.wording import option
from ..readers.field_rows import tidy

MEANINGS = {
    "present": "the probability that the species is present",
    "report": "the probability that a typical annotator would report the species",
}
"""What probabilities may be about, in words."""
SCIENTIFIC_NAME = ("scientific_name", "scientific", "latin_name")
COMMON_NAME = ("common_name", "vernacular_name", "english_name", "name")
"""Columns of the species' metadata that may have their names, the likeliest first."""


@dataclass(frozen=True)
class Consensus:
    """What a fit says about presence.

    Attributes
    ----------
    listed
        A function that returns the cells, with columns recording, species, probability, votes, reports and,
        if they are known, probability_lower and probability_upper; and the mean probability of cells that
        are not among them, or none if all are.
    recordings, species
        Frames indexed by label, with any metadata; `recordings` has a column `visits`.
    as_
        What probabilities are about, one of `MEANINGS`.
    model
        The name of the model.
    save
        A function that writes the draws to a path, if there are draws.
    streamed
        A function that yields the same cells in blocks, where they are too many for memory.
    exact_labels
        Whether labels that a spreadsheet would take for formulas are written as they are.
    """

    listed: Callable[[], tuple[pd.DataFrame, float | None]]
    recordings: pd.DataFrame
    species: pd.DataFrame
    as_: str
    model: str
    save: Callable[[Path], None] | None = None
    streamed: Callable[[], Iterator[pd.DataFrame]] | None = None
    exact_labels: bool = False

    @cached_property
    def _found(self) -> tuple[pd.DataFrame, float | None]:
        return self.listed()

    @property
    def cells(self) -> pd.DataFrame:
        """The cells that are listed, with their probabilities, computed when they are first needed."""
        return self._found[0]

    def blocks(self) -> Iterator[pd.DataFrame]:
        """Yield the cells in blocks."""
        if self.streamed is None:
            yield self.cells
        else:
            yield from self.streamed()

    @property
    def unlisted(self) -> float | None:
        """The mean probability of cells that are not listed, or none if all are."""
        return self._found[1]

    @property
    def meaning(self) -> str:
        """What probabilities are about, in words."""
        return MEANINGS[self.as_]

    @property
    def made_by(self) -> str:
        """The name under which the consensus is published."""
        return f"Dawnchorus {__version__}, model {self.model}"

    def present(self, threshold: float) -> pd.DataFrame:
        """Return the cells that count as present."""
        return self.cells[self.cells["probability"] >= threshold_above(threshold)]

    def names(self, *columns: str) -> dict[str, str]:
        """Return the names of species in the first of these columns of metadata that there is, by label."""
        found = metadata(self.species, columns)
        if found is None:
            return {}
        texts = {label: as_text(value) for label, value in found.items()}
        return {label: text for label, text in texts.items() if text}


def metadata(table: pd.DataFrame, names: tuple[str, ...]) -> pd.Series | None:
    """Return the first column of metadata that goes by one of these names, in any way of writing them."""
    known = {tidy(str(column)).replace("_", ""): column for column in reversed(table.columns)}
    for name in names:
        if name.replace("_", "") in known:
            return table[known[name.replace("_", "")]]
    return None


def check_absent(absent_below: float | None, threshold: float) -> float:
    """Return the probability up to which a species counts as absent; by default all below the threshold."""
    if absent_below is None:
        return threshold_above(threshold)
    if probability("absent_below", absent_below) > threshold_above(threshold):
        raise AnnotationError(
            f"{option('absent_below', absent_below)} is above {option('threshold', threshold)}",
            "a species cannot count as present and absent: give a smaller number",
        )
    return absent_below


def refuse_without(what: str, table: pd.DataFrame, missing: Any, format: str, otherwise: str = "") -> None:
    """Raise an error that names the first recording of which something is not known, and what else helps."""
    if missing.any():
        raise AnnotationError(
            f"the {what} of recording '{table.index[int(missing.to_numpy().argmax())]}' is not known, which "
            f"{format} needs",
            f"give a table with a column {what} for every recording, by {option('recordings')}" + otherwise,
        )
