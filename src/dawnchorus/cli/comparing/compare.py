"""The command `dawnchorus compare`: which model predicts held-out visits best."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ...common.errors import ClusterError, Stopped
from ...common.lazy import lazy
from ..options import OUTPUT, SAMPLING, Json, OnCluster, Seed
from ..reading.shared import Files, with_reading

SHOWN = lazy("dawnchorus.cli.comparing.shown")
TERMINAL = lazy("dawnchorus.cli.terminal")


@with_reading
def compare(
    path: Files,
    reading: dict[str, Any],
    models: Annotated[
        list[str] | None,
        typer.Option(
            help="A model: a name and parts with + between them, such as "
            '"base-hierarchical + difficulty + context(site)". Repeatable, or with commas between models. '
            "Default: base, base-hierarchical."
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="What is held out: visit, single visits to recordings that have others; recording, whole "
            "recordings; or site, date or another column of --recordings, whole groups of them."
        ),
    ] = "visit",
    folds: Annotated[int, typer.Option(min=1, help="Each model is fitted so many times.")] = 5,
    held_out: Annotated[
        int | None, typer.Option(min=1, help="Largest number of visits (or recordings) held out in a fold.")
    ] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search", help="Go on from the first model, adding parts that help by over a standard error."
        ),
    ] = False,
    part: Annotated[
        list[str] | None,
        typer.Option(
            help='A part that --search tries, such as difficulty or "context(site)". Repeatable. '
            "Default: all without brackets."
        ),
    ] = None,
    loo: Annotated[
        bool, typer.Option("--loo/--no-loo", help="Compute PSIS-LOO as well; one more fit of each model.")
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for tables, a figure and every finished fold. The same command goes on from there.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Folds fitted at a time, in processes. Default: all cores.", rich_help_panel=SAMPLING
        ),
    ] = None,
    cluster: OnCluster = None,
    chains: Annotated[
        int, typer.Option(min=1, help="Independent chains of every fit.", rich_help_panel=SAMPLING)
    ] = 2,
    warmup: Annotated[
        int,
        typer.Option(min=0, help="Sweeps to discard at the start of each chain.", rich_help_panel=SAMPLING),
    ] = 500,
    draws: Annotated[
        int,
        typer.Option(min=1, help="Smallest number of draws to keep of each chain.", rich_help_panel=SAMPLING),
    ] = 500,
    min_ess: Annotated[
        float,
        typer.Option(
            min=0,
            help="Sample until parameters have this effective sample size; 0: no such rule.",
            rich_help_panel=SAMPLING,
        ),
    ] = 0,
    max_sweeps: Annotated[
        int, typer.Option(min=1, help="Largest number of sweeps in a chain.", rich_help_panel=SAMPLING)
    ] = 20_000,
    seconds: Annotated[float | None, typer.Option(help="Stop each fit after this many seconds.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare models by visits that were held out."""
    with TERMINAL.notes(), TERMINAL.working(f"Reading {', '.join(path)}"):
        annotations = dc.read(path, **reading)
    with TERMINAL.notes(), TERMINAL.phases("Comparing models") as progress, _rescued(out):
        found = dc.compare(
            annotations,
            models or ("base", "base-hierarchical"),
            by=by,
            folds=folds,
            held_out=held_out,
            search=part or search,
            loo=loo,
            out=out,
            workers=workers,
            cluster=cluster,
            seed=seed,
            chains=chains,
            warmup=warmup,
            draws=draws,
            min_ess=min_ess or None,
            max_sweeps=max_sweeps,
            seconds=seconds,
            progress=progress,
        )
    if out is not None:
        SHOWN.write_comparison(found, out)
    if json:
        TERMINAL.print_json(found.as_dict())
    else:
        SHOWN.show_comparison(found, out)


@contextmanager
def _rescued(out: Path | None) -> Iterator[None]:
    """If the user stops the command, or a cluster fails, say what is kept."""
    try:
        yield
    except (Stopped, ClusterError):
        if out is not None:
            TERMINAL.say_aside(f"Finished folds are in {out}. To continue, run the same command again.")
        raise
