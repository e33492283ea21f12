"""Writer of training labels for classifiers: one row per recording, one column per species."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ....common.errors import AnnotationError
from ....common.json_text import write_json
from ..consensus import Consensus, check_absent
from ..csv_tables import write_table

MOST_CELLS = 50_000_000


def write(
    found: Consensus, place: Path, *, threshold: float = 0.5, absent_below: float | None = None
) -> dict[str, Any]:
    """Folder of hard labels, soft labels and weights: one row per recording, one column per species.

    Parameters
    ----------
    threshold
        The smallest probability of the hard label 1.
    absent_below
        The largest probability of the hard label 0, and between the two it is empty; by default all that is
        below the threshold is 0.
    """
    absent = check_absent(absent_below, threshold)
    soft = probability_matrix(found)
    chance = soft.to_numpy()
    hard = np.where(chance >= threshold, 1, np.where(chance <= absent, 0, -1))
    labels = pd.DataFrame(hard, soft.index, soft.columns).astype("Int8").replace(-1, pd.NA)
    weights = pd.DataFrame(np.abs(2 * chance - 1), soft.index, soft.columns)
    for name, table in (("labels", labels), ("probabilities", soft), ("weights", weights)):
        table = table.rename_axis("recording").reset_index()
        write_table(table, place / f"{name}.csv", exact_labels=found.exact_labels)
    write_json(
        {
            "labels.csv": f"1 from a probability of {threshold:g} on, 0 "
            + (f"up to {absent:g}, empty between" if absent < threshold else "below it"),
            "probabilities.csv": found.meaning,
            "weights.csv": "how sure a label is: 1 where the probability is 0 or 1, and 0 where it is 0.5",
            "unlisted": found.unlisted,
            "threshold": threshold,
            "absent_below": absent,
            "made_by": found.made_by,
        },
        place / "about.json",
    )
    return {
        "recordings": len(soft),
        "species": len(soft.columns),
        "present": int((hard == 1).sum()),
        "absent": int((hard == 0).sum()),
        "unsure": int((hard < 0).sum()),
    }


def probability_matrix(found: Consensus) -> pd.DataFrame:
    """Return probabilities as recordings × species; cells that are not listed have the mean of such cells."""
    rows, columns = found.recordings.index, found.species.index
    if len(rows) * len(columns) > MOST_CELLS:
        raise AnnotationError(
            f"{len(rows):,} recordings × {len(columns):,} species are more than {MOST_CELLS:,} cells",
            "export to parquet, which lists probable cells only",
        )
    chance = np.full((len(rows), len(columns)), found.unlisted or 0.0)
    at = rows.get_indexer(found.cells["recording"]), columns.get_indexer(found.cells["species"])
    chance[at] = found.cells["probability"].to_numpy(float)
    return pd.DataFrame(chance, rows, columns.rename(None))
