"""Means and spreads of a study's results over data sets, and their comparison with the paper."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

MEASURES = {
    "auc": "AUC",
    "tpr_coverage": "coverage of 95 % intervals of TPRs",
    "tpr_mse": "mean squared error of TPRs",
    "fpr_coverage": "coverage of 95 % intervals of FPRs",
    "fpr_mse": "mean squared error of FPRs",
}
DIGITS = {"auc": 3, "tpr_coverage": 2, "fpr_coverage": 2, "tpr_mse": 5, "fpr_mse": 7}
"""The number of decimals of the paper's results, in plain units."""


def over_data_sets(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return the mean, deviation, minimum and maximum over data sets, by keys and measure.

    >>> rows = pd.DataFrame({"method": ["base", "base"], "auc": [0.5, 1.0]})
    >>> over_data_sets(rows, ["method"])[["method", "measure", "mean", "low", "high"]].values.tolist()
    [['base', 'auc', 0.75, 0.5, 1.0]]
    """
    measures = [name for name in MEASURES if name in rows.columns]
    long = rows.melt(list(keys), measures, var_name="measure", value_name="value").dropna(subset="value")
    found = long.groupby([*keys, "measure"], sort=False)["value"].agg(
        mean="mean", sd="std", low="min", high="max", datasets="size"
    )
    return found.reset_index()


def beside(summary: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """Return our results and the paper's in one table, with whether the paper's is within our range.

    Differences of up to half a unit in the paper's last digit are allowed, because its results are rounded.
    """
    keys = [name for name in paper.columns if name != "paper" and name in summary.columns]
    both = summary.merge(paper, on=keys, how="inner", validate="one_to_one")
    slack = 0.5 * 10.0 ** -both["measure"].map(DIGITS).astype(float)
    both["inside"] = (both["paper"] >= both["low"] - slack) & (both["paper"] <= both["high"] + slack)
    return both
