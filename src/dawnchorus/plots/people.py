"""Plots of the rates of annotators: what they can and cannot identify."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..annotations.labels import Names, annotator_column, as_text, in_order, place
from ..common.checked import yes_or_no
from ..common.intervals import LEVEL, interval
from ..common.ragged import Floats, Ints
from ..model.variables import Variable
from ..results.parts.any_posterior import AnyPosterior
from ..results.posterior import Posterior
from .choices import parameter, some_of
from .style import COLOURS, HATCHES, MARKS, cycled, new_axes, plain, tick

VIOLIN_DRAWS = 2000
"""The largest number of draws in a violin; more would not change its shape visibly."""


def annotators(
    posterior: AnyPosterior,
    rate: str = "tpr",
    *,
    by: str | None = None,
    which: Names | None = None,
    names: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the rate of each annotator as a violin, in ascending order.

    Parameters
    ----------
    posterior
        The result of `fit`.
    rate
        `"tpr"` or `"fpr"`; in hierarchical models also `"mean_tpr"` and `"mean_fpr"`, the means over the
        annotator's species list.
    by
        A column of the annotators' metadata, such as a self-rated level, to colour by.
    which
        Labels of the annotators to show, or a single label; by default all.
    names
        Whether to write the names of the annotators; by default if there are at most sixty.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If there is no such rate, annotator or column.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> len(dc.plots.annotators(posterior).get_xticks())
    4
    """
    yes_or_no(names=names)
    a = posterior.annotations
    variable, chosen, draws, groups = _rates_of(posterior, rate, by, which)
    draws = draws[:: max(len(draws) // VIOLIN_DRAWS, 1)]
    order = np.argsort(draws.mean(axis=0), kind="stable")
    kinds = in_order(np.unique(groups))
    ax = new_axes(ax, width=9)
    looks = zip(kinds, cycled(COLOURS), cycled(HATCHES if by is not None else ("",)), strict=False)
    for kind, colour, hatch in looks:
        at = np.flatnonzero(groups[order] == kind)
        drawn = ax.violinplot(
            [draws[:, order[i]] for i in at],
            at,
            widths=0.9,
            showextrema=False,
            showmedians=True,
        )
        bodies: Any = drawn["bodies"]
        for body in bodies:
            body.set(facecolor=colour, edgecolor=colour, alpha=0.6, hatch=hatch)
        drawn["cmedians"].set(color="black", linewidth=1)
        ax.fill_between([], [], color=colour, alpha=0.6, hatch=hatch, label=plain(kind))
    named = len(chosen) <= 60 if names is None else names
    labels = a.annotators.index[chosen[order]]
    ax.set_xticks(range(len(chosen)), [tick(label) if named else "" for label in labels])
    ax.tick_params(axis="x", labelrotation=90, labelsize="x-small")
    ax.set(ylabel=variable.axis, xlim=(-1, len(chosen)))
    if by is not None:
        ax.legend(title=by.replace("_", " "), fontsize="small", frameon=False)
    return ax


def annotator_intervals(
    posterior: AnyPosterior,
    rate: str = "tpr",
    *,
    by: str | None = None,
    which: Names | None = None,
    level: float = LEVEL,
    ax: Axes | None = None,
) -> Axes:
    """Plot the rate of each annotator as a dot with its interval, one below the other, the highest first.

    It is what `annotators` shows, for a narrow page: names are at the side.

    Parameters
    ----------
    posterior
        The result of `fit`.
    rate, by, which
        As in `annotators`.
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
        If there is no such rate, annotator or column.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> len(dc.plots.annotator_intervals(posterior).get_yticks())
    4
    """
    variable, chosen, draws, groups = _rates_of(posterior, rate, by, which)
    mean, (low, high) = draws.mean(axis=0), interval(draws, level)
    order = np.argsort(mean, kind="stable")
    ax = new_axes(ax, height=1 + 0.2 * len(chosen))
    kinds = zip(in_order(np.unique(groups)), cycled(COLOURS), cycled(MARKS), strict=False)
    for kind, colour, mark in kinds:
        at = np.flatnonzero(groups[order] == kind)
        who = order[at]
        ax.hlines(at, low[who], high[who], color=colour, linewidth=3, alpha=0.5)
        ax.plot(mean[who], at, mark, color=colour, markersize=5, label=plain(kind))
    names = posterior.annotations.annotators.index[chosen[order]]
    ax.set_yticks(range(len(chosen)), [tick(name) for name in names], fontsize="small")
    ax.set(xlabel=variable.axis, xlim=(_left(draws), None), ylim=(-0.7, len(chosen) - 0.3))
    if by is not None:
        title = by.replace("_", " ")
        ax.figure.legend(title=title, loc="outside upper right", ncols=4, fontsize="small", frameon=False)
    return ax


def among_others(
    posterior: Posterior,
    annotator: str,
    rate: str = "tpr",
    *,
    others: bool = True,
    level: float = LEVEL,
    ax: Axes | None = None,
) -> Axes:
    """Plot the rate of one annotator, with its interval, among those of the others, without their names.

    Parameters
    ----------
    posterior
        The result of `fit`.
    annotator
        The label of the annotator.
    rate
        As in `annotators`.
    others
        Whether to show the other annotators, if they visited any recording, as dots.
    level
        The level of the interval.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If there is no such rate, annotator or column.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> dc.plots.among_others(posterior, "a1").get_xlabel()
    'true positive rate'
    """
    yes_or_no(others=others)
    a = posterior.annotations
    j = place(a.annotators.index, annotator)
    variable = parameter(posterior, rate, "annotator")
    draws = posterior.draws.flat(rate)
    low, high = interval(draws[:, j], level)
    ax = new_axes(ax, height=1.8)
    if others:
        dots = np.unique(a.visit_annotator[a.visit_annotator != j])
        lift = np.random.default_rng(0).uniform(-0.25, 0.25, len(dots))  # so that dots do not overlap
        ax.plot(draws.mean(axis=0)[dots], lift, "o", color="0.6", markersize=4, alpha=0.7, label="others")
    label = f"you, with the {100 * level:g} % interval"
    ax.hlines(0, low, high, color=COLOURS[1], linewidth=5, alpha=0.5)
    ax.plot(
        draws[:, j].mean(),
        0,
        "D",
        color=COLOURS[1],
        markersize=8,
        label=label,
    )
    ax.set(xlabel=variable.axis, yticks=[], ylim=(-0.6, 0.6))
    ax.set_xlim(_left(draws), 1 if rate == "tpr" else None)
    ax.locator_params(axis="x", nbins=5)
    ax.spines["left"].set_visible(False)
    ax.legend(fontsize="small", frameon=False, loc="upper left")
    return ax


def _rates_of(
    posterior: AnyPosterior, rate: str, by: str | None, which: Names | None
) -> tuple[Variable, Ints, Floats, Any]:
    """Return a rate, the places of the annotators to show, their draws, and the group of each."""
    a = posterior.annotations
    chosen = np.arange(a.n_annotators) if which is None else some_of(a.annotators.index, which)
    variable = parameter(posterior, rate, "annotator")
    groups = np.full(len(chosen), "", object)
    if by is not None:
        column = a.annotators[annotator_column(a.annotators, by)]
        groups[:] = [as_text(value) or "not known" for value in column.iloc[chosen]]
    return variable, chosen, posterior.draws.flat(rate)[:, chosen], groups


def _left(draws: Floats) -> float | None:
    """Return where an axis begins: rates at 0, logits wherever they are."""
    return 0 if draws.min(initial=0) >= 0 else None
