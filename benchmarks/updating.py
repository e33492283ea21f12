"""What an update costs against a fresh fit of all data: Kerttu, with 1 % and 10 % of visits held out first.

    .venv/bin/python benchmarks/updating.py ../shared/kerttu base base-hierarchical

For each seed, the other visits are fitted, then updated with those held out, and all are fitted anew, in
turn, with default settings. Printed are sweeps of each chain, seconds by the clock and of all cores, and how
far the probabilities of reported cells are apart at most.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import dawnchorus as dc

SHARES = (0.01, 0.1)


def visited(annotations: Any, visits: Any) -> Any:
    """Give these visits, and the recordings that have any."""
    some = annotations.select(visits=visits)
    return some.select(recordings=some.recordings.index[np.unique(some.visit_recording)])


def timed(call: Any, *given: Any, **options: Any) -> tuple[Any, float, float]:
    wall, cores = time.perf_counter(), time.process_time()
    result = call(*given, **options)
    return result, time.perf_counter() - wall, time.process_time() - cores


def reported(posterior: Any) -> Any:
    table = posterior.presence()
    return table[table["reports"] > 0].set_index(["recording", "species"])["probability"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kerttu")
    parser.add_argument("models", nargs="*", default=["base", "base-hierarchical"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--shares", type=float, nargs="*", default=SHARES)
    given = parser.parse_args()
    annotations = dc.read(given.kerttu, format="kerttu")
    print("model, new visits, seed: fresh | updated, each sweeps (warm-up), seconds, core seconds | apart")
    for model in given.models:
        dc.fit(annotations, model, draws=5, warmup=5, min_ess=None)  # compiles
        for share in given.shares:
            for seed in range(1, given.seeds + 1):
                held = np.random.default_rng(seed).random(annotations.n_visits) < share
                old, new = visited(annotations, ~held), visited(annotations, held)
                before = dc.fit(old, model, seed=seed)
                ways = [
                    timed(dc.update, before, new, seed=seed),
                    timed(dc.fit, annotations, model, seed=seed),
                ]
                words = [
                    f"{done.record['sweeps']:,} ({done.record['warmup']}), {wall:.1f}, {cores:.1f}"
                    for done, wall, cores in reversed(ways)
                ]
                one, other = (reported(done) for done, _, _ in ways)
                apart = float((one - other.reindex(one.index)).abs().max())
                print(f"{model}, {held.sum()}, {seed}: {' | '.join(words)} | {apart:.3f}", flush=True)


if __name__ == "__main__":
    main()
