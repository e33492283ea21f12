"""Scores: measures of presence probabilities, with cells weighted.

Every measure is a function of how many present and absent cells there are at each probability, so a
bootstrap over recordings only changes weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..common.ragged import Bools, Floats, Ints

THRESHOLDS = np.arange(1, 20) / 20
BINS = np.arange(11) / 10
LOG_FLOOR = 1e-6
"""The log score takes no probability to be surer than this, so that one error is not infinite."""


@dataclass(frozen=True)
class Scores:
    """Cells grouped by probability, so that each measure takes weights of the cells."""

    present: Bools
    group: Ints
    level: Floats

    @classmethod
    def of(cls, present: Bools, probability: Floats) -> Scores:
        """Group cells by their probability."""
        level, group = np.unique(probability, return_inverse=True)
        return cls(present, group, level)

    def measures(self, weight: Floats) -> dict[str, Floats]:
        """Give all measures with cells weighted so."""
        p, size = self.level, len(self.level)
        yes: Floats = np.bincount(self.group[self.present], weight[self.present], minlength=size)
        no: Floats = np.bincount(self.group[~self.present], weight[~self.present], minlength=size)
        total = yes.sum() + no.sum()
        sure = np.clip(p, LOG_FLOOR, 1 - LOG_FLOOR)
        bins = np.clip(np.digitize(p, BINS) - 1, 0, len(BINS) - 2)
        cells, hits, total_p = (
            np.bincount(bins, x, minlength=len(BINS) - 1) for x in (yes + no, yes, (yes + no) * p)
        )
        with np.errstate(invalid="ignore"):
            observed, mean = hits / cells, total_p / cells
        return {
            "auc": _area_under_roc(yes, no),
            "average_precision": _average_precision(yes, no),
            "brier": (yes @ (1 - p) ** 2 + no @ p**2) / total,
            "log_score": -(yes @ np.log(sure) + no @ np.log1p(-sure)) / total,
            "calibration_error": np.nansum(cells * np.abs(observed - mean)) / total,
            "cells": cells,
            "probability": mean,
            "observed": observed,
            **_by_threshold(p, yes, no),
        }

    def roc(self) -> pd.DataFrame:
        """Give the ROC curve, from the highest threshold down."""
        if self.present.all() or not self.present.any():
            return pd.DataFrame({"threshold": [], "absent_called": [], "present_called": []})
        size = len(self.level)
        yes, no = (
            np.cumsum(np.bincount(self.group[these], minlength=size)[::-1])
            for these in (self.present, ~self.present)
        )
        corner = np.ones(size, bool)  # points on a straight line are left out
        corner[1:-1] = (np.diff(yes, 2) != 0) | (np.diff(no, 2) != 0)
        return pd.DataFrame(
            {
                "threshold": np.append(np.inf, self.level[::-1][corner]),
                "absent_called": np.append(0.0, no[corner] / no[-1]),
                "present_called": np.append(0.0, yes[corner] / yes[-1]),
            }
        )


def _area_under_roc(yes: Floats, no: Floats) -> Floats:
    """Return how often a present cell is the more probable of a present and an absent one; half for ties.

    >>> float(_area_under_roc(np.array([0.0, 1.0]), np.array([1.0, 1.0])))
    0.75
    """
    if not (yes.any() and no.any()):
        return np.array(np.nan)
    above = yes.sum() - np.cumsum(yes)
    return np.array(no @ (above + yes / 2) / (yes.sum() * no.sum()))


def _average_precision(yes: Floats, no: Floats) -> Floats:
    """Return the mean, over present cells, of the share present among all that are at least so probable.

    >>> float(_average_precision(np.array([0.0, 1.0]), np.array([1.0, 1.0])))
    0.5
    """
    if not (yes.any() and no.any()):
        return np.array(np.nan)
    hits, called = np.cumsum(yes[::-1]), np.cumsum((yes + no)[::-1])
    precision = np.divide(hits, called, out=np.zeros(len(called)), where=called > 0)
    return np.array(yes[::-1] @ precision / yes.sum())


def _by_threshold(p: Floats, yes: Floats, no: Floats) -> dict[str, Floats]:
    from_here = np.searchsorted(p, THRESHOLDS - 1e-12)
    hits = yes.sum() - np.concatenate([[0], np.cumsum(yes)])[from_here]
    rejections = np.concatenate([[0], np.cumsum(no)])[from_here]
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "sensitivity": hits / yes.sum(),
            "specificity": rejections / no.sum(),
            "accuracy": (hits + rejections) / (yes.sum() + no.sum()),
        }
