"""A simulation on disk: tables that `dawnchorus fit` reads, and the truth beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .._version import __version__
from ..annotations.counting import ALL_CELLS
from ..common.json_text import write_json
from ..common.whole_files import whole_folder
from ..io.writers.csv_tables import write_table
from .simulation import Simulation


def write_simulation(
    simulation: Simulation,
    path: str | Path,
    *,
    overwrite: bool = False,
    record: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Write annotations.csv, truth.csv and the other tables into a new folder, whole or not at all.

    truth.csv has every cell up to five million cells, beyond that those of as many recordings, drawn
    at random. The true error rates and occurrences are in the files whose names begin with `true_`.
    """
    with whole_folder(path, overwrite=overwrite) as folder:
        return write_simulation_files(simulation, folder, record=record)


def write_simulation_files(
    simulation: Simulation, folder: Path, *, record: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Write the files of a simulation into an empty folder; `write_simulation` makes it whole or nothing."""
    a, truth = simulation.annotations, simulation.truth
    absence = a.provenance.absence
    recordings = truth.recordings
    most = ALL_CELLS // max(len(truth.species), 1)
    if len(recordings) > most:
        chosen = np.random.default_rng(0).choice(len(recordings), size=most, replace=False)
        recordings = recordings[np.sort(chosen)]
    tables = {
        "annotations": a.to_frame(absence),  # type: ignore[arg-type]
        "recordings": a.recordings.reset_index(),
        "annotators": a.annotators.reset_index(),
        "species": a.species.reset_index(),
        "truth": truth.to_frame(recordings),
        "true_species": truth.species,
        "true_annotators": truth.annotators,
    }
    if absence == "scope":
        tables["scope"] = a.species_lists()
    if truth.annotator_species is not None:
        tables["true_annotator_species"] = truth.annotator_species
    contents = {
        "version": __version__,
        **(record or {}),
        "absence": absence,
        "files": [f"{name}.csv" for name in tables],
        "truth_recordings": len(recordings),
        "data": a.summary().as_dict(),
    }
    folder.mkdir(exist_ok=True)
    for name, table in tables.items():
        write_table(table, folder / f"{name}.csv")
    write_json(contents, folder / "simulation.json")
    return contents
