"""The numbers published in the paper's tables.

Wang, Lauha and Dunson, "Bayesian modeling of multi-species labeling errors in ecological studies". Models
have the names of Dawnchorus. In the files, mean squared errors are in units of 0.001.
"""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

METHODS = ("majority-vote", "base", "base-hierarchical", "dp-bmm", "dp-bmm-hierarchical")
SCALES = {"tpr_mse_e3": ("tpr_mse", 1e-3), "fpr_mse_e3": ("fpr_mse", 1e-3)}
SWEEP_SECONDS = {"base": 10.3, "base-hierarchical": 16.0, "dp-bmm": 73.0, "dp-bmm-hierarchical": 110.0}
"""Seconds per sweep on Kerttu of the published implementation, on one core of a 2-core server."""


def published(table: str) -> pd.DataFrame:
    """Return a table of the paper (`simulation`, `sensitivity` or `kerttu`) in long form and plain units.

    >>> published("kerttu").query("measure == 'auc' and method == 'base'")["paper"].item()
    0.905
    """
    path = files(__package__).joinpath("tables", f"{table}.csv")
    with path.open(encoding="utf-8") as file:
        wide = pd.read_csv(file)
    keys = [name for name in wide.columns if name not in METHODS]
    long = wide.melt(keys, var_name="method", value_name="paper").dropna(subset="paper")
    for name, (measure, scale) in SCALES.items():
        chosen = long["metric"] == name
        long.loc[chosen, "paper"] *= scale
        long.loc[chosen, "metric"] = measure
    return long.rename(columns={"metric": "measure"}).reset_index(drop=True)
