"""Run a peer in its own environment; see peers.py.

peer_runs.py nuts MODEL FOLDER WARMUP DRAWS SECONDS CHAIN    or    peer_runs.py dawid-skene FOLDER
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

TPR, FPR, OCCURRENCE = (45, 5), (5, 995), (2, 98)
LEVELS = {"tpr": (math.log(0.9 / 0.1), 0.48), "fpr": (math.log(0.005 / 0.995), 0.45)}
SPREAD_SCALE = 2.0
"""The paper's priors for Kerttu."""
FEWEST = 20
"""Fewer draws than this say nothing."""


def grouped(species: Any, recording: Any, code: Any) -> list[tuple[Any, Any, Any]]:
    """Give cells by number of votes, equal cells once: species, codes of the votes, how many such cells."""
    order = np.lexsort((code, species, recording))
    species, recording, code = species[order], recording[order], code[order]
    new = np.append(True, (np.diff(recording) != 0) | (np.diff(species) != 0))
    first, sizes = np.flatnonzero(new), np.diff(np.append(np.flatnonzero(new), len(new)))
    groups = []
    for size in np.unique(sizes):
        at = first[sizes == size]
        cells = np.column_stack([species[at], code[at[:, None] + np.arange(size)]])
        cells, times = np.unique(cells, axis=0, return_counts=True)
        groups.append((cells[:, 0], cells[:, 1:], times.astype(float)))
    return groups


def numpyro_model(name: str, votes: Any, groups: Any) -> Any:
    """Give the model with presence summed out."""
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from jax.nn import log_sigmoid, sigmoid

    n_species, n_annotators = votes["species"].max() + 1, votes["annotator"].max() + 1
    owner = votes["pair_annotator"]

    def codes(rate_logs: Any, silence_logs: Any) -> Any:
        return jnp.stack([silence_logs, rate_logs], axis=1).ravel()

    def likelihood(occurrence: Any, present: Any, absent: Any) -> Any:
        total = 0.0
        for species, code, times in groups:
            yes = jnp.log(occurrence)[species] + present[code].sum(axis=1)
            no = jnp.log1p(-occurrence)[species] + absent[code].sum(axis=1)
            total += times @ jnp.logaddexp(yes, no)
        return total

    def base() -> None:
        occurrence = numpyro.sample("occurrence", dist.Beta(*OCCURRENCE).expand([n_species]))
        tpr = numpyro.sample("tpr", dist.Beta(*TPR).expand([n_annotators]))
        fpr = numpyro.sample("fpr", dist.Beta(*FPR).expand([n_annotators]))
        logs = [codes(jnp.log(rate), jnp.log1p(-rate)) for rate in (tpr, fpr)]
        numpyro.factor("votes", likelihood(occurrence, *logs))

    def side(which: str) -> Any:
        """Draw the logits of a side: standard offsets times the spread, around levels (non-centred)."""
        mean, sd = LEVELS[which]
        spread = numpyro.sample(f"{which}_spread", dist.HalfNormal(SPREAD_SCALE))
        away = numpyro.sample(f"{which}_level_offset", dist.Normal(0, 1).expand([n_annotators]))
        level = numpyro.deterministic(f"{which}_level", mean + sd * away)
        offset = numpyro.sample(f"{which}_offset", dist.Normal(0, 1).expand([len(owner)]))
        logit = level[owner] + spread * offset
        numpyro.deterministic(f"species_{which}", sigmoid(logit))
        return codes(log_sigmoid(logit), log_sigmoid(-logit))

    def hierarchical() -> None:
        occurrence = numpyro.sample("occurrence", dist.Beta(*OCCURRENCE).expand([n_species]))
        numpyro.factor("votes", likelihood(occurrence, side("tpr"), side("fpr")))

    return base if name == "base" else hierarchical


def nuts(name: str, folder: Path, warmup: int, draws: int, limit: float, chain: int) -> None:
    """Run a chain until it has its draws or its time is over; write draws, seconds and sweeps of warm-up."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax
    from numpyro.infer import NUTS

    jax.config.update("jax_enable_x64", True)
    votes = np.load(folder / "votes.npz")
    rate = votes["annotator"] if name == "base" else votes["pair"]
    groups = grouped(votes["species"], votes["recording"], 2 * rate + votes["vote"])
    kernel = NUTS(numpyro_model(name, votes, groups), target_accept_prob=0.9)
    state = kernel.init(jax.random.PRNGKey(chain), warmup, None, (), {})
    step = jax.jit(lambda state: kernel.sample(state, (), {})).lower(state).compile()
    start, core = time.perf_counter(), time.process_time()
    warm, wall, kept = 0.0, 0.0, []
    # Steps before `warmup` still adapt, so that they never count as draws, however late it is.
    while len(kept) < draws and time.perf_counter() - start < limit:
        state = jax.block_until_ready(step(state))
        if state.i > warmup:
            kept.append((state.z, int(state.num_steps)))
        else:
            warm, wall = time.process_time() - core, time.perf_counter() - start
    if len(kept) < FEWEST:
        sys.exit(f"{name}, chain {chain}: {int(state.i)} steps in {limit:.0f} s, {len(kept)} draws: too few")
    seconds, wall = time.process_time() - core - warm, time.perf_counter() - start - wall
    print(
        f"{name}, chain {chain}: {sum(len(g[0]) for g in groups)} different cells, "
        f"{warmup} warm-up, {len(kept)} draws, "
        f"{np.mean([n for _, n in kept]):.0f} gradients a draw, "
        f"{1000 * seconds / sum(n for _, n in kept):.1f} ms a gradient",
        file=sys.stderr,
    )
    finish = kernel.postprocess_fn((), {})
    values = [finish(z) for z, _ in kept]
    wanted = [key for key in values[0] if not key.endswith("offset") and key != "votes"]
    stacked = {key: np.stack([np.asarray(value[key]) for value in values]) for key in wanted}
    np.savez(folder / f"{name}-{chain}.npz", seconds=[warm, seconds, warmup, wall], **stacked)


def dawid_skene(folder: Path) -> None:
    """Fit each species on its own; write the probability of presence, recordings × species."""
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    votes = np.load(folder / "votes.npz")
    columns = {"task": votes["recording"], "worker": votes["annotator"], "label": votes["vote"]}
    table = pd.DataFrame(columns)
    probability = np.full((votes["recording"].max() + 1, votes["species"].max() + 1), np.nan)
    start = time.perf_counter()
    for species, part in table.groupby(votes["species"]):
        found = DawidSkene(n_iter=100).fit_predict_proba(part)
        probability[found.index, species] = found.get(1, 0.0)
    print(json.dumps({"seconds": time.perf_counter() - start}))
    np.save(folder / "dawid-skene.npy", probability)


if __name__ == "__main__":
    if sys.argv[1] == "nuts":
        name, folder, warmup, draws, limit, chain = sys.argv[2:]
        nuts(name, Path(folder), int(warmup), int(draws), float(limit), int(chain))
    else:
        dawid_skene(Path(sys.argv[2]))
