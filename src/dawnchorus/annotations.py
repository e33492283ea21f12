"""Annotations: who visited which recording, what they answered for and what they reported.

A *visit* is one annotator reviewing one recording. Its *scope* is the species it answers for. Inside
the scope a species is reported present, marked unsure (no vote) or absent by silence; outside there is
no vote. Stored are visits, the different scopes, reports and unsure marks, never the cube of
recordings × annotators × species.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import views
from .labels import counted
from .ragged import Ints, Ragged
from .votes import Absence, Provenance

if TYPE_CHECKING:
    from .summary import Summary


@dataclass(frozen=True, eq=False, repr=False)
class Annotations:
    """Sparse votes of annotators on species in recordings.

    Make one with `dawnchorus.read` from a file or `Annotations.from_frame` from a frame.

    Attributes
    ----------
    recordings, annotators, species
        Frames indexed by label; their columns are whatever metadata there is. (Look, do not change: unlike
        the arrays, pandas frames cannot be locked.)
    visit_recording, visit_annotator, visit_scope
        For each visit, the places of its recording, annotator and scope. Visits are sorted by
        recording, then annotator, and a pair comes once.
    scopes
        The different scopes: lists of species.
    reports, unsure
        For each visit, the species reported present and the species marked unsure.
    lists, annotator_list
        The different species lists of annotators, and which one each annotator has: all species
        they declared to know or ever voted on.
    provenance
        Source, meaning of silence, columns as they were read, rows dropped as duplicates.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     [("r1", "Aino", "wren"), ("r1", "Onni", "robin"), ("r2", "Aino", "")],
    ...     columns=["recording", "annotator", "species"],
    ... )
    >>> dc.Annotations.from_frame(table, absence="checklist")
    <Annotations: 3 visits by 2 annotators to 2 recordings; 2 reports of 2 species>
    """

    recordings: pd.DataFrame
    annotators: pd.DataFrame
    species: pd.DataFrame
    visit_recording: Ints
    visit_annotator: Ints
    visit_scope: Ints
    scopes: Ragged
    reports: Ragged
    unsure: Ragged
    lists: Ragged
    annotator_list: Ints
    provenance: Provenance = field(default_factory=Provenance)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        absence: Absence | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        scope: Any = None,
        recordings: Any = None,
        annotators: Any = None,
        species: Any = None,
        drop_unreported: bool = False,
    ) -> Annotations:
        """Build annotations from a long table: a pandas or polars frame or an Arrow table.

        Parameters
        ----------
        frame
            Columns `recording`, `annotator`, `species` and, unless every row is a report, `present`
            (1, 0, or empty for unsure). A row with an empty species is a visit without a report.
        absence
            What silence about a species means: `"explicit"`, no vote; `"scope"`, absent if the
            species is in the annotator's scope; `"checklist"`, absent.
        columns
            Which column is which, as in `{"recording": "clip_name"}`, where names differ.
        scope
            Frame with columns `annotator, species`: what each annotator answers for (required for
            `absence="scope"`), or declares to know.
        recordings, annotators, species
            Frames with that label and any metadata; they may hold labels that no row mentions.
        drop_unreported
            Leave out species that nobody reported present.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> import pandas as pd
        >>> table = pd.DataFrame({"clip": [1, 1], "user": ["Aino", "Onni"], "taxon": ["wren", "wren"],
        ...                       "present": [1, 0]})
        >>> dc.Annotations.from_frame(table, absence="explicit").to_frame()
          recording annotator species  present
        0         1      Aino    wren        1
        1         1      Onni    wren        0
        """
        from .building import build

        return build(
            frame,
            absence,
            columns=columns,
            scope=scope,
            recordings=recordings,
            annotators=annotators,
            species=species,
            drop_unreported=drop_unreported,
        )

    # Sizes

    @property
    def n_recordings(self) -> int:
        """How many recordings, visited or not."""
        return len(self.recordings)

    @property
    def n_annotators(self) -> int:
        """How many annotators."""
        return len(self.annotators)

    @property
    def n_species(self) -> int:
        """How many species."""
        return len(self.species)

    @property
    def n_visits(self) -> int:
        """How many visits."""
        return len(self.visit_recording)

    @property
    def n_reports(self) -> int:
        """How many votes for present."""
        return len(self.reports.item)

    @property
    def n_votes(self) -> int:
        """How many votes, present or absent: all species in scope that are not marked unsure."""
        return int(self.scopes.sizes[self.visit_scope].sum()) - len(self.unsure.item)

    # Views

    @cached_property
    def visits_by_recording(self) -> Ragged:
        """Give the visits of each recording."""
        return Ragged.from_pairs(self.visit_recording, np.arange(self.n_visits), rows=self.n_recordings)

    @cached_property
    def visits_by_annotator(self) -> Ragged:
        """Give the visits of each annotator."""
        return Ragged.from_pairs(self.visit_annotator, np.arange(self.n_visits), rows=self.n_annotators)

    def visit_votes(self, visit: int) -> tuple[Ints, Ints]:
        """Give the species that a visit voted on and its votes: 1 present, 0 absent."""
        species = np.setdiff1d(self.scopes.row(self.visit_scope[visit]), self.unsure.row(visit))
        return species, np.isin(species, self.reports.row(visit)).astype(np.int8)

    def votes(self, recording: str, annotator: str) -> pd.Series:
        """Give the votes of one visit by species; species without a vote are not in it.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=3, species=2, visits=20).annotations
        >>> annotations.votes("r1", "a01").index.tolist()
        ['s1', 's2']
        """
        return views.votes(self, recording, annotator)

    def visits(self, *, recording: str | None = None, annotator: str | None = None) -> pd.DataFrame:
        """List visits, all or those of one recording or annotator, with their counts.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=3, species=2, visits=20).annotations
        >>> annotations.visits(recording="r2").columns.tolist()
        ['recording', 'annotator', 'scope', 'reports', 'unsure']
        """
        return views.visits(self, recording, annotator)

    def vote_counts(self, recordings: slice = slice(None)) -> Any:
        """Count the votes in each cell: a sparse matrix, recordings × species.

        For large data take `recordings` in blocks: with checklists no cell of a visited recording is empty.
        """
        visits = self._visits(recordings)
        scope = Ragged(visits.start, self.visit_scope[visits.item]).to_csr(self.scopes.rows)
        return scope @ self.scopes.to_csr(self.n_species) - self._summed(self.unsure, visits)

    def report_counts(self, recordings: slice = slice(None)) -> Any:
        """Count the votes for present in each cell: a sparse matrix, recordings × species."""
        return self._summed(self.reports, self._visits(recordings))

    def to_cube(self, *, most: int = 50_000_000) -> npt.NDArray[np.int8]:
        """Give the dense cube, recordings × annotators × species: 1, 0 and −1 for no vote.

        For small data: naive twins of the kernels in tests, and a look by eye.
        """
        return views.cube(self, most)

    def to_frame(self, absence: Absence = "explicit") -> pd.DataFrame:
        """Give a long table that `from_frame` turns into the same annotations.

        With `"explicit"`, every vote and unsure mark is a row. The shorter `"checklist"` and `"scope"`
        leave absences out, where silence says the same; `species_lists` goes with the latter.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=5).annotations
        >>> table = annotations.to_frame("checklist")
        >>> tables = {name: getattr(annotations, name) for name in ("recordings", "annotators", "species")}
        >>> dc.Annotations.from_frame(table, absence="checklist", **tables) == annotations
        True
        """
        return views.long_table(self, absence)

    def species_lists(self) -> pd.DataFrame:
        """Give the species list of every annotator as a long table (annotator, species)."""
        return views.species_lists(self)

    def summary(self) -> Summary:
        """Give the size and shape of the data in words and numbers.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> dc.simulate_paper(visits=2.4, seed=1).annotations.summary().visits_per_recording
        2.405
        """
        from .summary import summarise

        return summarise(self)

    # Reshaping

    def select(
        self,
        *,
        recordings: Iterable[str] | None = None,
        annotators: Iterable[str] | None = None,
        species: Iterable[str] | None = None,
    ) -> Annotations:
        """Keep these recordings, annotators and species, in the order they have here.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=5).annotations
        >>> annotations.select(recordings=["r2", "r3"], species="s01").n_recordings
        2
        """
        from .reshaping import select

        return select(self, recordings=recordings, annotators=annotators, species=species)

    def drop_unreported(self) -> Annotations:
        """Leave out the species that nobody reported present."""
        return self.select(species=self.species.index[np.unique(self.reports.item)])

    # Python's own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Annotations):
            return NotImplemented
        frames = ("recordings", "annotators", "species")
        arrays = ("visit_recording", "visit_annotator", "visit_scope", "annotator_list")
        lists = ("scopes", "reports", "unsure", "lists")
        return (
            all(getattr(self, name).equals(getattr(other, name)) for name in frames)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
            and all(getattr(self, name).equals(getattr(other, name)) for name in lists)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        unsure = f", {len(self.unsure.item):,} unsure" if len(self.unsure.item) else ""
        return (
            f"<Annotations: {counted(self.n_visits, 'visit')} by {counted(self.n_annotators, 'annotator')} "
            f"to {counted(self.n_recordings, 'recording')}; {counted(self.n_reports, 'report')} "
            f"of {counted(self.n_species, 'species')}{unsure}>"
        )

    def _visits(self, recordings: slice) -> Ragged:
        return self.visits_by_recording.take(np.arange(*recordings.indices(self.n_recordings)))

    def _summed(self, lists: Ragged, visits: Ragged) -> Any:
        """Count the items of the visits' lists by recording."""
        rows = Ragged(visits.start, np.arange(len(visits.item))).to_csr(len(visits.item))
        counts = rows @ lists.take(visits.item).to_csr(self.n_species)
        counts.sort_indices()
        return counts
