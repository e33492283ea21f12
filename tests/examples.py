"""A small file of each format, of our own making from its public description, for the shared contract."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from archives import kerttu_archive


class Example(NamedTuple):
    """How to make a file or folder with exactly one report, and how to read it."""

    make: Callable[[Path], Path]
    absence: str | None = None
    options: dict[str, Any] = {}
    guessed: bool = True
    """Whether its format is unmistakable."""
    format: str | None = None
    """The reader, if it has another name."""

    def reader(self, name: str) -> str:
        """Give the name of its reader."""
        return self.format or name


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


def workbook(place: Path) -> Path:
    """Write an Excel workbook."""
    votes = pd.DataFrame({"recording": [1, 1], "annotator": ["A", "B"], "species": ["wren", None]})
    votes.to_excel(place / "example.xlsx", index=False)
    return place / "example.xlsx"


HEADER = (
    "classification_id,user_name,user_id,user_ip,workflow_id,workflow_name,workflow_version,created_at,"
    "metadata,annotations,subject_data,subject_ids\n"
)


def classification(subject: object, user: str, *choices: str, task: str = "T0", **fields: Any) -> str:
    """Give a row of a Zooniverse export with an answered survey."""
    answers = [{"choice": choice, "answers": {"HOWMANY": "1"}, "filters": {}} for choice in choices]
    annotations = json.dumps([{"task": task, "task_label": "Who?", "value": answers}])
    return classified(subject, user, annotations, **fields)


def classified(
    subject: object, user: str, annotations: str, *, workflow: object = 5, version: str = "12.5", ip: str = ""
) -> str:
    """Give a row of a Zooniverse export with these annotations."""
    quoted = annotations.replace('"', '""')
    return (
        f'1,{user},,{ip},{workflow},Birds,{version},2026-05-01 05:00:00 UTC,{{}},"{quoted}",{{}},{subject}\n'
    )


def task(number: object, *annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Give a task of Label Studio."""
    return {"id": number, "data": {"audio": f"/clips/{number}.wav"}, "annotations": list(annotations), **more}


def annotation(who: object, *choices: str, **more: Any) -> dict[str, Any]:
    """Give an annotation of Label Studio."""
    chosen = {"from_name": "bird", "to_name": "audio", "type": "choices", "value": {"choices": list(choices)}}
    result = [chosen] if choices else []
    return {"completed_by": who, "result": result, "was_cancelled": False, "ground_truth": False, **more}


def aoef(**changes: Any) -> dict[str, Any]:
    """Give an annotation project with two tasks, one of them completed by two people, with a wren."""
    badges = [{"state": "completed", "owner": "u1"}, {"state": "completed", "owner": "u2"}]
    data = {
        "uuid": "p",
        "collection_type": "annotation_project",
        "users": [{"uuid": "u1", "username": "Aino"}, {"uuid": "u2", "username": "Onni"}],
        "tags": [{"id": 0, "key": "species", "value": "wren"}, {"id": 1, "key": "quality", "value": "good"}],
        "recordings": [{"uuid": "r1", "path": "night/owls.wav", "duration": 60}],
        "clips": [
            {"uuid": "c1", "recording": "r1", "start_time": 0, "end_time": 3},
            {"uuid": "c2", "recording": "r1", "start_time": 3, "end_time": 6},
        ],
        "sound_event_annotations": [{"uuid": "s1", "sound_event": "e", "tags": [0, 1], "created_by": "u1"}],
        "clip_annotations": [
            {"uuid": "a1", "clip": "c1", "sound_events": ["s1"]},
            {"uuid": "a2", "clip": "c2"},
        ],
        "tasks": [
            {"uuid": "t1", "clip": "c1", "status_badges": badges},
            {"uuid": "t2", "clip": "c2", "status_badges": [{"state": "assigned", "owner": "u1"}]},
        ],
    }
    return {"version": "1.1.0", "created_on": "2026-05-01T05:00:00", "data": data | changes}


EBIRD = (
    "GLOBAL UNIQUE IDENTIFIER\tCATEGORY\tSCIENTIFIC NAME\tOBSERVATION COUNT\tLATITUDE\tLONGITUDE\t"
    "OBSERVATION DATE\tTIME OBSERVATIONS STARTED\tOBSERVER ID\tSAMPLING EVENT IDENTIFIER\t"
    "ALL SPECIES REPORTED\tGROUP IDENTIFIER\n"
)


def checklist(
    event: str, who: str, species: str, *, complete: int = 1, group: str = "", count="X", kind="species"
) -> str:
    """Give a row of the eBird Basic Dataset."""
    where = "60.1\t24.9\t2026-05-01\t05:30:00"
    return f"G\t{kind}\t{species}\t{count}\t{where}\t{who}\t{event}\t{complete}\t{group}\n"


OBSERVATIONS = (
    "observationID,deploymentID,mediaID,eventID,eventStart,eventEnd,observationLevel,observationType,"
    "scientificName,count,classificationMethod,classifiedBy,classificationProbability\n"
)


def sighting(
    media: str, who: str, kind: str, species: str = "", *, level="media", method="human", p=""
) -> str:
    """Give a row of the observations of a Camtrap DP."""
    return f"o,d1,{media},e-{media},2026-05-01T05:00:00Z,,{level},{kind},{species},1,{method},{who},{p}\n"


EXAMPLES = {
    "table": Example(
        text("example.csv", "recording,annotator,species\n1,A,wren\n1,B,\n"), "checklist", guessed=False
    ),
    "excel": Example(workbook, "checklist", guessed=False, format="table"),
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
    "labelstudio": Example(
        text("ls.json", json.dumps([task(1, annotation(7, "Wren"), annotation({"email": "o@x.fi"}))]))
    ),
    "aoef": Example(text("project.json", json.dumps(aoef(), indent=1))),
    "ebird": Example(
        text("ebd.txt", EBIRD + checklist("S1", "obs1", "Strix aluco") + checklist("S2", "obs2", "", kind=""))
    ),
    "inaturalist": Example(
        text(
            "ids.csv",
            "observation_id,user_login,taxon_name,taxon_rank,current\n1,aino,Strix aluco,species,true\n",
        )
    ),
    "camtrap": Example(
        folder(
            {
                "observations.csv": OBSERVATIONS
                + sighting("m1", "Aino", "animal", "Vulpes vulpes")
                + sighting("m1", "Onni", "blank"),
                "deployments.csv": "deploymentID,latitude,longitude\nd1,60.1,24.9\n",
                "datapackage.json": "{}",
            }
        )
    ),
    "crowdkit": Example(
        text("crowd.csv", "task,worker,label\n1,A,\"['wren']\"\n1,B,[]\n"), absence="checklist"
    ),
    "kerttu": Example(kerttu_archive),
}
