"""Workers: jobs in several processes, each with its own interpreter, or one after the other in this one.

A process is started anew and not forked, and does not run the user's script again: so `dc.compare` works in
notebooks and in scripts of any shape.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from ...annotations.annotations import Annotations
from ...common.errors import AnnotationError, DawnchorusError
from .folds import Fold
from .jobs import Job, Outcome, Runner, job_line

Told = Callable[[Job], None]
PACKAGE = Path(__file__).parents[3]
"""The folder that `dawnchorus` is imported from."""


def do_jobs(
    jobs: Sequence[Job],
    annotations: Annotations,
    folds: list[Fold],
    sampling: dict[str, Any],
    folder: Path,
    workers: int,
    told: Told,
) -> None:
    """Do jobs and write their files; those whose file is there already are not done again.

    `told` is called after each. If one fails, no further one is started, and the error says which it was:
    files of finished ones stay.
    """
    left = []
    for job in jobs:
        if Outcome.load(folder / job.file) is None:
            left.append(job)
        else:
            told(job)
    if min(workers, len(left)) <= 1:
        runner = Runner(annotations, folds, sampling)
        for job in left:
            try:
                runner.run(job).save(folder / job.file)
            except Exception as problem:
                raise _failed(job, f"{type(problem).__name__}: {problem}") from problem
            told(job)
        return
    cores = max((os.cpu_count() or 1) // workers, 1)
    with TemporaryDirectory() as home:
        plan = Path(home, "plan")
        plan.write_bytes(pickle.dumps((annotations, folds, {"threads": cores, **sampling})))
        _in_processes(left, plan, folder, min(workers, len(left)), told)


def _in_processes(jobs: list[Job], plan: Path, folder: Path, workers: int, told: Told) -> None:
    """Do jobs in processes: a thread for each hands them out, and waits for answers."""
    processes = [_Process(plan, folder, plan.with_name(f"log-{i}")) for i in range(workers)]
    free: SimpleQueue[_Process] = SimpleQueue()
    for process in processes:
        free.put(process)

    def one(job: Job) -> Job:
        process = free.get()
        try:
            problem = process.do(job)
        finally:
            free.put(process)
        if problem:
            raise _failed(job, problem)
        return job

    pool = ThreadPoolExecutor(workers)
    try:
        for future in as_completed([pool.submit(one, job) for job in jobs]):
            told(future.result())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.process.kill()
        pool.shutdown()
        for process in processes:
            process.close()


class _Process:
    """A worker process."""

    def __init__(self, plan: Path, folder: Path, log: Path) -> None:
        self.log = log
        words = [
            sys.executable,
            "-m",
            "dawnchorus.evaluation.held_out.worker",
            str(plan),
            str(folder.absolute()),
        ]
        path = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | {"PYTHONPATH": path},
            )

    def do(self, job: Job) -> str:
        """Do a job, and return what went wrong."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError, ValueError):
            self.process.stdin.write(job_line(job) + "\n")
            self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer:
            return str(json.loads(answer))
        last = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        return " ".join([f"the process ended with code {self.process.wait()}", *last])

    def close(self) -> None:
        """Wait for the end of a process that was told to end."""
        self.process.communicate()


def _failed(job: Job, problem: str) -> DawnchorusError:
    return AnnotationError(
        f"{job.words} failed ({problem})",
        "mend it, or leave the model out, and start again: finished folds in the same folder are kept",
    )
