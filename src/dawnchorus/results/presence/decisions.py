"""Decisions: probabilities turned into labels, with the number of mistakes to expect.

A cell counts as present if its probability p is at least a threshold. Of the cells called present, Σ (1 − p)
are expected to be absent; of the others, Σ p are expected to be present. These numbers are as good as the
probabilities are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from ...annotations.labelled import LabelledVotes
from ...annotations.labels import counted, verb
from ...common.showing.notebook import as_html
from ...model.predictive.cells import Cells
from ..tables import labelled_cells


@dataclass(frozen=True)
class Labels:
    """Which species count as present in which recordings.

    Attributes
    ----------
    table
        The cells that count as present: recording, species, probability.
    threshold
        The probability from which a cell counts as present.
    cells
        The number of all cells.
    expected_wrong
        How many of the cells in the table are expected to be absent.
    expected_missed
        How many of the other cells are expected to be present.
    """

    table: pd.DataFrame
    threshold: float
    cells: int
    expected_wrong: float
    expected_missed: float

    @property
    def expected_mistakes(self) -> float:
        """The expected number of cells that are labelled wrongly, of both kinds."""
        return self.expected_wrong + self.expected_missed

    def __repr__(self) -> str:
        return f"<Labels: {len(self.table):,} of {counted(self.cells, 'cell')} from {self.threshold:g} on>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        rows = [
            ("present", f"{len(self.table):,} of {counted(self.cells, 'cell')}"),
            ("from a probability of", f"{self.threshold:g}"),
            ("expected to be absent", f"{self.expected_wrong:,.1f} of them"),
            ("expected to be missed", f"{self.expected_missed:,.1f} of the other cells"),
        ]
        return as_html("Labels", rows, "The cells that count as present: .table.")

    def __str__(self) -> str:
        n = len(self.table)
        return (
            f"{n:,} of {counted(self.cells, 'cell')} {verb(n, 'counts', 'count')} as present from a "
            f"probability of {self.threshold:g} on; {self.expected_wrong:,.1f} of them are expected to be "
            f"absent, and {self.expected_missed:,.1f} of the others to be present"
        )


def decide(
    annotations: LabelledVotes, blocks: Iterable[Cells], mean_probability: float, threshold: float
) -> Labels:
    """Return labels of cells; `mean_probability` is that over all cells, in the blocks or not.

    Raises
    ------
    AnnotationError
        If the threshold is not a probability above 0.
    """
    cells = annotations.n_recordings * annotations.n_species
    parts, wrong, found = [], 0.0, 0.0
    for block in blocks:
        called = block.probability >= threshold
        p = block.probability[called].astype(float)
        parts.append(
            labelled_cells(annotations, block.recording[called], block.species[called], probability=p)
        )
        wrong += float((1 - p).sum())
        found += float(p.sum())
    table = pd.concat(parts, ignore_index=True)
    return Labels(table, float(threshold), cells, wrong, max(mean_probability * cells - found, 0.0))
