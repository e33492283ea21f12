"""Measure reading, simulating and starting up: `make bench`. Each task runs in a fresh process.

Prints a Markdown table; `docs/benchmarks.md` records one run. Exits with 1 if a limit is missed.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

KERTTU = Path(__file__).parents[2] / "shared/kerttu"


class Task(NamedTuple):
    """Something to measure, with its limits, and how often to run it."""

    what: str
    run: Callable[[Path], None]
    seconds: float | None
    megabytes: float | None
    times: int = 3


def read_kerttu(_: Path) -> None:
    import dawnchorus as dc

    assert dc.read(KERTTU, format="kerttu").n_votes == 618_305


def read_parquet(folder: Path) -> None:
    import dawnchorus as dc

    annotations = dc.read(folder / "reports.parquet", absence="checklist")
    assert annotations.n_visits == 1_000_000
    assert annotations.n_reports == 10_000_000


def simulate_portal(_: Path) -> None:
    import dawnchorus as dc

    assert dc.simulate_portal(1_000_000, 5000, 10_000).annotations.n_reports > 2_000_000


def fit_majority_vote(_: Path) -> None:
    import dawnchorus as dc

    annotations = dc.simulate_portal(100_000, 1000, 1000).annotations
    assert len(dc.fit(annotations, model="majority-vote").presence(0.01))


TASKS = {
    "kerttu": Task("read Kerttu from TSV (1.2 million rows)", read_kerttu, 2, 500),
    "parquet": Task("read a million visits, ten million reports from Parquet", read_parquet, 30, 2000, 1),
    "portal": Task("simulate a million recordings, ten thousand species", simulate_portal, None, None, 1),
    "majority": Task(
        "simulate 100,000 recordings, 1,000 species and fit majority vote", fit_majority_vote, None, None, 1
    ),
}


def one_task(name: str, folder: str) -> None:
    """Run a task in this process and print its seconds, after import, and its peak memory."""
    import dawnchorus as dc

    for public in dc.__all__:
        getattr(dc, public)
    start = time.perf_counter()
    TASKS[name].run(Path(folder))
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, peak_megabytes()]))


def peak_megabytes() -> float | None:
    """Give the most memory that this process has held; `ru_maxrss` may be that of its parent."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def write_parquet(folder: Path) -> None:
    """Write a million visits with ten reports each, in no order, labels as text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    visit = rng.permutation(np.repeat(np.arange(1_000_000), 10))
    rank = np.zeros(len(visit), np.int64)
    order = np.argsort(visit, kind="stable")
    rank[order] = np.tile(np.arange(10), 1_000_000)
    columns = {
        "recording": (visit // 2, [f"recording-{i:06}" for i in range(500_000)]),
        "annotator": ((visit // 2 * 7 + visit % 2) % 2000, [f"annotator {i}" for i in range(2000)]),
        "species": ((visit * 31 + rank * 97) % 1000, [f"Species number {i}" for i in range(1000)]),
    }
    arrays = {
        name: pa.DictionaryArray.from_arrays(code.astype(np.int32), labels).cast(pa.string())
        for name, (code, labels) in columns.items()
    }
    pq.write_table(pa.table(arrays), folder / "reports.parquet")


def help_seconds() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "dawnchorus", "--help"], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> int:
    missed = []
    print(f"Python {platform.python_version()}, {platform.machine()}, {time.strftime('%Y-%m-%d')}\n")
    print("| task | seconds | limit | peak MB | limit |\n|---|---:|---:|---:|---:|")

    def row(what: str, seconds: float, limit: float | None, peak: float | None, most: float | None) -> None:
        shown = [
            "" if x is None else f"{x:,.2f}" if x < 10 else f"{x:,.0f}" for x in (seconds, limit, peak, most)
        ]
        print(f"| {what} | {' | '.join(shown)} |", flush=True)
        if (limit and seconds > limit) or (most and peak and peak > most):
            missed.append(what)

    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder))
        for name, task in TASKS.items():
            if name == "kerttu" and not KERTTU.is_dir():
                print(f"| {task.what} | skipped: no {KERTTU} | | | |")
                continue
            words = [sys.executable, __file__, name, folder]
            runs = [json.loads(subprocess.check_output(words)) for _ in range(task.times)]
            row(
                task.what,
                min(r[0] for r in runs),
                task.seconds,
                max((r[1] for r in runs if r[1]), default=None),
                task.megabytes,
            )
    row("`dawnchorus --help`", min(help_seconds() for _ in range(5)), 0.5, None, None)
    print(f"\nMissed: {', '.join(missed)}" if missed else "\nAll limits kept.")
    return bool(missed)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        one_task(*sys.argv[1:])
    else:
        sys.exit(main())
