"""Simulation-based calibration: parameters from the prior, votes from them, and ranks of truth among draws.

If everything is right, the rank of the true value among thinned draws of a fit is uniform (Talts et al.
2018). Equal values, as counts have them, are put in order by chance.

The page in docs/results says of every model which draws it was made of. A model whose draws are still the
same, number by number, need not be calibrated again; `PYTHONPATH=tests python -m calibration` calibrates all
others.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import subprocess
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import dawnchorus
import joint
import portals
from dawnchorus.model.sweep import Model

ROOT = Path(__file__).parents[1]
MODELS = (
    joint.MODELS
    | joint.LEARNED
    | joint.HARD
    | joint.SKILLED
    | joint.FAINT
    | joint.DECEPTIVE
    | joint.MARKED
    | joint.SCORED
    | joint.EVEN
)
BARS = "▁▂▃▄▅▆▇█"
PAGE = ROOT / "docs" / "results" / "calibration.md"
COLUMNS = ["model", "quantity", "replications", "chi2", "p", "ranks"]


@dataclass(frozen=True)
class Plan:
    """How many draws are kept of a fit, after how many sweeps, and every how many."""

    draws: int
    thin: int
    warmup: int
    bins: int


SMALL = Plan(draws=7, thin=6, warmup=45, bins=4)
FULL = Plan(draws=15, thin=10, warmup=40, bins=16)
START = Plan(draws=4, thin=2, warmup=0, bins=1)
"""The first sweeps of chains. Later ones would differ between processors: the last digits of exp and log do,
and sooner or later such a digit decides whether a step is taken."""


def annotations():
    """Give ten recordings with one to three visits of three annotators, two of them with short lists."""
    visits = [(i, j) for i in range(10) for j in range(3) if (i + j) % 3 or i % 4 == 0]
    visits = portals.with_scopes(visits, [(0, 1, 2, 3), (1, 3), (0, 1, 2)])
    return portals.lay_out(visits, [(0, 0, 1), (1, 1, 3)], {1: (0,)}, sizes=(10, 3, 4))


def ranks(model: Model, plan: Plan, seeds) -> pd.DataFrame:
    """Give the ranks of the true values, a row for each seed."""
    rows = []
    for rng, true, draws in replicate(model, plan, seeds):
        rows.append({name: rank(rng, true[name], draws[name].to_numpy()) for name in true})
    return pd.DataFrame(rows).drop(columns=["reports", "together"], errors="ignore")


def replicate(model: Model, plan: Plan, seeds):
    """Give, for each seed, a generator, the true values, and draws given votes that were made of them."""
    data = annotations()
    model = joint.made_for(model, data.n_recordings, data.n_annotators)
    design = model.design(data)
    votes = joint.Votes.of(design)
    for at, seed in enumerate(seeds):
        rng = np.random.default_rng(seed)
        truth, drawn = joint.simulate(rng, model, design, votes)
        state = model.init(rng, drawn, chain=at % 4)
        kept = []
        for sweep in range(1, plan.warmup + plan.draws * plan.thin + 1):
            state, _ = model.sweep(rng, state, drawn)
            if sweep > plan.warmup and (sweep - plan.warmup) % plan.thin == 0:
                kept.append(joint.quantities(model, state, drawn))
        yield rng, joint.quantities(model, truth, drawn), pd.DataFrame(kept)


def rank(rng, true, draws) -> int:
    return int((draws < true).sum() + rng.integers((draws == true).sum() + 1))


def uniformity(found, plan: Plan) -> tuple[np.ndarray, float, float]:
    """Give a histogram of ranks, its chi-square and p-value."""
    counts = np.bincount(np.asarray(found) * plan.bins // (plan.draws + 1), minlength=plan.bins)
    return counts, *stats.chisquare(counts)


def smallest_p(model: Model, plan: Plan, *, replications: int, seed: int) -> float:
    """Give the smallest p-value times the number of quantities."""
    table = ranks(model, plan, np.random.SeedSequence(seed).spawn(replications))
    return min(uniformity(table[name], plan)[2] for name in table) * table.shape[1]


SLOWER = 3
"""Beyond the paper's models, chains take so many times as many sweeps: draws have to be independent."""


def _plan(name: str, plan: Plan) -> Plan:
    slower = 1 if name in joint.MODELS else SLOWER
    return replace(plan, thin=slower * plan.thin, warmup=slower * plan.warmup)


def _ranks(name: str, plan: Plan, seeds) -> pd.DataFrame:
    return ranks(MODELS[name], _plan(name, plan), seeds)


def _seeds(name: str, seed: int, replications: int):
    return np.random.SeedSequence([seed, zlib.crc32(name.encode())]).spawn(replications)


def calibrate(
    plan: Plan, *, replications: int, seed: int, processes: int = 2, names=tuple(MODELS)
) -> pd.DataFrame:
    """Give a table of these models and their quantities: histogram, chi-square and p-value."""
    rows = []
    with ProcessPoolExecutor(processes) as pool:
        jobs = {}
        for name in names:
            seeds = _seeds(name, seed, replications)
            jobs[name] = [pool.submit(_ranks, name, plan, seeds[part::8]) for part in range(8)]
        for name, parts in jobs.items():
            table = pd.concat([part.result() for part in parts])
            for quantity in table:
                counts, chi2, p = uniformity(table[quantity], plan)
                rows.append((name, quantity, replications, chi2, p, histogram(counts)))
    return pd.DataFrame(rows, columns=COLUMNS)


def draws_digest(name: str) -> str:
    """Give a short text that changes with the draws of a model, and is the same on every processor.

    It is made of the first sweeps of many short chains, to five digits.
    """
    digest = hashlib.blake2b(digest_size=8)
    for _, true, draws in replicate(MODELS[name], START, _seeds(name, 2, 60)):
        numbers = [*true.values(), *draws.to_numpy(float).ravel()]
        digest.update(" ".join(f"{float(number):.5g}" for number in numbers).encode())
    return digest.hexdigest()


def histogram(counts) -> str:
    """Draw a histogram in a line of text; bars start from 0, and half height is what is expected.

    >>> histogram([0, 10, 20])
    '▁▅█'
    """
    height = np.asarray(counts) / np.mean(counts) / 2 * len(BARS)
    return "".join(BARS[int(min(h, len(BARS) - 1))] for h in height)


def samplers_digest() -> str:
    """Give a short text that changes with the code of the samplers, not with their comments or docstrings."""
    model = Path(dawnchorus.__file__).parent / "model"
    files = [
        model / f"{name}.py"
        for name in (
            "rates",
            "lookups",
            "reflection",
            "spreads",
            "shapes",
            "learning",
            "design",
            "audibility",
            "sweep",
        )
    ]
    for folder in ("presence", "occurrence", "expertise", "together"):
        files += sorted((model / folder).rglob("*.py"))
    digest = hashlib.blake2b(digest_size=8)
    for file in files:
        digest.update(_code(file.read_text(encoding="utf-8")).encode())
    return digest.hexdigest()


def _code(text: str) -> str:
    """Give the code of a file without docstrings, comments, imports and layout."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [part for part in node.body if not _is_aside(part)] or [ast.Pass()]
    return ast.dump(tree)


def _is_aside(node: ast.AST) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Import | ast.ImportFrom)


def read_page(path: Path = PAGE) -> tuple[pd.DataFrame, dict[str, tuple[str, str]]]:
    """Give the table of a page, and of each model the commit and the draws that it was made of."""
    rows, made_of = [], {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) and cells[0] in MODELS:
            rows.append((*cells[:2], int(cells[2]), float(cells[3]), float(cells[4]), cells[5]))
        elif len(cells) == 3 and cells[0] in MODELS:
            made_of[cells[0]] = cells[1], cells[2]
    return pd.DataFrame(rows, columns=COLUMNS), made_of


def is_of_these_samplers(path: Path = PAGE) -> bool:
    """Tell whether a page is of the very code of the samplers."""
    return f"of samplers {samplers_digest()}." in path.read_text(encoding="utf-8")


def changed_models(path: Path = PAGE) -> list[str]:
    """Give the models whose draws are not those that the page was made of."""
    made_of = read_page(path)[1]
    return [name for name in MODELS if name not in made_of or draws_digest(name) != made_of[name][1]]


def write_report(path: Path, table: pd.DataFrame, plan: Plan) -> None:
    """Write the table as a page; models that are not in it stay on the page as they were."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    before, made_of = read_page(path)
    made_of |= {name: (commit or "unknown", draws_digest(name)) for name in pd.unique(table["model"])}
    table = pd.concat([before[~before["model"].isin(table["model"])], table])
    table = table.set_index("model").loc[[name for name in MODELS if name in made_of]].reset_index()
    smallest = table["p"].min() * len(table)
    lines = [
        "# Calibration",
        "",
        "Parameters are drawn from the prior, votes from them, and every model is fitted to its own votes:",
        f"if all is right, the rank of the true value among {plan.draws} thinned draws is uniform. Half-high",
        f"bars are what is expected; chi2 has {plan.bins - 1} degrees of freedom. The smallest of all",
        f"{len(table)} p-values, times their number, is {smallest:.2g}. `make test-slow` makes this page",
        f"(tests/calibration.py), here of samplers {samplers_digest()}. Models whose draws have not changed",
        "since are not calibrated again: the table at the end says at which commit each of them was.",
        "",
        "| model | quantity | replications | chi2 | p | ranks |",
        "|---|---|---|---|---|---|",
    ]
    for row in table.itertuples():
        numbers = f"{row.replications} | {row.chi2:.1f} | {row.p:.2g}"
        lines.append(f"| {row.model} | {row.quantity} | {numbers} | {row.ranks} |")
    lines += ["", "| model | calibrated at commit | draws |", "|---|---|---|"]
    lines += [f"| {name} | {' | '.join(made_of[name])} |" for name in MODELS if name in made_of]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def calibrate_changed(names=None, plan: Plan = FULL, replications: int = 1000) -> pd.DataFrame:
    """Calibrate these models, or all whose draws have changed, write the page, and give its table."""
    names = changed_models() if names is None else names
    print(f"Calibrating {len(names)} models: {'; '.join(names)}", flush=True)
    write_report(PAGE, calibrate(plan, replications=replications, seed=2, names=tuple(names)), plan)
    return read_page()[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Calibrate models, and write the page.")
    parser.add_argument("models", nargs="*", help="all whose draws have changed, if none is named")
    parser.add_argument("--replications", type=int, default=1000)
    asked = parser.parse_args()
    found = calibrate_changed(asked.models or None, replications=asked.replications)
    print(f"the smallest p-value times their number is {found['p'].min() * len(found):.2g}")
