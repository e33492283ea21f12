"""Wanted cells: which rows a table of presence has, by probability, reports, recordings and species."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from ...annotations.labelled import LabelledVotes
from ...annotations.labels import Names, places
from ...common.checked import probability, yes_or_no
from ...common.ragged import Bools, Floats, Ints


class WantedCells(NamedTuple):
    """Which cells to list.

    Attributes
    ----------
    min_probability
        Those that are at least so probable
    keep_reported
        and, if so, those that anybody reported, however improbable;
    recordings, species
        but of these recordings and species only, as true or false for each; None for all.
    """

    min_probability: float = 0.0
    keep_reported: bool = False
    recordings: Bools | None = None
    species: Bools | None = None

    @classmethod
    def of(
        cls,
        annotations: LabelledVotes,
        min_probability: float,
        keep_reported: bool,
        recordings: Names | None = None,
        species: Names | None = None,
    ) -> WantedCells:
        """Return what a user asks for, with names of recordings and species.

        Raises
        ------
        AnnotationError
            If `min_probability` is not between 0 and 1, `keep_reported` is not True or False, or there is no
            such recording or species.
        """
        yes_or_no(keep_reported=keep_reported)
        a, min_probability = annotations, probability("min_probability", min_probability)
        masks = _chosen(a.recordings.index, recordings), _chosen(a.species.index, species)
        return cls(min_probability, keep_reported, *masks)

    @property
    def everything(self) -> bool:
        """Whether all cells are wanted."""
        return self.min_probability <= 0 and self.recordings is None and self.species is None

    def mask(self, recording: Ints, species: Ints, probability: Floats, reports: Ints) -> Bools:
        """Return which of these cells are wanted."""
        wanted = probability >= self.min_probability
        if self.keep_reported:
            wanted = wanted | (reports > 0)
        for places_of, chosen in ((recording, self.recordings), (species, self.species)):
            if chosen is not None:
                wanted = wanted & chosen[places_of]
        return np.asarray(wanted)


def _chosen(index: pd.Index, names: Names | None) -> Bools | None:
    return None if names is None else np.isin(np.arange(len(index)), places(index, names))


def mean_of_unlisted(total: float, left: int, min_probability: float) -> float:
    """Return the mean probability of cells that are not listed, from what they sum up to and their number.

    Each is below `min_probability`. Their sum may be further off: it is the difference of two large numbers,
    one of which is estimated from occurrence where cells are many.

    >>> mean_of_unlisted(3.0, 600, 0.01), mean_of_unlisted(-0.2, 600, 0.01), mean_of_unlisted(9.0, 600, 0.01)
    (0.005, 0.0, 0.01)
    """
    return min(max(total, 0.0) / left, min_probability)
