"""Measure how sweeps grow with the data: rungs of simulated portals, each in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np

from foundation import peak_megabytes
from tables import at_most, head, models, row

RUNGS = {4_000: (50, 100), 30_000: (300, 500), 200_000: (1500, 2_000), 1_000_000: (5000, 10_000)}
"""Annotators and species by recordings."""
MODELS = ("base", "base-hierarchical", "dp-bmm")
TOP = 1_000_000
GROWTH = 1.5


def main() -> None:
    head(
        "The ladder: simulated portals, a fresh process each, seconds of a core",
        "model and recordings", "species", "annotators", "visits", "reports", "parameters", "seconds a sweep",
        "at most", "ns a unit", "growth", "at most", "peak MB", "at most", "set up, s",
    )  # fmt: skip
    for name in MODELS:
        first = None
        for recordings, (annotators, species) in RUNGS.items():
            if recordings == TOP and name != "base":
                continue
            found = measured(name, recordings)
            units = found["visits"] + found["reports"] + found["parameters"]
            unit = found["seconds"] / units
            first = first or unit
            what = f"{name}, {recordings:,} recordings"
            top = recordings == TOP
            row(
                what, species, annotators, found["visits"], found["reports"], found["parameters"],
                found["seconds"], at_most(f"seconds a sweep, {what}", found["seconds"], 0.5 if top else None),
                1e9 * unit, unit / first, at_most(f"growth a unit, {what}", unit / first, GROWTH),
                found["megabytes"], at_most(f"MB, {what}", found["megabytes"], 4096 if top else None),
                found["setup"],
            )  # fmt: skip


def measured(name: str, recordings: int) -> dict[str, float]:
    """Measure a rung in a fresh process."""
    return json.loads(subprocess.check_output([sys.executable, __file__, name, str(recordings)]))


def rung(name: str, recordings: int, warmup: int = 20, times: int = 8, window: float = 5) -> None:
    """Measure a rung in this process, and print the numbers: the best of so many sweeps, or seconds.

    The machine's speed changes from second to second, so small rungs need as long a look as large ones.
    """
    import dawnchorus as dc

    annotators, species = RUNGS[recordings]
    a = dc.simulate_portal(recordings, annotators, species, seed=1).annotations
    start = time.perf_counter()
    model, rng = models(species, None)[name], np.random.default_rng(1)
    design = model.design(a)
    state = model.init(rng, design)
    state, _ = model.sweep(rng, state, design)
    setup = time.perf_counter() - start
    for _ in range(warmup):
        state, _ = model.sweep(rng, state, design)
    seconds: list[float] = []
    while len(seconds) < times or sum(seconds) < window:
        start = time.process_time()
        state, _ = model.sweep(rng, state, design)
        seconds.append(time.process_time() - start)
    kept = model.keep(rng, state, design)
    found = {
        "visits": a.n_visits,
        "reports": a.n_reports,
        "parameters": int(np.prod(state.occurrence.occurrence.shape)) + 2 * design.n_rates,
        "seconds": min(seconds),
        "megabytes": peak_megabytes(),
        "setup": setup,
        "components": float(kept.get("components", 1)),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        rung(sys.argv[1], int(sys.argv[2]))
    else:
        main()
