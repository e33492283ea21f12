"""What a simulator gives: annotations, and the truth behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..annotations import Annotations
from ..labels import place
from ..ragged import Ragged

MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class Truth:
    """What is really there.

    Attributes
    ----------
    recordings
        Labels of the recordings.
    presence
        For each recording, the places of the species that are present.
    species
        Species and their occurrence: the probability to be in a recording.
    annotators
        Annotators with their true positive rate `tpr` and false positive rate `fpr`.
    annotator_species
        The same species by species, where expertise varies over species.
    """

    recordings: pd.Index
    presence: Ragged
    species: pd.DataFrame
    annotators: pd.DataFrame
    annotator_species: pd.DataFrame | None = None

    def to_frame(self, recordings: Iterable[str] | None = None) -> pd.DataFrame:
        """Give the truth table (recording, species, present): every cell of all or these recordings."""
        if recordings is None:
            places = np.arange(len(self.recordings))
        else:
            places = np.array([place(self.recordings, label) for label in recordings], np.int64)
        n_species = len(self.species)
        if len(places) * n_species > MOST_CELLS:
            raise ValueError(
                f"{len(places):,} × {n_species:,} cells are over {MOST_CELLS:,}: name fewer recordings"
            )
        present = self.presence.take(places).to_csr(n_species).toarray().astype(np.int8)
        return pd.DataFrame(
            {
                "recording": np.repeat(self.recordings[places].to_numpy(object), n_species),
                "species": np.tile(self.species["species"].to_numpy(object), len(places)),
                "present": present.ravel(),
            }
        )


@dataclass(frozen=True)
class Simulation:
    """Simulated annotations and their truth."""

    annotations: Annotations
    truth: Truth


def labels(word: str, names: int | Sequence[str]) -> pd.Index:
    """Give labels: the names, or that many that sort as they count.

    >>> labels("recording", 10)[:2].tolist()
    ['r01', 'r02']
    """
    if isinstance(names, int):
        width = len(str(names))
        names = [f"{word[0]}{i:0{width}}" for i in range(1, names + 1)]
    return pd.Index(list(names), dtype=object, name=word)
