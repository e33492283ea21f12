"""Listening: that a species is present, and that an annotator would report it, are two things."""

from __future__ import annotations

from typing import Any

from ... import plots
from ..figures import NARROW, Sheet, draw
from ..subject import Subject


def section(subject: Subject) -> dict[str, Any]:
    """Return how often a typical annotator reports what is there, and what is not."""
    listener = subject.posterior.listener()
    tpr, fpr = float(listener.tpr.mean()), float(listener.fpr.mean())
    return {
        "several": subject.annotations.n_species > 1,
        "tpr": tpr,
        "fpr": fpr,
        "figure": draw(
            lambda ax: plots.present_or_reported(subject.posterior, ax=ax),
            f"The probability of a report by that of presence: from {fpr:.3f} where the species is absent "
            f"to {tpr:.2f} where it is present, on average.",
            Sheet(5.5, 3.6),
            Sheet(NARROW, 3.4),
        ),
    }
