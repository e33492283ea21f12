"""An evaluation: scores of presence probabilities against the truth, as numbers, in words and for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ..annotations.labels import counted
from ..common.showing.notebook import as_html

WORDS = {
    "present": "the probability that a species is present",
    "report": "the probability that a typical annotator would report it",
}
"""The same in words."""
MARKED = {"present": "present", "report": "that the truth marks"}
"""What cells are called that a truth says to be present: one that was heard only marks them."""
MEASURES = {
    "auc": "AUC",
    "average_precision": "average precision",
    "brier": "Brier score",
    "log_score": "log score",
    "calibration_error": "expected calibration error",
}


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Scores of presence probabilities against the truth; `dawnchorus.evaluation.scores` has the equations.

    Attributes
    ----------
    auc, average_precision
        How well the probabilities rank cells. 1 is perfect; random ranking gives an AUC of 0.5, and an
        average precision equal to the share of present cells.
    brier, log_score
        Mean squared error of the probabilities, and mean negative log probability of the truth; 0 is
        perfect.
    calibration_error
        Expected calibration error: the mean difference between probability and observed frequency over the
        bins of `calibration`, weighted by the number of cells; 0 is perfect.
    cells, present, recordings
        The number of cells that were compared, how many of these are present, and the number of recordings.
    calibration
        For each bin of probability: its bounds (`from`, `to`), number of cells, mean probability, and
        observed share of present cells.
    thresholds
        Sensitivity, specificity and accuracy if cells count as present from each threshold upwards.
    intervals
        Bootstrap intervals over recordings, by measure; empty if there was no bootstrap. With a bootstrap,
        `calibration` and `thresholds` have columns `…_lower` and `…_upper`.
    roc
        The ROC curve: for decreasing thresholds, the shares of present and absent cells that count as
        present.
    unknown_recordings, unknown_species
        Labels in the truth that are not in the result; their cells were not compared.
    unlisted
        The number of cells that the presence table did not list and that were given the probability of
        unlisted cells.
    compared
        What was compared with the truth: `"present"`, the probability that a species is present, or
        `"report"`, the probability that a typical annotator would report it.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(visits=4.0, seed=1)
    >>> scores = dc.evaluate(dc.fit(simulation.annotations, model="majority-vote"), simulation.truth)
    >>> scores.calibration.columns.tolist()
    ['from', 'to', 'cells', 'probability', 'observed']
    """

    auc: float
    average_precision: float
    brier: float
    log_score: float
    calibration_error: float
    cells: int
    present: int
    recordings: int
    calibration: pd.DataFrame
    thresholds: pd.DataFrame
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    roc: pd.DataFrame = field(default_factory=pd.DataFrame)
    unknown_recordings: tuple[str, ...] = ()
    unknown_species: tuple[str, ...] = ()
    unlisted: int = 0
    compared: str = "present"

    def as_dict(self) -> dict[str, Any]:
        """Return the evaluation, without the ROC curve, as a dict of plain values for JSON."""
        names = (*MEASURES, "cells", "present", "recordings", "unlisted", "compared")
        plain = {name: getattr(self, name) for name in names}
        return plain | {
            "intervals": {name: list(pair) for name, pair in self.intervals.items()},
            "unknown_recordings": list(self.unknown_recordings),
            "unknown_species": list(self.unknown_species),
            "calibration": self.calibration.to_dict("records"),
            "thresholds": self.thresholds.to_dict("records"),
        }

    def __repr__(self) -> str:
        return f"<Evaluation: {self._size()}; AUC {self.auc:.3f}, Brier score {self.brier:.4f}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return as_html("Against the truth", self.as_rows())

    def as_rows(self) -> list[tuple[str, str]]:
        """Return what was compared, and each measure, as pairs of a name and a readable value."""
        rows = [(title, f"{value:.4f}{between}") for title, value, between in self._rows()]
        return [("compared", self._size()), *rows]

    def __str__(self) -> str:
        return "\n".join(
            [self._size(), *(f"{title:<27} {value:.4f}{between}" for title, value, between in self._rows())]
        )

    def _size(self) -> str:
        cells, recordings = counted(self.cells, "cell"), counted(self.recordings, "recording")
        compared = "" if self.compared == "present" else f"; compared: {WORDS[self.compared]}"
        return f"{cells} in {recordings}, {self.present:,} {MARKED[self.compared]}{compared}"

    def _rows(self) -> Iterator[tuple[str, float, str]]:
        """Return each measure with its name and, if there is one, its interval in brackets."""
        for name, title in MEASURES.items():
            low, high = self.intervals.get(name, (None, None))
            yield title, getattr(self, name), "" if low is None else f"  ({low:.4f} to {high:.4f})"
