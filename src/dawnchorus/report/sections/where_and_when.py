"""Where and when: the hours, dates and sites at which species sing, for fits with a context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes

from ... import plots
from ...annotations.labels import all_of, in_table
from ...plots.where_and_when import coordinates
from ...results.findings.where_and_when import Grid, grids_of
from ..figures import draw_panels
from ..subject import Subject

MOST = 50
"""So many of the most common species are in the table,"""
FIGURES = 6
"""and so many have a figure,"""
SITES = 12
"""in which so many sites are listed."""


def section(subject: Subject) -> dict[str, Any] | None:
    """Return where and when the most common species sing, or None if the fit has no context."""
    posterior = subject.whole
    if posterior.context is None:
        return None
    grids = sorted(grids_of(posterior), key=lambda grid: grid.levels)  # curves first
    common = np.argsort(-posterior.draws.mean("occurrence"), kind="stable")[:MOST]
    panels = [panel for grid in grids for panel in _panels(subject, grid)]
    shown = [
        {"name": subject.species[k], "figure": _figure(subject, int(k), panels)} for k in common[:FIGURES]
    ]
    total, order = subject.annotations.n_species, "the most common first"
    return {
        "formula": posterior.context.formula,
        "curves": any(not grid.levels for grid in grids),
        "lists": any(grid.levels for grid in grids),
        "sites": max((len(grid.row) for grid in grids if grid.levels), default=0) > SITES and SITES,
        "maps": len(panels) > len(grids),
        "titles": [grid.covariate for grid in grids],
        "rows": _rows(subject, common, grids),
        "shown": in_table(len(common), total, "species", order),
        "figures": shown,
        "figured": all_of(len(shown), total, "species", order),
        "file": subject.has_file("where_and_when.csv"),
    }


def _rows(subject: Subject, common: Any, grids: list[Grid]) -> list[dict[str, Any]]:
    """Return for each species the value of each term at which it is most probable."""
    table = subject.whole.where_and_when(subject.annotations.species.index[common])
    best = table.loc[table.groupby(["species", "term"])["probability"].idxmax()]
    best = best.set_index(["species", "term"])
    return [
        {"name": subject.species[k], "best": [_best(best, label, grid) for grid in grids]}
        for k, label in zip(common, subject.annotations.species.index[common], strict=True)
    ]


def _best(best: pd.DataFrame, label: str, grid: Grid) -> dict[str, Any]:
    row = best.loc[(label, grid.term)]
    place = row["probability"] if grid.levels else row["value"]
    ends = {"lower": row["probability_lower"], "upper": row["probability_upper"]}
    return {"at": row["at"], "place": place, "probability": row["probability"], **ends}


def _panels(subject: Subject, grid: Grid) -> list[Callable[[str, Axes], Axes]]:
    """Return what draws a curve; or a list of sites and, if they have coordinates, a map."""
    posterior = subject.whole
    if not grid.levels:
        return [lambda label, ax: plots.when(posterior, label, grid.term, ax=ax)]
    panels = [lambda label, ax: plots.where(posterior, label, grid.term, most=SITES, ax=ax)]
    if len(coordinates(posterior, grid)) > 1:
        panels.append(lambda label, ax: plots.where_on_map(posterior, label, grid.term, ax=ax))
    return panels


def _figure(subject: Subject, k: int, panels: list[Callable[[str, Axes], Axes]]) -> Markup:
    label, number = subject.annotations.species.index[k], len(panels)

    def fill(*axes: Axes) -> None:
        for panel, ax in zip(panels, axes, strict=True):
            panel(label, ax)

    name = subject.species[k]
    return draw_panels(
        fill,
        f"Where and when {name if name == label else f'{name} ({label})'} sings: "
        "the probability that a recording holds it, with 90 % intervals.",
        number,
        columns=2 if number == 4 else min(number, 3),
        height=2.6,
        even=False,
    )
