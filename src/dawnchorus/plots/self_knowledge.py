"""A plot of how well people know themselves."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..common.intervals import LEVEL
from ..model.context import Context
from ..results.findings.self_knowledge import RATES, groups_of, plain_name
from ..results.posterior import Posterior
from .choices import one_of
from .style import COLOURS, new_axes, plain

MANY = 8
"""If there are more values than this, their names are turned."""


def self_knowledge(
    posterior: Posterior, rate: str = "tpr", *, level: float = LEVEL, ax: Axes | None = None
) -> Axes:
    """Plot the rates of annotators by what they say of themselves, with the rate at their mean level.

    Parameters
    ----------
    posterior
        The result of `fit` with `skill`.
    rate
        `"tpr"` or `"fpr"`.
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
        If there is no such rate, or the fit did not ask what annotators say of themselves.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_portal(recordings=100, annotators=12, species=6, seed=1).annotations
    >>> posterior = dc.fit(annotations, skill="level", draws=50, warmup=50, min_ess=None, seed=1)
    >>> [tick.get_text() for tick in dc.plots.self_knowledge(posterior).get_xticklabels()]
    ['level 1', 'level 2', 'level 3']
    """
    table, rate = posterior.skill(level=level), one_of(rate, RATES, "rate")
    ax = new_axes(ax, width=max(4.0, 1.5 + 0.8 * len(table)))
    each, at = posterior.draws.mean(rate), np.arange(len(table))
    place, said = _places(posterior.model.expertise.said)  # type: ignore[attr-defined]
    aside = np.random.default_rng(0).uniform(-0.25, 0.25, len(place))  # so that dots do not overlap
    ax.plot(place + aside, each[said], "o", color="0.6", markersize=4, alpha=0.7, label="annotators")
    middle, low, high = (table[rate + end].to_numpy() for end in ("", "_lower", "_upper"))
    ax.vlines(at, low, high, color=COLOURS[0], linewidth=5, alpha=0.5)
    ax.plot(at, middle, "D", color=COLOURS[0], markersize=7, label=f"mean level, {100 * level:g} % interval")
    words = [plain(f"{plain_name(row.term)} {row.value}") for row in table.itertuples()]
    ax.set_xticks(at, words, fontsize="small", rotation=90 if len(table) > MANY else 0)
    top = 1 if rate == "tpr" else None
    ax.set(ylabel=posterior.draws.variable(rate).axis, xlim=(-0.6, len(table) - 0.4), ylim=(0, top))
    ax.legend(fontsize="small", frameon=False)
    return ax


def _places(said: Context) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each dot along the axis, and its annotator."""
    places, who, before = [], [], 0
    for term in said.terms:
        group, words = groups_of(term)
        known = np.flatnonzero(group >= 0)
        places.append(group[known] + before)
        who.append(known)
        before += len(words)
    return np.concatenate(places), np.concatenate(who)
