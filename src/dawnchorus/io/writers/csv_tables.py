"""Tables as CSV, as all of ours are written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, as all of ours are written."""
    spelt(table).to_csv(path, index=False, encoding="utf-8")


def spelt(table: pd.DataFrame) -> pd.DataFrame:
    """Spell numbers with six digits, each once: cells that nobody reported share few probabilities."""
    spelt = {}
    for name in table.select_dtypes("floating"):
        values, place = np.unique(table[name].to_numpy(), return_inverse=True)
        spelt[name] = np.array(["" if v != v else f"{v:.6g}" for v in values.tolist()], object)[place]
    return table.assign(**spelt)
