"""Measure peers on the same votes: NumPyro's NUTS with presence summed out, and crowd-kit's Dawid-Skene.

They are installed for this only, into build/bench-venv, and run there by peer_runs.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tables import BUILD, annotations_and_gold, head, models, row

PEERS = ("jax", "numpyro", "crowd-kit")
PYTHON = BUILD / "bench-venv/bin/python"
RUNS = Path(__file__).with_name("peer_runs.py")
SECONDS = 300
"""A chain of NUTS stops after so long, with the draws that it has."""
LENGTHS = {"base": (300, 300), "base-hierarchical": (100, 100)}
"""Sweeps of warm-up and draws."""


def main() -> None:
    annotations, gold, source = annotations_and_gold()
    head(
        f"Peers, {source}: smallest effective size over all parameters, AUC on gold labels",
        "who", "chains", "warm-up", "draws a chain", "warm-up, core s", "draws, core s", "draws, s",
        "smallest size",
        "per core s of a chain", "AUC",
    )  # fmt: skip
    for name in LENGTHS:
        own(name, annotations, gold)
    if not installed():
        row("NumPyro and crowd-kit: not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        write_votes(annotations, Path(folder))
        for name in LENGTHS:
            nuts(name, annotations, gold, Path(folder))
        dawid_skene(annotations, gold, Path(folder))


def installed() -> bool:
    """Install the peers, if they can be; tell whether they are there."""
    if subprocess.run([PYTHON, "-c", "import numpyro, crowdkit"], capture_output=True).returncode == 0:
        return True
    venv = subprocess.run([sys.executable, "-m", "venv", str(PYTHON.parents[1])], capture_output=True)
    words = [PYTHON, "-m", "pip", "install", "--quiet", *PEERS]
    free = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    return venv.returncode == 0 and subprocess.run(words, capture_output=True, env=free).returncode == 0


def write_votes(a: Any, folder: Path) -> None:
    """Write all votes as a list, and the pairs of annotator and species, for the other environment."""
    cube = a.to_cube()
    recording, annotator, species = np.nonzero(cube >= 0)
    lists = a.lists.take(a.annotator_list)
    pair = np.full(cube.shape[1:], -1)
    pair[lists.row_of_item(), lists.item] = np.arange(len(lists.item))
    np.savez(
        folder / "votes.npz",
        recording=recording,
        annotator=annotator,
        species=species,
        vote=cube[recording, annotator, species],
        pair=pair[annotator, species],
        pair_annotator=lists.row_of_item(),
    )


def own(name: str, annotations: Any, gold: Any) -> None:
    """Run a chain of this package on one core, to compare with."""
    model, rng = models(annotations.n_species)[name], np.random.default_rng(1)
    design = model.design(annotations)
    warmup, draws = 500, 5000
    start = time.process_time()
    state = model.init(rng, design)
    for _ in range(warmup):
        state, _ = model.sweep(rng, state, design)
    warm, wall, kept = time.process_time() - start, time.perf_counter(), []
    for _ in range(draws):
        state, _ = model.sweep(rng, state, design)
        kept.append(model.keep(rng, state, design))
    seconds, wall = time.process_time() - start - warm, time.perf_counter() - wall
    values = {key: np.stack([one[key] for one in kept])[None] for key in kept[0]}
    score = auc(values, annotations, gold)
    size = smallest(values)
    rate = size / seconds
    row(f"dawnchorus, {name}, one core", 1, warmup, draws, warm, seconds, wall, size, rate, f"{score:.4f}")


def nuts(name: str, annotations: Any, gold: Any, folder: Path) -> None:
    """Run a chain of NUTS on each of two cores."""
    words = [PYTHON, RUNS, "nuts", name, folder, *LENGTHS[name], SECONDS]
    running = [subprocess.Popen([*map(str, words), str(chain)]) for chain in range(2)]
    what = f"NumPyro NUTS, {name}, two cores"
    failed = [one.wait() for one in running]
    if any(failed):
        row(what, "failed, or too few draws in time")
        return
    chains = [dict(np.load(folder / f"{name}-{chain}.npz")) for chain in range(2)]
    timing = [chain.pop("seconds") for chain in chains]
    done = [len(chain["occurrence"]) for chain in chains]
    least = min(done)
    values = {key: np.stack([chain[key][:least] for chain in chains]) for key in chains[0]}
    # Both at once: what each had drawn in its own time counts.
    warm, seconds = (
        max(t[0] for t in timing),
        max(t[1] * least / n for t, n in zip(timing, done, strict=True)),
    )
    size, warmup = smallest(values), int(min(t[2] for t in timing))
    shown = f"{least} of {LENGTHS[name][1]}" if least < LENGTHS[name][1] else least
    wall, score = max(t[3] for t in timing), auc(values, annotations, gold)
    row(what, 2, warmup, shown, warm, seconds, wall, size, size / seconds, f"{score:.4f}")


def dawid_skene(annotations: Any, gold: Any, folder: Path) -> None:
    import dawnchorus as dc

    what = "crowd-kit Dawid-Skene, one against the rest by species"
    words = [PYTHON, RUNS, "dawid-skene", folder]
    found = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, text=True)
    if found.returncode:
        row(what, "failed")
        return
    probability = np.load(folder / "dawid-skene.npy")
    probability[np.isnan(probability)] = np.nanmean(probability)
    presence = dc.fit(annotations, model="majority-vote").presence()  # a frame of all cells
    places = annotations.recordings.index.get_indexer(presence.recording)
    kinds = annotations.species.index.get_indexer(presence.species)
    score = dc.evaluate(presence.assign(probability=probability[places, kinds]), gold).auc
    row(what, "", "", "", "", "", json.loads(found.stdout)["seconds"], "", "", f"{score:.4f}")


def smallest(values: dict[str, np.ndarray]) -> float:
    """Give the smallest effective sample size over all parameters; values are chains × draws × any."""
    from dawnchorus.sampling.agreement import ess_and_rhat

    return min(ess_and_rhat(x.reshape(*x.shape[:2], -1), threads=2)[0].min() for x in values.values())


def auc(values: dict[str, np.ndarray], annotations: Any, gold: Any, most: int = 100) -> float:
    """Score presence on the gold labels: its probability given votes and parameters, mean over some draws."""
    from sklearn.metrics import roc_auc_score

    a, draws = annotations, {key: x.reshape(-1, *x.shape[2:]) for key, x in values.items()}
    clips = a.recordings.index.get_indexer(gold.recording)
    names, clip = np.unique(clips, return_inverse=True)
    kind = a.species.index.get_indexer(gold.species)
    cube, lists = a.to_cube()[names], a.lists.take(a.annotator_list)
    total = np.zeros((len(names), a.n_species))
    chosen = np.linspace(0, len(draws["occurrence"]) - 1, most).astype(int)
    for draw in chosen:
        score = np.log(draws["occurrence"][draw]) - np.log1p(-draws["occurrence"][draw])
        rates = []
        for side in ("tpr", "fpr"):
            table = np.full(cube.shape[1:], 0.5)
            if f"species_{side}" in draws:
                table[lists.row_of_item(), lists.item] = draws[f"species_{side}"][draw]
            else:
                table[:] = draws[side][draw][:, None]
            rates.append(np.clip(table, 1e-9, 1 - 1e-9))
        report, silence = np.log(rates[0] / rates[1]), np.log((1 - rates[0]) / (1 - rates[1]))
        score = score + ((cube == 1) * report + (cube == 0) * silence).sum(axis=1)
        total += 1 / (1 + np.exp(-score)) / most
    return float(roc_auc_score(gold.present, total[clip, kind]))
