"""Grid: many independent jobs on all cores, each kept on disk when it is done, so that a study can go on.

Results do not depend on the number of workers: a job knows its own seed.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from ..common.errors import AnnotationError
from ..common.progress import Progress
from ..common.whole_files import whole_file

Rows = list[dict[str, Any]]


class Job(NamedTuple):
    """A piece of work: a name for its file, a function at the top of a module, and its arguments."""

    name: str
    work: Callable[..., Rows]
    arguments: dict[str, Any]


def run_jobs(
    jobs: Iterable[Job],
    folder: Path,
    *,
    about: dict[str, Any],
    workers: int | None = None,
    progress: Progress | None = None,
) -> Rows:
    """Run the jobs that are not done yet; give the rows of all, in the order of the jobs.

    Parameters
    ----------
    jobs
        What to do.
    folder
        Where finished jobs are kept, one file each.
    about
        What all jobs have in common, such as version and seed. Results of another study are not mixed in.
    workers
        How many processes; by default one for each core.
    progress
        Called with the number of jobs done and their total.
    """
    jobs = list(jobs)
    folder.mkdir(parents=True, exist_ok=True)
    same_study(folder / "about.json", about)
    todo = [job for job in jobs if not _file(folder, job).exists()]
    done = len(jobs) - len(todo)
    if progress:
        progress(done, len(jobs))
    if todo:
        workers = min(workers or os.cpu_count() or 1, len(todo))
        # Fresh processes: forking one that has threads may hang.
        pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
        try:
            running = {pool.submit(job.work, **job.arguments): job for job in todo}
            for future in as_completed(running):
                _write(_file(folder, running[future]), future.result())
                done += 1
                if progress:
                    progress(done, len(jobs))
        finally:
            pool.shutdown(cancel_futures=True)
    return [row for job in jobs for row in json.loads(_file(folder, job).read_text())]


def _file(folder: Path, job: Job) -> Path:
    return folder / f"{job.name}.json"


def _write(path: Path, value: Any) -> None:
    with whole_file(path) as draft:
        draft.write_text(json.dumps(value))


def same_study(path: Path, about: dict[str, Any]) -> None:
    """Note what a folder of results is about, or refuse to mix them with others."""
    if not path.exists():
        _write(path, about)
        return
    known = json.loads(path.read_text())
    different = [key for key in about if known.get(key) != json.loads(json.dumps(about[key]))]
    if different:
        raise AnnotationError(
            f"{path.parent} holds a study with another {' and '.join(different)}",
            "choose another --out, or delete that folder to begin anew",
        )
