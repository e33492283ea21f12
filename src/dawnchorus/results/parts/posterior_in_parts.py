"""Posterior in parts: the result of a fit whose recordings are in shards on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ...annotations.labels import counted
from ...common.intervals import LEVEL
from ...common.ragged import Bools
from ...model.shards.counts import Sums
from ...sampling.convergence import Diagnostics
from ...sampling.draws import Draws
from ...sampling.shards.logs import Log, Means
from ...sampling.shards.places import Places
from ..fitted import Fitted
from ..tables import variable_columns


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorInParts:
    """The result of a fit of a `Dataset`: draws and tables here, presence where the recordings are.

    Attributes
    ----------
    fitted
        Model, draws, diagnostics and the record of the fit, and annotators and species by name.
    sums
        Counts over all recordings.
    places
        Where the recordings are.
    logs, sweeps
        The odds and rates of all sweeps of each chain, on disk, and how many there are.
    home
        What has to be kept for the files on disk to stay.
    """

    fitted: Fitted
    sums: Sums
    places: Places
    logs: Sequence[Log] | Means
    sweeps: Sequence[int]
    home: Any = None

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.fitted.name

    @property
    def draws(self) -> Draws:
        """The kept draws by name: chains × draws × annotators, species, or nothing."""
        return self.fitted.draws

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree."""
        return self.fitted.diagnostics

    @property
    def record(self) -> dict[str, Any]:
        """Seed, sweeps, seconds and settings of the fit."""
        return self.fitted.record

    @property
    def n_recordings(self) -> int:
        """The number of recordings."""
        return int(self.sums.recordings[0])

    @property
    def visited(self) -> Bools:
        """Which annotators have visits."""
        return self.sums.visits > 0

    def __repr__(self) -> str:
        return (
            f"Posterior of {self.name} in {counted(self.places.n, 'part')}: "
            f"{counted(self.n_recordings, 'recording')}, {counted(len(self.sums.visits), 'annotator')}, "
            f"{counted(len(self.sums.by_species), 'species')}"
        )

    def annotators(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return for each annotator the true and the false positive rate, with intervals of this level.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns annotator, recordings (visited), reports, tpr, fpr, each rate with _lower and _upper.
        """
        a = self.fitted.annotations
        counts = pd.DataFrame(
            {"annotator": a.annotators.index, "recordings": self.sums.visits, "reports": self.sums.reports}
        )
        return pd.concat([counts, *variable_columns(self.draws, "annotator", level)], axis=1)

    def species(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return for each species the probability that it occurs in a recording, with its interval.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns species, occurrence, occurrence_lower, occurrence_upper, reports.
        """
        labels = pd.DataFrame({"species": self.fitted.annotations.species.index})
        table = pd.concat([labels, *variable_columns(self.draws, "species", level)], axis=1)
        return table.assign(reports=self.sums.reports_by_species)

    def mean_probability(self) -> float:
        """Return the mean occurrence over all species."""
        return float(self.draws["occurrence"].mean())

    def details(self) -> dict[str, Any]:
        """Return what fit.json says about the fit: the record, and the diagnostics."""
        diagnostics = self.diagnostics.as_dict()
        return {**self.record, "converged": diagnostics["converged"], "diagnostics": diagnostics}

    def summary(self) -> dict[str, Any]:
        """Return what fit.json says about the data."""
        coded = self.places.coded
        return {
            "source": coded.dataset.name,
            "absence": coded.dataset.absence,
            "partitions": len(coded.dataset.partitions),
            "recordings": self.n_recordings,
            "annotators": len(self.sums.visits),
            "species": len(self.sums.by_species),
            "visits": int(self.sums.recordings[1]),
            "votes": int(self.sums.reports.sum() + self.sums.silences.sum()),
            "reports": coded.total("reports"),
            "unsure": coded.total("marks"),
            "species_never_reported": int((self.sums.reports_by_species == 0).sum()),
            "duplicate_rows": coded.total("duplicate_rows"),
            "reports_outside_scope": coded.total("outside_scope"),
        }
