"""Annotations: who visited which recording, which species they answered for and what they reported.

The class `Annotations` offers convenient methods to users. Other modules use only the plain arrays that it
inherits from arrays.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..common.checked import yes_or_no
from ..common.showing.notebook import as_html
from . import tables as views
from .arrays import ARRAYS, LISTS
from .frames.long_table import build
from .labelled import FRAMES, LabelledVotes
from .labels import Names, counted
from .selection import Visits, select, without_unreported
from .summary import Summary, summarise
from .votes import Absence, ScoreScale


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Annotations(LabelledVotes):
    """Sparse votes of annotators on species in recordings.

    Create one with `dawnchorus.read` from a file, or with `Annotations.from_frame` from a data frame.

    A *visit* is one annotator reviewing one recording. Its *scope* is the set of species that it answers for.
    Inside the scope, a species is reported present, is marked unsure (no vote), or counts as absent. Outside
    the scope there is no vote.

    Attributes
    ----------
    recordings, annotators, species
        Frames indexed by label, with any metadata as columns. Do not change them: unlike the arrays, pandas
        frames cannot be made read-only.
    visit_recording, visit_annotator, visit_scope
        For each visit, the positions of its recording, annotator and scope. Visits are sorted by recording,
        then by annotator; each pair of recording and annotator occurs at most once.
    scopes
        The distinct scopes, as lists of species.
    reports, unsure
        For each visit, the species reported present and the species marked unsure.
    lists, annotator_list
        The distinct species lists of annotators, and which one each annotator has: all species that they
        declared to know or ever voted on.
    scores
        The score of each report, in the order of `reports.item`, as it was given; NaN where a report has
        none. Empty if no report has any.
    provenance
        The source, the meaning of silence, the columns that were read, and the number of duplicate rows.

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
        """Return labelled votes as an `Annotations`, with the methods for users."""
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
        fold_case: bool = False,
        keep_na: bool = False,
        names: Any = None,
        score_scale: ScoreScale | None = None,
    ) -> Annotations:
        """Return annotations from a long table: a pandas or polars data frame or an Arrow table.

        Parameters
        ----------
        frame
            Columns `recording`, `annotator`, `species` and, unless every row is a report, `present`
            (1, 0, or empty for unsure). A row with an empty species is a visit without a report; one with a
            list of species stands for a row of each. Reports of a machine may have a `score`.
        absence
            What it means if a visit does not mention a species: `"explicit"`, no vote; `"scope"`, absent if
            the species is in the annotator's scope, otherwise no vote; `"checklist"`, absent.
        columns
            The names of columns where they differ, as in `{"recording": "clip_name"}`.
        scope
            Frame with columns `annotator, species`: the species that each annotator answers for (required
            with `absence="scope"`) or declares to know.
        recordings, annotators, species
            Frames with a column of labels and any metadata; they may contain labels without any vote.
        drop_unreported
            Leave out species that nobody reported present.
        fold_case
            Take labels of annotators, and of species, that differ only in upper and lower case for one. The
            spelling in `annotators` or `species` is kept, otherwise that of most rows.
        keep_na
            Take labels such as `NA`, `N/A`, `nan`, `None` and `-` for names; by default they are missing
            values. A row with such a species is a visit without a report if its `present` is not 1; if there
            is no column `present`, it is left out.
        names
            One name for each code or synonym of a species: a mapping, or a frame with columns `from` and
            `to`. It holds for the tables of scopes and species as well.
        score_scale
            Whether scores are each a `"probability"` or a `"logit"`; by default probabilities if all of them
            lie between 0 and 1.

        Returns
        -------
        Annotations

        Raises
        ------
        AnnotationError
            If `absence` is missing, or the table cannot be used: a column is missing, a label is blank or
            has more than 1,000 characters, a value of `present` is not understood, or two rows contradict
            each other. The message names the row.
        TypeError
            If `frame` is not a data frame.

        Warns
        -----
        AnnotationWarning
            If the table can be used but something is suspicious, such as reports outside the scope, labels
            that differ only in case, species with nearly the name of another, names that do not occur,
            missing species, or columns that are not read.

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
        yes_or_no(drop_unreported=drop_unreported, fold_case=fold_case, keep_na=keep_na)
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
                fold_case=fold_case,
                keep_na=keep_na,
                names=names,
                score_scale=score_scale,
            )
        )

    # Views

    def votes(self, recording: str, annotator: str) -> pd.Series:
        """Return the votes of one visit.

        Parameters
        ----------
        recording, annotator
            Labels.

        Returns
        -------
        pandas.Series
            1 (present) or 0 (absent), indexed by species; species without a vote are left out.

        Raises
        ------
        AnnotationError
            If there is no such label, or the annotator did not visit the recording.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=3, species=2, visits=20).annotations
        >>> annotations.votes("r1", "a01").index.tolist()
        ['s1', 's2']
        """
        return views.votes(self, recording, annotator)

    def visits(self, *, recording: str | None = None, annotator: str | None = None) -> pd.DataFrame:
        """Return a table of visits: all of them, or those of one recording or annotator.

        Parameters
        ----------
        recording, annotator
            Labels; by default all.

        Returns
        -------
        pandas.DataFrame
            One row per visit, with columns recording, annotator, scope, reports and unsure; the last three
            are numbers of species. The index is the position of the visit, as `select` takes it.

        Raises
        ------
        AnnotationError
            If there is no such label.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=3, species=2, visits=20).annotations
        >>> annotations.visits(recording="r2").columns.tolist()
        ['recording', 'annotator', 'scope', 'reports', 'unsure']
        """
        return views.visits(self, recording, annotator)

    def to_cube(self, *, most: int = 50_000_000) -> npt.NDArray[np.int8]:
        """Return all votes as a dense array, recordings × annotators × species; for small data.

        Parameters
        ----------
        most
            The largest number of cells that the array may have.

        Returns
        -------
        numpy.ndarray
            1 for present, 0 for absent and −1 for no vote.

        Raises
        ------
        AnnotationError
            If the array would have more cells than `most`.
        """
        return views.cube(self, most)

    def to_frame(self, absence: Absence = "explicit") -> pd.DataFrame:
        """Return a long table from which `from_frame` builds the same annotations.

        Parameters
        ----------
        absence
            With `"explicit"`, every vote and every unsure mark is a row. `"checklist"` and `"scope"` give
            shorter tables without rows for absences; use `species_lists` as the scope table of the latter.

        Returns
        -------
        pandas.DataFrame
            Columns recording, annotator, species and present (1, 0, or missing for unsure). A visit without
            any other row has one with an empty species.

        Raises
        ------
        AnnotationError
            If these annotations cannot be written with that meaning of silence, there is no such meaning, or
            the table would be too long.

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
        """Return the species list of every annotator as a long table with columns annotator and species."""
        return views.species_lists(self)

    def summary(self) -> Summary:
        """Return a summary: numbers of recordings, annotators, species, visits, votes and so on.

        Returns
        -------
        Summary
            Print it for a table, or use its attributes.

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
        recordings: Names | None = None,
        annotators: Names | None = None,
        species: Names | None = None,
        visits: Visits | None = None,
    ) -> Annotations:
        """Return only these recordings, annotators, species and visits; their order does not change.

        Parameters
        ----------
        recordings, annotators, species
            Labels, or a single label; by default all are kept.
        visits
            Positions of visits, as in the index of `visits()`; or an array with true or false for each visit;
            or a frame with columns recording and annotator. Recordings and annotators that have no visit left
            are kept.

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
        >>> some = annotations.visits(recording="r2")
        >>> annotations.select(visits=some.index).n_visits == len(some)
        True
        """
        return Annotations.of(
            select(self, recordings=recordings, annotators=annotators, species=species, visits=visits)
        )

    def drop(
        self,
        *,
        recordings: Names | None = None,
        annotators: Names | None = None,
        species: Names | None = None,
        visits: Visits | None = None,
    ) -> Annotations:
        """Return the annotations without these recordings, annotators, species and visits.

        Parameters
        ----------
        recordings, annotators, species, visits
            As in `select`.

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
        >>> some = annotations.visits(recording="r2")
        >>> annotations.drop(visits=some).n_visits == annotations.n_visits - len(some)
        True
        """
        return Annotations.of(
            select(
                self, recordings=recordings, annotators=annotators, species=species, visits=visits, drop=True
            )
        )

    def drop_unreported(self) -> Annotations:
        """Return the annotations without the species that nobody reported present."""
        return Annotations.of(without_unreported(self))

    # Python's special methods

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Annotations):
            return NotImplemented
        return all(
            getattr(self, name).equals(getattr(other, name)) for name in (*FRAMES.values(), *LISTS)
        ) and all(
            np.array_equal(getattr(self, name), getattr(other, name), equal_nan=name == "scores")
            for name in (*ARRAYS, "scores")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        unsure = f", {len(self.unsure.item):,} unsure" if len(self.unsure.item) else ""
        who = _some(len(np.unique(self.visit_annotator)), self.n_annotators, "annotator")
        where = _some(len(np.unique(self.visit_recording)), self.n_recordings, "recording")
        return (
            f"<Annotations: {counted(self.n_visits, 'visit')} by {who} to {where}; "
            f"{counted(self.n_reports, 'report')} "
            f"of {counted(self.n_species, 'species')}{unsure}>"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return as_html("Annotations", self.summary().as_rows(), "Fit them with dc.fit(annotations).")


def _some(visits: int, total: int, word: str) -> str:
    """Return how many have visits, of all that there are."""
    return counted(total, word) if visits == total else f"{visits:,} of {counted(total, word)}"


def check_annotations(annotations: Any) -> None:
    """Raise an error unless these are annotations: a path or a frame has to be read first."""
    if not isinstance(annotations, Annotations):
        raise TypeError(
            f"expected Annotations, got {type(annotations).__name__}: "
            "make them with dc.read(path, …) or dc.Annotations.from_frame(frame, …)"
        )
