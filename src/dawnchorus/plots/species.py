"""Plots of species: how often they occur, and which occur together."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..annotations.labels import Names
from ..common.checked import whole_number
from ..common.errors import AnnotationError
from ..common.intervals import LEVEL
from ..common.lazy import lazy
from ..results.parts.any_posterior import AnyPosterior
from ..results.posterior import Posterior
from .choices import some_of
from .style import COLOURS, new_axes, species_names, tick

HIERARCHY = lazy("scipy.cluster.hierarchy")
DISTANCE = lazy("scipy.spatial.distance")


def occurrence(
    posterior: AnyPosterior, *, most: int = 30, level: float = LEVEL, ax: Axes | None = None
) -> Axes:
    """Plot how often the most common species occur, with intervals, and how often they were reported.

    Parameters
    ----------
    posterior
        The result of `fit`.
    most
        The number of species to show.
    level
        The level of the intervals.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> dc.plots.occurrence(posterior).get_xlabel()
    'share of recordings'
    """
    a = posterior.annotations
    table, most = posterior.species(level=level), whole_number("most", most, least=1)
    order = np.argsort(-table["occurrence"].to_numpy(), kind="stable")[:most][::-1]
    some = table.iloc[order]
    reported = posterior.reported_in[order] / max(posterior.n_recordings, 1)
    ax = new_axes(ax, width=6, height=1 + 0.2 * len(order))
    y = np.arange(len(order))
    ax.hlines(y, some["occurrence_lower"], some["occurrence_upper"], color=COLOURS[0], linewidth=3, alpha=0.5)
    ax.plot(some["occurrence"], y, "o", color=COLOURS[0], markersize=5, label="occurs")
    ax.plot(reported, y, "|", color=COLOURS[1], markersize=9, markeredgewidth=2, label="was reported")
    ax.set_yticks(y, [tick(name) for name in species_names(a, order)], fontsize="small")
    ax.set(xlabel="share of recordings", xlim=(0, None), ylim=(-0.7, len(order) - 0.3))
    ax.legend(fontsize="small", frameon=False, loc="lower right")
    return ax


def communities(posterior: Posterior, *, most: int = 8, ax: Axes | None = None) -> Axes:
    """Plot the components of a mixture as communities, with the probabilities of characteristic species.

    Parameters
    ----------
    posterior
        The result of `fit` with a mixture model.
    most
        The number of components to show, the largest first.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(2, recordings=200, species=6, co_occurring=3, visits=3, seed=1)
    >>> posterior = dc.fit(simulation.annotations, model="dp-bmm", draws=100, min_ess=None, seed=1)
    >>> dc.plots.communities(posterior).get_ylabel()
    'species that stand out'
    """
    a = posterior.annotations
    found = posterior.communities()[: whole_number("most", most, least=1)]
    standing = np.array(list(dict.fromkeys(k for one in found for k in one.stand_out)), int)
    ax = new_axes(ax, width=2.5 + 0.7 * len(found), height=1.2 + 0.22 * len(standing))
    if not len(standing):
        ax.text(0.5, 0.5, "no species stands out in any community", ha="center", va="center")
        ax.axis("off")
        return ax
    grid = np.array([one.probability[standing] for one in found])
    image = ax.imshow(grid.T, cmap="cividis", vmin=0, aspect="auto")
    titles = [f"{r}\n{one.shares.mean():.0%}" for r, one in enumerate(found, start=1)]
    ax.set_xticks(range(len(found)), titles, fontsize="small")
    ax.set_yticks(range(len(standing)), [tick(name) for name in species_names(a, standing)], fontsize="small")
    ax.set(xlabel="community, and its share of recordings", ylabel="species that stand out")
    ax.figure.colorbar(image, ax=ax, label="probability there", shrink=0.7)
    return ax


def correlation(
    posterior: Posterior, *, species: Names | None = None, most: int = 30, ax: Axes | None = None
) -> Axes:
    """Plot the correlation of species that a mixture implies, with similar species next to each other.

    Parameters
    ----------
    posterior
        The result of `fit` with a mixture model.
    species
        Labels of the species to show, or a single label; by default the most common ones.
    most
        The number of species to show by default.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If species are independent in the model, or there is no such species.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(2, recordings=80, species=6, co_occurring=3, visits=2, seed=1)
    >>> posterior = dc.fit(simulation.annotations, model="dp-bmm", draws=100, min_ess=None, seed=1)
    >>> len(dc.plots.correlation(posterior).get_xticks())
    6
    """
    if not posterior.has_components:
        raise AnnotationError(f"in the model {posterior.name}, species are independent", "fit dp-bmm or bmm")
    a = posterior.annotations
    if species is None:
        common = np.argsort(-posterior.draws.mean("occurrence"), kind="stable")[
            : whole_number("most", most, least=1)
        ]
    else:
        common = some_of(a.species.index, species)
    grid = posterior.findings.species_correlation(a.species.index[common]).to_numpy()
    if len(common) > 2:
        apart = DISTANCE.squareform(1 - grid, checks=False)
        order = HIERARCHY.leaves_list(HIERARCHY.linkage(apart, "average"))
        grid, common = grid[np.ix_(order, order)], common[order]
    grid = np.where(np.eye(len(common), dtype=bool), np.nan, grid)
    names = [tick(name) for name in species_names(a, common)]
    ax = new_axes(ax, width=2 + 0.24 * len(common), height=1.5 + 0.24 * len(common))
    top = max(float(np.nanmax(np.abs(grid), initial=0)), 0.01)
    image = ax.imshow(grid, cmap="PuOr_r", vmin=-top, vmax=top)
    ax.set_xticks(range(len(common)), names, rotation=90, fontsize="x-small")
    ax.set_yticks(range(len(common)), names, fontsize="x-small")
    ax.figure.colorbar(image, ax=ax, label="correlation", shrink=0.6)
    return ax


def difficulty(
    posterior: AnyPosterior,
    rate: str = "tpr",
    *,
    most: int = 20,
    level: float = LEVEL,
    ax: Axes | None = None,
) -> Axes:
    """Plot the species that are hardest for everyone, or most easily taken for present.

    Parameters
    ----------
    posterior
        The result of `fit` with `difficulty=True`.
    rate
        `"tpr"`: how often a typical annotator reports the species where it is, the lowest first; or `"fpr"`:
        how often where it is not, the highest first.
    most
        The number of species to show.
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
        If there is no such rate, or the fit did not learn the difficulty of species.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, difficulty=True, draws=50, warmup=50, min_ess=None, seed=1)
    >>> dc.plots.difficulty(posterior).get_xlabel()
    'true positive rate of a typical annotator'
    """
    words = {"tpr": "true positive rate", "fpr": "false positive rate"}
    if rate not in words:
        raise AnnotationError(f"there is no rate '{rate}' here", f"use one of: {', '.join(words)}")
    table, most = posterior.species(level=level), whole_number("most", most, least=1)
    column = f"typical_{rate}"
    if column not in table:
        raise AnnotationError(
            "this fit did not learn how hard species are", "fit a hierarchical model with difficulty=True"
        )
    value = table[column].to_numpy()
    order = np.argsort(value if rate == "tpr" else -value, kind="stable")[:most][::-1]
    some, y = table.iloc[order], np.arange(len(order))
    ax = new_axes(ax, width=6, height=1 + 0.2 * len(order))
    ax.hlines(y, some[f"{column}_lower"], some[f"{column}_upper"], color=COLOURS[0], linewidth=3, alpha=0.5)
    ax.plot(some[column], y, "o", color=COLOURS[0], markersize=5)
    ax.axvline(np.median(value), color="grey", linewidth=1, linestyle=":", label="half of the species")
    ax.set_yticks(y, [tick(name) for name in species_names(posterior.annotations, order)], fontsize="small")
    ax.set(xlabel=f"{words[rate]} of a typical annotator", ylim=(-0.7, len(order) - 0.3))
    ax.set_xlim(0, 1 if rate == "tpr" else None)
    ax.legend(fontsize="small", frameon=False, loc="lower left" if rate == "tpr" else "lower right")
    return ax
