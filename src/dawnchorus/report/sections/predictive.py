"""Predictive: whether votes that the model simulates look like the real ones."""

from __future__ import annotations

from typing import Any

from ...common.wording import for_python
from ...evaluation.checks.checking import FEWEST, SIMULATIONS, predictive_checks
from ...evaluation.checks.outcome import TOO_FEW, UNMODELLED, Found
from ...plots.predictive_checks import draw_checks
from ..figures import draw_panels
from ..subject import Subject

COLUMNS = 3
MANY_VISITS = 200_000
"""With more visits than this, a page has as few simulations as there may be."""


def section(subject: Subject) -> dict[str, Any]:
    """Return a row and a figure for each check, and what to try."""
    simulations = SIMULATIONS if subject.annotations.n_visits <= MANY_VISITS else FEWEST
    checks = predictive_checks(subject.whole, simulations=simulations)
    found, drawn = checks.found(), len(checks.checked)
    return {
        "rows": [_row(one) for one in found],
        "checked": drawn,
        "failed": [one.finding for one in found if one.surprising],
        "words": checks.in_words(),
        "simulations": checks.simulations,
        "figure": drawn
        and draw_panels(
            lambda *axes: draw_checks(checks, axes),
            "What the model expects of each statistic of the votes, as a histogram over simulations, and "
            f"what was observed, as a line. {checks.in_words()}",
            drawn,
            columns=COLUMNS,
            height=2.2,
        ),
    }


def _row(one: Found) -> dict[str, Any]:
    known = one.verdict not in (TOO_FEW, UNMODELLED)
    return {
        "title": one.title,
        "observed": one.shown(one.observed),
        "expected": one.shown(one.expected) if known else "",
        "between": f"{one.shown(one.lower)} to {one.shown(one.upper)}" if known else "",
        "p_value": f"{one.p_value:.3f}" if known else "",
        "verdict": one.verdict if known else for_python(one.words),
        "failed": one.surprising,
    }
