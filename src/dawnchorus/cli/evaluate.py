"""The command `dawnchorus evaluate`: compares a fit with the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ..common.lazy import lazy
from .arguments import truth_options
from .options import As, Columns, Encoding, Json, Seed, TruthFoldCase, TruthKeepNa, TruthNames

RESULT_TABLES = lazy("dawnchorus.cli.result_tables")
SAVED = lazy("dawnchorus.results.saving.saved_result")
TERMINAL = lazy("dawnchorus.cli.terminal")


def evaluate(
    folder: Annotated[Path, typer.Argument(help="Folder that `dawnchorus fit` wrote.")],
    truth: Annotated[
        Path, typer.Option(help="Truth table: recording, species, present; - for standard input.")
    ],
    as_: Annotated[
        As,
        typer.Option(
            "--as",
            help="What to compare with the truth: present, the probability that a species is present; "
            "report, that a typical annotator would report it, if the truth is what an expert heard.",
        ),
    ] = As.present,
    column: Columns = None,
    encoding: Encoding = None,
    fold_case: TruthFoldCase = None,
    keep_na: TruthKeepNa = None,
    include_known: Annotated[
        bool,
        typer.Option("--include-known", help="Score on cells that were known in the fit (--known) as well."),
    ] = False,
    leave_out_known: Annotated[
        bool,
        typer.Option("--leave-out-known", help="Leave such cells out. Without either, they are refused."),
    ] = False,
    names: TruthNames = None,
    bootstrap: Annotated[
        int, typer.Option(min=0, help="Bootstrap samples over recordings for intervals.")
    ] = 0,
    level: Annotated[float, typer.Option(min=0.01, max=0.999, help="Level of the intervals.")] = 0.9,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare the probabilities of a fit with the truth."""
    with TERMINAL.notes():
        with TERMINAL.working(f"Reading {folder}"):
            record = SAVED.read_record(folder)
            options = truth_options(record, column, encoding, names, fold_case=fold_case, keep_na=keep_na)
            presence, told = _result(folder, record, as_)
            table = dc.read_truth(truth, species=told["species"], **options)
        with TERMINAL.progress("Bootstrap") as progress:
            scores = dc.evaluate(
                presence,
                table,
                as_=as_.value,
                bootstrap=bootstrap,
                level=level,
                seed=seed,
                include_known=include_known,
                leave_out_known=leave_out_known,
                progress=progress,
                **told,
            )
    if json:
        TERMINAL.print_json(scores.as_dict())
        return
    RESULT_TABLES.show_scores(scores)


def _result(folder: Path, record: dict[str, Any], as_: As) -> tuple[Any, dict[str, Any]]:
    """Return the presence of a fit, and what is known of all of it."""
    if SAVED.is_in_parts(record):
        posterior = dc.PosteriorInParts.load(folder)
        return posterior, {"species": list(posterior.annotations.species.index)}
    saved = dc.read_result(folder)
    unlisted = saved.unlisted if as_ == As.present else saved.would_report_unlisted
    told = {"recordings": saved.recordings, "species": saved.species, "known": saved.known}
    return saved.presence, {**told, "unlisted": unlisted}
