"""Plots of chains (traces and ranks), and of prior against posterior."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..common.checked import whole_number
from ..common.ragged import Floats
from ..model.variables import Variable
from ..results.parts.any_posterior import AnyPosterior
from .choices import item_place, one_of, parameter
from .style import COLOURS, cycled, new_axes, plain, with_legend

Item: TypeAlias = "str | tuple[str, str] | int | None"
RANK_BINS = 20
PLURALS = {
    "annotator": "annotators",
    "species": "species",
    "pair": "pairs",
    "component": "components",
    "term": "terms",
    "effect": "effects",
    "skill_term": "terms",
    "skill_effect": "effects",
    "machine": "machines",
}


def traces(
    posterior: AnyPosterior, name: str, item: Item = None, *, most: int = 1000, ax: Axes | None = None
) -> Axes:
    """Plot the draws of each chain of a parameter in order; the chains should look alike.

    Parameters
    ----------
    posterior
        The result of `fit`.
    name
        The name of a parameter in `posterior.draws`, such as `"tpr"`, `"occurrence"` or `"concentration"`.
    item
        The name of an annotator or species, a pair of both, or a position, if the parameter has several
        values; by default all together.
    most
        The largest number of draws to show; the last ones are shown.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If there is no such parameter or item.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> dc.plots.traces(posterior, "tpr", "a1").get_ylabel()
    'true positive rate, a1'
    """
    variable = parameter(posterior, name)
    which = item_place(posterior, variable, item)
    values = _values(posterior, variable, which)
    ax = new_axes(ax)
    most = whole_number("most", most, least=1)
    for chain, colour in zip(values[:, -most:], cycled(COLOURS), strict=False):
        ax.plot(chain, color=colour, linewidth=0.5, alpha=0.8)
    ax.set(xlabel="draw", ylabel=_called(posterior, variable, which))
    return ax


def ranks(posterior: AnyPosterior, name: str, item: Item = None, *, ax: Axes | None = None) -> Axes:
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

    Raises
    ------
    AnnotationError
        If there is no such parameter or item.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> dc.plots.ranks(posterior, "tpr", "a1").get_xlabel()
    'rank among all chains'
    """
    variable = parameter(posterior, name)
    which = item_place(posterior, variable, item)
    values = _values(posterior, variable, which)
    ax = new_axes(ax)
    rank = pd.Series(values.ravel()).rank().to_numpy().reshape(values.shape)
    bins = np.linspace(0, values.size, RANK_BINS + 1)
    for chain, colour in zip(rank, cycled(COLOURS), strict=False):
        counts = np.histogram(chain, bins)[0] / len(chain)
        ax.stairs(counts, bins, color=colour, linewidth=1)
    ax.axhline(1 / RANK_BINS, color="0.6", linestyle=":", linewidth=1)
    ax.set(xlabel="rank among all chains", ylabel="share of draws", ylim=(0, None))
    ax.set_title(_called(posterior, variable, which), fontsize="medium", loc="left")
    return ax


def prior_and_posterior(posterior: AnyPosterior, name: str, *, ax: Axes | None = None) -> Axes:
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
    known = [v.name for v in posterior.draws.variables if v.prior]
    prior: Any = posterior.prior_of(one_of(name, known, "parameter with a prior of its own"))
    ax = new_axes(ax)
    before = prior.quantiles((np.arange(5000) + 0.5) / 5000)
    after = posterior.draws[name].ravel()[:: max(posterior.draws[name].size // 50_000, 1)]
    high = max(np.quantile(before, 0.99), np.quantile(after, 0.995))
    lowest = min(before.min(), after.min())
    low = 0 if 0 <= lowest < high / 2 else lowest
    density: dict[str, Any] = {"bins": np.linspace(low, high, 41), "density": True}
    ax.hist(before, **density, histtype="stepfilled", color="0.7", alpha=0.6, label="before: the prior")
    variable = posterior.draws.variable(name)
    label = "after" + "".join(f": all {PLURALS[dim]}" for dim in variable.dims)
    ax.hist(after, **density, histtype="step", color=COLOURS[0], linewidth=1.5, label=label)
    ax.set(xlabel=variable.axis, ylabel="", yticks=[])
    return with_legend(ax)


def _values(posterior: AnyPosterior, variable: Variable, item: int | None) -> Floats:
    values = posterior.draws[variable.name]
    if variable.names:
        values = values.reshape(*values.shape[:2], -1)
    return values if item is None else values[..., item]


def _called(posterior: AnyPosterior, variable: Variable, item: int | None) -> str:
    words = variable.axis
    if item is None:
        return words
    a, d = posterior.annotations, posterior.design
    dim = variable.dims[-1]
    if dim == "pair":
        who, what = a.annotators.index[d.rate_annotator[item]], a.species.index[d.pairs.item[item]]
        return plain(f"{words}, {who} on {what}")
    if dim == "component":
        return f"{words}, number {item + 1}"
    if variable.names:
        effect, k = divmod(item, a.n_species) if dim == "species" else (item, None)
        on = "" if k is None else f" on {a.species.index[k]}"
        return plain(f"{words}, {variable.names[effect]}{on}")
    return plain(f"{words}, {(a.species if dim == 'species' else a.annotators).index[item]}")
