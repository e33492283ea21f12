"""Result: what every fitted model offers, sampled or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import pandas as pd

from ..annotations.annotations import Annotations
from ..common.errors import AnnotationError

COLUMNS = {"present": "probability", "report": "would_report"}
"""What probabilities are about, and the column that has them."""


def no_reports(model: str) -> AnnotationError:
    """Return an error about a model that does not know what an annotator would report."""
    return AnnotationError(
        f"{model} does not know what an annotator would report", "fit one of the other models"
    )


@runtime_checkable
class Result(Protocol):
    """What every fitted model offers, and all that `write_result` needs."""

    @property
    def name(self) -> str:
        """The name of the model."""
        ...

    @property
    def annotations(self) -> Annotations:
        """The annotations that were fitted."""
        ...

    def presence(self, min_probability: float = 0.0, *, keep_reported: bool = False) -> pd.DataFrame:
        """Return recording, species, probability and more for every cell, or for those that are wanted."""
        ...

    def presence_blocks(
        self, min_probability: float = 0.0, *, keep_reported: bool = False
    ) -> Iterator[pd.DataFrame]:
        """Return the same in blocks of whole recordings."""
        ...

    def file_blocks(
        self, min_probability: float = 0.0, *, keep_reported: bool = False
    ) -> Iterator[pd.DataFrame]:
        """Return the same with all columns that presence.csv has."""
        ...

    def count_presence(self, min_probability: float = 0.0, *, keep_reported: bool = False) -> int:
        """Return the number of rows of the same, or an upper bound."""
        ...

    def mean_probability(self) -> float:
        """Return the mean probability over all cells."""
        ...

    def species(self) -> pd.DataFrame:
        """Return a row for each species."""
        ...

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables except presence, by name: annotators, species, recordings and more."""
        ...

    def details(self) -> dict[str, Any]:
        """Return what fit.json says about the fit."""
        ...
