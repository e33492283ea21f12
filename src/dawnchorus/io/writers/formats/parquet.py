"""Writer of Parquet: the table of probabilities, for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....common.checked import probability, threshold_above
from ....common.json_text import as_json
from ....common.lazy import lazy
from ..consensus import Consensus

PYARROW = lazy("pyarrow", extra="parquet", purpose="writing Parquet")
FILES = lazy("pyarrow.parquet", extra="parquet", purpose="writing Parquet")
KEY = b"dawnchorus"
"""The key of the file's metadata that tell what the probabilities are about."""


def write(
    found: Consensus, place: Path, *, threshold: float | None = None, min_probability: float = 0.0
) -> dict[str, Any]:
    """Parquet file of probabilities: recording, species, probability, votes and reports.

    Parameters
    ----------
    threshold
        The smallest probability of a species that counts as present, for a column `present`; by default there
        is none.
    min_probability
        The smallest probability that is written.
    """
    least = probability("min_probability", min_probability)
    rows, writer = 0, None
    try:
        for block in found.blocks():
            table = block[block["probability"] >= least]
            if threshold is not None:
                table = table.assign(present=table["probability"] >= threshold_above(threshold))
            about = {"probability": found.meaning, "made_by": found.made_by, "unlisted": found.unlisted}
            arrow = PYARROW.Table.from_pandas(table, preserve_index=False)
            metadata = {**(arrow.schema.metadata or {}), KEY: as_json(about).encode()}
            writer = writer or FILES.ParquetWriter(place, arrow.schema.with_metadata(metadata))
            writer.write_table(arrow.cast(writer.schema))
            rows += len(table)
    finally:
        if writer is not None:
            writer.close()
    return {"rows": rows}
