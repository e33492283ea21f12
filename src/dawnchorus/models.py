"""Models: what `fit` can fit, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import pandas as pd

from .annotations import Annotations
from .baselines import MajorityVote
from .errors import AnnotationError


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
        """Count the rows of the same."""
        ...

    def mean_probability(self) -> float:
        """Give the mean probability over all cells."""
        ...

    def species(self) -> pd.DataFrame:
        """Give a row for each species."""
        ...

    def annotators(self) -> pd.DataFrame:
        """Give a row for each annotator."""
        ...

    def recordings(self) -> pd.DataFrame:
        """Give a row for each recording."""
        ...


MODELS: dict[str, Callable[[Annotations], Result]] = {MajorityVote.name: MajorityVote}


def fit(annotations: Annotations, model: str = MajorityVote.name) -> Result:
    """Infer which species are present in which recording.

    Parameters
    ----------
    annotations
        The votes.
    model
        One of `MODELS`, in any case: `"majority-vote"`.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=100, seed=1).annotations
    >>> dc.fit(annotations, model="majority-vote").presence().columns.tolist()
    ['recording', 'species', 'probability', 'annotators', 'reports']
    """
    if not isinstance(annotations, Annotations):
        raise TypeError(
            f"expected Annotations, got {type(annotations).__name__}: "
            "make them with dc.read(path, …) or dc.Annotations.from_frame(frame, …)"
        )
    return MODELS[model_name(model)](annotations)


def model_name(model: str) -> str:
    """Give the name of a model as `MODELS` has it, or say that there is none."""
    name = model.strip().lower()
    if name not in MODELS:
        raise AnnotationError(f"there is no model '{model}'", f"use one of: {', '.join(MODELS)}")
    return name
