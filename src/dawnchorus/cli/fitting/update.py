"""The command `dawnchorus update`: new annotations join a fit, whose draws the chains start from."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ...common.files.whole import check_free
from ...common.lazy import lazy
from ..options import PRIORS, FitFolder, Out
from ..reading.shared import Files, with_reading
from .running import now, sampled, with_running, write_and_show

SAVED = lazy("dawnchorus.results.saving.saved_result")
TERMINAL = lazy("dawnchorus.cli.terminal")
AS_IN_THE_FIT = ("names", "fold_case", "keep_na")
"""What is not told about reading, and is as in the fit."""


@with_reading
@with_running
def update(
    fit: FitFolder,
    path: Files,
    reading: dict[str, Any],
    running: dict[str, Any],
    out: Out,
    priors: Annotated[
        str | None,
        typer.Option(
            help="Other priors than those of the fit: default, learned, given, paper-simulation or "
            "paper-kerttu.",
            rich_help_panel=PRIORS,
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            help="Cells that are known from elsewhere, beside those that the fit knew: see fit.",
            rich_help_panel=PRIORS,
        ),
    ] = None,
) -> None:
    """Add new annotations to a fit, starting from its draws."""
    check_free(out, overwrite=running["overwrite"])
    data = SAVED.read_record(fit).get("data", {})
    as_before = {name: data[name] for name in AS_IN_THE_FIT if data.get(name)}
    with TERMINAL.notes(), TERMINAL.working(f"Reading {', '.join(path)}"):
        annotations = dc.read(path, **(as_before | reading))
    started = now()
    updating = partial(dc.update, fit, annotations, priors=priors, known=known)
    result = sampled(updating, f"Updating {fit}", out, running)
    write_and_show(result, out, running, started)
