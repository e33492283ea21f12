"""Which model serves as a default, by held-out visits of simulated data: the table of docs/compare.md.

    python benchmarks/default_model.py [DATA_SETS [PART ...]]
    python benchmarks/default_model.py agree

The paper's four scenarios, the third also with unsure marks that tell something, and portals without and with
faint birds, several data sets each. Finished fits are kept in build/default_model: a second run with more
data sets goes on from there. Parts of models are those of `dawnchorus compare`. With `agree`, how long `fit`
takes until chains agree, with priors that are given, those of the default, and with all priors learned; and
with communities, with the priors of the default.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import dawnchorus as dc

FOLDER = Path("build/default_model")
PAPER = {"recordings": 500, "annotators": 20, "species": 25, "visits": 2.4}
PORTAL = {"recordings": 500, "annotators": 20, "species": 25, "visits": 2.4}
KINDS: dict[str, Callable[..., dc.Simulation]] = {
    **{f"scenario {number}": partial(dc.simulate_paper, number, **PAPER) for number in (1, 2, 3, 4)},
    "scenario 3, unsure marks": partial(dc.simulate_paper, 3, **PAPER, unsure_step=0.65),
    "portal": partial(dc.simulate_portal, **PORTAL),
    "portal, faint birds": partial(dc.simulate_portal, **PORTAL, faintness=2.0),
}
DEFAULT = "base-hierarchical"
PARTS = tuple(sys.argv[2:]) or ("priors(given)", "learned", "unsure", "faint", "communities")
MODELS = (DEFAULT, "base", *(f"{DEFAULT} + {part}" for part in PARTS))
AGREE = ("scenario 1", "scenario 2", "scenario 3", "portal")
"""The data on which it is measured how long chains take to agree."""
LENGTH = {"chains": 2, "warmup": 300, "draws": 500}


def measured(kind: str, seed: int) -> pd.DataFrame:
    """Return a row for each model of a data set."""
    annotations = KINDS[kind](seed=seed).annotations
    marks = len(annotations.unsure.item) > 0
    models = [model for model in MODELS if marks or "unsure" not in model]
    out = FOLDER / f"{kind.replace(', ', '-').replace(' ', '-')}-{seed}"
    found = dc.compare(annotations, models, folds=2, loo=False, workers=1, out=out, seed=seed, **LENGTH)
    table = found.table().assign(kind=kind, seed=seed, model=models)
    table["times"] = table["seconds"] / table["seconds"].iloc[0]
    print(
        kind, seed, table[["model", "gain", "gain_se", "seconds", "max_rhat"]].round(3), sep="\n", flush=True
    )
    return table


def shown(table: pd.DataFrame) -> str:
    """Return the mean gain by kind of data and model, with its standard error; below, time and R-hat."""
    others = MODELS[1:]
    lines = [f"| data | {' | '.join(others)} |", "|---" * (len(others) + 1) + "|"]
    for kind in KINDS:
        cells = [_gain(table[(table["kind"] == kind) & (table["model"] == model)]) for model in others]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    by_model = table.groupby("model")
    times, rhat = by_model["times"].median(), by_model["max_rhat"].median()
    lines.append(f"| *time, times that of the default* | {' | '.join(f'{times[m]:.1f}' for m in others)} |")
    lines.append(f"| *R-hat* | {' | '.join(f'{rhat[m]:.2f}' for m in others)} |")
    return "\n".join([*lines, f"R-hat of {DEFAULT}: {rhat[DEFAULT]:.2f}"])


def _gain(rows: pd.DataFrame) -> str:
    if rows.empty:
        return ""
    return f"{rows['gain'].mean():.2f} ± {np.sqrt((rows['gain_se'] ** 2).sum()) / len(rows):.2f}"


def until_agreed(kind: str, model: str, priors: str) -> str:
    """Return how long a fit takes until its chains agree, at most 90 seconds, in words."""
    annotations = KINDS[kind](seed=0).annotations
    dc.fit(annotations, model, priors=priors, warmup=5, draws=5, min_ess=None, seed=1)  # to compile
    started, worked = time.perf_counter(), time.process_time()
    posterior = dc.fit(annotations, model, priors=priors, seconds=90, seed=1)
    seconds, of_cores = time.perf_counter() - started, time.process_time() - worked
    found, sweeps = posterior.diagnostics, posterior.record["sweeps"]
    worst = f"R-hat {found.max_rhat:.3f} ({found.worst_rhat}), size {found.min_ess:.0f} ({found.worst_ess})"
    words = "converged" if found.converged else worst
    how_long = f"{sweeps:,} sweeps of each chain, {seconds:.0f} s, {of_cores:.0f} s of all cores together"
    return f"{kind}, {model}, {priors} priors: {words} after {how_long}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["agree"]:
        for kind in AGREE:
            for priors in ("given", "default", "learned"):
                print(until_agreed(kind, DEFAULT, priors), flush=True)
            print(until_agreed(kind, "dp-bmm-hierarchical", "default"), flush=True)
        sys.exit()
    FOLDER.mkdir(parents=True, exist_ok=True)
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    print(shown(pd.concat([measured(kind, seed) for seed in range(data_sets) for kind in KINDS])))
