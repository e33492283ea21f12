"""Writing of results in parts: whoever has a shard writes the presence of its recordings.

The folder has presence/ and recordings/ as Parquet, in parts with the columns of presence.csv and
recordings.csv; the other files are those of any result.
"""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pandas as pd

from ..._version import __version__
from ...annotations.counting import ALL_CELLS
from ...common.errors import OutputError
from ...common.files.drafts import DRAFT
from ...common.files.sealed import checksum
from ...common.files.whole import whole_folder
from ...common.json_text import write_json
from ...common.showing.progress import Phases, no_phases
from ...common.workers.connecting import connected
from ...io.writers.csv_tables import write_table
from ...sampling.shards.crew import crew_of
from ..presence.wanted_cells import WantedCells, mean_of_unlisted
from ..saving.files import write_tree
from ..saving.from_tree import DRAWS
from ..saving.saved_result import RECORD
from .files import FOLDERS
from .finding import find
from .in_shard import FoundHere
from .posterior_in_parts import PosteriorInParts
from .saved import saved_tree


def write_parts(
    result: PosteriorInParts,
    path: str | Path,
    *,
    min_probability: float,
    keep_reported: bool,
    overwrite: bool = False,
    exact_labels: bool = False,
    record: dict[str, Any] | None = None,
    progress: Phases | None = None,
    cluster: Any = None,
) -> dict[str, Any]:
    """Write a result in parts into a new folder, on the workers of a cluster if there is one."""
    say = progress or no_phases
    if result.shards is None:
        raise OutputError(
            f"this result is in {result.folder} already. Remedy: copy that folder, or read presence from it."
        )
    cells = result.n_cells
    least = 0.0 if cells <= ALL_CELLS else min_probability
    with whole_folder(path, overwrite=overwrite) as folder:
        folder.mkdir(exist_ok=True)
        for name in FOLDERS:
            (folder / name).mkdir()
        say("Probabilities", 0, 0)
        files = WantedCells(least, keep_reported)
        place = str(folder.absolute())
        with (
            nullcontext() if cluster is None else connected(cluster, imports=__name__) as workers,
            closing(crew_of(workers, 1)) as crew,
        ):
            found, written = find(result, result.sums, result.shards, crew, files=files, folder=place)
        for left in (file for name in FOLDERS for file in (folder / name).glob(f".*{DRAFT}")):
            left.unlink()  # by a worker that was killed
        result.__dict__["found"] = found
        say("Tables", 0, 0)
        tables = {"annotators": result.annotators(), "species": result.species()}
        for name, table in tables.items():
            metadata = getattr(result.annotations, name).reset_index(drop=True)
            metadata = metadata[[column for column in metadata if column not in table]]
            both = pd.concat([table, metadata], axis=1)
            write_table(both, folder / f"{name}.csv", exact_labels=exact_labels)
        write_tree(saved_tree(result, result.sums, found, tables["annotators"]), folder / DRAWS)
        contents = {
            "version": __version__,
            "model": result.name,
            **(record or {}),
            **result.details(),
            "data": found.summary.known()
            | {"partitions": len(result.shards.places.coded.dataset.partitions)},
            "presence": _listing(result, files, written, exact_labels=exact_labels),
            "checksums": {file.name: checksum(file) for file in sorted(folder.iterdir()) if file.is_file()},
        }
        write_json(contents, folder / RECORD)
    return contents


def _listing(
    result: PosteriorInParts, files: WantedCells, written: list[FoundHere], *, exact_labels: bool
) -> dict[str, Any]:
    """Return what fit.json says of presence: how much is listed, and what is known of the rest."""
    rows, total = sum(one.rows for one in written), sum(one.total for one in written)
    listing = {"rows": rows, "cells": result.n_cells, "min_probability": files.min_probability}
    listing |= {"exact_labels": exact_labels, "parts": len(written)}
    if left := result.n_cells - rows:
        of_all = result.mean_probability() * result.n_cells
        mean = mean_of_unlisted(of_all - total, left, files.min_probability)
        listing |= {"mean_of_unlisted": mean, "would_report_of_unlisted": result.listener().mean_report(mean)}
    return listing
