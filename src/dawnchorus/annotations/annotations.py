"""Annotations: who visited which recording, what they answered for and what they reported.

The class gathers comforts for users; the plain arrays beneath, in arrays.py, are what everything else takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import tables as views
from .arrays import ARRAYS, LISTS
from .frames.long_table import build
from .joining import joined
from .labelled import FRAMES, LabelledVotes
from .labels import counted
from .selection import Visits, select, without_unreported
from .summary import Summary, summarise
from .votes import Absence


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Annotations(LabelledVotes):
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

    @classmethod
    def of(cls, votes: LabelledVotes) -> Annotations:
        """Return labelled votes with all comforts."""
        return cls(**{f.name: getattr(votes, f.name) for f in fields(votes)})

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
        return cls.of(
            build(
                frame,
                absence,
                columns=columns,
                scope=scope,
                recordings=recordings,
                annotators=annotators,
                species=species,
                drop_unreported=drop_unreported,
            )
        )

    # Views

    def votes(self, recording: str, annotator: str) -> pd.Series:
        """Return the votes of one visit by species; species without a vote are not in it.

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

    def to_cube(self, *, most: int = 50_000_000) -> npt.NDArray[np.int8]:
        """Return the dense cube, recordings × annotators × species: 1, 0 and −1 for no vote.

        For small data: naive twins of the kernels in tests, and a look by eye.
        """
        return views.cube(self, most)

    def to_frame(self, absence: Absence = "explicit") -> pd.DataFrame:
        """Return a long table that `from_frame` turns into the same annotations.

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
        """Return the species list of every annotator as a long table (annotator, species)."""
        return views.species_lists(self)

    def summary(self) -> Summary:
        """Return the size and shape of the data in words and numbers.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> dc.simulate_paper(visits=2.4, seed=1).annotations.summary().visits_per_recording
        2.405
        """
        return summarise(self)

    # Selecting

    def select(
        self,
        *,
        recordings: Iterable[str] | None = None,
        annotators: Iterable[str] | None = None,
        species: Iterable[str] | None = None,
        visits: Visits | None = None,
    ) -> Annotations:
        """Keep these recordings, annotators, species and visits, in the order they have here.

        Parameters
        ----------
        recordings, annotators, species
            Labels, or a single one; those that are not given stay as they are.
        visits
            Visits by place, as in the index of `visits()`; or true and false for each visit; or a frame with
            columns recording and annotator. Recordings and annotators without a visit stay.

        Returns
        -------
        Annotations

        Raises
        ------
        AnnotationError
            If there is no such label or visit.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=5).annotations
        >>> annotations.select(recordings=["r2", "r3"], species="s01").n_recordings
        2
        >>> annotations.select(visits=annotations.visits(recording="r2").index).n_visits
        4
        """
        return Annotations.of(
            select(self, recordings=recordings, annotators=annotators, species=species, visits=visits)
        )

    def drop(
        self,
        *,
        recordings: Iterable[str] | None = None,
        annotators: Iterable[str] | None = None,
        species: Iterable[str] | None = None,
        visits: Visits | None = None,
    ) -> Annotations:
        """Leave these recordings, annotators, species and visits out; they are named as in `select`.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=5).annotations
        >>> annotations.drop(visits=annotations.visits(recording="r2")).n_visits == annotations.n_visits - 4
        True
        """
        return Annotations.of(
            select(
                self, recordings=recordings, annotators=annotators, species=species, visits=visits, drop=True
            )
        )

    def drop_unreported(self) -> Annotations:
        """Leave out the species that nobody reported present."""
        return Annotations.of(without_unreported(self))

    # Python's own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Annotations):
            return NotImplemented
        return all(
            getattr(self, name).equals(getattr(other, name)) for name in (*FRAMES.values(), *LISTS)
        ) and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ARRAYS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        unsure = f", {len(self.unsure.item):,} unsure" if len(self.unsure.item) else ""
        return (
            f"<Annotations: {counted(self.n_visits, 'visit')} by {counted(self.n_annotators, 'annotator')} "
            f"to {counted(self.n_recordings, 'recording')}; {counted(self.n_reports, 'report')} "
            f"of {counted(self.n_species, 'species')}{unsure}>"
        )


def concatenate(first: Annotations, *others: Annotations) -> Annotations:
    """Put sets of annotations together.

    Labels are matched by text; those of the first set come first. Scopes stay what they were: a
    checklist of the first set does not come to answer for species that only another set has. A visit
    that is in several sets must be the same in all.

    Returns
    -------
    Annotations

    Raises
    ------
    AnnotationError
        If a visit is in several sets and differs.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=20).annotations
    >>> labels = annotations.recordings.index
    >>> parts = [annotations.select(recordings=some) for some in (labels[:7], labels[7:9], labels[9:])]
    >>> dc.concatenate(*parts) == annotations
    True
    """
    votes: LabelledVotes = first
    return Annotations.of(reduce(joined, others, votes))
