"""Writing of a simulation to a folder: tables that `dawnchorus fit` reads, and the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .._version import __version__
from ..annotations.counting import ALL_CELLS
from ..common.files.whole import whole_folder
from ..common.json_text import write_json
from ..io.writers.csv_tables import write_table
from .simulation import Simulation


def write_simulation(
    simulation: Simulation,
    path: str | Path,
    *,
    overwrite: bool = False,
    record: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Write a simulation to a new folder: annotations.csv, truth.csv and the other tables.

    The folder appears only when it is complete. truth.csv lists every cell of all recordings if these are at
    most five million cells, otherwise every cell of a random sample of recordings. The true error rates and
    occurrences are in the files whose names begin with `true_`.

    Parameters
    ----------
    simulation
        What `simulate_paper` or `simulate_portal` returned.
    path
        The folder to create.
    overwrite
        Whether to replace the folder if it exists and Dawnchorus wrote everything in it.
    record
        Further entries for simulation.json, such as the seed.

    Returns
    -------
    dict
        What simulation.json contains: version, absence, files, number of recordings in truth.csv, and a
        summary of the data.

    Raises
    ------
    OutputError
        If the folder exists or cannot be written.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     contents = dc.write_simulation(dc.simulate_paper(recordings=5), f"{folder}/simulated")
    >>> contents["files"][0]
    'annotations.csv'
    """
    with whole_folder(path, overwrite=overwrite) as folder:
        return write_simulation_files(simulation, folder, record=record)


def write_simulation_files(
    simulation: Simulation, folder: Path, *, record: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Write the files of a simulation to a new or empty folder, and return what simulation.json contains."""
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
    if truth.machines is not None:
        tables["true_machines"] = truth.machines
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
