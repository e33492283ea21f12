"""The command `dawnchorus simulate`: writes simulated annotations with a known truth."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ..common.errors import AnnotationError
from ..common.files.whole import check_free
from ..common.lazy import lazy
from .arguments import command_line
from .options import Json, Kind, Out, Overwrite, Seed, TableFormat

TERMINAL = lazy("dawnchorus.cli.terminal")


def simulate(
    out: Out,
    kind: Annotated[
        Kind | None,
        typer.Option(
            help="paper: its four scenarios; portal: scopes, sites, rare species. Default: paper, with "
            "--format parquet portal."
        ),
    ] = None,
    format: Annotated[
        TableFormat,
        typer.Option(help="csv; or, for portal, parquet: made and written in parts, of any size."),
    ] = TableFormat.csv,
    scenario: Annotated[int | None, typer.Option(min=1, max=4, help="Scenario of the paper (1).")] = None,
    recordings: Annotated[int | None, typer.Option(min=1, help="Number of recordings.")] = None,
    annotators: Annotated[int | None, typer.Option(min=1, help="Number of annotators.")] = None,
    species: Annotated[int | None, typer.Option(min=1, help="Number of species.")] = None,
    visits: Annotated[float | None, typer.Option(min=0, help="Mean visits per recording.")] = None,
    confusion: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="For portal: how often a species is taken for its look-alike (0)."),
    ] = None,
    faintness: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="For portal: how far birds differ in how audible they are for everybody, as logits (0).",
        ),
    ] = None,
    deception: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="For portal: how far recordings differ in how much they mislead everybody, as logits (0).",
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(help="For portal: the name of a classifier that listens too, and gives scores."),
    ] = None,
    unsure_step: Annotated[
        float | None,
        typer.Option(
            min=0, help="For paper: how much likelier 'report or unsure' is than a report, as a logit (0)."
        ),
    ] = None,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Simulate annotations with a known truth."""
    check_free(out, overwrite=overwrite)
    sizes: dict[str, Any] = {
        "recordings": recordings,
        "annotators": annotators,
        "species": species,
        "visits": visits,
    }
    sizes = {name: value for name, value in sizes.items() if value is not None}
    others: dict[Kind, dict[str, Any]] = {
        Kind.portal: {
            "--confusion": confusion,
            "--faintness": faintness,
            "--deception": deception,
            "--machine": machine,
        },
        Kind.paper: {"--scenario": scenario, "--unsure-step": unsure_step},
    }
    in_parts = format is TableFormat.parquet
    kind = kind or (Kind.portal if in_parts else Kind.paper)
    _refuse_options(kind, others, in_parts=in_parts)
    record = {"command": command_line(), "seed": seed}
    if in_parts:
        with TERMINAL.phases("Simulating") as progress:
            contents = dc.write_portal(
                out, **sizes, seed=seed, overwrite=overwrite, record=record, progress=progress
            )
        summary: Any = contents["data"].items()
    else:
        with TERMINAL.working("Simulating"):
            if kind is Kind.paper:
                simulation = dc.simulate_paper(
                    scenario or 1, **sizes, unsure_step=unsure_step or 0.0, seed=seed
                )
            else:
                birds: dict[str, Any] = {"faintness": faintness or 0.0, "deception": deception or 0.0}
                birds |= {"confusion": confusion or 0.0, "machine": machine}
                simulation = dc.simulate_portal(**sizes, **birds, seed=seed)
            contents = dc.write_simulation(simulation, out, overwrite=overwrite, record=record)
        summary = simulation.annotations.summary().as_rows()
    if json:
        TERMINAL.print_json({**contents, "out": str(out)})
        return
    TERMINAL.show_pairs("Simulated", summary)
    absence = contents["absence"]
    TERMINAL.say(f"Written to {out}/: {', '.join(contents['files'])}")
    votes = f"{out}/visits/*.parquet" if in_parts else f"{out}/annotations.csv"
    words = ["dawnchorus", "fit", votes, "--absence", absence]
    tables = ("scope", "recordings", "species") if absence == "scope" else ("recordings", "species")
    if in_parts:
        tables = ("scope", "species")
    words += [word for table in tables for word in (f"--{table}", f"{out}/{table}.csv")]
    TERMINAL.say(f"Next: {shlex.join([*words, '--out', f'{out}-fit'])}")


def _refuse_options(kind: Kind, others: dict[Kind, dict[str, Any]], *, in_parts: bool) -> None:
    """Raise an error if an option does not go with the kind, or with tables in parts."""
    for needed, options in others.items():
        for option, value in options.items():
            if value is None:
                continue
            if kind is not needed:
                raise AnnotationError(
                    f"{option} can be used only with --kind {needed.value}", "leave one of them out"
                )
            if in_parts:
                raise AnnotationError(
                    f"{option} cannot be used with --format parquet", "leave one of them out"
                )
    if in_parts and kind is not Kind.portal:
        raise AnnotationError(
            f"--kind {kind.value} is made in one piece, not in parts", "use --kind portal, or --format csv"
        )
