"""The map of skills: the rates of annotators for each species."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Patch, Rectangle

from ..annotations.labels import Names
from ..results.findings.overall import MET
from ..results.posterior import Posterior
from .choices import one_of, some_of
from .style import RATES, new_axes, species_names, tick

MOST_SPECIES = 40
SCALE, NOTHING = "viridis", "0.92"
"""The colours of rates, none of which is grey; and that of squares without information, which is."""


def skills(
    posterior: Posterior,
    rate: str = "tpr",
    *,
    annotators: Names | None = None,
    species: Names | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the rates of annotators for each species as a coloured grid.

    Pale squares have no information. In hatched ones, the species is not on the annotator's list. In plain
    ones, the expected number of present cells that the annotator voted on is less than one (for the FPR: the
    annotator never voted on the species).

    Parameters
    ----------
    posterior
        The result of `fit` with a hierarchical model.
    rate
        `"tpr"` or `"fpr"`.
    annotators, species
        Labels to show, in this order, or a single label; by default all annotators, those with the most
        visits first, and the forty species with the most reports.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If the model has no rates by species, or there is no such label.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, draws=100, warmup=100, min_ess=None, seed=1)
    >>> len(dc.plots.skills(posterior).get_yticks())
    4
    """
    a, found = posterior.annotations, posterior.findings
    posterior.need_rates_by_species()
    one_of(rate, ("tpr", "fpr"), "rate")
    if annotators is None:
        visits = a.visits_of_annotators
        annotators = list(a.annotators.index[np.argsort(-visits, kind="stable")])
    if species is None:
        reports = a.reports_by_species
        species = list(a.species.index[np.argsort(-reports, kind="stable")[:MOST_SPECIES]])
    rows, columns = some_of(a.annotators.index, annotators), some_of(a.species.index, species)
    values = np.full((a.n_annotators, a.n_species), np.nan)
    d = posterior.design
    values[d.rate_annotator, d.pairs.item] = found.mean_rates[rate]
    known = found.met >= MET
    if rate == "fpr":
        known = np.zeros_like(known)
        known[d.rate_annotator, d.pairs.item] = d.reports + d.silences > 0
    values, known = values[np.ix_(rows, columns)], known[np.ix_(rows, columns)]
    ax = new_axes(ax, width=2 + 0.22 * len(columns), height=1.6 + 0.2 * len(rows))
    top = 1.0 if rate == "tpr" else max(float(np.nanmax(np.where(known, values, np.nan), initial=0)), 0.01)
    shades = colormaps[SCALE].with_extremes(bad=NOTHING)
    image = ax.imshow(np.where(known, values, np.nan), cmap=shades, vmin=0, vmax=top, aspect="auto")
    outside = [
        Rectangle((x - 0.5, y - 0.5), 1, 1) for y, x in zip(*np.nonzero(np.isnan(values)), strict=True)
    ]
    ax.add_collection(PatchCollection(outside, facecolor=NOTHING, edgecolor="0.6", hatch="////", linewidth=0))
    ax.set_xticks(
        range(len(columns)),
        [tick(name) for name in species_names(a, columns)],
        rotation=90,
        fontsize="x-small",
    )
    ax.set_yticks(range(len(rows)), [tick(name) for name in a.annotators.index[rows]], fontsize="x-small")
    ax.figure.colorbar(image, ax=ax, label=RATES[rate], shrink=0.6, pad=0.01)
    handles = [
        Patch(facecolor=NOTHING, edgecolor="0.6", label="no information"),
        Patch(facecolor=NOTHING, edgecolor="0.6", hatch="////", label="not on their list"),
    ]
    ax.figure.legend(handles=handles, loc="outside upper right", ncols=2, fontsize="x-small", frameon=False)
    return ax
