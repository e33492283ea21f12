"""Labelled votes: the plain arrays with the labels and metadata of recordings, annotators and species."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..common.errors import AnnotationError
from ..common.ragged import Floats, Ints
from .arrays import VoteArrays
from .votes import CLIP, logits_of


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


class Scores(NamedTuple):
    """The scores of machines, as logits, in order of recordings; all of it by place."""

    recording: Ints
    species: Ints
    machine: Ints
    """The place of the machine among those that were asked for."""
    score: Floats


SCORE_THRESHOLD = "score_threshold"
"""The column of `annotators` with the score below which a machine is silent, on the scale of its scores."""
FRAMES = {"recording": "recordings", "annotator": "annotators", "species": "species"}
"""The attributes with frames of labels, by the singular word."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelledVotes(VoteArrays):
    """Votes with labels: the base of `Annotations`, without its methods for users.

    Attributes
    ----------
    recordings, annotators, species
        Frames indexed by label, with any metadata as columns. A column `score_threshold` of annotators has
        the score below which a machine is silent, on the scale of its scores.
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

    @property
    def machines(self) -> tuple[str, ...]:
        """The annotators whose reports have scores."""
        scored = self.reports.row_of_item()[np.flatnonzero(~np.isnan(self.scores))]
        return tuple(map(str, self.annotators.index[np.unique(self.visit_annotator[scored])]))

    def scores_by(self, machines: Sequence[str]) -> Scores:
        """Return the scores of these machines; those that are not here have none."""
        scored = np.flatnonzero(~np.isnan(self.scores))
        visit = self.reports.row_of_item()[scored]
        place = pd.Index(machines, dtype=object).get_indexer(self.annotators.index.astype(str))
        machine = place[self.visit_annotator[visit]].astype(np.int64)
        by = machine >= 0
        visit, scored = visit[by], scored[by]
        recording, species = (
            np.asarray(of, np.int64) for of in (self.visit_recording[visit], self.reports.item[scored])
        )
        return Scores(recording, species, machine[by], self.score_logits[scored])

    def score_cuts(self, machines: Sequence[str]) -> tuple[float, ...]:
        """Return the threshold below which each machine is silent, as a logit; −infinity if it is not known.

        Raises
        ------
        AnnotationError
            If a threshold is no possible score, or a machine has given a lower score.
        """
        if SCORE_THRESHOLD not in self.annotators:
            return (-np.inf,) * len(machines)
        given = self.annotators[SCORE_THRESHOLD].set_axis(self.annotators.index.astype(str))
        scores, found = self.scores_by(machines), []
        for m, machine in enumerate(machines):
            cut = _score_cut(machine, given.get(machine), self.provenance.score_scale)
            if (scores.score[scores.machine == m] < cut).any():
                raise AnnotationError(
                    f"'{machine}' has given scores below its {SCORE_THRESHOLD}, {given[machine]}",
                    f"correct the column {SCORE_THRESHOLD} of the table of annotators; if the machine was "
                    "run with several thresholds, give it a name for each",
                )
            found.append(cut)
        return tuple(found)


def _score_cut(machine: str, given: Any, scale: str) -> float:
    """Return a threshold as a logit; −infinity if there is none, or no score can be below it."""
    if given is None or pd.isna(given) or given == "":
        return -np.inf
    value = float(pd.to_numeric(given, errors="coerce"))
    probability = scale == "probability"
    if not np.isfinite(value) or (probability and not 0 <= value <= 1):
        what = "a number between 0 and 1" if probability else "a finite number"
        raise AnnotationError(
            f"the {SCORE_THRESHOLD} of '{machine}' is {given!r}",
            f"write {what}, or nothing if it is not known",
        )
    return -np.inf if probability and value <= CLIP else float(logits_of(np.array(value), scale))
