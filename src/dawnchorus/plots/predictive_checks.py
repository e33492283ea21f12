"""Plots of posterior predictive checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from ..common.errors import AnnotationError
from ..common.ragged import Floats
from ..common.wording import listed
from ..evaluation.checks.outcome import Found, PredictiveChecks
from ..evaluation.checks.words import CHECKS, UNSURE
from .style import COLOURS, new_axes

MOST_BINS = 30
LEGEND: dict[str, Any] = {"fontsize": "small", "frameon": False, "loc": "best"}


def predictive_check(checks: PredictiveChecks, check: str = "pair_agreement", ax: Axes | None = None) -> Axes:
    """Plot what a model expects of the data, as a histogram over simulations, and what was observed.

    Parameters
    ----------
    checks
        The result of `predictive_checks`.
    check
        The name of a check, as in `checks.table()`.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If there is no such check, or not enough data for it.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> checks = dc.predictive_checks(posterior, simulations=100)
    >>> dc.plots.predictive_check(checks, "silent_visits").get_xlabel()
    'visits without a report'
    """
    if check not in (names := [*CHECKS, UNSURE]):
        raise AnnotationError(f"there is no check '{check}'", f"use one of: {listed(names)}")
    if check not in checks.checked:
        raise AnnotationError(f"there is not enough data for the check '{check}'", "look at another one")
    ax = new_axes(ax, width=4, height=2.6)
    _draw_check(checks, next(one for one in checks.found() if one.name == check), ax)
    ax.legend(**LEGEND)
    return ax


def draw_checks(checks: PredictiveChecks, axes: Sequence[Axes]) -> None:
    """Plot every check for which there is enough data, each into its own axes, and empty those left over.

    One legend says enough for all.
    """
    checked = checks.checked
    drawn = [one for one in checks.found() if one.name in checked]
    for one, ax in zip(drawn, axes, strict=False):
        _draw_check(checks, one, ax)
        ax.set_xlabel(ax.get_xlabel(), fontsize="small")
    if drawn:
        axes[0].legend(**LEGEND)
    for ax in axes[len(drawn) :]:
        ax.axis("off")


def _draw_check(checks: PredictiveChecks, found: Found, ax: Axes) -> None:
    values = checks.simulated[found.name]
    values = values[~np.isnan(values)]
    ax.hist(values, bins=_bins(values), color=COLOURS[0], alpha=0.35, label="simulated")
    colour = COLOURS[1] if found.surprising else "0.2"
    style = "-" if found.surprising else "--"
    ax.axvline(found.observed, color=colour, linewidth=2, linestyle=style, label="observed")
    ax.margins(x=0.08)
    if found.share:
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=None, symbol="\u00a0%"))
    ax.locator_params(axis="x", nbins=5)
    ax.set(xlabel=found.title, yticks=[])
    ax.set_title(f"p = {found.p_value:.3f}", fontsize="medium", loc="left")


def _bins(values: Floats) -> list[float] | int:
    """Return the bins of a histogram: whole numbers have one each, if they are few."""
    low, high = float(values.min()), float(values.max())
    whole = bool((values == np.round(values)).all())
    if whole and high - low < MOST_BINS:
        return [float(edge) for edge in np.arange(low - 0.5, high + 1)]
    return min(MOST_BINS, max(int(math.sqrt(len(values))), 5))
