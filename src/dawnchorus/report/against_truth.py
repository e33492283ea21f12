"""Against the truth: how good the probabilities are, and where they are farthest from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import plots
from ..evaluation.evaluation import MEASURES, Evaluation
from .figures import draw
from .recordings import who_said_what
from .subject import Subject

MOST = 50


def section(subject: Subject) -> dict[str, Any] | None:
    """Return the comparison with the truth, or None if it is not known."""
    scores = subject.evaluation
    if scores is None:
        return None
    share = scores.present / max(scores.cells, 1)
    return {
        "cells": scores.cells,
        "recordings": scores.recordings,
        "present": scores.present,
        "share": share,
        "measures": [(title, getattr(scores, name)) for name, title in MEASURES.items()],
        "brier": scores.brier,
        "guess": share * (1 - share),
        "auc": scores.auc,
        "figure": _figure(scores),
        "worst": _worst(subject),
    }


def _figure(scores: Evaluation) -> Any:
    if np.isnan(scores.auc):
        return None  # with one kind of cells only, there is nothing to compare
    return draw(
        lambda left, right: (plots.roc(scores, left), plots.calibration(scores, right)),
        f"Left: ROC curve, area {scores.auc:.3f}. Right: share of cells present by their probability.",
        size=(9, 4),
        grid=(1, 2),
    )


def _worst(subject: Subject) -> list[dict[str, Any]]:
    """Return the cells whose probability is farthest from the truth."""
    truth, a = subject.truth, subject.annotations
    if truth is None:
        return []
    i, k = a.recordings.index.get_indexer(truth["recording"]), a.species.index.get_indexer(truth["species"])
    known = (i >= 0) & (k >= 0)
    i, k, present = i[known], k[known], truth["present"].to_numpy(float)[known]
    probability = subject.findings.at(i, k)
    error = np.abs(probability - present)
    order = np.argsort(-error, kind="stable")[:MOST]
    order = order[error[order] >= 0.5]
    return [
        {
            "recording": a.recordings.index[i[c]],
            "name": subject.species[k[c]],
            "present": bool(present[c]),
            "probability": float(probability[c]),
            "who": who,
        }
        for c, who in zip(order, who_said_what(subject, i[order], k[order]), strict=True)
    ]
