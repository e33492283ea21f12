"""Plots of chains (traces and ranks), and of prior against posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..common.checked import whole_number
from ..common.errors import AnnotationError
from ..common.ragged import Floats
from ..results.posterior import Posterior
from .style import COLOURS, cycled, new_axes, plain, with_legend

RANK_BINS = 20
PLURALS = {"annotator": "annotators", "species": "species", "pair": "pairs", "component": "components"}


def traces(
    posterior: Posterior, name: str, item: int | None = None, *, most: int = 1000, ax: Axes | None = None
) -> Axes:
    """Plot the draws of each chain of a parameter in order; the chains should look alike.

    Parameters
    ----------
    posterior
        The result of `fit`.
    name
        The name of a parameter in `posterior.draws`, such as `"tpr"`, `"occurrence"` or `"concentration"`.
    item
        The position of an annotator, species or pair, if the parameter has several values.
    most
        The largest number of draws to show; the last ones are shown.
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
    >>> dc.plots.traces(posterior, "tpr", 0).get_ylabel()
    'tpr, a1'
    """
    ax = new_axes(ax)
    values, most = _values(posterior, name, item), whole_number("most", most, least=1)
    for chain, colour in zip(values[:, -most:], cycled(COLOURS), strict=False):
        ax.plot(chain, color=colour, linewidth=0.5, alpha=0.8)
    ax.set(xlabel="draw", ylabel=_called(posterior, name, item))
    return ax


def ranks(posterior: Posterior, name: str, item: int | None = None, *, ax: Axes | None = None) -> Axes:
    """Plot the ranks of each chain's draws among all draws; each line should be close to the dotted one.

    Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding, and localization".

    Parameters
    ----------
    posterior
        The result of `fit`.
    name, item
        A parameter, as in `traces`.
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
    >>> dc.plots.ranks(posterior, "tpr", 0).get_xlabel()
    'rank among all chains'
    """
    ax = new_axes(ax)
    values = _values(posterior, name, item)
    rank = pd.Series(values.ravel()).rank().to_numpy().reshape(values.shape)
    bins = np.linspace(0, values.size, RANK_BINS + 1)
    for chain, colour in zip(rank, cycled(COLOURS), strict=False):
        counts = np.histogram(chain, bins)[0] / len(chain)
        ax.stairs(counts, bins, color=colour, linewidth=1)
    ax.axhline(1 / RANK_BINS, color="0.6", linestyle=":", linewidth=1)
    ax.set(xlabel="rank among all chains", ylabel="share of draws", ylim=(0, None))
    ax.set_title(_called(posterior, name, item), fontsize="medium", loc="left")
    return ax


def prior_and_posterior(posterior: Posterior, name: str, *, ax: Axes | None = None) -> Axes:
    """Plot the prior of a parameter, and its posterior over all annotators, species or pairs.

    Parameters
    ----------
    posterior
        The result of `fit`.
    name
        `"tpr"`, `"fpr"`, `"occurrence"` (not in mixtures) or, if the model has them, `"tpr_spread"`,
        `"fpr_spread"` and `"concentration"`.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If the model has no prior for this parameter.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> dc.plots.prior_and_posterior(posterior, "tpr").get_xlabel()
    'true positive rate'
    """
    ax = new_axes(ax)
    prior: Any = posterior.prior_of(name)
    if prior is None:
        known = ", ".join(v.name for v in posterior.draws.variables if v.prior)
        raise AnnotationError(f"the model {posterior.name} has no prior for '{name}'", f"use one of: {known}")
    before = prior.quantiles((np.arange(5000) + 0.5) / 5000)
    after = posterior.draws[name].ravel()[:: max(posterior.draws[name].size // 50_000, 1)]
    high = max(np.quantile(before, 0.99), np.quantile(after, 0.995))
    low = 0 if min(before.min(), after.min()) < high / 2 else min(before.min(), after.min())
    density: dict[str, Any] = {"bins": np.linspace(low, high, 41), "density": True}
    ax.hist(before, **density, histtype="stepfilled", color="0.7", alpha=0.6, label="before: the prior")
    variable = posterior.draws.variable(name)
    label = "after" + "".join(f": all {PLURALS[dim]}" for dim in variable.dims)
    ax.hist(after, **density, histtype="step", color=COLOURS[0], linewidth=1.5, label=label)
    ax.set(xlabel=variable.axis, ylabel="density", yticks=[])
    return with_legend(ax)


def _values(posterior: Posterior, name: str, item: int | None) -> Floats:
    values = posterior.draws[name]
    return values if item is None else values[..., item]


def _called(posterior: Posterior, name: str, item: int | None) -> str:
    words = name.replace("_", " ")
    if item is None:
        return words
    a, d = posterior.annotations, posterior.design
    (dim,) = posterior.draws.variable(name).dims
    if dim == "pair":
        who, what = a.annotators.index[d.rate_annotator[item]], a.species.index[d.pairs.item[item]]
        return plain(f"{words}, {who} on {what}")
    return plain(f"{words}, {(a.species if dim == 'species' else a.annotators).index[item]}")
