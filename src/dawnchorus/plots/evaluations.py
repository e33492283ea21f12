"""Plots of presence probabilities against the truth, and of other curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from ..annotations.labels import several
from ..common.errors import AnnotationError
from ..common.wording import listed
from ..evaluation.evaluation import MARKED, Evaluation
from .choices import none_named, one_of
from .style import COLOURS, cycled, look, new_axes, with_legend

AXES = {"present": "probability of presence", "report": "probability of a report"}
"""What probabilities of an evaluation are about, as labels of an axis."""


def roc(evaluations: Evaluation | Mapping[str, Evaluation], ax: Axes | None = None) -> Axes:
    """Plot ROC curves, with the area under each curve and its bootstrap interval, if there is one.

    Parameters
    ----------
    evaluations
        The result of `evaluate`, or several by name.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(visits=2.4, seed=1)
    >>> scores = dc.evaluate(dc.fit(simulation.annotations, model="majority-vote"), simulation.truth)
    >>> dc.plots.roc({"majority vote": scores}).get_xlabel()
    'share of absent cells called present'
    """
    named, ax = _named(evaluations), new_axes(ax)
    for (name, scores), colour in zip(named.items(), cycled(COLOURS), strict=False):
        low, high = scores.intervals.get("auc", (None, None))
        between = "" if low is None else f" ({low:.3f} to {high:.3f})"
        label = f"{name}: {scores.auc:.3f}{between}".lstrip(": ")
        ax.plot(scores.roc["absent_called"], scores.roc["present_called"], color=colour, label=label)
    ax.plot([0, 1], [0, 1], color="0.7", linestyle=":", linewidth=1)
    ax.set(xlabel="share of absent cells called present", ylabel="share of present cells called present")
    ax.legend(title="area under the curve", loc="lower right", fontsize="small", frameon=False)
    return ax


def calibration(evaluations: Evaluation | Mapping[str, Evaluation], ax: Axes | None = None) -> Axes:
    """Plot the observed share of present cells against their probability; the diagonal is perfect.

    The axes say which probability: that the species is present, or that an annotator would report it. Then
    the truth is what an expert heard, and the share is that of the cells that it marks.

    Parameters
    ----------
    evaluations
        The result of `evaluate`, or several by name.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(visits=2.4, seed=1)
    >>> scores = dc.evaluate(dc.fit(simulation.annotations, model="majority-vote"), simulation.truth)
    >>> dc.plots.calibration(scores).get_ylabel()
    'share of cells present'
    """
    named, ax = _named(evaluations), new_axes(ax)
    which = {scores.compared for scores in named.values()}
    mixed = len(which) > 1
    ax.plot([0, 1], [0, 1], color="0.7", linestyle=":", linewidth=1)
    for i, (name, scores) in enumerate(named.items()):
        table = scores.calibration[scores.calibration["cells"] > 0]
        label = name
        if mixed:
            itself = name in ("", scores.compared)
            label = AXES[scores.compared] if itself else f"{name}, as {scores.compared}"
        ax.plot(table["probability"], table["observed"], **look(i), label=label)
    xlabel = "probability" if mixed else AXES[next(iter(which))]
    marked = MARKED["report" if "report" in which else "present"]
    ax.set(xlabel=xlabel, ylabel=f"share of cells {marked}", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return with_legend(ax)


def thresholds(
    evaluations: Evaluation | Mapping[str, Evaluation], measure: str = "sensitivity", ax: Axes | None = None
) -> Axes:
    """Plot a measure against the threshold, the probability from which a cell counts as present.

    Parameters
    ----------
    evaluations
        The result of `evaluate`, or several by name.
    measure
        `"sensitivity"`, `"specificity"` or `"accuracy"`.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If there is no such measure or column.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(visits=2.4, seed=1)
    >>> scores = dc.evaluate(dc.fit(simulation.annotations, model="majority-vote"), simulation.truth)
    >>> dc.plots.thresholds(scores, "accuracy").get_ylabel()
    'accuracy'
    """
    one_of(measure, ("sensitivity", "specificity", "accuracy"), "measure")
    named, ax = _named(evaluations), new_axes(ax)
    for i, (name, scores) in enumerate(named.items()):
        table = scores.thresholds
        ax.plot(table["threshold"], table[measure], **look(i), label=name, markevery=3)
    ax.set(xlabel="counts from this probability on", ylabel=measure)
    return with_legend(ax)


def curves(
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    by: str,
    band: tuple[str, str] | None = None,
    order: str | Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot one column of a table against another, with one line per group.

    Parameters
    ----------
    table
        The data.
    x, y
        The names of the columns to plot.
    by
        The column of groups.
    band
        The columns with the lower and upper bound of a shaded band; by default no band.
    order
        The groups in order, or a single one; by default as they appear in the table. One that is not in the
        table has no line, but keeps its colour, so that several figures can share an order.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If there is no such column, or no group to plot.

    Examples
    --------
    >>> import pandas as pd, dawnchorus as dc
    >>> table = pd.DataFrame({"visits": [1, 2], "auc": [0.8, 0.9], "low": [0.7, 0.8], "high": [0.9, 1.0],
    ...                       "model": "base"})
    >>> dc.plots.curves(table, "visits", "auc", by="model", band=("low", "high")).get_xlabel()
    'visits'
    """
    for column in (x, y, by, *(band or ())):
        one_of(column, table.columns, "column")
    groups = list(dict.fromkeys(table[by]))
    named = groups if order is None else several(order)
    if not set(named) & set(groups):
        there = f"the column '{by}' has {listed(groups)}" if groups else "the table has no rows"
        wanted = f", none of which is {listed(named, last=' or ')}" if groups and named else ""
        raise AnnotationError(f"there is nothing to plot: {there}{wanted}", f"name at least one {by} of them")
    ax = new_axes(ax)
    for i, name in enumerate(named):
        part = table[table[by] == name].sort_values(x)
        if not len(part):
            continue
        ax.plot(part[x], part[y], **look(i), label=name)
        if band is not None:
            ax.fill_between(part[x], part[band[0]], part[band[1]], color=look(i)["color"], alpha=0.15, lw=0)
    ax.set(xlabel=x, ylabel=y)
    return with_legend(ax)


def _named(evaluations: Evaluation | Mapping[str, Evaluation]) -> Mapping[str, Evaluation]:
    """Return evaluations by name; raise an error if there is none, or something else among them."""
    if isinstance(evaluations, Evaluation):
        return {"": evaluations}
    if not evaluations:
        raise none_named("evaluation")
    for name, one in evaluations.items():
        if not isinstance(one, Evaluation):
            raise TypeError(
                f"'{name}' is a {type(one).__name__}: give an Evaluation, which dc.evaluate returns"
            )
    return evaluations
