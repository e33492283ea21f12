"""Writing of tables as CSV files, with six significant digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table to a CSV file in UTF-8, with six significant digits and no index."""
    spelt(table).to_csv(path, index=False, encoding="utf-8")


def spelt(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its floats as text of six significant digits.

    Each distinct number is formatted once, which is fast because many cells have the same probability.
    """
    spelt = {}
    for name in table.select_dtypes("floating"):
        values, place = np.unique(table[name].to_numpy(), return_inverse=True)
        spelt[name] = np.array(["" if v != v else f"{v:.6g}" for v in values.tolist()], object)[place]
    return table.assign(**spelt)
