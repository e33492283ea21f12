"""Dask: chains advance on the workers of a cluster, a stage at a time.

A stage is a function of the model, the annotations and a chain: it returns the same chain, some sweeps later,
whoever does it. Each worker makes the design from the annotations once. What goes to a worker is what a
chain needs to go on, without its draws; what comes back is the same and the new draws. So a worker that is
killed costs a stage, which is done again elsewhere with the very same draws, and all draws are here, for
diagnostics and the checkpoint.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from ...annotations.annotations import Annotations
from ...annotations.known import KnownCells
from ...common.workers.cluster import Cluster
from ...common.workers.everywhere import failed_there
from ...common.workers.failures import Failed
from ...model.design import Design
from ...model.sweep import Model
from ..chain import Chain
from .threads import run_every_kernel
from .watch import LOOK_EVERY, Watch

SHORTEST, LONGEST = 2.0, 60.0
"""A stage takes so many seconds, at least and at most, unless the chain is where it should be."""
WORTH = 25
"""A stage takes so many times as long as it takes to send a chain to and fro."""


@dataclass
class Place:
    """What workers need of a fit: they make the design of it when they first need it."""

    model: Model
    annotations: Annotations
    known: KnownCells | None
    made: Design | None = None

    def design(self) -> Design:
        """Return the design, with kernels ready: one thread of a worker makes it, and others wait."""
        with MAKING:
            if self.made is None:
                made = self.model.design(self.annotations, self.known)
                run_every_kernel(self.model, made)
                self.made = made
            return self.made


MAKING = Lock()


@dataclass(frozen=True)
class Deadline:
    """An end that is set by the clock; a chain asks it as it would ask an event."""

    at: float

    def is_set(self) -> bool:
        """Return whether it is over."""
        return time.monotonic() > self.at


def prepare(place: Place) -> None:
    """Make all ready at a worker."""
    place.design()


def advance(place: Place, chain: Chain, target: int, seconds: float) -> tuple[Chain, float]:
    """Advance a chain to so many sweeps, or for so many seconds; return it, and how long that took."""
    started = time.monotonic()
    chain.settle(place.model, place.design())
    chain.advance(target, Deadline(time.monotonic() + seconds))
    return chain, time.monotonic() - started


@dataclass
class OnCluster:
    """The workers of a cluster, with all that they need; at most so many chains run at a time."""

    cluster: Cluster
    place: Place
    threads: int | None
    stage: float = field(default=SHORTEST)

    def prepare(self) -> None:
        """Send workers what they need; on each machine, one worker compiles before others start."""
        self.cluster.share(self.place)
        left = {
            self.cluster.start(prepare, workers=[worker]) for worker in self.cluster.one_of_each_machine()
        }
        while left:
            left -= {ticket for ticket, _ in self._finished()}

    def advance(self, chains: list[Chain], target: int, watch: Watch) -> bool:
        """Advance all chains to so many sweeps; return whether they reached it in time."""
        running: dict[int, tuple[int, float]] = {}
        try:
            while True:
                late = watch.late
                if not late:
                    self._start_some(chains, target, watch, running)
                if not running:
                    return not late
                for ticket, (later, seconds) in self._finished():
                    which, started = running.pop(ticket)
                    chains[which].join(later)
                    travel = time.monotonic() - started - seconds
                    self.stage = min(max(WORTH * travel, SHORTEST), LONGEST)
                watch.show(chains, target)
                watch.save_if_due(chains)
        finally:
            self.cluster.cancel()

    def _start_some(
        self, chains: list[Chain], target: int, watch: Watch, running: dict[int, tuple[int, float]]
    ) -> None:
        """Start stages, those that are furthest behind first, as many as workers have threads for."""
        under_way = {which for which, _ in running.values()}
        behind = [i for i, chain in enumerate(chains) if chain.done < target and i not in under_way]
        if not behind:
            return
        most = max(sum(self.cluster.workers.values()), 1)
        if watch.deadline is None:
            most += 1  # one chain waits at the workers, so that no thread waits for the next one to travel
        free = min(most, self.threads or most) - len(running)
        for which in sorted(behind, key=lambda i: chains[i].done)[: max(free, 0)]:
            seconds = min(self.stage, watch.seconds_left)
            ticket = self.cluster.start(advance, chains[which].bare(), target, seconds)
            running[ticket] = which, time.monotonic()

    def _finished(self) -> list[tuple[int, Any]]:
        try:
            return list(self.cluster.finished(LOOK_EVERY))
        except Failed as failed:
            raise failed_there(failed) from None
