"""Majority vote: the baseline that every model has to beat.

The probability that species k is present in recording i is the share of those who voted on it that
reported it,

    p[i, k] = reports[i, k] / votes[i, k],

and where nobody voted, the mean of p over all cells with a vote. This is the definition with which
Wang, Lauha and Dunson ("Bayesian modeling of multi-species labeling errors in ecological studies")
compare their models.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..annotations.annotations import Annotations
from ..annotations.counting import voted_recordings, votes_at
from ..annotations.labels import Names, counted
from ..common.checked import probability, yes_or_no
from ..common.errors import AnnotationError
from ..common.ragged import Ints
from ..common.showing.notebook import as_html
from ..model.registry import MAJORITY_VOTE
from .presence.wanted_cells import WantedCells
from .result import no_reports
from .tables import counts_by_annotator, counts_by_recording, labelled_cells

BLOCK = 1_000_000
"""How many cells, or recordings where only reported cells are listed, are in memory at a time."""


@dataclass(frozen=True)
class MajorityVote:
    """The share of votes for present in every cell.

    Parameters
    ----------
    annotations
        The votes.

    Raises
    ------
    AnnotationError
        If there is no vote at all.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     [("r1", "Aino", "wren"), ("r1", "Onni", "robin"), ("r1", "Onni", "wren")],
    ...     columns=["recording", "annotator", "species"],
    ... )
    >>> annotations = dc.Annotations.from_frame(table, absence="checklist")
    >>> dc.MajorityVote(annotations).presence()
      recording species  probability  votes  reports
    0        r1   robin          0.5      2        1
    1        r1    wren          1.0      2        2
    """

    annotations: Annotations
    elsewhere: float = field(init=False)
    """The probability in cells where nobody voted: the mean over the cells with a vote."""

    name: ClassVar[str] = MAJORITY_VOTE

    def __post_init__(self) -> None:
        if self.annotations.n_votes == 0:
            raise AnnotationError(
                "there is not a single vote",
                "check the meaning of silence (absence), the scopes, and that not all is unsure or left out",
            )
        object.__setattr__(self, "elsewhere", float(self._reported[2].sum()) / int(self._voted.sum()))

    def __repr__(self) -> str:
        return f"<MajorityVote: {self.annotations!r}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        a = self.annotations
        visits = f"{counted(a.n_visits, 'visit')} by {counted(a.n_annotators, 'annotator')}"
        reports = f"{counted(a.n_reports, 'report')} of {counted(a.n_species, 'species')}"
        rows = [
            ("model", "majority vote: the share of votes for present"),
            ("data", f"{visits} to {counted(a.n_recordings, 'recording')}; {reports}"),
            ("where nobody voted", f"{self.elsewhere:.3g}, the mean over cells with a vote"),
        ]
        return as_html(
            "Majority vote", rows, "Tables: .presence(), .annotators(), .species(), .recordings()."
        )

    def presence(
        self,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
    ) -> pd.DataFrame:
        """Return the probability of every cell, or of those that are wanted.

        Parameters
        ----------
        min_probability
            Leave out cells that are less probable.
        keep_reported
            Keep cells that anybody reported, however improbable.
        recordings, species
            Labels, or a single label, to list only these; by default all.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, probability, votes, reports.

        Raises
        ------
        AnnotationError
            If `min_probability` is not between 0 and 1, or there is no such recording or species.
        """
        wanted: dict[str, Any] = {
            "keep_reported": keep_reported,
            "recordings": recordings,
            "species": species,
        }
        return pd.concat(self.presence_blocks(min_probability, **wanted), ignore_index=True)

    def presence_blocks(
        self,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Return the rows of `presence` in blocks of whole recordings, so that any number fits in memory.

        Parameters
        ----------
        min_probability, keep_reported, recordings, species
            As for `presence`.

        Returns
        -------
        iterator of pandas.DataFrame
        """
        wanted = WantedCells.of(self.annotations, min_probability, keep_reported, recordings, species)
        return self._blocks(wanted)

    def file_blocks(
        self, min_probability: float = 0.0, *, keep_reported: bool = False
    ) -> Iterator[pd.DataFrame]:
        """Return the rows of presence.csv: those of `presence`."""
        return self.presence_blocks(min_probability, keep_reported=keep_reported)

    def _blocks(self, wanted: WantedCells) -> Iterator[pd.DataFrame]:
        a = self.annotations
        dense = wanted.min_probability <= self.elsewhere
        size = max(BLOCK // max(a.n_species, 1), 1) if dense else BLOCK
        for first in range(0, a.n_recordings, size):
            block = slice(first, min(first + size, a.n_recordings))
            cells = self._all_cells(block) if dense else self._reported_cells(block)
            yield self._rows(wanted, *cells)

    def count_presence(self, min_probability: float = 0.0, *, keep_reported: bool = False) -> int:
        """Return the number of rows of `presence` without making them."""
        a = self.annotations
        cells = a.n_recordings * a.n_species
        yes_or_no(keep_reported=keep_reported)
        if probability("min_probability", min_probability) <= 0:
            return cells
        unvoted = cells - int(self._voted.sum())
        reported = self._reported[2]
        listed = len(reported) if keep_reported else int(np.count_nonzero(reported >= min_probability))
        return listed + (unvoted if min_probability <= self.elsewhere else 0)

    def mean_probability(self) -> float:
        """Return the mean probability over all cells."""
        return self.elsewhere

    def species(self) -> pd.DataFrame:
        """Return a row for each species.

        Returns
        -------
        pandas.DataFrame
            Columns species, occurrence (the mean probability over the recordings in which somebody voted on
            it) and reports.
        """
        a = self.annotations
        _, species, probability = self._reported
        total = np.bincount(species, weights=probability, minlength=a.n_species)
        voted = self._voted
        return pd.DataFrame(
            {
                "species": a.species.index,
                "occurrence": np.divide(total, voted, out=np.full(len(total), np.nan), where=voted > 0),
                "reports": a.reports_by_species,
            }
        )

    def would_report(self, *_: Any, **__: Any) -> pd.DataFrame:
        """Raise an error: majority vote has no rates, and does not know what an annotator would report.

        Raises
        ------
        AnnotationError
            In any case.
        """
        raise no_reports(self.name)

    def annotators(self) -> pd.DataFrame:
        """Return a row for each annotator.

        Returns
        -------
        pandas.DataFrame
            Columns annotator, recordings (visited) and reports.
        """
        return counts_by_annotator(self.annotations)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables except presence, by name."""
        return {"annotators": self.annotators(), "species": self.species(), "recordings": self.recordings()}

    def details(self) -> dict[str, Any]:
        """Return what fit.json says about the fit: nothing."""
        return {}

    def recordings(self) -> pd.DataFrame:
        """Return a row for each recording.

        Returns
        -------
        pandas.DataFrame
            Columns recording, visits and reports.
        """
        return counts_by_recording(self.annotations)

    @cached_property
    def _voted(self) -> Ints:
        """The number of recordings in which somebody voted on each species."""
        return voted_recordings(self.annotations)

    @cached_property
    def _reported(self) -> tuple[Ints, Ints, np.ndarray]:
        """Recording, species and probability of the cells with a report."""
        counts = self.annotations.report_counts().tocoo()
        recording, species = counts.coords
        return recording, species, counts.data / votes_at(self.annotations, recording, species)

    def _all_cells(self, block: slice) -> tuple[Any, ...]:
        """Return recording, species, probability, votes and reports of all cells."""
        a = self.annotations
        votes, reports = a.vote_counts(block).toarray().ravel(), a.report_counts(block).toarray().ravel()
        probability = np.full(votes.shape, self.elsewhere)
        np.divide(reports, votes, out=probability, where=votes > 0)
        recording, species = np.divmod(np.arange(len(votes)), a.n_species)
        return recording + block.start, species, probability, votes, reports

    def _reported_cells(self, block: slice) -> tuple[Any, ...]:
        """Return the same of cells with a report."""
        reports = self.annotations.report_counts(block).tocoo()
        recording, species = reports.coords
        recording = recording + block.start
        votes = votes_at(self.annotations, recording, species)
        return recording, species, reports.data / votes, votes, reports.data

    def _rows(
        self,
        wanted: WantedCells,
        recording: Ints,
        species: Ints,
        probability: np.ndarray,
        votes: Ints,
        reports: Ints,
    ) -> pd.DataFrame:
        keep = wanted.mask(recording, species, probability, reports)
        return labelled_cells(
            self.annotations,
            recording[keep],
            species[keep],
            probability=probability[keep],
            votes=np.asarray(votes[keep], np.int64),
            reports=np.asarray(reports[keep], np.int64),
        )
