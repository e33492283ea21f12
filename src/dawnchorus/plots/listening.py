"""Plots of what somebody who listens would report."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..annotations.labels import Names
from ..results.listening.who import TYPICAL, words_for
from ..results.parts.any_posterior import AnyPosterior
from .style import COLOURS, new_axes, plain

MOST = 200
"""So many species have a line of their own, the most common ones."""


def present_or_reported(posterior: AnyPosterior, annotator: Names = TYPICAL, ax: Axes | None = None) -> Axes:
    """Plot how probable a report is, by how probable it is that the species is present.

    Each species is a thin line, from the share of its absences that are reported (left) to the share of its
    presences that are (right); the thick line is their mean. On the dotted line, both probabilities would be
    the same.

    Parameters
    ----------
    posterior
        The result of `fit`.
    annotator
        Who listens, as in `posterior.would_report`.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If there is no such annotator.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, draws=50, warmup=50, min_ess=None, seed=1)
    >>> dc.plots.present_or_reported(posterior).get_xlabel()
    'probability that the species is present'
    """
    listener = posterior.listener(annotator)
    fpr, tpr = listener.fpr.mean(axis=0), listener.tpr.mean(axis=0)
    common = np.argsort(-posterior.draws.mean("occurrence"), kind="stable")[:MOST]
    ax = new_axes(ax)
    ax.plot([0, 1], [0, 1], color="0.7", linestyle=":", linewidth=1, label="the same")
    for place, k in enumerate(common):
        label = "one species" if place == 0 else None
        ax.plot([0, 1], [fpr[k], tpr[k]], color=COLOURS[4], linewidth=0.7, alpha=0.6, label=label)
    ends = [float(fpr.mean()), float(tpr.mean())]
    ax.plot([0, 1], ends, color=COLOURS[0], linewidth=2.5, marker="o", label="mean of species")
    for x, shift, words in ((1, 8, f"{ends[1]:.2f}"), (0, 12, f"{ends[0]:.3f}")):
        ax.annotate(words, (x, ends[x]), xytext=(shift, 0), textcoords="offset points", va="center")
    who = plain(words_for(annotator))
    ax.set(
        xlabel="probability that the species is present",
        ylabel=f"probability that {who}\nwould report it",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
    ax.legend(fontsize="small", frameon=False, loc="upper left")
    return ax
