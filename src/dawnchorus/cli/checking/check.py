"""The command `dawnchorus check`: whether the model of a fit describes the data."""

from __future__ import annotations

from typing import Annotated

import typer

import dawnchorus as dc

from ...common.lazy import lazy
from ..options import FitFolder, Json, Seed
from ..report import read_fit

SHOWN = lazy("dawnchorus.cli.checking.shown")
TERMINAL = lazy("dawnchorus.cli.terminal")


def check(
    folder: FitFolder,
    simulations: Annotated[
        int, typer.Option(min=100, help="Data sets to simulate and compare with the real one.")
    ] = 400,
    seed: Seed = 0,
    save: Annotated[
        bool, typer.Option("--save", help="Write checks.csv and checks.png into the folder as well.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace checks.csv and checks.png if they are there.")
    ] = False,
    json: Json = False,
) -> None:
    """Check whether votes that the model simulates look like the real ones."""
    if save:
        SHOWN.check_files(folder, overwrite=overwrite)
    with TERMINAL.notes(), TERMINAL.working(f"Reading {folder}"):
        posterior, _ = read_fit(folder)
    with TERMINAL.notes(), TERMINAL.progress("Simulating votes") as bar:
        found = dc.predictive_checks(posterior, simulations=simulations, seed=seed, progress=bar)
    if save:
        SHOWN.write_checks(found, folder)
    if json:
        TERMINAL.print_json(found.as_dict())
    else:
        SHOWN.show_checks(found, folder if save else None)
