"""Plots of where and when species sing: curves over day and season, and sites as a list or a map."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes

from ..annotations.labels import Names, counted, place
from ..annotations.metadata.when import years_of
from ..common.checked import whole_number
from ..common.errors import AnnotationError
from ..common.intervals import LEVEL
from ..results.findings.where_and_when import Grid, context_of, days_of_year, grids_of
from ..results.posterior import Posterior
from .choices import some_of
from .style import COLOURS, new_axes, plain, species_names, tick, with_legend

WORDS = {"hour": "hour of the day", "date": "date", "sunrise": "hours from sunrise"}
"""Words for an axis."""
SHARE = "probability in a recording"
POINTS = 49
"""A curve is drawn through so many points at most."""
NAMED = 12
"""If there are more sites than this, a map has no names."""
MARGIN = 0.1
"""Around the sites on a map is so much room, as a share of their distance."""
SHADES = 10
"""So many colours are on a map."""


def when(
    posterior: Posterior,
    species: Names,
    term: str | None = None,
    *,
    level: float = LEVEL,
    ax: Axes | None = None,
) -> Axes:
    """Plot how probable species are over the day, the season or another number of the context, with bands.

    A curve is the mean probability over the fitted recordings, had all of them been made at this hour, and
    everything else been as it was. Ticks at the bottom show where there are recordings at all.

    Parameters
    ----------
    posterior
        The result of `fit` with a context.
    species
        Labels of the species to show, or a single label.
    term
        A term of the context, or what it is about, such as `"hour"`; by default the first with a number.
    level
        The level of the band.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If the fit has no context or no such term, the term has names, or there is no such species.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_portal(200, 8, 6, sites=3, seed=1).annotations
    >>> posterior = dc.fit(annotations, "base", context="site + cc(hour, df=4)", draws=100, min_ess=None)
    >>> dc.plots.when(posterior, "s1").get_xlabel()
    'hour of the day'
    """
    a, grid = posterior.annotations, _grid(posterior, term, levels=False)
    which = some_of(a.species.index, species)
    table = posterior.where_and_when(a.species.index[which], grid.term, points=POINTS, level=level)
    shape = (len(which), -1)
    mean, low, high = (
        table[f"probability{end}"].to_numpy().reshape(shape) for end in ("", "_lower", "_upper")
    )
    ax = new_axes(ax, height=3)
    for i, name in enumerate(species_names(a, which)):
        colour = COLOURS[i % len(COLOURS)]
        ax.fill_between(grid.value, low[i], high[i], color=colour, alpha=0.2, linewidth=0)
        ax.plot(grid.value, mean[i], color=colour, label=plain(name) if len(which) > 1 else None)
    used = grid.value[grid.recordings > 0]
    marks = np.repeat(used, 3), np.tile([0.0, 0.02, np.nan], len(used))
    ax.plot(*marks, color="0.5", linewidth=1, transform=ax.get_xaxis_transform())
    ax.set(xlabel=WORDS.get(grid.covariate, plain(grid.covariate)), ylabel=SHARE)
    ax.set(xlim=(grid.value[0], grid.value[-1]), ylim=(0, None))
    _ticks(ax, grid, years_of(a.recordings) if grid.covariate == "date" else [])
    return with_legend(ax)


def where(
    posterior: Posterior,
    species: str,
    term: str | None = None,
    *,
    most: int = 30,
    level: float = LEVEL,
    ax: Axes | None = None,
) -> Axes:
    """Plot how probable a species is at each site, or other name of the context, with intervals.

    It is the mean probability over the fitted recordings, had all of them been made at this site, and
    everything else been as it was.

    Parameters
    ----------
    posterior
        The result of `fit` with a context.
    species
        The label of the species.
    term
        A term of the context, or what it is about, such as `"site"`; by default the first with names.
    most
        The number of sites to show, the most probable first.
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
        If the fit has no context or no such term, the term has no names, or there is no such species.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_portal(200, 8, 6, sites=3, seed=1).annotations
    >>> posterior = dc.fit(annotations, "base", context="site + cc(hour, df=4)", draws=100, min_ess=None)
    >>> sorted(tick.get_text() for tick in dc.plots.where(posterior, "s1").get_yticklabels())
    ['s1', 's2', 's3']
    """
    a, grid = posterior.annotations, _grid(posterior, term, levels=True)
    label = a.species.index[place(a.species.index, species)]
    table = posterior.where_and_when(label, grid.term, level=level)
    shown = table.sort_values("probability", ascending=False, kind="stable")
    shown = shown.head(whole_number("most", most, least=1)).iloc[::-1]
    ax, y = new_axes(ax, height=1 + 0.2 * len(shown)), np.arange(len(shown))
    ends = shown["probability_lower"], shown["probability_upper"]
    ax.hlines(y, *ends, color=COLOURS[0], linewidth=3, alpha=0.5)
    ax.plot(shown["probability"], y, "o", color=COLOURS[0], markersize=5)
    ax.set_yticks(y, [tick(name) for name in shown["at"]], fontsize="small")
    ax.set(xlabel=SHARE, xlim=(0, None), ylim=(-0.7, len(shown) - 0.3))
    if len(shown) < len(table):
        ax.set_ylabel(f"{len(shown)} of {counted(len(table), plain(grid.covariate))}")
    return ax


def where_on_map(
    posterior: Posterior, species: str, term: str | None = None, *, ax: Axes | None = None
) -> Axes:
    """Plot how probable a species is at each site, on a map: the larger a dot, the more probable.

    Sites lie where their recordings were made on average, by the columns latitude and longitude of the table
    of recordings. Sites without coordinates are left out.

    Parameters
    ----------
    posterior
        The result of `fit` with a context.
    species
        The label of the species.
    term
        A term of the context, or what it is about, such as `"site"`; by default the first with names.
    ax
        Axes to draw into; by default new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    AnnotationError
        If recordings have no coordinates; otherwise as in `where`.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_portal(200, 8, 6, sites=3, seed=1).annotations
    >>> site = annotations.recordings["site"]
    >>> annotations.recordings["latitude"] = site.map({"s1": 60.2, "s2": 60.3, "s3": 60.5})
    >>> annotations.recordings["longitude"] = site.map({"s1": 24.9, "s2": 25.1, "s3": 24.8})
    >>> posterior = dc.fit(annotations, "base", context="site + cc(hour, df=4)", draws=100, min_ess=None)
    >>> dc.plots.where_on_map(posterior, "s1").get_ylabel()
    'latitude'
    """
    a, grid = posterior.annotations, _grid(posterior, term, levels=True)
    label = a.species.index[place(a.species.index, species)]
    sites = coordinates(posterior, grid)
    if sites.empty:
        raise AnnotationError(
            "recordings have no latitude and longitude, so that there is no map",
            "add these columns to the table of recordings, or plot a list with plots.where",
        )
    table = posterior.where_and_when(label, grid.term).set_index("at").loc[sites.index]
    chance = table["probability"].to_numpy()
    ax, top = new_axes(ax, height=4.5), max(float(chance.max()), 1e-9)
    dots = ax.scatter(
        sites["longitude"],
        sites["latitude"],
        s=20 + 120 * chance / top,
        c=chance,
        cmap=colormaps["cividis_r"].resampled(SHADES),
        vmin=0,
        edgecolors="0.5",
        linewidths=0.5,
    )
    if len(sites) <= NAMED:
        for name, east, north in sites[["longitude", "latitude"]].itertuples():
            ax.annotate(
                plain(name),
                (east, north),
                (0, 7),
                textcoords="offset points",
                ha="center",
                fontsize="x-small",
            )
    ax.set(xlabel="longitude", ylabel="latitude")
    ax.ticklabel_format(useOffset=False)
    points = sites[["longitude", "latitude"]].to_numpy()
    room = MARGIN * max(np.ptp(points, axis=0).max(), 0.01)
    ax.update_datalim([points.min(axis=0) - room, points.max(axis=0) + room])
    ax.autoscale_view()
    ax.set_aspect(1 / max(np.cos(np.deg2rad(points[:, 1].mean())), 0.05), adjustable="datalim")
    ax.figure.colorbar(dots, ax=ax, label=SHARE, shrink=0.7)
    return ax


def coordinates(posterior: Posterior, grid: Grid) -> pd.DataFrame:
    """Return latitude and longitude of each name of a term that has them: the means over its recordings."""
    recordings, columns = posterior.annotations.recordings, ["latitude", "longitude"]
    degrees = recordings.reindex(columns=columns).apply(pd.to_numeric, errors="coerce").astype(float)
    row = next(term.row for term in context_of(posterior).terms if term.name == grid.term)
    return degrees.groupby(np.asarray(grid.at, object)[row]).mean().dropna()


def _grid(posterior: Posterior, term: str | None, *, levels: bool) -> Grid:
    """Return the values of a term, or of the first that has names, or numbers."""
    all_grids = grids_of(posterior, term, POINTS)
    fitting = [grid for grid in all_grids if grid.levels == levels]
    if not fitting:
        has, other = ("names", "when") if levels else ("numbers", "where")
        what = f"'{term}'" if term else "the context"
        raise AnnotationError(
            f"{what} has no {has}, only {'numbers' if levels else 'names'}", f"use plots.{other}"
        )
    return fitting[0]


def _ticks(ax: Axes, grid: Grid, years: list[int]) -> None:
    """Write hours and dates as such."""
    low, high = grid.value[0], grid.value[-1]
    if grid.covariate == "hour":
        step = 6 if high - low > 12 else 3 if high - low > 6 else 1
        ax.set_xticks(np.arange(np.ceil(low / step) * step, high + 1e-9, step))
    if grid.covariate == "sunrise":
        ax.axvline(0, color="0.6", linestyle=":", linewidth=1)
    if grid.covariate != "date":
        return
    days = np.arange(np.ceil(low), high + 1e-9)
    dates = days_of_year(days, years[0] if len(years) == 1 else None)
    if high - low > 45:
        months = 1 if high - low < 200 else 3
        here = np.flatnonzero((dates.day == 1) & ((dates.month - 1) % months == 0))
    else:
        here = np.arange(0, len(days), max(int((high - low) / 4), 1))
    ax.set_xticks(days[here], [f"{dates[i].day} {dates[i]:%b}" for i in here])
