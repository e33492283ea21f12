"""The options about reading, which all commands that read annotations share: one line each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ..arguments import column_mapping
from ..injected import with_options
from ..options import Columns, Encoding, FoldCase, KeepNa, Names, ScoreKind, Silence

Files = Annotated[
    list[str],
    typer.Argument(
        help="The annotations: files, folders, zip or gzip archives, patterns in quotation marks, or - for a "
        "table on standard input.",
        metavar="PATH...",
        show_default=False,
    ),
]


def _words(name: str, words: str) -> Any:
    return Annotated[str | None, typer.Option(f"--{name}", help=words)]


def _number(name: str, words: str) -> Any:
    return Annotated[float | None, typer.Option(f"--{name}", help=words)]


def _file(name: str, words: str) -> Any:
    return Annotated[Path | None, typer.Option(f"--{name}", help=words)]


def _flag(name: str, words: str) -> Any:
    return Annotated[bool, typer.Option(f"--{name}", help=words)]


OPTIONS: dict[str, Any] = {
    "format": _words("format", "`dawnchorus formats` lists them. Default: guessed, and said."),
    "absence": Annotated[
        Silence | None,
        typer.Option(
            help="What it means if a visit does not mention a species: explicit, no vote; scope, absent if "
            "the species is in the annotator's scope table; checklist, absent."
        ),
    ],
    "column": Columns,
    "encoding": Encoding,
    "sheet": _words("sheet", "Sheet of an Excel workbook."),
    "scope": _file(
        "scope", "Table (annotator, species): the species that each annotator answers for; or by scope."
    ),
    "recordings": _file("recordings", "Table of recordings, with metadata."),
    "annotators": _file("annotators", "Table of annotators, with metadata."),
    "species": _file("species", "Table of species, with metadata."),
    "names": Names,
    "drop_unreported": Annotated[
        bool | None,
        typer.Option(
            "--drop-unreported/--keep-unreported",
            help="Leave out species that nobody reported. Default: keep; for kerttu: drop.",
        ),
    ],
    "fold_case": FoldCase,
    "keep_na": KeepNa,
    "workflow": _words("workflow", "Of zooniverse: the id of the workflow to read."),
    "workflow_version": _words("workflow-version", "Of zooniverse: its version."),
    "task": _words("task", "Of zooniverse: the task that has the species, such as T0."),
    "workflows": _file("workflows", "Of zooniverse: the workflow export, with all choices of the task."),
    "nothing": Annotated[
        list[str] | None,
        typer.Option(help="Of zooniverse and labelstudio: a choice that says nothing is there. Repeatable."),
    ],
    "threshold": _number("threshold", "Of birdnet and scores: the smallest score of a report."),
    "species_list": _file("species-list", "Of birdnet: the species list of the run, one species per line."),
    "common_names": _flag("common-names", "Of birdnet: name species by their common names."),
    "machine": _words("machine", "Of birdnet and scores: the name of the annotator."),
    "window": _number("window", "Of birdnet, scores and raven: cut recordings into so many seconds."),
    "duration": _number("duration", "Of birdnet and raven: the length of recordings in seconds."),
    "score_scale": Annotated[
        ScoreKind | None,
        typer.Option(
            help="What scores of a machine are: probability or logit. Default: probability, if all of them "
            "lie between 0 and 1."
        ),
    ],
    "pattern": _words("pattern", "Of raven: how files are named, as in {recording}_{annotator}."),
    "recording_field": _words("recording-field", "Of labelstudio: the field of data with the recording."),
    "control": _words("control", "Of labelstudio: the from_name of the labels to read."),
    "tag_key": _words("tag-key", "Of aoef: the key of the tags that have the species."),
    "level": _words("level", "Of camtrap: which observations to read, media or event."),
    "skip_bad": _flag("skip-bad", "Leave out rows that cannot be used, and count them."),
}
"""The options by the name of the argument in Python, with their types for typer."""
FLAGS = ("fold_case", "keep_na", "common_names", "skip_bad")


def with_reading(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options about reading in place of its parameter `reading`.

    The command gets a dictionary of those that were given, as `dc.read` takes them.
    """
    defaults = dict.fromkeys(FLAGS, False)
    return with_options(command, "reading", OPTIONS, defaults, _as_in_python)


def _as_in_python(told: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given, as `dc.read` takes them."""
    told = {**told, "columns": column_mapping(told["column"])}
    del told["column"]
    if told["absence"] is not None:
        told["absence"] = told["absence"].value
    if told["score_scale"] is not None:
        told["score_scale"] = told["score_scale"].value
    return {name: value for name, value in told.items() if value is not None and value is not False}
