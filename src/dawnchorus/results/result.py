"""What every fitted model offers, sampled or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import pandas as pd

from ..annotations.annotations import Annotations


class Result(Protocol):
    """What every fitted model offers; `output.write_result` writes just this."""

    @property
    def name(self) -> str:
        """The name of the model."""
        ...

    @property
    def annotations(self) -> Annotations:
        """What it was fitted to."""
        ...

    def presence(self, min_probability: float = 0.0) -> pd.DataFrame:
        """Give recording, species, probability and more for every cell, or the probable ones."""
        ...

    def presence_blocks(self, min_probability: float = 0.0) -> Iterator[pd.DataFrame]:
        """Give the same in blocks of whole recordings."""
        ...

    def count_presence(self, min_probability: float = 0.0) -> int:
        """Count the rows of the same, or give the most that they may be."""
        ...

    def mean_probability(self) -> float:
        """Give the mean probability over all cells."""
        ...

    def species(self) -> pd.DataFrame:
        """Give a row for each species."""
        ...

    def tables(self) -> dict[str, pd.DataFrame]:
        """Give all tables but presence, by name: annotators, species, recordings and more."""
        ...

    def details(self) -> dict[str, Any]:
        """Give what fit.json says of the fit."""
        ...
