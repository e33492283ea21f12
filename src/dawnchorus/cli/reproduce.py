"""The commands `dawnchorus reproduce …`: repeat the paper's evaluation."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ..common.errors import OutputError
from ..common.lazy import lazy
from .arguments import command_line
from .options import FoldCase, KeepNa, Names, OnCluster, Seed

TERMINAL = lazy("dawnchorus.cli.terminal")

reproduce = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Run the paper's evaluation again and compare the figures.",
)

Folder = Annotated[
    Path, typer.Option("--out", help="Folder for the page. Finished parts are kept there and not run again.")
]
Archive = Annotated[
    Path | None, typer.Argument(help="The Kerttu archive; if none is given, it is downloaded.")
]
Gold = Annotated[Path | None, typer.Option(help="The expert's labels: recording, species, present.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: all cores.")]
Quick = Annotated[bool, typer.Option("--quick", help="Run a small version, which takes about two minutes.")]


@reproduce.command()
def simulation(
    out: Folder = Path("dawnchorus-simulation"),
    quick: Quick = False,
    datasets: Annotated[
        int | None, typer.Option(min=1, help="Number of data sets per setting, with the default priors (20).")
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this part: default (the paper's tables), priors (its appendix), unlike (annotators "
            "unlike the prior), variants (other readings of the paper). Repeatable."
        ),
    ] = None,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: OnCluster = None,
) -> None:
    """Run the simulation study: four scenarios, five mean numbers of visits, five methods."""
    _check_ours(out, "cells")
    unknown = sorted(set(part or ()) - set(dc.studies.PARTS))
    if unknown:
        raise typer.BadParameter(
            f"there is no part '{unknown[0]}'; use one of: {', '.join(dc.studies.PARTS)}"
        )
    plan = dc.studies.QUICK if quick else dc.studies.FULL
    if datasets is not None:
        plan = plan._replace(default=datasets)
    parts = tuple(
        name for name in dc.studies.PARTS if (name in part if part else not quick or name == "default")
    )
    with TERMINAL.progress("Data sets") as show:
        page = dc.studies.reproduce_simulation(
            out,
            plan=plan,
            parts=parts,
            seed=seed,
            workers=workers,
            cluster=cluster,
            command=command_line(),
            progress=show,
        )
    TERMINAL.say(page.read_text(encoding="utf-8").split("\n## ")[0])
    TERMINAL.say(f"Written to {page}, with figures and tables beside it.")


@reproduce.command()
def kerttu(
    path: Archive = None,
    gold: Gold = None,
    out: Folder = Path("dawnchorus-kerttu"),
    fold_case: FoldCase = False,
    keep_na: KeepNa = False,
    names: Names = None,
    quick: Quick = False,
    seed: Seed = 1,
) -> None:
    """Run the application to Kerttu: five methods, compared with the expert's labels if given."""
    _check_ours(out, "fits")
    annotations, truth = _read(path, gold, fold_case=fold_case, keep_na=keep_na, names=names)
    page = dc.studies.reproduce_kerttu(
        annotations,
        out,
        gold=truth,
        lengths=dc.studies.QUICK_LENGTHS if quick else dc.studies.PAPER_LENGTHS,
        min_ess=None if quick else 400,
        bootstrap=50 if quick else 1000,
        seed=seed,
        command=command_line(),
        bar=TERMINAL.sampling_bar,
        working=TERMINAL.working,
    )
    TERMINAL.say(f"Written to {page}, with figures and tables beside it.")


@reproduce.command()
def beyond(
    path: Archive = None,
    gold: Gold = None,
    out: Folder = Path("dawnchorus-beyond"),
    fold_case: FoldCase = False,
    keep_na: KeepNa = False,
    names: Names = None,
    quick: Quick = False,
    seed: Seed = 1,
    workers: Workers = None,
) -> None:
    """Compare models beyond the paper on Kerttu: by held-out visits, and the expert's labels if given."""
    _check_ours(out, "fits")
    annotations, truth = _read(path, gold, fold_case=fold_case, keep_na=keep_na, names=names)
    with TERMINAL.phases("Comparing models") as phases:
        page = dc.studies.reproduce_beyond(
            annotations,
            out,
            gold=truth,
            length=dc.studies.QUICK_BEYOND_LENGTH if quick else dc.studies.BEYOND_LENGTH,
            bootstrap=50 if quick else 1000,
            seed=seed,
            workers=workers,
            command=command_line(),
            bar=TERMINAL.sampling_bar,
            working=TERMINAL.working,
            phases=phases,
        )
    TERMINAL.say(f"Written to {page}, with figures and tables beside it.")


def _read(path: Path | None, gold: Path | None, **labels: Any) -> tuple[Any, Any]:
    """Return the Kerttu archive and, if there are any, the expert's labels."""
    with TERMINAL.notes(), TERMINAL.working("Reading"):
        read = dc.datasets.kerttu if path is None else partial(dc.read, path, "kerttu")
        annotations = read(**labels)
        truth = None if gold is None else dc.read_truth(gold, species=annotations.species.index, **labels)
    return annotations, truth


def _check_ours(out: Path, inside: str) -> None:
    """Raise an error if a folder exists and does not contain this study."""
    if out.exists() and (
        not out.is_dir() or (any(out.iterdir()) and not (out / inside / "about.json").exists())
    ):
        raise OutputError(f"{out} exists and does not contain this study. Remedy: choose another --out.")
