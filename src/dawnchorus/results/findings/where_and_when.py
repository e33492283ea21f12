"""Where and when species sing: how probable they are at a site, an hour or a date, by effects of the context.

What a term of the context does to species k at one of its values v is told by a mean over the N recordings
of the fit: how probable it would be, had all of them been made at v, and everything else been as it was,

    probability[k, v] = 1/N Σ_i 1 / (1 + exp(−(x[i, k] − effect[k, v(i)] + effect[k, v]))),

with the log-odds x[i, k] of species k in recording i, of which the effect of v(i), the value that it really
has, is replaced. So it is a share of recordings, as occurrence is. It is computed in each draw, which gives
mean and interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...annotations.labels import several
from ...annotations.metadata.when import years_of
from ...common.errors import AnnotationError
from ...common.intervals import interval, quantiles_of
from ...common.ragged import Floats, Ints
from ...common.wording import listed, option
from ...model.context import Context, Term
from ...model.formula.parts import read_term
from ...model.predictive.contexts import VALUES, contexts_but_for, contexts_of
from ..fitted import Fitted
from ..tables import interval_columns

DRAWS = 300
"""At most so many draws, evenly spread over all chains, are used."""
POINTS = 25
"""A curve has about so many points."""


class Grid(NamedTuple):
    """The values of a term at which probabilities are told."""

    term: str
    """As written in the formula."""
    covariate: str
    """What the term is about, such as `hour` in `cc(hour, df=6)`."""
    levels: bool
    """Whether values are names, such as sites."""
    row: Ints
    """The row of the term's basis of each value."""
    value: Floats
    """The values as numbers, NaN for names."""
    at: tuple[str, ...]
    """The values in words: names, times such as 04:30, dates such as 2018-05-24, or numbers."""
    recordings: Ints
    """The number of fitted recordings with this name, or with no other of these values closer to theirs."""


def context_of(fitted: Fitted) -> Context:
    """Return the context of a fit; raise an error if it has none."""
    if fitted.context is None:
        raise AnnotationError(
            f"the model {fitted.name} was fitted without where and when",
            f"fit with {option('context', 'site + cc(hour, df=6)')}, or other metadata of recordings",
        )
    return fitted.context


def grids_of(fitted: Fitted, terms: Iterable[str] | str | None = None, points: int = POINTS) -> list[Grid]:
    """Return the values of all terms, or of those that are named, by the whole term or what it is about."""
    context, recordings = context_of(fitted), fitted.annotations.recordings
    names = [term.name for term in context.terms]
    about = [_covariate(name) for name in names]
    wanted = names if terms is None else [str(name) for name in several(terms)]
    grids = []
    for name in wanted:
        if name not in names + about:
            raise AnnotationError(
                f"the context has no term '{name}'; it has {listed(names)}", "use one of these"
            )
        i = (names + about).index(name) % len(names)
        grids.append(_grid(context.terms[i], about[i], recordings, points))
    return grids


def where_and_when(fitted: Fitted, species: Ints, grids: list[Grid], level: float) -> pd.DataFrame:
    """Return how probable species, given by place, are at the values of terms, in order of species."""
    quantiles_of(level)
    parts = list(_blocks(fitted, species, grids, level))
    size = sum(len(grid.row) for grid in grids)
    mean, low, high = (np.concatenate([part[i] for part in parts], axis=1).T.ravel() for i in range(3))
    values = pd.concat(
        [
            pd.DataFrame(
                {"term": grid.term, "at": grid.at, "value": grid.value, "recordings": grid.recordings}
            )
            for grid in grids
        ],
        ignore_index=True,
    )
    table = values.iloc[np.tile(np.arange(size), len(species))].reset_index(drop=True)
    table.insert(0, "species", fitted.annotations.species.index[np.repeat(species, size)])
    return pd.concat([table, interval_columns("probability", mean, low, high)], axis=1)


def _blocks(
    fitted: Fitted, species: Ints, grids: list[Grid], level: float
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Return mean and bounds, values × species, for so many species at a time as there is room for."""
    context = context_of(fitted)
    names = [term.name for term in context.terms]
    places = fitted.draws.places(DRAWS)
    values = fitted.draws.at(places)
    others: dict[str, tuple[Ints, Ints]] = {}
    rows = sum(len(term.rows) for term in context.terms)
    step = max(VALUES // (fitted.draws.chains * len(places) * rows), 1)
    for first in range(0, max(len(species), 1), step):
        some = contexts_of(context, values, species[first : first + step], None, 0.0)
        start = np.concatenate([[0], np.cumsum([len(term.rows) for term in context.terms])])
        found = []
        for grid in grids:
            t = names.index(grid.term)
            if grid.term not in others:
                others[grid.term] = contexts_but_for(t, some.row)
            chances = some.averaged(t, start[t] + grid.row, others[grid.term])
            found.append((chances.mean(axis=0), *interval(chances, level)))
        mean, low, high = (np.concatenate(parts) for parts in zip(*found, strict=True))
        yield mean, low, high


def _covariate(name: str) -> str:
    part = read_term(name)
    return name if part is None else part.plain or part.inside


def _grid(term: Term, covariate: str, recordings: pd.DataFrame, points: int) -> Grid:
    count = np.bincount(term.row, minlength=len(term.rows))
    if term.kind == "levels":
        rows = np.arange(len(term.rows))
        return Grid(term.name, covariate, True, rows, np.full(len(rows), np.nan), term.rows, count)
    part, size = read_term(term.name), len(term.rows)
    period = part.period if part else None
    place = np.unique(np.rint(np.linspace(0, size - (period is None), min(points, size + 1))).astype(int))
    value = term.value[place % size]
    nearest = np.abs(np.arange(size)[:, None] - place).argmin(axis=1)
    number = np.bincount(nearest, count, minlength=len(place)).astype(np.int64)
    if period:  # the last point is the first
        value[-1] = period[1]
        number[[0, -1]] = number[0] + number[-1]
    words = tuple(_words(covariate, value, recordings))
    return Grid(term.name, covariate, False, place % size, value, words, number)


def _words(covariate: str, values: Floats, recordings: pd.DataFrame) -> list[str]:
    """Return hours as times, days of the year as dates, and other numbers as they are."""
    if covariate == "hour":
        minutes = [round(60 * value) for value in values]
        return [f"{minute // 60:02}:{minute % 60:02}" for minute in minutes]
    if covariate == "date":
        years = years_of(recordings)
        days = days_of_year(values, years[0] if len(years) == 1 else None)
        return [str(day.date()) if len(years) == 1 else f"{day.day} {day:%b}" for day in days]
    return [f"{value:.10g}" for value in values]


def days_of_year(values: Floats, year: int | None) -> pd.DatetimeIndex:
    """Return days of the year as dates, in a year without a leap day if none is given.

    Day 366 is the last of any year, and 367, where a cyclic curve ends, the first of the next.

    >>> days_of_year(np.array([60.0, 366.0, 367.0]), 2018).strftime("%d %b").tolist()
    ['01 Mar', '31 Dec', '01 Jan']
    """
    first = pd.Timestamp(year or 2001, 1, 1)
    last = 365 + first.is_leap_year
    return first + pd.to_timedelta(np.where(values > 366, last, np.minimum(values, last) - 1), unit="D")
