"""Crew: who does the work on shards: threads of this process, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock, Thread
from typing import Any, Protocol

from ...common.errors import ClusterError
from ...common.workers.cluster import Cluster
from ...common.workers.everywhere import failed_there
from ...common.workers.failures import Failed
from .places import Places

LOOK_EVERY = 0.5
"""Seconds between looks at workers while nothing is done."""


class Crew(Protocol):
    """Whoever does work on all shards."""

    def share(self, places: Places) -> None:
        """Tell everybody what they need to know."""
        ...

    def each(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return `work(places, shard, *arguments)` of each shard, in order. Any thread may ask for it."""
        ...

    def close(self) -> None:
        """End all work."""
        ...


class Here:
    """Threads of this process."""

    def __init__(self, threads: int) -> None:
        self.pool = ThreadPoolExecutor(threads)
        self.places: Places | None = None

    def share(self, places: Places) -> None:
        """Keep what is needed."""
        self.places = places

    def each(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return the work on each shard."""
        assert self.places is not None
        running = [self.pool.submit(work, self.places, shard, *arguments) for shard in range(self.places.n)]
        return [one.result() for one in running]

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown(cancel_futures=True)


class OnWorkers:
    """The workers of a cluster. Each shard has its worker, which keeps it; if that ends, another one."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.n = cluster, 0
        self.homes: dict[int, str] = {}
        self.waiting: dict[int, Future[Any]] = {}
        self.lock, self.ended = Lock(), False
        self.thread: Thread | None = None

    def share(self, places: Places) -> None:
        """Send it to all workers."""
        self.cluster.share(places)
        self.n = places.n
        if self.thread is None:
            self.thread = Thread(target=self._collect, daemon=True)
            self.thread.start()

    def each(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return the work on each shard, done where the shard is."""
        running: list[Future[Any]] = []
        with self.lock:
            if self.ended:
                raise ClusterError("the cluster has gone", "start again, and resume")
            homes = self._homes()
            for shard in range(self.n):
                ticket = self.cluster.start(work, shard, *arguments, workers=[homes[shard]], only=True)
                self.waiting[ticket] = Future()
                running.append(self.waiting[ticket])
        return [one.result() for one in running]

    def _homes(self) -> dict[int, str]:
        """Return the worker of each shard: the one that has it, or else the one with the fewest shards."""
        workers = sorted(self.cluster.workers)
        if not workers:
            return {shard: self.homes.get(shard, "") for shard in range(self.n)}
        self.homes = {shard: home for shard, home in self.homes.items() if home in workers}
        shares = {worker: list(self.homes.values()).count(worker) for worker in workers}
        for shard in range(self.n):
            if shard not in self.homes:
                least = min(workers, key=lambda worker: shares[worker] / self.cluster.workers[worker])
                self.homes[shard] = least
                shares[least] += 1
        return self.homes

    def _collect(self) -> None:
        """Hand out results as they come, until the end; an error goes to all who wait."""
        while not self.ended:
            try:
                for ticket, result in self.cluster.finished(LOOK_EVERY):
                    with self.lock:
                        future = self.waiting.pop(ticket)
                    future.set_result(result)
            except Failed as failed:
                self._fail(failed_there(failed))
            except BaseException as error:
                self._fail(error)

    def _fail(self, error: BaseException) -> None:
        with self.lock:
            self.ended = self.ended or isinstance(error, ClusterError)
            waiting, self.waiting = self.waiting, {}
        for future in waiting.values():
            future.set_exception(error)

    def close(self) -> None:
        """Wait for no more results."""
        self.ended = True
        if self.thread is not None:
            self.thread.join()
        self._fail(ClusterError("the fit has ended", "start again"))


def crew_of(cluster: Cluster | None, threads: int) -> Crew:
    """Return who works on shards: the workers of a cluster or, without one, threads of this process."""
    return Here(threads) if cluster is None else OnWorkers(cluster)


def shares(blocks: int, shards: int) -> Sequence[int]:
    """Return the first block of each shard, and the number of all blocks: shards of about the same size.

    >>> shares(10, 4), shares(2, 4)
    ([0, 2, 5, 7, 10], [0, 1, 2])
    """
    shards = min(shards, blocks)
    return [blocks * shard // shards for shard in range(shards + 1)]
