"""Everywhere: pieces of work on large data, here or on a cluster, with the user's errors as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ClusterError
from .cluster import Cluster
from .failures import Failed

WAIT = 0.2
"""Seconds between looks whether more workers have joined."""


def everywhere(
    work: Callable[..., Any], thing: Any, jobs: Sequence[tuple[Any, ...]], cluster: Cluster | None = None
) -> list[Any]:
    """Return `work(thing, *job)` of each job, in their order.

    On a cluster, `thing` is what the workers already share, and each thread of a worker does one job at a
    time.

    Raises
    ------
    DawnchorusError
        As the work raises it; on a cluster, a `ClusterError` with the same words.
    """
    if cluster is None:
        return [work(thing, *job) for job in jobs]
    results: list[Any] = [None] * len(jobs)
    left, running = list(range(len(jobs))), dict[int, int]()
    try:
        while left or running:
            while left and len(running) < 2 * max(sum(cluster.workers.values()), 1):
                place = left.pop(0)
                running[cluster.start(work, *jobs[place])] = place
            for ticket, result in cluster.finished(WAIT):
                results[running.pop(ticket)] = result
    except Failed as failed:
        raise failed_there(failed) from None
    finally:
        cluster.cancel()
    return results


def failed_there(failed: Failed) -> Exception:
    """Return the error for work that has failed at a worker."""
    answer = failed.answer
    if answer.remedy:
        return ClusterError(f"the worker at {answer.worker} says: {answer.problem}", answer.remedy)
    return RuntimeError(f"at the worker {answer.worker}:\n{answer.details}")
