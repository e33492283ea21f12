"""Plots of models compared by held-out votes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..evaluation.held_out.outcome import ModelComparison
from .style import COLOURS, new_axes, plain


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
    ax = new_axes(ax, width=7, height=1.2 + 0.4 * len(table))
    y = np.arange(len(table))[::-1]
    chosen = (table["model"] == comparison.choice.spec.text).to_numpy()
    ax.axvline(0, color="0.7", linewidth=1, linestyle=":")
    ax.hlines(y, table["gain"] - table["gain_se"], table["gain"] + table["gain_se"], color=COLOURS[0])
    for here, fill, label in ((chosen, COLOURS[0], "the one to choose"), (~chosen, "white", None)):
        ax.scatter(table["gain"][here], y[here], facecolor=fill, edgecolor=COLOURS[0], zorder=3, label=label)
    ax.set_yticks(y, [plain(name) for name in table["model"]])
    ax.set(xlabel="gain over the first model (log score × 100)", ylim=(-0.6, len(table) - 0.4))
    ax.legend(fontsize="small", frameon=False, loc="best")
    return ax
