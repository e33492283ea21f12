"""A small file of each format, of our own making from its public description, for the shared contract."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from archives import kerttu_archive


class Example(NamedTuple):
    """How to make a file or folder with exactly one report, and how to read it."""

    make: Callable[[Path], Path]
    absence: str | None = None
    options: dict[str, Any] = {}
    guessed: bool = True
    """Whether its format is unmistakable."""


def text(name: str, content: str) -> Callable[[Path], Path]:
    """Give a function that writes a text file."""

    def make(folder: Path) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    return make


def folder(files: dict[str, str]) -> Callable[[Path], Path]:
    """Give a function that writes text files into a folder."""

    def make(place: Path) -> Path:
        for name, content in files.items():
            text(f"archive/{name}", content)(place)
        return place / "archive"

    return make


HEADER = (
    "classification_id,user_name,user_id,user_ip,workflow_id,workflow_name,workflow_version,created_at,"
    "metadata,annotations,subject_data,subject_ids\n"
)


def classification(subject: object, user: str, *choices: str, workflow: object = 5, task: str = "T0") -> str:
    """Give a row of a Zooniverse export with an answered survey."""
    answers = [{"choice": choice, "answers": {"HOWMANY": "1"}, "filters": {}} for choice in choices]
    annotations = json.dumps([{"task": task, "task_label": "Who?", "value": answers}])
    return classified(subject, user, annotations, workflow=workflow)


def classified(
    subject: object, user: str, annotations: str, *, workflow: object = 5, version: str = "12.5", ip: str = ""
) -> str:
    """Give a row of a Zooniverse export with these annotations."""
    quoted = annotations.replace('"', '""')
    return (
        f'1,{user},,{ip},{workflow},Birds,{version},2026-05-01 05:00:00 UTC,{{}},"{quoted}",{{}},{subject}\n'
    )


EXAMPLES = {
    "table": Example(
        text("example.csv", "recording,annotator,species\n1,A,wren\n1,B,\n"), "checklist", guessed=False
    ),
    "wide": Example(text("wide.csv", "clip,user,wren,owl\n1,A,1,0\n1,B,0,\n")),
    "zooniverse": Example(
        text(
            "zoo.csv", HEADER + classification(1, "Aino", "Wren") + classification(1, "Onni", "Nothing here")
        )
    ),
    "birdnet": Example(
        text(
            "owls.BirdNET.results.csv",
            "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
            "0.0,3.0,Strix aluco,Tawny Owl,0.81,night/owls.wav\n",
        )
    ),
    "scores": Example(
        text("scores.csv", "filename,start_s,end_s,wren,owl\nx.wav,0,5,0.1,0.9\nx.wav,5,10,,0.2\n"),
        options={"threshold": 0.5},
        guessed=False,
    ),
    "raven": Example(
        folder(
            {
                "Aino/clip1.Table.1.selections.txt": "Selection\tBegin Time (s)\tEnd Time (s)\tSpecies\n"
                "1\t0.5\t1.5\twren\n",
                "Onni/clip1.txt": "",
            }
        )
    ),
    "kerttu": Example(kerttu_archive),
}
