"""Measure whole commands: the demo, fits with report and tables of Kerttu and of large portals, the start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from ladder import RUNGS
from tables import KERTTU, at_most, head, row

FIT_SECONDS = {"base": 9, "base-hierarchical": 35, "dp-bmm": 14, "dp-bmm-hierarchical": 40}
DEMO_SECONDS = 9
"""Of `make demo` once everything is compiled."""
LARGE_SECONDS = {
    (30_000, "base"): None,
    (30_000, "base-hierarchical"): None,
    (200_000, "base"): 150,
    (200_000, "base-hierarchical"): 720,
}
COLUMNS = "seconds", "at most", "smallest size", "largest R-hat", "sweeps"


def main() -> None:
    demo()
    if not KERTTU.is_dir():
        print(f"\nWhole fits: skipped, no {KERTTU}")
        return
    head("`dawnchorus fit` of Kerttu with default settings", "model", *COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        for name, limit in FIT_SECONDS.items():
            fitted(name, fitting(name, folder), Path(folder) / name, limit)
    starting()


def large() -> None:
    """Measure fits of simulated portals, converged and written."""
    head("`dawnchorus fit` of simulated portals with default settings", "model and recordings", *COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        for recordings in dict.fromkeys(size for size, _ in LARGE_SECONDS):
            data, (annotators, species) = Path(folder) / str(recordings), RUNGS[recordings]
            sizes = {"recordings": recordings, "annotators": annotators, "species": species}
            options = [f"--{name}={size}" for name, size in sizes.items()]
            command_seconds(["simulate", "--kind", "portal", *options, "--seed", "1", "--out", str(data)])
            for (size, name), limit in LARGE_SECONDS.items():
                if size == recordings:
                    what, out = f"{name}, {recordings:,} recordings", Path(folder) / f"{name}-{recordings}"
                    fitted(what, portal_fitting(name, data, out), out, limit)


def fitted(what: str, words: list[str], out: Path, limit: float | None) -> None:
    """Fit, and print how long it took and how well the chains agree."""
    seconds = command_seconds(words)
    if seconds is None:
        row(what, "failed", at_most(f"seconds to fit {what}", np.inf, limit))
        return
    found = json.loads((out / "fit.json").read_text())
    look = found.get("diagnostics", {})
    limit_told = at_most(f"seconds to fit {what}", seconds, limit)
    row(what, seconds, limit_told, look.get("min_ess"), look.get("max_rhat"), found.get("sweeps"))


def fitting(name: str, folder: str) -> list[str]:
    """Give the words that fit a model to Kerttu with default settings."""
    return ["fit", str(KERTTU), "--format", "kerttu", "--model", name, "--out", str(Path(folder) / name)]


def portal_fitting(name: str, data: Path, out: Path) -> list[str]:
    """Give the words that fit a model to a simulated portal with default settings."""
    tables = [f"--{table}={data / table}.csv" for table in ("scope", "recordings", "species")]
    words = ["--absence", "scope", *tables, "--model", name, "--out", str(out)]
    return ["fit", str(data / "annotations.csv"), *words]


def demo() -> None:
    """Measure the demo when it is not the first time."""
    head("`dawnchorus demo`, repeated, best of three", "command", "seconds", "at most")
    with tempfile.TemporaryDirectory() as folder:
        words = ["demo", "--out", str(Path(folder) / "demo"), "--overwrite"]
        _, *again = (command_seconds(words) for _ in range(4))
    seconds = min((one for one in again if one is not None), default=np.inf)
    row("demo", seconds, at_most("seconds of a repeated demo", seconds, DEMO_SECONDS))


def starting() -> None:
    """Measure from command to first sweep, with nothing compiled yet and with all compiled before."""
    head("Seconds from command to first sweep, Kerttu", "model", "first ever", "at most", "cached", "at most")
    script = str(Path(__file__).with_name("first_sweep.py"))
    for name in ("base", "base-hierarchical", "dp-bmm-hierarchical"):
        with tempfile.TemporaryDirectory() as cache:
            words = fitting(name, cache)
            first, *again = (command_seconds(words, script, NUMBA_CACHE_DIR=cache) for _ in range(6))
        again = min(again)
        limits = at_most(f"first compilation, {name}", first, 40), at_most(f"cached start, {name}", again, 3)
        row(name, first, limits[0], again, limits[1])


def command_seconds(words: list[str], script: str = "", **environment: str) -> float | None:
    """Run `dawnchorus` with these words, or a script, and give the seconds; none if it failed."""
    program = [script] if script else ["-m", "dawnchorus"]
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, *program, *words],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )
    if run.returncode:
        print(run.stderr[-500:], file=sys.stderr)
        return None
    return time.perf_counter() - start
