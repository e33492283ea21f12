"""Labelled votes: the plain arrays with the labels and metadata of recordings, annotators and species."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from ..common.ragged import Floats
from .arrays import VoteArrays
from .votes import logits_of


@dataclass(frozen=True)
class Provenance:
    """Where annotations come from and what was noticed when they were read; ignored by `==`."""

    source: str = ""
    absence: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    duplicate_rows: int = 0
    outside_scope: int = 0
    fold_case: bool = False
    keep_na: bool = False
    folded: int = 0
    missing_species: int = 0
    score_scale: str = ""
    """Whether scores are probabilities or logits; empty if there are none."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The names table: one name for each code or synonym of a species."""
    near_misses: tuple[tuple[str, str, str, int, int], ...] = ()
    """Species that have nearly the name of another: both names, what differs, and the rows of both."""


FRAMES = {"recording": "recordings", "annotator": "annotators", "species": "species"}
"""The attributes with frames of labels, by the singular word."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelledVotes(VoteArrays):
    """Votes with labels: the base of `Annotations`, without its methods for users.

    Attributes
    ----------
    recordings, annotators, species
        Frames indexed by label, with any metadata as columns.
    provenance
        The source, the meaning of silence, the columns that were read, and the number of duplicate rows.
    """

    recordings: pd.DataFrame
    annotators: pd.DataFrame
    species: pd.DataFrame
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def score_logits(self) -> Floats:
        """The scores of reports as logits, NaN where there is none; empty if no report has any."""
        return logits_of(self.scores, self.provenance.score_scale)
