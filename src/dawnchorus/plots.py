"""Plots: figures of evaluations and posteriors. Every function draws into axes and gives them back.

Colours are those of Okabe and Ito, which colour-blind people can tell apart; lines differ in their marks too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .evaluation import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .posterior import Posterior

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
RATES = {"tpr": "true positive rate", "fpr": "false positive rate"}


def roc(evaluations: Evaluation | Mapping[str, Evaluation], ax: Axes | None = None) -> Axes:
    """Draw ROC curves, with the area under each and its interval if there is one.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(visits=2.4, seed=1)
    >>> scores = dc.evaluate(dc.fit(simulation.annotations, model="majority-vote"), simulation.truth)
    >>> dc.plots.roc({"majority vote": scores}).get_xlabel()
    'share of absent cells called present'
    """
    ax = _axes(ax)
    for (name, scores), colour in zip(_named(evaluations).items(), _cycle(COLOURS), strict=False):
        low, high = scores.intervals.get("auc", (None, None))
        between = "" if low is None else f" ({low:.3f} to {high:.3f})"
        label = f"{name}: {scores.auc:.3f}{between}".lstrip(": ")
        ax.plot(scores.roc["absent_called"], scores.roc["present_called"], color=colour, label=label)
    ax.plot([0, 1], [0, 1], color="0.7", linestyle=":", linewidth=1)
    ax.set(xlabel="share of absent cells called present", ylabel="share of present cells called present")
    ax.legend(title="area under the curve", loc="lower right", fontsize="small", frameon=False)
    return ax


def calibration(evaluations: Evaluation | Mapping[str, Evaluation], ax: Axes | None = None) -> Axes:
    """Draw how often cells were present against how probable they were said to be.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(visits=2.4, seed=1)
    >>> scores = dc.evaluate(dc.fit(simulation.annotations, model="majority-vote"), simulation.truth)
    >>> dc.plots.calibration(scores).get_ylabel()
    'share of cells present'
    """
    ax = _axes(ax)
    ax.plot([0, 1], [0, 1], color="0.7", linestyle=":", linewidth=1)
    for i, (name, scores) in enumerate(_named(evaluations).items()):
        table = scores.calibration[scores.calibration["cells"] > 0]
        ax.plot(table["probability"], table["observed"], **_look(i), label=name)
    ax.set(xlabel="probability", ylabel="share of cells present", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return _with_legend(ax)


def thresholds(
    evaluations: Evaluation | Mapping[str, Evaluation], measure: str = "sensitivity", ax: Axes | None = None
) -> Axes:
    """Draw sensitivity, specificity or accuracy against the probability from which a cell counts as present.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(visits=2.4, seed=1)
    >>> scores = dc.evaluate(dc.fit(simulation.annotations, model="majority-vote"), simulation.truth)
    >>> dc.plots.thresholds(scores, "accuracy").get_ylabel()
    'accuracy'
    """
    ax = _axes(ax)
    for i, (name, scores) in enumerate(_named(evaluations).items()):
        table = scores.thresholds
        ax.plot(table["threshold"], table[measure], **_look(i), label=name, markevery=3)
    ax.set(xlabel="present from this probability on", ylabel=measure)
    return _with_legend(ax)


def annotators(
    posterior: Posterior,
    rate: str = "tpr",
    *,
    by: str | None = None,
    names: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the rate of each annotator as a violin, lowest first.

    Parameters
    ----------
    posterior
        What `fit` gave.
    rate
        `"tpr"` or `"fpr"`; in hierarchical models also `"mean_tpr"` and `"mean_fpr"`, over the species list.
    by
        A column of the annotators' metadata, such as a self-rated level, to colour by.
    names
        Whether to name the annotators below; by default where they are at most sixty.
    ax
        Axes to draw into; by default new ones.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> len(dc.plots.annotators(posterior).get_xticks())
    4
    """
    a = posterior.annotations
    draws = posterior.draws[rate].reshape(-1, a.n_annotators)
    order = np.argsort(draws.mean(axis=0), kind="stable")
    groups = a.annotators[by].astype(str).to_numpy() if by is not None else np.full(a.n_annotators, "")
    kinds = sorted(set(groups))
    ax = _axes(ax, width=9)
    for kind, colour in zip(kinds, _cycle(COLOURS), strict=False):
        places = np.flatnonzero(groups[order] == kind)
        drawn = ax.violinplot(
            [draws[:, order[place]] for place in places],
            places,
            widths=0.9,
            showextrema=False,
            showmedians=True,
        )
        bodies: Any = drawn["bodies"]
        for body in bodies:
            body.set(facecolor=colour, edgecolor=colour, alpha=0.6)
        drawn["cmedians"].set(color="black", linewidth=1)
        ax.plot([], [], color=colour, linewidth=6, alpha=0.6, label=kind)
    named = a.n_annotators <= 60 if names is None else names
    ax.set_xticks(range(a.n_annotators), a.annotators.index[order] if named else [""] * a.n_annotators)
    ax.tick_params(axis="x", labelrotation=90, labelsize="x-small")
    ax.set(ylabel=RATES.get(rate, rate.replace("_", " ")), xlim=(-1, a.n_annotators))
    if by is not None:
        ax.legend(title=by.replace("_", " "), fontsize="small", frameon=False)
    return ax


def traces(
    posterior: Posterior, name: str, item: int | None = None, *, most: int = 1000, ax: Axes | None = None
) -> Axes:
    """Draw the way of each chain through the values of a parameter; chains should look alike.

    Parameters
    ----------
    posterior
        What `fit` gave.
    name
        One of `posterior.draws` or `posterior.pairs`, such as `"tpr"`, `"occurrence"` or `"concentration"`.
    item
        Which annotator, species or pair, by place.
    most
        Draw the last so many draws.
    ax
        Axes to draw into; by default new ones.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> dc.plots.traces(posterior, "tpr", 0).get_ylabel()
    'tpr, a1'
    """
    ax = _axes(ax)
    values = posterior.draws[name] if name in posterior.draws else posterior.pairs[name]
    if item is not None:
        values = values[..., item]
    for chain, colour in zip(values[:, -most:], _cycle(COLOURS), strict=False):
        ax.plot(chain, color=colour, linewidth=0.5, alpha=0.8)
    ax.set(xlabel="draw", ylabel=f"{name.replace('_', ' ')}{_of(posterior, values, name, item)}")
    return ax


def curves(
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    by: str,
    band: tuple[str, str] | None = None,
    order: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a column of a table against another, a line for each group, with a band if there is one.

    Examples
    --------
    >>> import pandas as pd, dawnchorus as dc
    >>> table = pd.DataFrame({"visits": [1, 2], "auc": [0.8, 0.9], "low": [0.7, 0.8], "high": [0.9, 1.0],
    ...                       "model": "base"})
    >>> dc.plots.curves(table, "visits", "auc", by="model", band=("low", "high")).get_xlabel()
    'visits'
    """
    ax = _axes(ax)
    for i, name in enumerate(order or list(dict.fromkeys(table[by]))):
        part = table[table[by] == name].sort_values(x)
        if not len(part):
            continue
        ax.plot(part[x], part[y], **_look(i), label=name)
        if band is not None:
            ax.fill_between(part[x], part[band[0]], part[band[1]], color=_look(i)["color"], alpha=0.15, lw=0)
    ax.set(xlabel=x, ylabel=y)
    return _with_legend(ax)


def _axes(ax: Axes | None, width: float = 5.5) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, 4), layout="constrained")[1]


def _look(i: int) -> dict[str, Any]:
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": MARKS[i % len(MARKS)],
        "markersize": 4,
        "linewidth": 1.2,
    }


def _cycle(values: Sequence[str]) -> list[str]:
    return list(values) * 100


def _named(evaluations: Evaluation | Mapping[str, Evaluation]) -> Mapping[str, Evaluation]:
    return {"": evaluations} if isinstance(evaluations, Evaluation) else evaluations


def _with_legend(ax: Axes) -> Axes:
    if any(ax.get_legend_handles_labels()[1]):
        ax.legend(fontsize="small", frameon=False)
    return ax


def _of(posterior: Posterior, values: Any, name: str, item: int | None) -> str:
    if item is None:
        return ""
    a = posterior.annotations
    if name in posterior.pairs:
        pairs = posterior.annotator_species()
        return f", {pairs['annotator'][item]} on {pairs['species'][item]}"
    return f", {(a.species if name == 'occurrence' else a.annotators).index[item]}"
