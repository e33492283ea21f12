"""Scores: measures of presence probabilities, with cells weighted.

Every measure is a function of how many present and absent cells there are at each probability, so a
bootstrap over recordings only changes weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

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
        """Return all measures with cells weighted so."""
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
            "auc": _ranked(roc_auc_score, p, yes, no),
            "average_precision": _ranked(average_precision_score, p, yes, no),
            "brier": (yes @ (1 - p) ** 2 + no @ p**2) / total,
            "log_score": -(yes @ np.log(sure) + no @ np.log1p(-sure)) / total,
            "calibration_error": np.nansum(cells * np.abs(observed - mean)) / total,
            "cells": cells,
            "probability": mean,
            "observed": observed,
            **_by_threshold(p, yes, no),
        }

    def roc(self) -> pd.DataFrame:
        """Return the ROC curve, from the highest threshold down."""
        if self.present.all() or not self.present.any():
            return pd.DataFrame({"threshold": [], "absent_called": [], "present_called": []})
        absent, present, threshold = roc_curve(self.present, self.level[self.group])
        return pd.DataFrame({"threshold": threshold, "absent_called": absent, "present_called": present})


def _ranked(measure: Callable[..., float], p: Floats, yes: Floats, no: Floats) -> Floats:
    if not (yes.any() and no.any()):
        return np.array(np.nan)
    truth = np.repeat([True, False], len(p))
    weight = np.concatenate([yes, no])
    return np.array(measure(truth, np.tile(p, 2), sample_weight=weight))


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
