"""Cluster: pieces of work on the workers of a Dask cluster, each done once, whatever happens to workers.

Work is a function of one thing that all pieces share and of arguments of its own, and depends on nothing
else. So a piece whose worker was killed is done again elsewhere, with the same result. What cannot be mended
by doing it again becomes a `ClusterError` that says what to do.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Self
from uuid import uuid4

from ..errors import ClusterError
from ..lazy import lazy
from ..showing.compiling import announce
from . import at_worker
from .at_worker import Answer
from .failures import failure, killed, trouble

CLOUDPICKLE = lazy("cloudpickle", extra="cluster", purpose="a cluster")
DASK = lazy("dask", extra="cluster", purpose="a cluster")
LARGE = {"distributed.admin.large-graph-warning-threshold": "1TB"}
"""Dask would warn of pieces of ten megabytes, which a chain of large data is."""
SAME = ("dawnchorus", "numpy", "numba", "scipy", "pandas")
"""Packages of which all workers need the version of the client: results depend on them, and what is sent."""
PART = 64 << 20
"""Things are sent in parts of so many bytes."""
PATIENCE = 60.0
"""Seconds to wait for a worker, if there is none."""
LOST = 15.0
"""Seconds to wait for the scheduler, if the connection is lost."""
FETCH = 3.0
"""Seconds to wait for an answer of a worker that alone may do the work, before it is seen if it is there."""
LOOK_EVERY = 2.0
"""Seconds between looks whether there are workers."""
TRIES = 6
"""A piece of work is sent so often to workers that have just started: those before may have ended of it."""


class Piece(NamedTuple):
    """A piece of work that is under way."""

    name: str
    content: bytes
    workers: list[str] | None
    alone: bool
    only: bool = False
    tries: int = 0
    future: Any = None


def still_there() -> str | None:
    """Return how processes have ended, if we had started any."""
    return None


class Cluster:
    """The workers of a cluster.

    Parameters
    ----------
    client
        A `dask.distributed.Client`.
    address
        What the user calls the cluster.
    ended
        A function that says how the processes of a local cluster have ended; None while they run.
    started
        How many workers have just been started, and are waited for before there is any work.
    """

    def __init__(
        self, client: Any, address: str, ended: Callable[[], str | None] | None = None, started: int = 1
    ) -> None:
        self.client, self.address, self._ended = client, address, ended or still_there
        self._started = started
        self._name, self._thing = "", b""
        self._pieces: dict[int, Piece] = {}
        self._tickets, self._done = count(), SimpleQueue[tuple[int, str]]()
        self._workers: dict[str, int] = {}
        self._seen = self._looked = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()
        self._forget()

    # What workers need

    def share(self, thing: Any) -> None:
        """Send a thing to all workers: the first argument of all work from here on.

        Raises
        ------
        ClusterError
            If there is no worker, or one has other versions of packages.
        """
        self._forget()
        self._wait_for_workers()
        self._check_versions()
        self._name, self._thing = f"dawnchorus-{uuid4().hex}", CLOUDPICKLE.dumps(thing)
        self.client.subscribe_topic(self._name, lambda event: announce())
        self._send(None)

    def _send(self, workers: list[str] | None) -> None:
        for first in range(0, max(len(self._thing), 1), PART):
            part = self._thing[first : first + PART]
            self.client.run(at_worker.take, self._name, part, first == 0, workers=workers, on_error="ignore")

    def _forget(self) -> None:
        if self._name and self.client.status == "running":
            with suppress(Exception):  # workers, or the scheduler, may be gone
                self.client.unsubscribe_topic(self._name)
                self.client.run(at_worker.drop, self._name, on_error="ignore")
        self._name, self._thing = "", b""

    def _check_versions(self) -> None:
        """Raise an error if a worker would not draw what this process would."""
        found = self.client.get_versions(packages=list(SAME))
        ours = found["client"]["packages"]
        for worker, theirs in found["workers"].items():
            for package in filter(ours.get, SAME):
                version = (theirs or {}).get("packages", {}).get(package)
                if version is None:
                    raise ClusterError(
                        f"the worker at {worker} has no package {package}",
                        f"install {package} {ours[package]} where workers run: pip install "
                        f"'dawnchorus[cluster]=={ours['dawnchorus']}' {package}=={ours[package]}",
                    )
                if version != ours[package]:
                    raise ClusterError(
                        f"the worker at {worker} has {package} {version}, and this process {ours[package]}: "
                        "draws would not be the same",
                        f"install the same version on both sides: pip install {package}=={ours[package]}",
                    )

    # Work

    def start(
        self,
        work: Callable[..., Any],
        *arguments: Any,
        workers: list[str] | None = None,
        alone: bool = False,
        only: bool = False,
    ) -> int:
        """Start work with the shared thing and these arguments; return a ticket.

        With `workers`, one of these does it, if it can, and nobody else as long as one is there if `only`; if
        `alone`, a worker does nothing else meanwhile.
        """
        ticket = next(self._tickets)
        content = CLOUDPICKLE.dumps((work, arguments))
        self._submit(ticket, Piece(getattr(work, "__name__", "work"), content, workers, alone, only))
        return ticket

    def _submit(self, ticket: int, piece: Piece) -> None:
        with DASK.config.set(LARGE):
            future = self.client.submit(
                at_worker.do,
                self._name,
                piece.content,
                alone=piece.alone,
                key=f"{piece.name}-{uuid4().hex}",
                workers=piece.workers,
                allow_other_workers=piece.workers is not None and not piece.only,
                pure=False,
            )
        self._pieces[ticket] = piece._replace(future=future, tries=piece.tries + 1)
        future.add_done_callback(lambda done: self._done.put((ticket, done.key)))

    def finished(self, seconds: float) -> Iterator[tuple[int, Any]]:
        """Yield tickets and results of work that is done within so many seconds, or before.

        Raises
        ------
        ClusterError
            If the scheduler or all workers are gone, or work ends its workers.
        Failed
            If work has failed by itself.
        """
        try:
            done = {self._done.get(timeout=seconds)}
        except Empty:
            self._look()
            return
        with suppress(Empty):
            while True:
                done.add(self._done.get_nowait())
        for ticket, key in sorted(done):
            piece = self._pieces.get(ticket)
            if piece is None or piece.future.key != key:  # given up, or started again
                continue
            answer = self._answer(ticket)
            if answer is None:
                continue
            del self._pieces[ticket]
            if answer.result is None:
                raise failure(ticket, answer)
            yield ticket, pickle.loads(answer.result)

    def _answer(self, ticket: int) -> Answer | None:
        """Return what came of a piece of work; None if it was started again."""
        piece = self._pieces[ticket]
        if piece.future.status == "cancelled":
            self._reconnect()
            self._again(ticket)
            return None
        try:
            answer: Answer = piece.future.result(FETCH if piece.only else None)
        except TimeoutError:  # its worker may have ended with the answer, and only that one might do it again
            self._done.put((ticket, piece.future.key))
            self._look()
            return None
        except Exception as error:
            if type(error).__name__ in ("FutureCancelledError", "CancelledError", "CommClosedError"):
                self._reconnect()
                self._again(ticket)
                return None
            raise trouble(error) from None
        self._seen = time.monotonic()
        if answer.wanted:
            self._check_versions()
            self._send([answer.worker])
            self._again(ticket, [answer.worker])
            return None
        return answer

    def _again(self, ticket: int, workers: list[str] | None = None) -> None:
        """Start work again, there if possible."""
        piece = self._pieces[ticket]._replace(workers=workers)
        if piece.tries >= TRIES:
            raise killed(f"in each of {TRIES} tries")
        self._submit(ticket, piece)

    def cancel(self) -> None:
        """Give up all work that is under way."""
        futures = [piece.future for piece in self._pieces.values()]
        self._pieces.clear()
        if futures and self.client.status == "running":
            with suppress(Exception):  # the scheduler may be gone
                self.client.cancel(futures, force=True)

    # Who is there

    @property
    def workers(self) -> dict[str, int]:
        """The addresses of workers, with the number of their threads, as of a moment ago."""
        if not self._workers or time.monotonic() - self._looked > LOOK_EVERY:
            self._look()
        return self._workers

    def memory_limits(self) -> list[int]:
        """Return how many bytes of memory each worker may use; 0 if there is no limit."""
        return list(self.client.run(at_worker.memory_limit).values())

    def one_of_each_machine(self) -> list[str]:
        """Return the address of one worker of each machine."""
        hosts = {address.rpartition(":")[0]: address for address in sorted(self.workers)}
        return sorted(hosts.values())

    def _look(self) -> None:
        """See who is there; raise an error if nobody has been for long."""
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY and self._workers:
            return
        self._looked = now
        if self.client.status != "running":
            self._reconnect()
        try:
            self._workers = dict(self.client.nthreads())
        except Exception:
            self._reconnect()
            return
        for ticket, piece in list(self._pieces.items()):
            if piece.workers and not self._workers.keys() & set(piece.workers):
                self._again(ticket)  # dask would wait for these workers, even if others may do it
        if self._workers:
            self._seen = now
        elif how := self._ended():
            raise ClusterError(f"the workers of {self.address} ended with {how}", "start it again")
        elif now - self._seen > PATIENCE:
            raise ClusterError(
                f"there has been no worker at {self.address} for {PATIENCE:.0f} seconds",
                "start workers (`dask worker ADDRESS`), or wait until those that are queued have started",
            )

    def _wait_for_workers(self) -> None:
        """Wait for a worker or, the first time, for all that have been started, unless one never comes."""
        self._seen, self._workers = time.monotonic(), {}
        until, wanted, self._started = self._seen + PATIENCE, self._started, 1
        while len(self.workers) < (wanted if time.monotonic() < until else 1):
            self._workers = {}  # look again
            time.sleep(0.02)

    def _reconnect(self) -> None:
        """Wait until the scheduler answers again; raise an error if it does not."""
        until = time.monotonic() + LOST
        while time.monotonic() < until and self.client.status != "closed":
            if self.client.status == "running":
                with suppress(Exception):
                    self.client.nthreads()
                    return
            time.sleep(0.1)
        raise ClusterError(
            f"the scheduler of {self.address} has gone away",
            "start it again, with its workers, and look at its log if it has ended by itself",
        )
