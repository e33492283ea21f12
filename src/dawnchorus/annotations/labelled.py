"""Labelled votes: the plain arrays together with the names and metadata of what they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from .arrays import VoteArrays


@dataclass(frozen=True)
class Provenance:
    """Where annotations come from and what was noticed on the way. No part of their equality."""

    source: str = ""
    absence: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    duplicate_rows: int = 0
    outside_scope: int = 0


FRAMES = {"recording": "recordings", "annotator": "annotators", "species": "species"}
"""The frames of labels, by the word for one of them."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelledVotes(VoteArrays):
    """Votes with names. What assembles, selects and joins gives these; `Annotations` adds comforts.

    Attributes
    ----------
    recordings, annotators, species
        Frames indexed by label; their columns are whatever metadata there is.
    provenance
        Source, meaning of silence, columns as they were read, rows dropped as duplicates.
    """

    recordings: pd.DataFrame
    annotators: pd.DataFrame
    species: pd.DataFrame
    provenance: Provenance = field(default_factory=Provenance)
