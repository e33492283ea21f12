"""Plots of evaluations and fits; every function draws into matplotlib axes and returns them."""

from __future__ import annotations

from .chains import prior_and_posterior, ranks, traces
from .choices import with_first_checked
from .comparisons import compared
from .evaluations import calibration, curves, roc, thresholds
from .listening import present_or_reported
from .machines import score_calibration
from .people import among_others, annotator_intervals, annotators
from .predictive_checks import predictive_check
from .self_knowledge import self_knowledge
from .skills import skills
from .species import communities, correlation, difficulty, occurrence
from .style import COLOURS, MARKS, RATES
from .where_and_when import when, where, where_on_map

__all__ = [
    "COLOURS",
    "MARKS",
    "RATES",
    "among_others",
    "annotator_intervals",
    "annotators",
    "calibration",
    "communities",
    "compared",
    "correlation",
    "curves",
    "difficulty",
    "occurrence",
    "predictive_check",
    "present_or_reported",
    "prior_and_posterior",
    "ranks",
    "roc",
    "score_calibration",
    "self_knowledge",
    "skills",
    "thresholds",
    "traces",
    "when",
    "where",
    "where_on_map",
]

for _plot in __all__:  # every plot first looks at what it is given, here and nowhere else
    if callable(globals()[_plot]):
        globals()[_plot] = with_first_checked(globals()[_plot])
