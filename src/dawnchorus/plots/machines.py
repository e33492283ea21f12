"""A plot of what the scores of a machine are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..annotations.labels import Names
from ..annotations.votes import scores_of_logits
from ..common.intervals import LEVEL
from ..results.findings.machines import need_scores, score_scale
from ..results.posterior import Posterior
from .choices import one_of, some_of
from .style import COLOURS, look, new_axes, plain, species_names

MOST = 4
"""So many species are shown unless they are named."""
POINTS = 60
TAIL = 0.01
"""Scores beyond these quantiles are too few to be shown."""


def score_calibration(
    posterior: Posterior,
    species: Names | None = None,
    *,
    machine: str | None = None,
    precision: float = 0.9,
    level: float = LEVEL,
    ax: Axes | None = None,
) -> Axes:
    """Plot how probable it is that a report of a machine is right, by its score, species by species.

    A mark shows the score from which on `precision` of all reports of the species are right, with its
    interval.

    Parameters
    ----------
    posterior
        The result of `fit` with scores.
    species
        Labels; by default four species between that with most scored reports and that with fewest.
    machine
        The annotator; needed only if several have scores.
    precision
        The share of reports that are right from the mark on.
    level
        The level of the intervals.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If the fit used no scores, or there is no such machine or species.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_portal(100, 8, 5, machine="BirdNET", seed=1).annotations
    >>> posterior = dc.fit(annotations, "base", draws=100, min_ess=None, seed=1)
    >>> dc.plots.score_calibration(posterior).get_xlabel()
    'score of BirdNET'
    """
    need_scores(posterior)
    machines: Any = posterior.model.scored.machines  # type: ignore[union-attr]
    name = machines[0] if machine is None else one_of(machine, machines, "machine")
    if species is not None:
        some_of(posterior.annotations.species.index, species)
    found = posterior.score_thresholds(precision, species, level=level)
    found = found[found["machine"] == name]
    if species is None:
        ranked = found[found["reports"] > 0].sort_values("reports", ascending=False, kind="stable")
        found = ranked.iloc[np.unique(np.linspace(0, len(ranked) - 1, MOST).round().astype(int))]
    scale = score_scale(posterior)
    scores = posterior.design.scores
    usual = np.quantile(scores.score[scores.machine == machines.index(name)], [TAIL, 1 - TAIL])
    low, high = scores_of_logits(usual, scale).tolist()
    grid = np.linspace(low, high, POINTS)
    ax = new_axes(ax)
    labels = list(found["species"])
    names = species_names(posterior.annotations, posterior.annotations.species.index.get_indexer(labels))
    table = posterior.score_calibration(grid.tolist(), labels, level=level)
    table = table[table["machine"] == name]
    for i, (row, shown) in enumerate(zip(found.itertuples(), names, strict=True)):
        one, colour = table[table["species"] == row.species], look(i)["color"]
        ax.plot(grid, one["probability"], color=colour, label=f"{plain(shown)} ({row.reports:,})")
        ax.fill_between(
            grid, one["probability_lower"], one["probability_upper"], color=colour, alpha=0.12, linewidth=0
        )
        _mark(ax, i, row, grid, 1.04 + 0.035 * (len(found) - 1 - i))
    ax.axhline(1.0, color="0.8", linewidth=0.8, zorder=0)
    ax.set(
        xlabel=f"score of {plain(name)}",
        ylabel="probability that the report is right",
        ylim=(0, 1.06 + 0.035 * len(found)),
        yticks=np.linspace(0, 1, 6),
    )
    ax.legend(
        fontsize="small",
        frameon=False,
        title="species (scored reports)",
        title_fontsize="small",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.15),
        ncols=2,
    )
    return ax


def _mark(ax: Axes, i: int, row: Any, grid: Any, height: float) -> None:
    """Mark the threshold of a species above the curves; an interval that is open ends in an arrow."""
    colour = COLOURS[i % len(COLOURS)]
    if np.isnan(row.score_lower):
        return
    high = grid[-1] if np.isnan(row.score_upper) else row.score_upper
    ax.plot([row.score_lower, high], [height, height], color=colour, linewidth=2, solid_capstyle="butt")
    if np.isnan(row.score_upper):
        ax.plot(high, height, ">", color=colour, markersize=4)
    if not np.isnan(row.score):
        ax.plot(row.score, height, look(i)["marker"], color=colour, markersize=5)
