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
from .options import Json, Kind, Out, Overwrite, Seed

TERMINAL = lazy("dawnchorus.cli.terminal")


def simulate(
    out: Out,
    kind: Annotated[
        Kind, typer.Option(help="paper: its four scenarios; portal: scopes, sites, rare species.")
    ] = Kind.paper,
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
    with TERMINAL.working("Simulating"):
        others: dict[Kind, dict[str, Any]] = {
            Kind.portal: {
                "--confusion": confusion,
                "--faintness": faintness,
                "--deception": deception,
                "--machine": machine,
            },
            Kind.paper: {"--scenario": scenario, "--unsure-step": unsure_step},
        }
        for needed, options in others.items():
            for option, value in options.items():
                if value is not None and kind is not needed:
                    raise AnnotationError(
                        f"{option} can be used only with --kind {needed.value}", "leave one of them out"
                    )
        if kind is Kind.paper:
            simulation = dc.simulate_paper(scenario or 1, **sizes, unsure_step=unsure_step or 0.0, seed=seed)
        else:
            birds: dict[str, Any] = {"faintness": faintness or 0.0, "deception": deception or 0.0}
            birds |= {"confusion": confusion or 0.0, "machine": machine}
            simulation = dc.simulate_portal(**sizes, **birds, seed=seed)
        record = {"command": command_line(), "seed": seed}
        contents = dc.write_simulation(simulation, out, overwrite=overwrite, record=record)
    if json:
        TERMINAL.print_json({**contents, "out": str(out)})
        return
    TERMINAL.show_pairs("Simulated", simulation.annotations.summary().as_rows())
    absence = contents["absence"]
    TERMINAL.say(f"Written to {out}/: {', '.join(contents['files'])}")
    words = ["dawnchorus", "fit", f"{out}/annotations.csv", "--absence", absence]
    tables = ("scope", "recordings", "species") if absence == "scope" else ("recordings", "species")
    words += [word for table in tables for word in (f"--{table}", f"{out}/{table}.csv")]
    TERMINAL.say(f"Next: {shlex.join([*words, '--out', f'{out}-fit'])}")
