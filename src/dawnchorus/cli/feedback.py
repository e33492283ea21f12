"""The command `dawnchorus feedback`: writes a page for each annotator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import dawnchorus as dc

from ..common.errors import AnnotationError
from ..common.files.whole import add_to_manifest
from ..common.lazy import lazy
from .options import FitFolder, Json, OverwritePages, SelfRating
from .report import read_fit

TERMINAL = lazy("dawnchorus.cli.terminal")


def feedback(
    folder: FitFolder,
    annotator: Annotated[list[str] | None, typer.Option(help="Whose page to write. Repeatable.")] = None,
    everybody: Annotated[bool, typer.Option("--all", help="Write a page for every annotator.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the pages. Default: feedback in the folder of the fit.")
    ] = None,
    self_rating: SelfRating = None,
    rank: Annotated[
        bool, typer.Option("--rank", help="Tell annotators their rank among all annotators.")
    ] = False,
    overwrite: OverwritePages = False,
    json: Json = False,
) -> None:
    """Write a page for each annotator, about their own answers."""
    if bool(annotator) == everybody:
        raise AnnotationError("it is not clear whose pages to write", "use --annotator NAME, or --all")
    place = folder / "feedback" if out is None else out
    with TERMINAL.notes(), TERMINAL.working(f"Reading {folder}"):
        posterior, _ = read_fit(folder)
    with TERMINAL.notes(), TERMINAL.progress("Writing pages") as bar:
        pages = dc.write_feedback(
            posterior,
            place,
            annotator or None,
            self_rating=self_rating,
            rank=rank,
            overwrite=overwrite,
            progress=bar,
        )
    add_to_manifest(*(place / file for file in pages["file"]))
    if json:
        TERMINAL.print_json({"out": str(place), "pages": pages.to_dict("records")})
        return
    for name, file in zip(pages["annotator"], pages["file"], strict=True):
        TERMINAL.say(f"{name}: {place / file}")
