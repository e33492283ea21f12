"""Measure the readers on a million classifications each: `make bench`. Each runs in a fresh process.

Prints a Markdown table; exits with 1 if a reader needs more than a minute or two gigabytes. Seconds of a core
are beside those of the clock: they tell how long it would take if the machine did nothing else. Names of
formats as arguments measure only these.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import openpyxl

from foundation import peak_megabytes

MILLION = 1_000_000
SECONDS, MEGABYTES = 60, 2000
SPECIES = [f"Species number {i}" for i in range(300)]


def species(i: int) -> str:
    return SPECIES[(i * 31 + i // 7) % len(SPECIES)]


def visits() -> Iterator[tuple[int, int, int]]:
    """Give number, recording and annotator of a million visits, five to a recording."""
    for i in range(MILLION):
        yield i, i // 5, (i // 5 * 7 + i % 5) % 2000


def lines(path: Path, header: str, rows: Iterator[str]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.write(header)
        file.writelines(rows)
    return path


def table(folder: Path) -> Path:
    rows = (f"recording-{r},annotator {a},{species(i)}\n" for i, r, a in visits())
    return lines(folder / "t.csv", "recording,annotator,species\n", rows)


def excel(folder: Path) -> Path:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["recording", "annotator", "species"])
    for i, r, a in visits():
        sheet.append([f"recording-{r}", f"annotator {a}", species(i)])
    book.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def wide(folder: Path) -> Path:
    """Write a hundred thousand visits with thirty votes each."""
    votes = [",".join(str(int(k == i)) for k in range(30)) for i in range(30)]
    rows = (f"recording-{r},annotator {a},{votes[i % 30]}\n" for i, r, a in islice(visits(), MILLION // 10))
    return lines(folder / "w.csv", f"recording,annotator,{','.join(SPECIES[:30])}\n", rows)


def zooniverse(folder: Path) -> Path:
    header = (
        "classification_id,user_name,user_id,user_ip,workflow_id,workflow_name,workflow_version,created_at,"
        "gold_standard,expert,metadata,annotations,subject_data,subject_ids\n"
    )
    metadata = '"{""source"":""api"",""session"":""x"",""viewport"":{""width"":1600,""height"":900}}"'

    def row(i: int, r: int, a: int) -> str:
        answer = f'{{""choice"":""{species(i)}"",""answers"":{{""HOWMANY"":""1""}},""filters"":{{}}}}'
        said = f'"[{{""task"":""T0"",""task_label"":""Who is it?"",""value"":[{answer}]}}]"'
        subject = f'"{{""{r}"":{{""retired"":null,""Filename"":""{r}.mp3""}}}}"'
        when = "2026-05-01 05:00:00 UTC"
        return f"{i},user{a},{a},ab{a},5,Birds,12.5,{when},,,{metadata},{said},{subject},{r}\n"

    return lines(folder / "z.csv", header, (row(*visit) for visit in visits()))


def birdnet(folder: Path) -> Path:
    rows = (f"{i % 500 * 3},{i % 500 * 3 + 3},{species(i)},x,0.5,r{i // 500}.wav\n" for i in range(MILLION))
    header = "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
    return lines(folder / "b.csv", header, rows)


def scores(folder: Path) -> Path:
    values = [",".join("0.9" if k == i else "0.01" for k in range(30)) for i in range(30)]
    rows = (f"r{i // 500}.wav,{i % 500 * 5},{values[i % 30]}\n" for i in range(MILLION))
    return lines(folder / "s.csv", f"file,start_s,{','.join(SPECIES[:30])}\n", rows)


def raven(folder: Path) -> Path:
    """Write a thousand files of a thousand labels."""
    for k in range(1000):
        place = folder / "labels" / f"annotator {k % 20}"
        place.mkdir(parents=True, exist_ok=True)
        rows = (f"{i}.1\t{i}.9\t{species(i + k)}\n" for i in range(1000))
        lines(place / f"recording-{k // 20}.txt", "", rows)
    return folder / "labels"


def labelstudio(folder: Path) -> Path:
    def task(r: int) -> str:
        annotations = []
        for k in range(5):
            value = {"start": 0.1, "end": 0.9, "channel": 0, "labels": [species(r * 5 + k)]}
            result = {"id": "x", "from_name": "b", "to_name": "a", "type": "labels", "value": value}
            annotations.append({"id": r * 5 + k, "completed_by": (r * 7 + k) % 2000, "result": [result],
                                "was_cancelled": False, "ground_truth": False, "lead_time": 9.1})  # fmt: skip
        return json.dumps({"id": r, "data": {"audio": f"/data/{r}.wav"}, "annotations": annotations})

    rows = ((",\n" if r else "[") + task(r) for r in range(MILLION // 5))
    path = lines(folder / "l.json", "", rows)
    with path.open("a") as file:
        file.write("]")
    return path


def aoef(folder: Path) -> Path:
    """Write a million completed tasks: five people in each of two hundred thousand clips."""
    clips = range(MILLION // 5)
    data: dict[str, Any] = {
        "uuid": "p",
        "collection_type": "annotation_project",
        "users": [{"uuid": f"u{a}", "username": f"user {a}"} for a in range(2000)],
        "tags": [{"id": k, "key": "species", "value": name} for k, name in enumerate(SPECIES)],
        "recordings": [{"uuid": f"r{k}", "path": f"r{k}.wav"} for k in range(1000)],
    }
    parts: dict[str, Callable[[int], Any]] = {
        "clips": lambda c: {
            "uuid": f"c{c}", "recording": f"r{c % 1000}",
            "start_time": c // 1000 * 3, "end_time": c // 1000 * 3 + 3,
        },
        "sound_event_annotations": lambda c: {
            "uuid": f"s{c}", "sound_event": f"e{c}", "tags": [c % 300], "created_by": f"u{c * 7 % 2000}"
        },
        "clip_annotations": lambda c: {"uuid": f"a{c}", "clip": f"c{c}", "sound_events": [f"s{c}"]},
        "tasks": lambda c: {
            "uuid": f"t{c}", "clip": f"c{c}",
            "status_badges": [{"state": "completed", "owner": f"u{(c * 7 + k) % 2000}"} for k in range(5)],
        },
    }  # fmt: skip
    path = folder / "p.json"
    with path.open("w") as file:
        file.write('{"version": "1.1.0", "data": ' + json.dumps(data)[:-1])
        for name, make in parts.items():
            file.write(f', "{name}": [')
            file.writelines((", " if c else "") + json.dumps(make(c)) for c in clips)
            file.write("]")
        file.write("}}")
    return path


def ebird(folder: Path) -> Path:
    header = (
        "GLOBAL UNIQUE IDENTIFIER\tCATEGORY\tSCIENTIFIC NAME\tOBSERVATION COUNT\tLATITUDE\tLONGITUDE\t"
        "OBSERVATION DATE\tTIME OBSERVATIONS STARTED\tOBSERVER ID\tSAMPLING EVENT IDENTIFIER\t"
        "ALL SPECIES REPORTED\tGROUP IDENTIFIER\n"
    )
    where = "60.1\t24.9\t2026-05-01\t05:30:00"
    rows = (
        f"URN:{i}\tspecies\t{species(i)}\t2\t{where}\tobsr{a}\tS{i}\t{int(r % 10 > 0)}\tG{r}\n"
        for i, r, a in visits()
    )
    return lines(folder / "e.txt", header, rows)


def inaturalist(folder: Path) -> Path:
    rows = (f"{r},user{a},{species(r * 3 + i % 2)},species,true\n" for i, r, a in visits())
    return lines(folder / "i.csv", "observation_id,user_login,taxon_name,taxon_rank,current\n", rows)


def camtrap(folder: Path) -> Path:
    header = (
        "observationID,deploymentID,mediaID,eventID,eventStart,observationLevel,observationType,"
        "scientificName,classificationMethod,classifiedBy,classificationProbability\n"
    )
    when = "2026-05-01T05:00:00Z"
    rows = (f"o{i},d1,m{r},,{when},media,animal,{species(i)},human,user{a},\n" for i, r, a in visits())
    return lines(folder / "observations.csv", header, rows)


def crowdkit(folder: Path) -> Path:
    rows = (f"{r},user{a},\"['{species(i)}', '{species(i + 1)}']\"\n" for i, r, a in visits())
    return lines(folder / "c.csv", "task,worker,label\n", rows)


FORMATS: dict[str, tuple[Callable[[Path], Path], dict[str, Any]]] = {
    "table": (table, {"absence": "checklist"}),
    "excel": (excel, {"format": "table", "absence": "checklist"}),
    "wide": (wide, {}),
    "zooniverse": (zooniverse, {}),
    "birdnet": (birdnet, {}),
    "scores": (scores, {"threshold": 0.5}),
    "raven": (raven, {"window": 1}),
    "labelstudio": (labelstudio, {}),
    "aoef": (aoef, {}),
    "ebird": (ebird, {}),
    "inaturalist": (inaturalist, {}),
    "camtrap": (camtrap, {}),
    "crowdkit": (crowdkit, {"absence": "checklist"}),
}


def one_format(name: str, path: str) -> None:
    """Read a file in this process, and print visits, seconds after import, by core and clock, and memory."""
    import dawnchorus as dc

    warnings.simplefilter("ignore")
    start = time.process_time(), time.perf_counter()
    annotations = dc.read(path, **{"format": name} | FORMATS[name][1])
    seconds = time.process_time() - start[0], time.perf_counter() - start[1]
    print(json.dumps([annotations.n_visits, *seconds, peak_megabytes()]))


def main(names: list[str]) -> int:
    columns = "format | visits | MB of file | seconds | limit | of a core | peak MB | limit"
    print(f"\n| {columns} |\n|---|{'---:|' * 7}")
    missed = []
    for name in names or FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            path = FORMATS[name][0](Path(folder))
            files = [file for file in Path(folder).rglob("*") if file.is_file()]
            size = sum(file.stat().st_size for file in files) / 1e6
            done = subprocess.run(
                [sys.executable, __file__, "--read", name, str(path)],
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode:
            print(f"| {name} | failed: {done.stderr[-300:]} |")
            missed.append(name)
            continue
        visited, core, seconds, peak = json.loads(done.stdout)
        told = f"{visited:,} | {size:,.0f} | {seconds:.1f} | {SECONDS} | {core:.1f} | {peak or 0:,.0f}"
        print(f"| {name} | {told} | {MEGABYTES} |", flush=True)
        if seconds > SECONDS or (peak and peak > MEGABYTES):
            missed.append(name)
    print(f"\nMissed: {', '.join(missed)}" if missed else "\nAll limits kept.")
    return bool(missed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        one_format(*sys.argv[2:])
    else:
        sys.exit(main(sys.argv[1:]))
