"""Self-knowledge: how annotators' rates go with what they say of themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit

from ...common.intervals import interval
from ...common.ragged import Floats, Ints
from ...model.context import Context, Term
from ...model.expertise.kept import explained_levels, levels
from ...model.formula.parts import SPLINES
from ...sampling.draws import Draws
from ..tables import interval_columns

RATES = ("tpr", "fpr")
MOST_VALUES = 6
"""A number with more distinct values than this is shown by quarters of annotators."""
QUARTERS = (0.25, 0.5, 0.75)


def skill_table(draws: Draws, said: Context, level: float) -> pd.DataFrame:
    """Return for each value of each term who has it, and the mean of their levels as rates."""
    parts = []
    for term in said.terms:
        group, words = groups_of(term)
        members = group[:, None] == np.arange(len(words))
        table = pd.DataFrame({"term": term.name, "value": words, "annotators": members.sum(axis=0)})
        columns = [table]
        for rate in RATES:
            means = expit(levels(draws.flat, rate) @ (members / members.sum(axis=0)))
            columns.append(interval_columns(rate, means.mean(axis=0), *interval(means, level)))
        parts.append(pd.concat(columns, axis=1))
    return pd.concat(parts, ignore_index=True)


def skill_shares(draws: Draws, said: Context, level: float) -> pd.DataFrame:
    """Return which share of the differences between annotators' levels is explained by what they say."""
    found = [_explained(draws, said, rate) for rate in RATES]
    shares = np.stack([share for share, _ in found], axis=1)
    columns = interval_columns("share", shares.mean(axis=0), *interval(shares, level))
    return pd.concat([pd.DataFrame({"rate": RATES}), columns], axis=1).assign(
        differ=[sure for _, sure in found]
    )


def _explained(draws: Draws, said: Context, rate: str) -> tuple[Floats, float]:
    """Return the share that is explained in each draw, and how sure it is that anything is.

    The share is the variance of what is explained, over that plus the variance of the rest.
    """
    explained = explained_levels(draws.flat, rate, said)
    rest = levels(draws.flat, rate) - explained
    of_said, of_rest = explained.var(axis=1), rest.var(axis=1)
    order = np.argsort(explained.mean(axis=0), kind="stable")
    sure = np.mean(explained[:, order[-1]] > explained[:, order[0]])
    return of_said / (of_said + of_rest), float(sure)


def groups_of(term: Term) -> tuple[Ints, list[str]]:
    """Return the group of each annotator, −1 if it is not known, and words for each group."""
    used, place = np.unique(term.row[term.row >= 0], return_inverse=True)
    group, words = np.full(len(term.row), -1), [term.rows[row] for row in used]
    if term.kind != "levels" and len(used) > MOST_VALUES:
        value = term.value[used][place]
        quarter = np.searchsorted(np.quantile(value, QUARTERS), value)
        _, place = np.unique(quarter, return_inverse=True)
        parts = (value[place == part] for part in range(place.max() + 1))
        words = [f"{part.min():g} to {part.max():g}" for part in parts]
    group[term.row >= 0] = place
    return group, words


def plain_name(term: str) -> str:
    """Return the name of a term without what the formula does with it, if it is about one column.

    >>> plain_name("C(skill_level)"), plain_name("bs(years, df=4)"), plain_name("log(age)")
    ('skill level', 'years', 'log(age)')
    """
    for start in ("C", *SPLINES):
        if term.startswith(f"{start}("):
            term = term.removeprefix(f"{start}(").removesuffix(")").split(",")[0]
    return term.replace("_", " ").replace("`", "")
