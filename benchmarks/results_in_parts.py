"""Measure the results of a portal in parts: `python benchmarks/results_in_parts.py [RECORDINGS] [FOLDER]`.

A fit of `base` of a few sweeps, whose result is written by one worker process; then it is opened again, some
of its presence is read, and it is reported and evaluated. Printed are seconds, and memory.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow.dataset as ds
from distributed import Client, LocalCluster

import dawnchorus as dc

SIZES: dict[str, Any] = {"annotators": 50_000, "species": 10_000, "visits": 1.5, "present_species": 4.8}
FIT: dict[str, Any] = {"chains": 2, "warmup": 10, "draws": 100, "min_ess": None, "seed": 1, "threads": 2}
COMPARED = 1000
"""So many recordings of the truth are compared."""


def most() -> float:
    """Return the megabytes that this process has had at most since `start_anew`."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) / 1024


def start_anew() -> None:
    """Forget how much memory this process has had."""
    Path("/proc/self/clear_refs").write_text("5")


@contextmanager
def measured(what: str, client: Client) -> Iterator[None]:
    start_anew()
    client.run(start_anew)
    started, used = time.perf_counter(), time.process_time()
    yield
    took, used = time.perf_counter() - started, time.process_time() - used
    workers = max(client.run(most).values())
    print(
        f"{what}: {took:,.0f} s, {used:,.0f} s of computing here; {most():,.0f} MB at most here, "
        f"{workers:,.0f} MB at the worker",
        flush=True,
    )


def truth(folder: Path) -> pd.DataFrame:
    """Return the truth of some recordings, each with its present species and as many absent ones."""
    labels = ds.dataset(folder / "recordings").head(COMPARED)["recording"].to_pylist()
    rows = ds.dataset(folder / "truth").to_table(filter=ds.field("recording").isin(labels))
    there = rows.to_pandas()[["recording", "species"]].astype(object).assign(present=1)
    absent = there.assign(species=there["species"].sample(frac=1, random_state=1).to_numpy(), present=0)
    return pd.concat([there, absent]).drop_duplicates(["recording", "species"])


def main() -> None:
    recordings = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    with (
        TemporaryDirectory() as temporary,
        LocalCluster(n_workers=1, threads_per_worker=2, memory_limit=0, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        home = Path(temporary)
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else home / "big"
        if not folder.exists():
            contents = dc.write_portal(folder, recordings, seed=1, **SIZES)
            print(contents["data"], flush=True)
        data = dc.open_dataset(folder / "visits", absence="scope", scope=folder / "scope.csv")
        with measured("coded and fitted", client):
            posterior = dc.fit(data, "base", cluster=client, work=home / "work", **FIT)
        with measured("results written, without a report", client):
            dc.write_result(posterior, home / "result", cluster=client)
        del posterior
        told = truth(folder)
        with measured("opened", client):
            posterior = dc.PosteriorInParts.load(home / "result")
        with measured("presence of a recording", client):
            print(len(posterior.presence(recordings=told["recording"].iloc[-1])))
        with measured("presence of a species", client):
            print(len(posterior.presence(0.5, species=told["species"].iloc[0])))
        with measured("a report", client):
            posterior.report(home / "report.html")
        with measured("evaluated", client):
            print(dc.evaluate(posterior, told))
        sizes = {
            file.name: sum(part.stat().st_size for part in [file, *file.glob("*")])
            for file in sorted((home / "result").iterdir())
        }
        print({name: f"{size / 1e6:,.1f} MB" for name, size in sizes.items()})


if __name__ == "__main__":
    main()
