"""Measure a portal in parts: `python benchmarks/large.py [MODEL] [RECORDINGS] [FOLDER]`.

The model is `base`, with 20 million recordings (100 million reports), 10,000 species and 50,000 annotators,
or `base-hierarchical` with 2 million, 2,000 and 1,500, unless another number of recordings is wanted. Printed
are: how long it takes to make the data and to code them; what a sweep costs with one thread and with two, and
with one worker process and with two; messages and bytes of a sweep; and the memory. It refuses if there is
less memory than the data need.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

import dawnchorus as dc
from dawnchorus.common.workers.connecting import connected
from dawnchorus.io.parts.coded import CodedDataset, blocks_in, code_dataset
from dawnchorus.model import design
from dawnchorus.model.distributions.named_priors import find_priors
from dawnchorus.model.registry import build_model
from dawnchorus.sampling.shards.crew import crew_of, shares
from dawnchorus.sampling.shards.elsewhere import global_design
from dawnchorus.sampling.shards.memory import check_memory
from dawnchorus.sampling.shards.places import Places, drawn

SIZES: dict[str, dict[str, Any]] = {
    "base": {"annotators": 50_000, "species": 10_000, "visits": 1.5, "present_species": 4.8},
    "base-hierarchical": {"annotators": 1500, "species": 2000},
}
RECORDINGS = {"base": 20_000_000, "base-hierarchical": 2_000_000}
SWEEPS = 7
WAYS = {"one thread": (1, 0), "two threads": (2, 0), "one worker": (1, 1), "two workers": (2, 2)}
"""How many threads share a sweep here or, with workers of one thread each, how many of these there are."""


@contextmanager
def started(workers: int) -> Iterator[Any]:
    """Start so many workers in processes of their own, with a thread each; none if it is 0."""
    if not workers:
        yield None
        return
    options = {"dashboard_address": ":0", "host": "127.0.0.1", "memory_limit": 0}
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
        connected(client, imports=drawn.__module__) as found,
    ):
        client.wait_for_workers(workers)
        yield found


def megabytes() -> tuple[float, float]:
    """Return the megabytes that this process has now, and has had at most."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


def made(name: str, recordings: int, folder: Path) -> dc.Dataset:
    if not folder.exists():
        started = time.perf_counter()
        contents = dc.write_portal(folder, recordings, seed=1, **SIZES[name])
        print(f"made in {time.perf_counter() - started:,.0f} s: {contents['data']}", flush=True)
    return dc.open_dataset(folder / "visits", absence="scope", scope=folder / "scope.csv")


def sweeps(name: str, coded: CodedDataset, home: Path, way: str) -> None:
    """Time the sweeps of a chain, and count what is sent."""
    threads, processes = WAYS[way]
    model = build_model(name, find_priors("default", SIZES[name]["species"]))
    blocks = blocks_in(coded, design.BLOCK)
    places = Places(model, coded, blocks, np.array(shares(len(blocks) - 1, 2)))
    with (
        started(processes) as workers,
        closing(crew_of(workers, threads)) as crew,
    ):
        began, before = time.perf_counter(), megabytes()[0]
        found, sums = global_design(model, places, crew, home)
        loaded = f"loaded in {time.perf_counter() - began:,.0f} s"
        if not processes:
            size = sums.recordings[1] + coded.total("reports")
            loaded += f", {(megabytes()[0] - before) * 2**20 / size:,.0f} bytes by visit or report"
        found.threads, rng = 2 if processes else threads, np.random.default_rng(1)
        state, _ = model.sweep(rng, model.init(rng, found), found)
        seconds, used = [], time.process_time()
        for _ in range(SWEEPS):
            began = time.perf_counter()
            state, _ = model.sweep(rng, state, found)
            seconds.append(time.perf_counter() - began)
        used = (time.process_time() - used) / SWEEPS
        rates = model.expertise.rates(state.expertise)
        factor, rare = model.occurrence.odds(state.occurrence).factor, found.elsewhere.rare
        there = len(pickle.dumps((drawn, (0, 1, factor, rates, rare)), -1))
        back = len(pickle.dumps(crew.each(drawn, 1, factor, rates, rare)[0], -1))
    print(
        f"{way}: {loaded}; a sweep takes {median(seconds):.2f} s ({min(seconds):.2f} at least, {used:.2f} of "
        f"computing here); {places.n} messages each way, of {there:,} and {back:,} bytes",
        flush=True,
    )


def main() -> None:
    words = sys.argv[1:]
    name = words.pop(0) if words and words[0] in SIZES else "base"
    recordings = int(words[0]) if words else RECORDINGS[name]
    with TemporaryDirectory() as home:
        place = Path(words[1]) if len(words) > 1 else Path(home, "big")
        data = made(name, recordings, place)
        print(data)
        started, used = time.perf_counter(), time.process_time()
        coded = code_dataset(data, Path(home, "work"))
        took = time.perf_counter() - started, time.process_time() - used
        print(f"coded in {took[0]:,.0f} s, {took[1]:,.0f} s of computing; {megabytes()[1]:,.0f} MB at most")
        try:
            check_memory(coded, None)
        except dc.AnnotationError as error:
            sys.exit(str(error))
        for way in WAYS:
            sweeps(name, coded, Path(home), way)
        print(f"{megabytes()[1]:,.0f} MB at most in this process")


if __name__ == "__main__":
    main()
