"""How the chains went, and what they learnt beyond the prior."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..common.errors import AnnotationError
from ..common.ragged import Floats
from ..results.posterior import Posterior
from .style import COLOURS, cycled, new_axes, plain, with_legend

RANK_BINS = 20
PLURALS = {"annotator": "annotators", "species": "species", "pair": "pairs", "component": "components"}


def traces(
    posterior: Posterior, name: str, item: int | None = None, *, most: int = 1000, ax: Axes | None = None
) -> Axes:
    """Draw the way of each chain through the values of a parameter; chains should look alike.

    Parameters
    ----------
    posterior
        What `fit` gave.
    name
        One of `posterior.draws`, such as `"tpr"`, `"occurrence"` or `"concentration"`.
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
    ax = new_axes(ax)
    values = _values(posterior, name, item)
    for chain, colour in zip(values[:, -most:], cycled(COLOURS), strict=False):
        ax.plot(chain, color=colour, linewidth=0.5, alpha=0.8)
    ax.set(xlabel="draw", ylabel=_called(posterior, name, item))
    return ax


def ranks(posterior: Posterior, name: str, item: int | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw how the draws of each chain rank among all; each line should stay close to the dotted one.

    Parameters
    ----------
    posterior
        What `fit` gave.
    name, item
        A parameter, as in `traces`.
    ax
        Axes to draw into; by default new ones.

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
    rank = _mean_ranks(values)
    bins = np.linspace(0, values.size, RANK_BINS + 1)
    for chain, colour in zip(rank, cycled(COLOURS), strict=False):
        counts = np.histogram(chain, bins)[0] / len(chain)
        ax.stairs(counts, bins, color=colour, linewidth=1)
    ax.axhline(1 / RANK_BINS, color="0.6", linestyle=":", linewidth=1)
    ax.set(xlabel="rank among all chains", ylabel="share of draws", ylim=(0, None))
    ax.set_title(_called(posterior, name, item), fontsize="medium", loc="left")
    return ax


def prior_and_posterior(posterior: Posterior, name: str, *, ax: Axes | None = None) -> Axes:
    """Draw what was believed of a parameter before, and what all annotators or species turned out to have.

    Parameters
    ----------
    posterior
        What `fit` gave.
    name
        `"tpr"`, `"fpr"`, `"occurrence"` (not in mixtures), or what the model has of `"tpr_spread"`,
        `"fpr_spread"` and `"concentration"`.
    ax
        Axes to draw into; by default new ones.

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
        raise AnnotationError(
            f"the model {posterior.name} has no prior of '{name}' to draw", f"name one of: {known}"
        )
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


def _mean_ranks(values: Floats) -> Floats:
    """Return the rank of each value among all, the mean rank for equal ones.

    >>> _mean_ranks(np.array([[3.0, 1.0], [3.0, 7.0]]))
    array([[2.5, 1. ],
           [2.5, 4. ]])
    """
    _, group, times = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(times) - (times - 1) / 2)[group].reshape(values.shape)


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
