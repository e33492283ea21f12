"""Fit reports: what somebody who listens would report, as tables, beside the probability of presence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from ...annotations.annotations import Annotations, check_annotations
from ...annotations.counting import reports_at
from ...annotations.labelled import LabelledVotes
from ...annotations.labels import Names
from ...common.checked import Seed
from ...common.errors import AnnotationError
from ...common.intervals import LEVEL, quantiles_of
from ...common.ragged import Floats, Ints
from ...common.showing.progress import Progress
from ...model.context import Context
from ...model.predictive.cells import Cells
from ...model.predictive.listening.listener import Listener
from ..findings.fit_birds import FitBirds
from ..presence.new_recordings import predict_new
from ..presence.wanted_cells import WantedCells
from ..tables import cell_rows, interval_columns
from .who import TYPICAL, listener_for

COLUMN = "would_report"


@dataclass(frozen=True, eq=False, repr=False)
class FitReports(FitBirds):
    """A fit with what a listener would report; `FitMachines` adds what scores of machines are worth."""

    @cached_property
    def _typical(self) -> Listener:
        return listener_for(self)

    def listener(self, annotator: Names = TYPICAL, *, seed: Seed = 0) -> Listener:
        """Return the rates of somebody who listens, draws × species, as `would_report` uses them.

        Parameters
        ----------
        annotator, seed
            As for `would_report`.

        Returns
        -------
        Listener
            A named tuple of tpr and fpr.
        """
        usual = isinstance(annotator, str) and annotator == TYPICAL and seed == 0
        return self._typical if usual else listener_for(self, annotator, seed=seed)

    def would_report(
        self,
        annotator: Names = TYPICAL,
        annotations: Annotations | None = None,
        *,
        min_probability: float = 0.0,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
        level: float = LEVEL,
        seed: Seed = 0,
        context: Context | None = None,
    ) -> pd.DataFrame:
        """Return the probability that an annotator who listens would report each species.

        This is not the probability that the species is present, which is beside it: even a good annotator
        misses some species, and reports some that are absent. In every draw of the parameters it is
        P(present) · tpr + (1 − P(present)) · fpr, with the annotator's rates for the species.

        Parameters
        ----------
        annotator
            Who listens. `"typical"`: in every draw, the mean of the logits of all annotators who have the
            species on their list, each counting once. `"best"`: the same of the tenth of annotators whose
            true positive rate exceeds their false positive rate most, on average over their list. The name
            of an annotator; or several in a list, for their mean. For species that are not on their lists,
            rates are drawn around their levels.
        annotations
            The votes on new recordings; by default the fitted recordings.
        min_probability, keep_reported
            Leave out cells that are less probably present; but keep those that anybody reported.
        recordings, species
            Labels, or a single label, to list only these; by default all.
        level
            The level of all intervals.
        seed
            Of rates that are drawn: a whole number, a generator, or None for other rates each time.
        context
            The context of new recordings, as in `predict`.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, would_report, would_report_lower, would_report_upper, and then those
            of `presence`: probability (of presence), probability_lower, probability_upper, votes, reports.

        Raises
        ------
        AnnotationError
            If there is no such annotator, recording or species, or a number is out of its range.
        TypeError
            If `annotations` are not `Annotations`.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> table = posterior.would_report("typical")
        >>> table.columns.tolist()[2:6]
        ['would_report', 'would_report_lower', 'would_report_upper', 'probability']
        >>> bool(table["would_report"].max() < table["probability"].max())
        True
        """
        wanted: dict[str, Any] = {
            "keep_reported": keep_reported,
            "recordings": recordings,
            "species": species,
        }
        if annotations is None:
            if context is not None:
                raise AnnotationError("a context is given without new recordings", "leave it out")
            blocks = self.would_report_blocks(annotator, min_probability, **wanted, level=level, seed=seed)
            return pd.concat(blocks, ignore_index=True)
        check_annotations(annotations)
        chosen = WantedCells.of(annotations, min_probability, **wanted)
        parts, listener = [], self.listener(annotator, seed=seed)
        found = predict_new(self, annotations, seed=seed, level=level, context=context, listener=listener)
        for cells, said in found:
            reports = reports_at(annotations, cells.recording, cells.species)
            keep = chosen.mask(cells.recording, cells.species, cells.probability, reports)
            parts.append(_rows(annotations, cells, reports, said)[keep])
        return pd.concat(parts, ignore_index=True)

    def would_report_blocks(
        self,
        annotator: Names = TYPICAL,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        recordings: Names | None = None,
        species: Names | None = None,
        level: float = LEVEL,
        seed: Seed = 0,
        progress: Progress | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Return the rows of `would_report` in blocks of whole recordings, so that any number fits in memory.

        Parameters
        ----------
        annotator, min_probability, keep_reported, recordings, species, level, seed
            As for `would_report`.
        progress
            Called with the number of recordings done and that of all.

        Returns
        -------
        iterator of pandas.DataFrame
        """
        wanted = WantedCells.of(self.annotations, min_probability, keep_reported, recordings, species)
        quantiles_of(level)
        listener = self.listener(annotator, seed=seed)
        blocks = self.presence_table.would_report(wanted, listener, level=level, progress=progress)
        return (_rows(self.annotations, *block, **self.known_column(block[0])) for block in blocks)

    def file_blocks(
        self, min_probability: float = 0.0, *, keep_reported: bool = False
    ) -> Iterator[pd.DataFrame]:
        """Return the rows of presence.csv: those of `presence`, and what a typical annotator would report."""
        wanted = WantedCells.of(self.annotations, min_probability, keep_reported)
        for cells, reports, said in self.presence_table.would_report(wanted, self.listener()):
            rows = cell_rows(self.annotations, cells, reports, **self.known_column(cells))
            yield rows.assign(**{COLUMN: _numbers(said)[0]})

    def mean_would_report(self, mean_probability: float) -> float:
        """Return the mean probability of a report by a typical annotator, over cells with this mean presence.

        It is exact if presence, rates and species have nothing to do with each other, and an approximation
        for the many cells that presence.csv does not list.
        """
        return self.listener().mean_report(mean_probability)


def _rows(
    annotations: LabelledVotes, cells: Cells, reports: Ints, said: Cells | None, **columns: Any
) -> pd.DataFrame:
    rows = cell_rows(annotations, cells, reports, **columns)
    found = interval_columns(COLUMN, *_numbers(said)).set_axis(rows.index)
    return pd.concat(
        [rows[["recording", "species"]], found, rows.drop(columns=["recording", "species"])], axis=1
    )


def _numbers(said: Cells | None) -> tuple[Floats, Floats, Floats]:
    """Return the probability of a report and its bounds, in double precision."""
    assert said is not None  # there is a listener
    return said.probability.astype(float), said.lower.astype(float), said.upper.astype(float)
