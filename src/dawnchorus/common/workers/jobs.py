"""Jobs that do not depend on each other: one after the other here, in processes, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from .cluster import Cluster
from .failures import Failed
from .processes import in_processes

WAIT = 1.0
"""Seconds between looks whether more workers have joined."""


class JobFailed(Exception):  # noqa: N818  (callers say which job, in words)
    """A job that has failed: its place among the jobs, and why."""

    def __init__(self, place: int, problem: str) -> None:
        super().__init__(problem)
        self.place, self.problem = place, problem


def done_jobs(
    work: Callable[[Any, Any], Any],
    thing: Any,
    jobs: Sequence[Any],
    *,
    workers: int = 1,
    cluster: Cluster | None = None,
) -> Generator[tuple[int, Any], None, None]:
    """Yield the place of each job and `work(thing, job)`, as they are done.

    Parameters
    ----------
    work
        A function at the top level of a module. What it returns depends on its arguments alone.
    thing
        What all jobs need. It is sent to each process or worker once.
    jobs
        The jobs.
    workers
        The number of processes; with one, jobs are done in this process.
    cluster
        The cluster whose workers do the jobs, each one at a time.

    Raises
    ------
    JobFailed
        If a job fails; no further one is started.
    ClusterError
        If the cluster fails.
    """
    if not jobs:
        return
    if cluster is not None:
        yield from _on_cluster(work, thing, jobs, cluster)
    elif min(workers, len(jobs)) == 1:
        for place, job in enumerate(jobs):
            try:
                result = work(thing, job)
            except Exception as error:
                raise JobFailed(place, f"{type(error).__name__}: {error}") from error
            yield place, result
    else:
        for place, result, problem in in_processes(work, thing, jobs, min(workers, len(jobs))):
            if problem:
                raise JobFailed(place, problem)
            yield place, result


def _on_cluster(
    work: Callable[[Any, Any], Any], thing: Any, jobs: Sequence[Any], cluster: Cluster
) -> Generator[tuple[int, Any], None, None]:
    cluster.share(thing)
    left, running = list(range(len(jobs))), dict[int, int]()
    try:
        while left or running:
            while left and len(running) < max(len(cluster.workers), 1):
                place = left.pop(0)
                running[cluster.start(work, jobs[place], alone=True)] = place
            for ticket, result in cluster.finished(WAIT):
                yield running.pop(ticket), result
    except Failed as failed:
        raise JobFailed(running[failed.ticket], failed.answer.problem) from None
    finally:
        cluster.cancel()
