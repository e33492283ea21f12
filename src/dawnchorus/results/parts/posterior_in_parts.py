"""Posterior in parts: the result of a fit whose recordings are in shards on disk."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ...annotations.counting import ALL_CELLS
from ...annotations.labels import Names, counted
from ...annotations.summary import Summary
from ...common.intervals import LEVEL
from ...common.lazy import lazy
from ...common.ragged import Bools, Ints
from ...model.predictive.listening.listener import Listener
from ...model.shards.counts import Sums
from ...model.sweep import Model
from ...sampling.shards.crew import crew_of
from ..findings.confusions import confusion_table
from ..findings.findings import Findings
from ..findings.overall import Overall, species_table
from ..fitted import Fitted
from ..listening.who import TYPICAL, listener_for
from ..tables import variable_columns
from .finding import FoundInParts, Shards, find
from .presence_in_parts import PresenceInParts
from .saved import read_parts

REPORT = lazy("dawnchorus.report")
"""Pages are made by a later room."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PosteriorInParts(PresenceInParts):
    """The result of a fit of a `Dataset`: draws and tables here, presence where the recordings are.

    `fit` makes it, `write_result` writes it with presence in parts, and `load` reads it back. It has no
    votes, but for those on some recordings that stand out.

    Attributes
    ----------
    model
        What was fitted.
    annotations
        The names of annotators and species, without any recording.
    draws
        The kept draws by name: chains × draws × annotators, species, or nothing.
    diagnostics
        Whether the chains agree.
    record
        Seed, sweeps, seconds and settings of the fit.
    sums
        Counts over all recordings.
    shards
        Where the recordings are, as long as the fit keeps them.
    home
        What has to be kept for the files on disk to stay.
    folder
        The folder that it was read from, if it was.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> dc.PosteriorInParts.load("portal").presence(0.9, species="s1")  # doctest: +SKIP
    """

    sums: Sums
    shards: Shards | None = None
    home: Any = None

    @classmethod
    def load(cls, path: str | Path, model: Model | None = None) -> PosteriorInParts:
        """Return the result in parts that `write_result` or `dawnchorus fit` wrote.

        Parameters
        ----------
        path
            The folder of the fit.
        model
            The model, if it was one of your own; models with a name are built again.

        Returns
        -------
        PosteriorInParts

        Raises
        ------
        OutputError
            If there is no such folder, or it has another kind of result.
        """
        folder = Path(path)
        fitted, sums, found = read_parts(folder, model)
        loaded = cls.of(fitted, sums, folder=folder)
        loaded.__dict__["found"] = found
        return loaded

    @classmethod
    def of(cls, fitted: Fitted, sums: Sums, **more: Any) -> PosteriorInParts:
        """Return the plain outcome of a fit as a posterior, with what it has besides."""
        plain = fitted.model, fitted.annotations, fitted.draws, fitted.reported
        new = cls(*plain, fitted.diagnostics, fitted.record, sums=sums, **more)
        new.__dict__["design"] = fitted.design
        return new

    @cached_property
    def found(self) -> FoundInParts:
        """What the recordings say, found where they are; `write_result` has its workers find it."""
        assert self.shards is not None  # a result that was read has it
        with closing(crew_of(None, 1)) as crew:
            return find(self, self.sums, self.shards, crew)[0]

    @property
    def n_recordings(self) -> int:
        """The number of recordings."""
        return int(self.sums.recordings[0])

    @property
    def n_cells(self) -> int:
        """The number of recordings × species."""
        return self.n_recordings * self.annotations.n_species

    @property
    def visited(self) -> Bools:
        """Which annotators have visits."""
        return self.sums.visits > 0

    @property
    def reported_in(self) -> Ints:
        """In how many recordings each species was reported."""
        return self.sums.by_species

    def __repr__(self) -> str:
        where = f"in {self.folder}" if self.shards is None else f"in {counted(self.shards.places.n, 'part')}"
        return (
            f"<PosteriorInParts: {self.model.full_name} {where}: {counted(self.n_recordings, 'recording')}, "
            f"{counted(self.annotations.n_annotators, 'annotator')}, {self.annotations.n_species:,} species>"
        )

    # Tables

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
        a, sums = self.annotations, self.sums
        counts = pd.DataFrame(
            {"annotator": a.annotators.index, "recordings": sums.visits, "reports": sums.reports}
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
        labels = pd.DataFrame({"species": self.annotations.species.index})
        table = pd.concat([labels, *variable_columns(self.draws, "species", level)], axis=1)
        return table.assign(reports=self.sums.reports_by_species)

    def mean_probability(self) -> float:
        """Return the mean occurrence over all species."""
        return float(self.draws["occurrence"].mean())

    def listener(self, annotator: Names = TYPICAL) -> Listener:
        """Return the rates of somebody who listens, draws × species.

        Parameters
        ----------
        annotator
            Who listens: `"typical"`, `"best"`, or annotators by name.

        Returns
        -------
        Listener
            A named tuple of tpr and fpr.
        """
        return listener_for(self, annotator, visited=self.visited)

    # What was found

    @property
    def overall(self) -> Overall:
        """What the fit says about all recordings together."""
        return self.found.overall

    @cached_property
    def examples(self) -> Findings:
        """What the fit says about the recordings that stand out."""
        return self.found.examples.findings(self, self.found.known)

    def found_species(self) -> pd.DataFrame:
        """Return for each species in how many recordings it is, how many reports are right, and misses.

        Returns
        -------
        pandas.DataFrame
            Columns species, reports, recordings_expected, believed and missed, as `Findings.species` has.
        """
        counts = self.n_recordings, self.sums.reports_by_species, self.draws.mean("occurrence")
        tpr = self.found.known.typical_rates[0] if self.n_cells > ALL_CELLS else None
        return species_table(self.annotations.species.index, self.overall, *counts, tpr)

    def confusions(self) -> pd.DataFrame:
        """Return pairs of species of which one seems to have been taken for the other.

        Returns
        -------
        pandas.DataFrame
            The table of `Findings.confusions`.
        """
        return confusion_table(self.annotations.species.index, self.found.confusions)

    def summary(self) -> Summary:
        """Return the numbers of recordings, annotators, species, visits, votes and so on."""
        return self.found.summary

    def report(
        self, path: str | Path, *, truth: Any = None, self_rating: str | None = None, overwrite: bool = False
    ) -> None:
        """Write one self-contained HTML page about the fit, to be looked at, printed and sent.

        Parameters
        ----------
        path
            The file to write, such as `"report.html"`.
        truth
            What is really present, if that is known, as for `evaluate`; the result has to be in a folder.
        self_rating
            The column of the annotators' metadata with their self-rated level; by default, one with a usual
            name, such as `skill_level`, if there is any.
        overwrite
            Whether an existing file may be replaced.

        Raises
        ------
        OutputError
            If the file exists and may not be replaced, or cannot be written.
        """
        REPORT.write_report(self, path, truth=truth, self_rating=self_rating, overwrite=overwrite)
