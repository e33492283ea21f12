"""Against the truth: how good the probabilities are, and where they are farthest from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ... import plots
from ...annotations.labels import counted, verb
from ...evaluation.evaluation import MEASURES, Evaluation
from ..figures import draw_panels
from ..subject import Subject
from ..words import percent
from .recordings import who_said_what

MOST = 50


def section(subject: Subject) -> dict[str, Any] | None:
    """Return the comparison with the truth, or that the fit was told all of it; None if there is none."""
    scores, reported, left_out = subject.evaluation, subject.reported, subject.left_out
    if scores is None or reported is None:
        return {"known": None, "left_out": counted(left_out, "cell")} if left_out else None
    share = scores.present / max(scores.cells, 1)
    further = f"{counted(left_out, 'further cell')} {verb(left_out, 'was', 'were')} known in the fit and "
    return {
        "left_out": f"{further}{verb(left_out, 'is', 'are')} left out." if left_out else "",
        "known": f"{counted(scores.cells, 'cell')} in {counted(scores.recordings, 'recording')}",
        "there": _there(scores.present, scores.cells),
        "share": share,
        "measures": [
            (title, getattr(scores, name), getattr(reported, name)) for name, title in MEASURES.items()
        ],
        "brier": scores.brier,
        "guess": share * (1 - share),
        "auc": scores.auc,
        "figure": _figure(scores, reported),
        "worst": _worst(subject),
    }


def _there(present: int, cells: int) -> str:
    """Return how many of the cells are present, in words."""
    if cells == 1:
        return "it is present" if present else "it is absent"
    if present in (0, cells):
        return "none of them is present" if present == 0 else "all of them are present"
    return f"{present:,} ({percent(present / cells)}) {verb(present, 'is', 'are')} present"


def _figure(scores: Evaluation, reported: Evaluation) -> Any:
    if np.isnan(scores.auc):
        return None  # with one kind of cells only, there is nothing to compare
    both = {"present": scores, "report": reported}
    return draw_panels(
        lambda left, right: (plots.roc(both, left), plots.calibration(both, right)),
        f"ROC curves, area {scores.auc:.3f} of the probability of presence and {reported.auc:.3f} of that of "
        "a report; and share of cells that the truth marks, by either probability.",
        2,
        columns=2,
        height=3.4,
    )


def _worst(subject: Subject) -> list[dict[str, Any]]:
    """Return the cells whose probability is farthest from the truth."""
    truth = subject.truth
    if truth is None:
        return []
    recording, known = truth["recording"], truth["probability"].notna().to_numpy()
    k = subject.annotations.species.index.get_indexer(truth["species"])
    probability, present = (truth[name].to_numpy(float) for name in ("probability", "present"))
    error = np.where(known, np.abs(probability - present), 0.0)
    order = np.argsort(-error, kind="stable")[:MOST]
    order = order[error[order] >= 0.5]
    return [
        {
            "recording": recording.iloc[c],
            "name": subject.species[k[c]],
            "present": bool(present[c]),
            "probability": float(probability[c]),
            "who": who,
        }
        for c, who in zip(order, _who(subject, truth.iloc[order]), strict=True)
    ]


def _who(subject: Subject, cells: pd.DataFrame) -> list[str]:
    """Return who said what on each of these cells; nothing where data in parts have votes elsewhere."""
    a = subject.findings.annotations
    i, k = a.recordings.index.get_indexer(cells["recording"]), a.species.index.get_indexer(cells["species"])
    here = np.flatnonzero(i >= 0)
    words = [""] * len(cells)
    for place, said in zip(here, who_said_what(subject, i[here], k[here]), strict=True):
        words[place] = said
    return words
