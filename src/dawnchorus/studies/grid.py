"""Running of many independent jobs on all cores; finished jobs are saved, so that a study can be continued.

Each job has its own seed, so results do not depend on the number of processes, or on a cluster.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from ..common.errors import AnnotationError
from ..common.files.whole import whole_file
from ..common.showing.progress import Progress
from ..common.workers.connecting import connected
from ..common.workers.jobs import JobFailed, done_jobs

Rows = list[dict[str, Any]]
FITTING = "dawnchorus.results.fitting"
"""What nearly all jobs need."""


class Job(NamedTuple):
    """A job: the name of its file, a function defined at the top level of a module, and its arguments."""

    name: str
    work: Callable[..., Rows]
    arguments: dict[str, Any]


def run_jobs(
    jobs: Iterable[Job],
    folder: Path,
    *,
    about: dict[str, Any],
    workers: int | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> Rows:
    """Run the jobs that are not finished yet, and return the rows of all jobs, in their order.

    Parameters
    ----------
    jobs
        The jobs.
    folder
        The folder for the results of finished jobs, one file each.
    about
        What all jobs have in common, such as version and seed.
    workers
        The number of processes; by default one per core.
    cluster
        Where jobs are run instead: as in `fit`.
    progress
        A function that is called with the number of jobs done and their total.

    Raises
    ------
    AnnotationError
        If the folder contains results with a different `about`, or a job fails.
    """
    jobs = list(jobs)
    folder.mkdir(parents=True, exist_ok=True)
    same_study(folder / "about.json", about)
    todo = [job for job in jobs if not _file(folder, job).exists()]
    done = len(jobs) - len(todo)
    if progress:
        progress(done, len(jobs))
    if todo:
        workers = workers or os.cpu_count() or 1
        with nullcontext() if cluster is None else connected(cluster, imports=FITTING) as there:
            made = done_jobs(_run, None, todo, workers=workers, cluster=there)
            try:
                with closing(made):
                    for place, rows in made:
                        _write(_file(folder, todo[place]), rows)
                        done += 1
                        if progress:
                            progress(done, len(jobs))
            except JobFailed as failed:
                raise AnnotationError(
                    f"{todo[failed.place].name} failed ({failed.problem})",
                    "mend it, and start again: finished jobs in the same folder are kept",
                ) from failed
    return [row for job in jobs for row in json.loads(_file(folder, job).read_text())]


def _run(_: None, job: Job) -> Rows:
    """Do a job, wherever that is."""
    return job.work(**job.arguments)


def _file(folder: Path, job: Job) -> Path:
    return folder / f"{job.name}.json"


def _write(path: Path, value: Any) -> None:
    with whole_file(path) as draft:
        draft.write_text(json.dumps(value))


def same_study(path: Path, about: dict[str, Any]) -> None:
    """Write what a folder of results is about, or raise an error if it is about something else."""
    if not path.exists():
        _write(path, about)
        return
    known = json.loads(path.read_text())
    different = [key for key in about if known.get(key) != json.loads(json.dumps(about[key]))]
    if different:
        raise AnnotationError(
            f"{path.parent} contains a study with a different {' and '.join(different)}",
            "choose another folder, or delete this one to start again",
        )
