"""Plots of models compared by held-out votes."""

from __future__ import annotations

import textwrap

import numpy as np
from matplotlib.axes import Axes

from ..evaluation.held_out.outcome import ModelComparison
from .style import COLOURS, new_axes, plain

NAME = 40
"""Names of models have up to so many characters a line."""


def size_of(comparison: ModelComparison) -> tuple[float, float]:
    """Return width and height of a figure with room for all models and the lines of their names."""
    lines = max(len(name.split("\n")) for name in _names(comparison))
    return 7, 1.2 + len(comparison.models) * max(0.4, 0.2 * lines)


def compared(comparison: ModelComparison, ax: Axes | None = None) -> Axes:
    """Plot how much better than the first each model predicts held-out votes, with standard errors.

    The model to choose has a filled mark. Lines are one standard error to both sides, of the difference to
    the first model, paired by visit.

    Parameters
    ----------
    comparison
        The result of `compare`.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=5, species=4, visits=3, seed=1).annotations
    >>> short = {"folds": 2, "draws": 50, "warmup": 50, "workers": 1, "loo": False}
    >>> dc.plots.compared(dc.compare(annotations, "base, base + learned", **short)).get_xlabel()
    'gain over the first model (log score × 100)'
    """
    table = comparison.table()
    width, height = size_of(comparison)
    ax = new_axes(ax, width=width, height=height)
    y = np.arange(len(table))[::-1]
    chosen = (table["model"] == comparison.choice.spec.text).to_numpy()
    ax.axvline(0, color="0.7", linewidth=1, linestyle=":")
    ax.hlines(y, table["gain"] - table["gain_se"], table["gain"] + table["gain_se"], color=COLOURS[0])
    for here, fill, label in ((chosen, COLOURS[0], "the one to choose"), (~chosen, "white", None)):
        ax.scatter(table["gain"][here], y[here], facecolor=fill, edgecolor=COLOURS[0], zorder=3, label=label)
    ax.set_yticks(y, _names(comparison))
    ax.set(xlabel="gain over the first model (log score × 100)", ylim=(-0.6, len(table) - 0.4))
    ax.legend(fontsize="small", frameon=False, loc="best")
    return ax


def _names(comparison: ModelComparison) -> list[str]:
    written = (one.spec.text for one in comparison.models)
    return [plain(textwrap.fill(text, NAME, break_on_hyphens=False)) for text in written]
