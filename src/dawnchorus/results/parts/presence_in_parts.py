"""Presence in parts: the rows of presence of a result in parts, read as far as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ...annotations.labels import Names, places
from ...common.checked import probability, yes_or_no
from ...common.errors import AnnotationError
from ..fitted import Fitted
from ..saving.saved_result import read_record
from .rows_on_disk import check_recordings, presence_rows, recordings_known

UNLISTED = {"present": "mean_of_unlisted", "report": "would_report_of_unlisted"}
"""What fit.json says of the cells that are not listed."""


@dataclass(frozen=True, eq=False, repr=False)
class PresenceInParts(Fitted):
    """A fit with presence in a folder; `PosteriorInParts` adds tables and a report.

    Attributes
    ----------
    folder
        The folder that it was read from, if it was.
    """

    folder: Path | None = None

    def presence(
        self,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
    ) -> pd.DataFrame:
        """Return the rows of presence that are wanted, from the folder of the result.

        Only these rows are read into memory. Cells that were not written, because they are less probable than
        the smallest probability that was asked for when the result was written, are not among them.

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
            Columns recording, species, probability, probability_lower, probability_upper, votes, reports and
            would_report, the probability that a typical annotator would report the species.

        Raises
        ------
        AnnotationError
            If the result is not in a folder yet, `min_probability` is not between 0 and 1, or there is no
            such recording or species.
        OutputError
            If a file is missing or cannot be read.
        """
        wanted: dict[str, Any] = {
            "keep_reported": keep_reported,
            "recordings": recordings,
            "species": species,
        }
        blocks = [*self.presence_blocks(min_probability, **wanted)]
        return pd.concat(blocks, ignore_index=True)

    def presence_blocks(
        self,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Return the rows of `presence` in blocks, so that any number fits in memory.

        Parameters
        ----------
        min_probability, keep_reported, recordings, species
            As for `presence`.

        Returns
        -------
        iterator of pandas.DataFrame
        """
        least = probability("min_probability", min_probability)
        yes_or_no(keep_reported=keep_reported)
        folder, parts = self._written()
        if species is not None:
            places(self.annotations.species.index, species)
        if recordings is not None:
            check_recordings(folder, parts, recordings)
        wanted: dict[str, Any] = {
            "keep_reported": keep_reported,
            "recordings": recordings,
            "species": species,
        }
        return presence_rows(folder, parts, least, **wanted)

    def known_recordings(self, names: Names) -> list[str]:
        """Return those of these labels that are recordings of the fit."""
        return recordings_known(*self._written(), names)

    def unlisted(self, as_: str = "present") -> float | None:
        """Return the mean probability of the cells that are not written, or None if all are.

        Parameters
        ----------
        as_
            The probability of what: `"present"`, or `"report"`, a report by a typical annotator.
        """
        self._written()
        assert self.folder is not None
        mean = read_record(self.folder)["presence"].get(UNLISTED[as_])
        return None if mean is None else float(mean)

    def _written(self) -> tuple[Path, int]:
        """Return the folder of the result, and the number of its parts."""
        if self.folder is None:
            raise AnnotationError(
                "the presence of this result is not in one place",
                "write it with dc.write_result(posterior, folder), and open that with "
                "dc.PosteriorInParts.load(folder)",
            )
        return self.folder, int(read_record(self.folder)["presence"]["parts"])


def needs_votes(posterior: object, what: str) -> None:
    """Raise an error if a result is in parts, and so has no votes."""
    if isinstance(posterior, PresenceInParts):
        raise AnnotationError(
            f"{what} needs all votes in one place, and a result in parts has none",
            "fit the data, or some of them, in memory: dc.fit(dataset.read())",
        )
