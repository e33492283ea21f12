"""Writing of results in parts: whoever has a shard writes the presence of its recordings.

The folder has presence/ and recordings/ as Parquet, in parts with the columns of presence.csv and
recordings.csv; the other files are those of any result.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ..._version import __version__
from ...annotations.annotations import Annotations
from ...annotations.counting import ALL_CELLS
from ...common.files.sealed import checksum
from ...common.files.whole import whole_folder
from ...common.json_text import write_json
from ...common.lazy import lazy
from ...common.progress import Phases, no_phases
from ...common.ragged import Bools
from ...common.workers.connecting import connected
from ...io.parts.pieces import recording_labels
from ...io.writers.csv_tables import write_table
from ...model.predictive.listening.listener import Listener, mean_rates
from ...sampling.convergence import Diagnostics
from ...sampling.draws import Draws
from ...sampling.shards.crew import crew_of
from ...sampling.shards.logs import Log, Means
from ...sampling.shards.places import Places, shard_means
from ..posterior import Posterior
from ..saving.files import write_tree
from ..saving.netcdf import DRAWS, tree_of_parts
from ..saving.saved_result import RECORD
from ..tables import counts_by_recording
from ..wanted_cells import WantedCells
from .posterior_in_parts import PosteriorInParts

pa = lazy("pyarrow", extra="parquet", purpose="results in parts")
pq = lazy("pyarrow.parquet", extra="parquet", purpose="results in parts")


class Asked(NamedTuple):
    """What is to be written of each shard."""

    logs: Sequence[Log] | Means
    sweeps: Sequence[int]
    draws: Draws
    diagnostics: Diagnostics
    visited: Bools
    """Which annotators have visits, and so are typical."""
    min_probability: float
    keep_reported: bool
    folder: str


def shard_posterior(places: Places, shard: int, asked: Asked) -> Posterior:
    """Return the posterior of the recordings of a shard."""
    means = shard_means(places, shard, asked.logs, asked.sweeps)
    design = places.get(shard).design
    labels = recording_labels(places.coded.pieces, *places.recordings(shard))
    table = pd.DataFrame(index=pd.Index(labels, dtype=object, name="recording"))
    annotations = Annotations.of(replace(design.annotations, recordings=table))
    found = Posterior(places.model, annotations, asked.draws, means, asked.diagnostics, {})
    found.__dict__["design"] = design
    return found


def write_shard(places: Places, shard: int, asked: Asked) -> tuple[int, float]:
    """Write presence and recordings of a shard; return the rows of presence, and their sum."""
    found = shard_posterior(places, shard, asked)
    rates = found.model.expertise.rates_in(found.draws.at(found.draws.places()), found.design)
    n_species = found.annotations.n_species
    pairs, visited = found.design.pairs, asked.visited
    listener = Listener(*(mean_rates(rate, pairs, visited, n_species) for rate in rates[:2]))
    wanted = WantedCells(asked.min_probability, asked.keep_reported)
    rows, total, writer = 0, 0.0, None
    name = f"part-{shard:05}.parquet"
    try:
        for block in found.rows_with_reports(wanted, listener):
            table = pa.Table.from_pandas(block, preserve_index=False)
            writer = writer or pq.ParquetWriter(Path(asked.folder, "presence", name), table.schema)
            writer.write_table(table)
            rows, total = rows + len(block), total + float(block["probability"].sum())
    finally:
        if writer is not None:
            writer.close()
    counts = pa.Table.from_pandas(counts_by_recording(found.annotations), preserve_index=False)
    pq.write_table(counts, Path(asked.folder, "recordings", name))
    places.loaded.pop(shard, None)  # it is not needed any more
    return rows, total


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
    cells = result.n_recordings * len(result.sums.by_species)
    least = 0.0 if cells <= ALL_CELLS else min_probability
    with whole_folder(path, overwrite=overwrite) as folder:
        folder.mkdir(exist_ok=True)
        for name in ("presence", "recordings"):
            (folder / name).mkdir()
        say("Probabilities", 0, 0)
        asked = Asked(
            result.logs,
            result.sweeps,
            result.draws,
            result.diagnostics,
            result.visited,
            least,
            keep_reported,
            str(folder.absolute()),
        )
        with (
            nullcontext() if cluster is None else connected(cluster, imports=__name__) as workers,
            closing(crew_of(workers, 1)) as crew,
        ):
            crew.share(result.places)
            written = crew.each(write_shard, asked)
        say("Tables", 0, 0)
        tables = {"annotators": result.annotators(), "species": result.species()}
        for name, table in tables.items():
            metadata = getattr(result.fitted.annotations, name).reset_index(drop=True)
            metadata = metadata[[column for column in metadata if column not in table]]
            both = pd.concat([table, metadata], axis=1)
            write_table(both, folder / f"{name}.csv", exact_labels=exact_labels)
        tree = tree_of_parts(result.fitted, result.annotators(), result.sums.reports_by_species)
        write_tree(tree, folder / DRAWS)
        rows = sum(number for number, _ in written)
        listing = {"rows": rows, "cells": cells, "min_probability": least, "parts": len(written)}
        if left := cells - rows:
            total = sum(each for _, each in written)
            listing["mean_of_unlisted"] = max(result.mean_probability() * cells - total, 0.0) / left
        contents = {
            "version": __version__,
            "model": result.name,
            **(record or {}),
            **result.details(),
            "data": result.summary(),
            "presence": listing,
            "checksums": {file.name: checksum(file) for file in sorted(folder.iterdir()) if file.is_file()},
        }
        write_json(contents, folder / RECORD)
    return contents
