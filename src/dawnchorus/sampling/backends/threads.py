"""Threads: chains advance in this process, several at a time."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event

import numpy as np

from ...model.design import Design
from ...model.sweep import Model
from ..chain import Chain
from ..moments import RunningMoments
from .watch import LOOK_EVERY, Watch

STAGE = 250
"""Chains advance in stages of so many sweeps."""
SMALL = 12_000
"""With fewer visits, reports and rates than this, chains run one after the other."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process: how many, or as many as pay."""

    model: Model
    design: Design
    threads: int | None

    def prepare(self) -> None:
        """Run every kernel once before there are threads."""
        run_every_kernel(self.model, self.design)

    def advance(self, chains: list[Chain], target: int, watch: Watch) -> bool:
        """Advance all chains to so many sweeps; return whether they reached it in time."""
        threads = self.threads or _threads(self.design)
        self.design.threads = max(threads // len(chains), 1)
        with ThreadPoolExecutor(min(threads, len(chains))) as pool:
            while any(chain.done < target for chain in chains):
                # In stages, so that chains advance evenly with fewer threads or a limit of seconds.
                stage = min(min(chain.done for chain in chains) + STAGE, target)
                stop, late = Event(), False
                running = [pool.submit(chain.advance, stage, stop) for chain in chains]
                try:
                    while running and not stop.is_set():
                        finished, left = wait(running, timeout=LOOK_EVERY)
                        running = list(left)
                        for one in finished:
                            one.result()
                        watch.show(chains, target)
                        late = watch.late
                        if late or watch.due:
                            stop.set()  # chains continue from where they stopped, if there is time
                except BaseException:  # Ctrl-C, or a fault in a chain: stop all
                    stop.set()
                    wait(running)
                    raise
                wait(running)
                watch.save_if_due(chains)
                if late:
                    return False
        return True


def run_every_kernel(model: Model, design: Design) -> None:
    """Run every kernel once before there are threads: two threads that compile the same one may deadlock."""
    rng, threads = np.random.default_rng(0), design.threads
    design.threads = 1
    state, _ = model.sweep(rng, model.init(rng, design, chain=1), design)
    kept = model.keep(rng, state, design)
    RunningMoments().add({v.name: kept[v.name] for v in model.variables if v.storage == "limited"})
    design.threads = threads


def _threads(design: Design) -> int:
    """Return how many chains run at a time; one, where sweeps are so short that threads do not pay."""
    a = design.annotations
    small = a.n_visits + a.n_reports + 10 * design.n_rates < SMALL
    return 1 if small else os.cpu_count() or 1
