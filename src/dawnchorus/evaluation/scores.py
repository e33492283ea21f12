"""Scores of presence probabilities against the truth, with a weight for each cell.

A cell c (one species in one recording) has the truth y[c] (1 present, 0 absent), the probability p[c] and
the weight w[c], which is 1 without a bootstrap. W is the sum of all weights.

AUC, the probability that a random present cell has a higher probability than a random absent cell, where a
tie counts one half (Hanley and McNeil 1982):

    AUC = sum over present a, absent b of w[a] w[b] (1(p[a] > p[b]) + 1(p[a] = p[b]) / 2)
          / (sum over present a of w[a] · sum over absent b of w[b])

Average precision, the area under the precision-recall curve without interpolation, with thresholds
t[1] > t[2] > … at the distinct probabilities and recall[0] = 0 (Manning, Raghavan and Schütze 2008, ch. 8):

    precision[n] = sum of w y where p ≥ t[n] / sum of w where p ≥ t[n]
    recall[n]    = sum of w y where p ≥ t[n] / sum of w y
    AP           = sum over n of (recall[n] − recall[n − 1]) precision[n]

Brier score, the mean squared error (Brier 1950):

    Brier = sum of w (p − y)² / W

Log score, the mean negative log probability of the truth (Good 1952), with q = p limited to the range from
`LOG_FLOOR` to 1 − `LOG_FLOOR`:

    log score = − sum of w (y log q + (1 − y) log(1 − q)) / W

Expected calibration error, over ten bins B of equal width (Naeini, Cooper and Hauskrecht 2015), where W[B],
mean y[B] and mean p[B] are the total weight and the weighted means of the cells with p in bin B:

    ECE = sum over B of W[B] / W · |mean y[B] − mean p[B]|

At each threshold t, a cell counts as present if p ≥ t:

    sensitivity = sum of w y where p ≥ t / sum of w y
    specificity = sum of w (1 − y) where p < t / sum of w (1 − y)
    accuracy    = (sum of w y where p ≥ t + sum of w (1 − y) where p < t) / W

All measures depend on the data only through the total weights of present and absent cells at each distinct
probability. So cells are grouped by probability once, and a bootstrap over recordings only changes weights.
AUC and average precision are not defined (NaN) unless there are both present and absent cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..common.ragged import Bools, Floats, Ints

THRESHOLDS = np.arange(1, 20) / 20
BINS = np.arange(11) / 10
LOG_FLOOR = 1e-6
"""The log score limits probabilities to this distance from 0 and 1, so that no error is infinite."""


@dataclass(frozen=True)
class Scores:
    """Cells grouped by probability, from which all measures are computed for any weights of the cells.

    Attributes
    ----------
    present
        For each cell, whether the species is present.
    group
        For each cell, the position of its probability in `level`.
    level
        The distinct probabilities, in ascending order.
    """

    present: Bools
    group: Ints
    level: Floats

    @classmethod
    def of(cls, present: Bools, probability: Floats) -> Scores:
        """Return the cells grouped by probability."""
        level, group = np.unique(probability, return_inverse=True)
        return cls(present, group, level)

    def measures(self, weight: Floats) -> dict[str, Floats]:
        """Return all measures, with a weight for each cell, as the module's docstring defines them.

        >>> scores = Scores.of(np.array([True, False, False]), np.array([0.8, 0.4, 0.0]))
        >>> measures = scores.measures(np.array([1.0, 1.0, 2.0]))
        >>> float(measures["auc"]), round(float(measures["brier"]), 3)
        (1.0, 0.05)
        """
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

    def ranks(self, weight: Floats) -> tuple[float, float]:
        """Return AUC and average precision alone, with a weight for each cell."""
        size = len(self.level)
        yes: Floats = np.bincount(self.group[self.present], weight[self.present], minlength=size)
        no: Floats = np.bincount(self.group[~self.present], weight[~self.present], minlength=size)
        return float(_area_under_roc(yes, no)), float(_average_precision(yes, no))

    def roc(self) -> pd.DataFrame:
        """Return the ROC curve without weights, from the highest threshold to the lowest."""
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
    """Return sensitivity, specificity and accuracy at each threshold."""
    from_here = np.searchsorted(p, THRESHOLDS - 1e-12)
    hits = yes.sum() - np.concatenate([[0], np.cumsum(yes)])[from_here]
    rejections = np.concatenate([[0], np.cumsum(no)])[from_here]
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "sensitivity": hits / yes.sum(),
            "specificity": rejections / no.sum(),
            "accuracy": (hits + rejections) / (yes.sum() + no.sum()),
        }
