"""The command `dawnchorus report`: writes an HTML page about a fit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ..common.errors import OutputError
from ..common.files.whole import add_to_manifest, check_page
from ..common.lazy import lazy
from .arguments import truth_options
from .options import (
    Columns,
    Encoding,
    FitFolder,
    Json,
    OverwritePages,
    SelfRating,
    TruthFoldCase,
    TruthKeepNa,
    TruthNames,
)

FOLDER, SAVED = lazy("dawnchorus.results.saving.folder"), lazy("dawnchorus.results.saving.saved_result")
REGISTRY = lazy("dawnchorus.model.registry")
TERMINAL = lazy("dawnchorus.cli.terminal")


def report(
    folder: FitFolder,
    out: Annotated[
        Path | None, typer.Option(help="File to write. Default: report.html in the folder.")
    ] = None,
    truth: Annotated[Path | None, typer.Option(help="Truth table: recording, species, present.")] = None,
    column: Columns = None,
    encoding: Encoding = None,
    fold_case: TruthFoldCase = None,
    keep_na: TruthKeepNa = None,
    names: TruthNames = None,
    self_rating: SelfRating = None,
    overwrite: OverwritePages = False,
    json: Json = False,
) -> None:
    """Write a page about a fit, to be read, printed and sent."""
    path = folder / FOLDER.REPORT if out is None else out
    check_page(path, overwrite=overwrite)
    with TERMINAL.notes(), TERMINAL.working(f"Reading {folder}"):
        posterior, record = read_fit(folder, in_parts=True)
        options = truth_options(record, column, encoding, names, fold_case=fold_case, keep_na=keep_na)
        species = posterior.annotations.species.index
        table = None if truth is None else dc.read_truth(truth, species=species, **options)
    with TERMINAL.notes(), TERMINAL.phases("Making the report") as bar:
        dc.write_report(
            posterior,
            path,
            truth=table,
            self_rating=self_rating,
            record=record,
            overwrite=overwrite,
            progress=bar,
        )
    add_to_manifest(path)
    if json:
        TERMINAL.print_json({"report": str(path)})
        return
    TERMINAL.say(f"Written: {path}")


def read_fit(folder: Path, *, in_parts: bool = False) -> tuple[Any, dict[str, Any]]:
    """Return the posterior and the record (fit.json) of a fit; that of data in parts only if told so."""
    record = SAVED.read_record(folder)
    if record.get("model") == REGISTRY.MAJORITY_VOTE:
        raise OutputError(
            f"{folder} contains a fit of majority vote, which has no draws to report on. "
            "Remedy: fit one of the other models."
        )
    if in_parts and SAVED.is_in_parts(record):
        return dc.PosteriorInParts.load(folder), record
    return dc.Posterior.load(folder), record
