"""What threads save: `python benchmarks/threads.py [RECORDINGS] [SWEEPS]`, with data in memory.

Sweeps of one chain with one thread and with two, in turns, from the same state: seconds by the clock, seconds
of computing, and those on the critical path (what one thread does alone and, of what threads share, the
longest share), which say on a busy machine what a quiet one would take. Draws have to be the same to the bit.
"""

from __future__ import annotations

import pickle
import sys
import threading
import time
from collections import Counter
from statistics import median
from typing import Any

import numpy as np

import dawnchorus as dc
from dawnchorus.common.workers import parts
from dawnchorus.model.distributions.named_priors import find_priors
from dawnchorus.model.expertise.logits import in_parts
from dawnchorus.model.expertise.summed_out import by_species
from dawnchorus.model.presence import blocks
from dawnchorus.model.registry import build_model

SIZES = {"annotators": 1500, "species": 2000}
MODELS = ("base", "base-hierarchical")
WARMUP, TURNS = 15, 2


class Saved:
    """Seconds of computing that are not on the critical path."""

    seconds = 0.0

    def in_threads(self, work: Any, n: int, threads: int) -> list[Any]:
        """Do what `in_threads` does, and measure it."""
        used = Counter[int]()

        def measured(part: int) -> Any:
            started = time.thread_time()
            result = work(part)
            used[threading.get_ident()] += time.thread_time() - started  # type: ignore[assignment]
            return result

        found = parts.in_threads(measured, n, threads)
        self.seconds += sum(used.values()) - max(used.values(), default=0)
        return found


def main() -> None:
    recordings = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    sweeps = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    annotations = dc.simulate_portal(recordings=recordings, seed=1, **SIZES).annotations
    print(annotations, flush=True)
    saved = Saved()
    for module in (blocks, by_species, in_parts):
        vars(module)["in_threads"] = saved.in_threads
    for name in MODELS:
        model = build_model(name, find_priors("default", annotations.n_species))
        design, rng = model.design(annotations), np.random.default_rng(1)
        state = model.init(rng, design)
        for _ in range(WARMUP):
            state, _ = model.sweep(rng, state, design)
        start, drawn = (rng.bit_generator.state, state), set()
        for threads in (1, 2) * TURNS:
            design.threads, rng.bit_generator.state, state = threads, *start
            rows = []
            for _ in range(sweeps):
                saved.seconds, clock, used = 0.0, time.perf_counter(), time.process_time()
                state, _ = model.sweep(rng, state, design)
                used = time.process_time() - used
                rows.append((time.perf_counter() - clock, used, used - saved.seconds))
            drawn.add(pickle.dumps(state))
            clock, used, path = (median(column) for column in zip(*rows, strict=True))
            print(
                f"{name}, {threads} threads: {clock:.3f} s by the clock, {used:.3f} s of computing, "
                f"{path:.3f} s on the critical path",
                flush=True,
            )
        assert len(drawn) == 1, "draws depend on the number of threads"


if __name__ == "__main__":
    main()
