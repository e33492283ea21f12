"""Measure what a cluster costs and needs: `python benchmarks/cluster.py [overhead KERTTU | memory]`.

overhead: plain fits of Kerttu against fits on a cluster of one worker, in turns; the median of each.
memory: what a worker needs with simulated portals of two sizes, and bytes by visit and report from these.
"""

from __future__ import annotations

import pickle
import sys
import time
import warnings
from statistics import median

from distributed import Client, LocalCluster

import dawnchorus as dc

MODELS = ("base", "base-hierarchical")
TURNS = 4
LENGTH = {"warmup": 500, "draws": 1000, "min_ess": None}
"""Of every fit: longer than the shortest, shorter than many."""


def quiet_cluster() -> LocalCluster:
    return LocalCluster(n_workers=1, dashboard_address=":0", host="127.0.0.1", memory_limit=0)


def overhead(path: str) -> None:
    annotations = dc.read(path, format="kerttu")
    with quiet_cluster() as cluster, Client(cluster, set_as_default=False) as client:
        for model in MODELS:
            found: dict[str, list[tuple[float, float]]] = {"plain": [], "one worker": []}
            for _ in range(TURNS + 1):  # the first one loads kernels
                for name, place in zip(found, (None, client), strict=True):
                    started, used = time.perf_counter(), computing(client)
                    dc.fit(annotations, model, seed=1, cluster=place, **LENGTH)
                    found[name].append((time.perf_counter() - started, computing(client) - used))
            for name, times in found.items():
                whole, used = (median(part) for part in zip(*times[1:], strict=True))
                print(f"{model}, {name}: {whole:.2f} s, with {used:.2f} s of computing", flush=True)
    starts = []
    for _ in range(TURNS):
        started = time.perf_counter()
        fitted = dc.fit(annotations, "base", seed=1, cluster="local:1", **LENGTH)
        starts.append(time.perf_counter() - started - fitted.record["sampling_seconds"])
    print(f"start and end of local:1: {median(starts):.2f} s")


def computing(client: Client) -> float:
    """Return the seconds of computing so far, of this process and the worker: they do not wait for others."""
    return time.process_time() + sum(client.run(time.process_time).values())


def most_megabytes() -> float:
    """Return the megabytes that this process has had at most."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def memory() -> None:
    for model in MODELS:
        found = []
        for recordings in (20_000, 200_000):
            simulated = dc.simulate_portal(recordings, 500, 300, visits=3, seed=1).annotations
            with quiet_cluster() as cluster, Client(cluster, set_as_default=False) as client:
                dc.fit(simulated, model, chains=1, warmup=20, draws=20, min_ess=None, cluster=client)
                most = next(iter(client.run(most_megabytes).values()))
            size = simulated.n_visits + simulated.n_reports
            found.append((size, most))
            sent = len(pickle.dumps(simulated, pickle.HIGHEST_PROTOCOL)) / 2**20
            data = f"{simulated.n_visits:,} visits, {simulated.n_reports:,} reports, {sent:,.0f} MB sent"
            print(f"{model}: {data}: {most:,.0f} MB at a worker", flush=True)
        (small, less), (large, more) = found
        print(f"{model}: {(more - less) * 2**20 / (large - small):,.0f} bytes by visit or report")
    print(f"client, all together: {most_megabytes():,.0f} MB")


if __name__ == "__main__":
    warnings.simplefilter("ignore", dc.ConvergenceWarning)
    overhead(sys.argv[2]) if sys.argv[1] == "overhead" else memory()
