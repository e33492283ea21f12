"""Subject: what a page is about, and the names that it uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..annotations.annotations import Annotations
from ..annotations.labelled import LabelledVotes
from ..annotations.labels import annotator_column, as_text
from ..annotations.summary import Summary
from ..evaluation.evaluation import Evaluation
from ..plots.style import species_names
from ..results.findings.findings import Findings
from ..results.findings.overall import Overall
from ..results.parts.any_posterior import AnyPosterior
from ..results.parts.posterior_in_parts import PosteriorInParts
from ..results.posterior import Posterior
from ..results.saving.saved_result import RECORD

SELF_RATINGS = ("skill_level", "level", "self_rating", "self_rated_level", "experience", "expertise")
"""Columns of annotators' metadata that may hold a self-rated level."""


@dataclass(frozen=True)
class Subject:
    """A posterior, and what else is known for its page.

    Attributes
    ----------
    posterior
        The result of `fit`.
    record
        What fit.json says: version, command, seed, settings.
    self_rating
        The column of the annotators' metadata that holds a self-rated level, if any.
    evaluation, reported, truth
        The comparison of presence, and of what a typical annotator would report, with the truth; and the
        truth as a frame, if it is known.
    left_out
        How many further cells of the truth were known in the fit, and are not compared.
    folder
        Where the page will be, for links to tables that are there.
    """

    posterior: AnyPosterior
    record: dict[str, Any] = field(default_factory=dict)
    self_rating: str | None = None
    evaluation: Evaluation | None = None
    reported: Evaluation | None = None
    truth: pd.DataFrame | None = None
    left_out: int = 0
    folder: Path | None = None

    @property
    def in_parts(self) -> bool:
        """Whether the data are in parts."""
        return isinstance(self.posterior, PosteriorInParts)

    @property
    def whole(self) -> Posterior:
        """The posterior, where a page or section is only for data in memory."""
        assert isinstance(self.posterior, Posterior)
        return self.posterior

    @property
    def annotations(self) -> Annotations:
        """The annotations that were fitted; of data in parts, the names of annotators and species alone."""
        return self.posterior.annotations

    @cached_property
    def summary(self) -> Summary:
        """How many there are of what."""
        p = self.posterior
        return p.summary() if isinstance(p, PosteriorInParts) else p.annotations.summary()

    @property
    def findings(self) -> Findings:
        """What the fit says about single recordings and votes; of data in parts, where these stand out."""
        p = self.posterior
        return p.examples if isinstance(p, PosteriorInParts) else p.findings

    @property
    def overall(self) -> Overall:
        """What the fit says about all recordings together."""
        p = self.posterior
        return p.overall if isinstance(p, PosteriorInParts) else p.findings.overall

    @cached_property
    def found_species(self) -> pd.DataFrame:
        """The table of species with what was found of them."""
        p = self.posterior
        return p.found_species() if isinstance(p, PosteriorInParts) else p.findings.species()

    @cached_property
    def confusions(self) -> pd.DataFrame:
        """The species that may have been taken for another."""
        p = self.posterior
        return p.confusions() if isinstance(p, PosteriorInParts) else p.findings.confusions()

    @cached_property
    def people(self) -> pd.DataFrame:
        """The table of annotators."""
        return self.posterior.annotators()

    @cached_property
    def species(self) -> list[str]:
        """The names of the species."""
        return species_names(self.annotations, np.arange(self.annotations.n_species))

    @cached_property
    def self_ratings(self) -> list[str]:
        """The self-rated level of each annotator, blank where it is not known."""
        return _texts(self.annotations.annotators, self.self_rating)

    @cached_property
    def sites(self) -> list[str]:
        """The site of each recording of the findings, blank where it is not known."""
        return _texts(self.findings.annotations.recordings, "site")

    def has_file(self, name: str) -> bool:
        """Return whether the fit has such a file beside the page."""
        return self.folder is not None and all((self.folder / file).is_file() for file in (RECORD, name))


def _texts(frame: pd.DataFrame, column: str | None) -> list[str]:
    return [as_text(value) for value in frame[column]] if column in frame else [""] * len(frame)


def self_rating_column(annotations: LabelledVotes, named: str | None) -> str | None:
    """Return the column with a self-rated level: the one that is named, or one with a usual name, if any."""
    columns = annotations.annotators.columns
    if named is not None:
        return annotator_column(annotations.annotators, named)
    return next((name for name in SELF_RATINGS if name in columns), None)
