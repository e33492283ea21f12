"""Summary: rows of a study as means and spreads over data sets, with the paper's figure beside them."""

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
"""How many decimals the paper's figures have, in plain units."""


def over_data_sets(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return for each combination of keys and measure the mean, deviation, lowest and highest over data sets.

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
    """Put the paper's figures beside ours, and say whether they lie within the range over our data sets.

    Half a unit of the paper's last digit does not count: its figures are rounded.
    """
    keys = [name for name in paper.columns if name != "paper" and name in summary.columns]
    both = summary.merge(paper, on=keys, how="inner", validate="one_to_one")
    slack = 0.5 * 10.0 ** -both["measure"].map(DIGITS).astype(float)
    both["inside"] = (both["paper"] >= both["low"] - slack) & (both["paper"] <= both["high"] + slack)
    return both
