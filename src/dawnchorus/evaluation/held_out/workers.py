"""Workers: jobs that are not done yet, on whatever does them, and a file of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ...annotations.annotations import Annotations
from ...common.errors import AnnotationError
from ...common.workers.cluster import Cluster
from ...common.workers.jobs import JobFailed, done_jobs
from .folds import Fold
from .jobs import Job, Outcome, Runner, run_one


def do_jobs(
    jobs: Sequence[Job],
    annotations: Annotations,
    folds: list[Fold],
    sampling: dict[str, Any],
    folder: Path,
    workers: int | Cluster,
    told: Callable[[Job], None],
) -> None:
    """Do jobs and write their files; those whose file is there already are not done again.

    `workers` is the number of processes, or a cluster. `told` is called after each job. If one fails, no
    further one is started, and the error says which it was: files of finished ones stay.
    """
    left = []
    for job in jobs:
        if Outcome.load(folder / job.file) is None:
            left.append(job)
        else:
            told(job)
    on: dict[str, Any] = {"cluster": workers} if isinstance(workers, Cluster) else {"workers": workers}
    try:
        with closing(done_jobs(run_one, Runner(annotations, folds, sampling), left, **on)) as done:
            for place, outcome in done:
                outcome.save(folder / left[place].file)
                told(left[place])
    except JobFailed as failed:
        raise AnnotationError(
            f"{left[failed.place].words} failed ({failed.problem})",
            "mend it, or leave the model out, and start again: finished folds in the same folder are kept",
        ) from failed
