"""Measure the models: time per sweep, effective draws per second, peers, growth with size, whole fits.

`make bench` runs this after foundation.py; `python benchmarks/models.py sweeps draws` runs some parts only.
Prints Markdown tables; `docs/benchmarks.md` records one run. Exits with 1 if a limit is missed.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import commands
import ladder
import peers
from tables import annotations_and_gold, at_least, at_most, conclude, head, models, row

SPEEDUPS = {"base": 15, "base-hierarchical": 4, "dp-bmm": 6, "dp-bmm-hierarchical": 4}
SMALL_MILLISECONDS = {"base": 0.12, "base-hierarchical": 0.35, "dp-bmm": 0.2, "dp-bmm-hierarchical": 0.5}


# (a) Time per sweep


def sweeps() -> None:
    annotations, _, source = annotations_and_gold()
    head(
        f"Milliseconds of a core per sweep, {source}, best of many",
        "model", "sparse", "dense loop", "times faster", "at least",
    )  # fmt: skip
    for name, model in models(annotations.n_species).items():
        sparse, dense = both_seconds(name, model, annotations)
        faster = dense / sparse
        limit = at_least(f"times faster than the dense loop, {name}", faster, SPEEDUPS[name])
        row(name, 1000 * sparse, 1000 * dense, faster, limit)
    small_sweeps()


def small_sweeps() -> None:
    """Measure sweeps of small data, most of which is spent on getting into kernels and out of them."""
    import dawnchorus as dc

    sizes = {"recordings": 400, "annotators": 15, "species": 30}
    annotations = dc.simulate_paper(**sizes, visits=2.4, seed=1).annotations
    head(
        f"Milliseconds of a core per sweep, small data ({', '.join(f'{n} {k}' for k, n in sizes.items())}, "
        f"{annotations.n_visits:,} visits), best of many",
        "model", "sparse", "at most",
    )  # fmt: skip
    for name, model in models(annotations.n_species, None).items():
        model, rng, state, design = settled(model, annotations, 300)
        seconds, _ = fastest(lambda s, m=model, r=rng, d=design: m.sweep(r, s, d)[0], state, 2000)
        limit = at_most(f"ms per sweep of small data, {name}", 1000 * seconds, SMALL_MILLISECONDS[name])
        row(name, 1000 * seconds, limit)


def settled(model: Any, annotations: Any, warmup: int, seed: int = 1) -> tuple[Any, Any, Any, Any]:
    """Give model, generator, state and design after some sweeps."""
    rng, design = np.random.default_rng(seed), model.design(annotations)
    state = model.init(rng, design)
    for _ in range(warmup):
        state, _ = model.sweep(rng, state, design)
    return model, rng, state, design


def both_seconds(name: str, model: Any, annotations: Any, rounds: int = 8) -> tuple[float, float]:
    """Give the shortest sparse and dense sweep, measured in turn, so that both see the same machine."""
    model, rng, state, design = settled(model, annotations, 300)
    dense_sweep, dense = dense_step(name, annotations)
    dense = fastest(dense_sweep, dense, 40)[1]
    least = [np.inf, np.inf]
    for _ in range(rounds):
        sparse_seconds, state = fastest(lambda s: model.sweep(rng, s, design)[0], state, 40)
        dense_seconds, dense = fastest(dense_sweep, dense, 8)
        least = np.minimum(least, [sparse_seconds, dense_seconds])
    return float(least[0]), float(least[1])


def fastest(step: Callable[[Any], Any], state: Any, times: int) -> tuple[float, Any]:
    """Take so many steps; give the least time that one held the core, and the state."""
    least = np.inf
    for _ in range(times):
        start = time.process_time()
        state = step(state)
        least = min(least, time.process_time() - start)
    return least, state


def dense_step(name: str, annotations: Any) -> tuple[Callable[[Any], Any], Any]:
    """Give a step of the compiled loop over all cells, see tests/naive.py, and where it starts."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    import naive
    from dawnchorus.model.distributions.named_priors import find_priors

    a, rng = annotations, np.random.default_rng(1)
    p = find_priors("paper-kerttu", a.n_species)
    occurrence, tpr, fpr = ((beta.a, beta.b) for beta in (p.occurrence, p.tpr, p.fpr))
    concentration = (p.concentration.shape, p.concentration.rate)
    votes = (a.to_cube(), a.visits_by_recording.start, a.visit_annotator)
    state = naive.dense_start(rng, votes[0], occurrence, p.tpr.mean, p.fpr.mean, 2 if "dp" in name else 1)
    if name == "base":
        return lambda s: naive.dense_sweep_base(rng, s, *votes, (occurrence, tpr, fpr)), state
    if name == "dp-bmm":
        return lambda s: naive.dense_sweep_dp(rng, s, *votes, (occurrence, tpr, fpr), concentration), state
    lists = a.lists.take(a.annotator_list)
    pairs, levels = (lists.row_of_item(), lists.item), [(x.mean, x.sd) for x in (p.tpr_level, p.fpr_level)]
    sides = [
        naive.DenseSide(np.full(lists.item.shape, mean), np.full(a.n_annotators, mean), 1.0)
        for mean, _ in levels
    ]
    others = (*votes, pairs, occurrence, levels, p.tpr_spread.scale)
    if name == "base-hierarchical":
        return lambda s: naive.dense_sweep_hierarchical(rng, *s, *others), (state, sides)
    return lambda s: naive.dense_sweep_dp_hierarchical(rng, *s, *others, concentration), (state, sides)


# (b) Effective draws per second


def draws() -> None:
    from dawnchorus.model.distributions.named_priors import find_priors
    from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies
    from dawnchorus.model.sweep import Model

    annotations, _, source = annotations_and_gold()
    ready = models(annotations.n_species)
    p = find_priors("paper-kerttu", annotations.n_species)
    paper = PerAnnotatorSpecies.from_priors(p, spread="empirical-bayes", update="polya-gamma")
    ready["base-hierarchical, the paper's algorithm"] = Model(ready["base"].occurrence, paper)
    lengths = {"base": 10_000, "base-hierarchical": 5000, "dp-bmm": 5000, "dp-bmm-hierarchical": 5000}
    head(
        f"Effective draws per second of the worst parameter, {source}, one chain on one core",
        "model", "sweeps", "seeds", "core s", "s", "smallest size", "per core s", "per s", "at least",
        "which",
    )  # fmt: skip
    rates = {}
    for name, model in ready.items():
        seeds = (1,) if name.startswith("dp") else (1, 2)
        runs = [smallest_size(model, annotations, lengths.get(name, 4000), seed) for seed in seeds]
        rates[name] = float(np.mean([size / seconds for size, seconds, *_ in runs]))
        size, core, wall = np.mean([run[:3] for run in runs], axis=0)
        limit = at_least("effective draws per second, base", rates[name], 400) if name == "base" else ""
        which = ", ".join(sorted({run[3] for run in runs}))
        row(
            name,
            lengths.get(name, 4000),
            len(seeds),
            core,
            wall,
            size,
            rates[name],
            size / wall,
            limit,
            which,
        )
    gain = rates["base-hierarchical"] / rates["base-hierarchical, the paper's algorithm"]
    limit = at_least("base-hierarchical against the paper's algorithm", gain, 30)
    row("base-hierarchical against the paper's algorithm", "", "", "", "", "", gain, "", limit, "times")


def smallest_size(model: Any, annotations: Any, length: int, seed: int) -> tuple[float, float, float, str]:
    """Give the smallest effective sample size, seconds of the core and of the clock, and whose it is."""
    from dawnchorus.sampling.agreement import ess_and_rhat

    model, rng, state, design = settled(model, annotations, 500, seed)
    kept: dict[str, list[Any]] = {}
    start, core = time.perf_counter(), time.process_time()
    for _ in range(length):
        state, _ = model.sweep(rng, state, design)
        for name, value in model.keep(rng, state, design).items():
            if not name.startswith("component_"):
                kept.setdefault(name, []).append(value)
    core, wall = time.process_time() - core, time.perf_counter() - start
    sizes = {}
    for name, values in kept.items():
        sizes[name] = ess_and_rhat(np.stack(values).reshape(1, length, -1), threads=2)[0].min()
    worst = min(sizes, key=lambda name: sizes[name])
    return float(sizes[worst]), core, wall, worst.replace("_", " ")


PARTS: dict[str, Callable[[], None]] = {
    "sweeps": sweeps,
    "draws": draws,
    "ladder": ladder.main,
    "peers": peers.main,
    "command": commands.main,
    "large": commands.large,
}


def main(names: list[str]) -> int:
    print(f"\nPython {platform.python_version()}, {platform.machine()}, {time.strftime('%Y-%m-%d')}")
    for name in names or PARTS:
        PARTS[name]()
    return conclude()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
