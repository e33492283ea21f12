"""Published: the figures of the paper, as its tables have them.

Wang, Lauha and Dunson, "Bayesian modeling of multi-species labeling errors in ecological studies". Models
have our names. Mean squared errors are in units of 0.001.
"""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

METHODS = ("majority-vote", "base", "base-hierarchical", "dp-bmm", "dp-bmm-hierarchical")
SCALES = {"tpr_mse_e3": ("tpr_mse", 1e-3), "fpr_mse_e3": ("fpr_mse", 1e-3)}
SWEEP_SECONDS = {"base": 10.3, "base-hierarchical": 16.0, "dp-bmm": 73.0, "dp-bmm-hierarchical": 110.0}
"""What the published implementation takes for a sweep of Kerttu on one core of a 2-core server."""


def published(table: str) -> pd.DataFrame:
    """Return a table in long form, its values in plain units: `simulation`, `sensitivity` or `kerttu`.

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
