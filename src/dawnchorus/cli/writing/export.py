"""The command `dawnchorus export`: writes a fit in the formats of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import dawnchorus as dc

from ...common.lazy import lazy
from ..options import As, ExactLabels, FitFolder, Json

TERMINAL = lazy("dawnchorus.cli.terminal")
MOST_FILES, MOST_FOLDERS = 8, 3
NOT_COUNTED = ("to", "out", "files", "as", "probability")


def export(
    folder: FitFolder,
    to: Annotated[
        str,
        typer.Option(
            help="camtrap, darwincore, labels, birdnet, raven, parquet or arviz; `dawnchorus formats` lists "
            "them, with their options."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="File or folder to write: .csv for darwincore, .parquet, .nc for arviz, else a folder."
        ),
    ],
    as_: Annotated[
        As,
        typer.Option(
            "--as",
            help="Which probability is written: present, that a species is present; report, that a typical "
            "annotator would report it.",
        ),
    ] = As.present,
    threshold: Annotated[
        float | None, typer.Option(help="Smallest probability of a species that counts as present (0.5).")
    ] = None,
    absent_below: Annotated[
        float | None,
        typer.Option(help="Of darwincore, labels and birdnet: largest probability that counts as absent."),
    ] = None,
    min_probability: Annotated[
        float | None, typer.Option(help="Of parquet: smallest probability that is written.")
    ] = None,
    recordings: Annotated[
        Path | None,
        typer.Option(
            help="Table with further metadata of recordings: latitude, longitude, time, deployment, file, "
            "duration."
        ),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(help="Of camtrap, darwincore and raven: length of recordings in seconds."),
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(help="Of raven: name of the folder inside (consensus).")
    ] = None,
    audio: Annotated[
        Path | None, typer.Option(help="Of birdnet: folder with the audio files, to which links are made.")
    ] = None,
    copy: Annotated[
        bool, typer.Option("--copy", help="Of birdnet: copy audio files instead of linking to them.")
    ] = False,
    dataset: Annotated[
        str | None, typer.Option(help="Of darwincore: name with which identifiers begin (dawnchorus).")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Of camtrap: title of the project.")] = None,
    contributor: Annotated[
        str | None, typer.Option(help="Of camtrap: the person or organisation that contributes it.")
    ] = None,
    sampling_design: Annotated[
        str | None, typer.Option(help="Of camtrap: how sites were chosen (opportunistic).")
    ] = None,
    capture_method: Annotated[
        str | None, typer.Option(help="Of camtrap: what started recordings (timeLapse).")
    ] = None,
    media_type: Annotated[
        str | None,
        typer.Option(help="Of camtrap: media type of files whose ending does not tell it (audio/wav)."),
    ] = None,
    exact_labels: ExactLabels = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what Dawnchorus wrote.")] = False,
    json: Json = False,
) -> None:
    """Write a fit in the formats of others."""
    told = {
        "threshold": threshold,
        "absent_below": absent_below,
        "min_probability": min_probability,
        "duration": duration,
        "annotator": annotator,
        "audio": audio,
        "copy": copy or None,
        "dataset": dataset,
        "title": title,
        "contributor": contributor,
        "sampling_design": sampling_design,
        "capture_method": capture_method,
        "media_type": media_type,
    }
    options = {name: value for name, value in told.items() if value is not None}
    with TERMINAL.notes(), TERMINAL.working(f"Reading {folder}"):
        written = dc.export(
            folder,
            out,
            to,
            as_=as_.value,
            recordings=recordings,
            overwrite=overwrite,
            exact_labels=exact_labels,
            **options,
        )
    if json:
        TERMINAL.print_json(written)
        return
    numbers = [
        f"{name.replace('_', ' ')} {value:,}" for name, value in written.items() if name not in NOT_COUNTED
    ]
    TERMINAL.say(f"Written: {out} ({', '.join(_in_short(out, written['files']))})")
    if numbers:
        TERMINAL.say(f"{', '.join(numbers)}; a probability is {written['probability']}")


def _in_short(out: Path, files: list[str]) -> list[str]:
    """Return the names of files that were written, of many only some, and the number of several folders."""
    folders = [name for name in files if (out / name).is_dir()]
    if len(folders) > MOST_FOLDERS:
        files = [name for name in files if name not in set(folders)]
    more = len(files) - MOST_FILES
    named = [*files[:MOST_FILES], *([f"{more:,} more"] if more > 0 else [])]
    return [*named, *([f"{len(folders):,} folders"] if len(folders) > MOST_FOLDERS else [])]
