"""The commands `dawnchorus report` and `dawnchorus feedback`: pages from a folder that `fit` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..common.errors import AnnotationError, OutputError
from .options import Columns, Encoding, Json

Folder = Annotated[Path, typer.Argument(help="Folder that `dawnchorus fit` wrote.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace pages that are there.")]
Level = Annotated[
    str | None,
    typer.Option(help="Column of the annotators' table with their self-rated level; found if it can be."),
]


def report(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option(help="File to write; report.html in the folder if none is given.")
    ] = None,
    truth: Annotated[Path | None, typer.Option(help="Truth table: recording, species, present.")] = None,
    column: Columns = None,
    encoding: Encoding = None,
    level: Level = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Make a page about a fit, to be looked at, printed and sent."""
    from ..common.whole_files import check_page
    from ..io import read_truth
    from ..report import write_report
    from ..results.saving.folder import REPORT, add_to_manifest
    from .arguments import column_mapping
    from .terminal import notes, print_json, progress, say, working

    path = folder / REPORT if out is None else out
    check_page(path, overwrite=overwrite)
    with notes(), working(f"Reading {folder}"):
        posterior, record = _read(folder)
        table = (
            None if truth is None else read_truth(truth, columns=column_mapping(column), encoding=encoding)
        )
    with notes(), progress("Making the report") as bar:
        write_report(
            posterior, path, truth=table, level=level, record=record, overwrite=overwrite, progress=bar
        )
    add_to_manifest(path)
    if json:
        print_json({"report": str(path)})
        return
    say(f"Written: {path}")


def feedback(
    folder: Folder,
    annotator: Annotated[list[str] | None, typer.Option(help="Whose page to write. Repeatable.")] = None,
    everybody: Annotated[bool, typer.Option("--all", help="Write a page for every annotator.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the pages; feedback in the folder if none is given.")
    ] = None,
    level: Level = None,
    rank: Annotated[bool, typer.Option("--rank", help="Tell annotators their place among all.")] = False,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a page for an annotator, fit to be sent to them."""
    from ..report import write_feedback
    from ..results.saving.folder import add_to_manifest
    from .terminal import notes, print_json, progress, say, working

    if bool(annotator) == everybody:
        raise AnnotationError("it is not clear whose pages to write", "say --annotator NAME, or --all")
    place = folder / "feedback" if out is None else out
    with notes(), working(f"Reading {folder}"):
        posterior, _ = _read(folder)
    with notes(), progress("Writing pages") as bar:
        pages = write_feedback(
            posterior, place, annotator or None, level=level, rank=rank, overwrite=overwrite, progress=bar
        )
    add_to_manifest(*(place / file for file in pages["file"]))
    if json:
        print_json({"out": str(place), "pages": pages.to_dict("records")})
        return
    for name, file in zip(pages["annotator"], pages["file"], strict=True):
        say(f"{name}: {place / file}")


def _read(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Read posterior and record of a fit."""
    from ..results.posterior import Posterior
    from ..results.saving.folder import read_record
    from ..results.saving.netcdf import DRAWS

    record = read_record(folder)
    if not (folder / DRAWS).is_file():
        raise OutputError(
            f"{folder} holds a fit of {record.get('model')}, which has no draws to report on. "
            "Remedy: fit one of the other models."
        )
    return Posterior.load(folder), record
