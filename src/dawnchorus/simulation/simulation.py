"""The result of a simulation: annotations and the truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from ..annotations.annotations import Annotations
from ..annotations.labels import names_of
from ..annotations.truth import Truth
from ..common.checked import whole_number
from ..common.errors import AnnotationError


@dataclass(frozen=True)
class Simulation:
    """Simulated annotations and their truth.

    Attributes
    ----------
    annotations
        The simulated votes.
    truth
        The true presence of species and the true rates of annotators.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(recordings=5, seed=1)
    >>> simulation.annotations.n_recordings == len(simulation.truth.recordings)
    True
    """

    annotations: Annotations
    truth: Truth


def labels(word: str, names: int | str | Sequence[str]) -> pd.Index:
    """Return the names as an index of labels, or that many numbered labels.

    >>> labels("recording", 10)[:2].tolist()
    ['r01', 'r02']
    """
    plural = word if word == "species" else f"{word}s"
    if not isinstance(names, Iterable):
        names = whole_number(plural, names, least=1)
        width = len(str(names))
        names = [f"{word[0]}{i:0{width}}" for i in range(1, names + 1)]
    index = pd.Index(names_of(names), dtype=object, name=word)
    if not index.is_unique or "" in index or not len(index):
        raise AnnotationError(
            f"the names of {plural} are missing, blank or not all different",
            f"give at least one {word}, and a different name for each",
        )
    return index
