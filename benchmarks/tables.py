"""Tables of measurements in Markdown, with limits; and the annotations that all of them are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

KERTTU = Path(__file__).parents[2] / "shared/kerttu"
BUILD = Path(__file__).parents[1] / "build"
MISSED: list[str] = []


def head(title: str, *columns: str) -> None:
    """Print a heading and the head of a table; all columns but the first hold numbers."""
    print(f"\n### {title}\n\n| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}", flush=True)


def row(what: str, *values: Any) -> None:
    print(f"| {' | '.join([what, *map(shown, values)])} |", flush=True)


def shown(value: Any) -> str:
    """Give a number with few digits, and anything else as it is."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, int):
        return f"{value:,}"
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:,.1f}" if size >= 10 else f"{value:.3g}"


def at_least(what: str, value: float, limit: float | None) -> str:
    """Give the limit for the table, and remember where it is missed."""
    return _limit(what, value, limit, limit is not None and not value >= limit)


def at_most(what: str, value: float | None, limit: float | None) -> str:
    """Give the limit for the table, and remember where it is missed."""
    return _limit(what, value, limit, limit is not None and value is not None and not value <= limit)


def _limit(what: str, value: float | None, limit: float | None, missed: bool) -> str:
    if missed:
        MISSED.append(f"{what} ({shown(value)}, limit {shown(limit)})")
    return f"{shown(limit)}{' missed' if missed else ''}"


def conclude() -> bool:
    """Say which limits were missed, if any; tell whether any was."""
    print(f"\nMissed: {'; '.join(MISSED)}" if MISSED else "\nAll limits kept.")
    return bool(MISSED)


def annotations_and_gold() -> tuple[Any, pd.DataFrame, str]:
    """Give Kerttu with its gold labels or, where it is not at hand, a simulated twin of the same size."""
    import dawnchorus as dc

    if KERTTU.is_dir():
        return dc.read(KERTTU, format="kerttu"), dc.read_truth(KERTTU / "gold.csv"), "Kerttu"
    twin = dc.simulate_portal(3997, 46, 117, visits=5932 / 3997, seed=1)
    judged = twin.annotations.recordings.index[:115]
    return twin.annotations, twin.truth.to_frame(judged), "a simulated twin of Kerttu"


def models(n_species: int, priors: str | None = "paper-kerttu") -> dict[str, Any]:
    """Give the four models of the paper by name."""
    from dawnchorus.model.distributions.named_priors import find_priors
    from dawnchorus.model.expertise.per_annotator import PerAnnotator
    from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies
    from dawnchorus.model.occurrence.dirichlet_process import DirichletProcess
    from dawnchorus.model.occurrence.independent import Independent
    from dawnchorus.model.sweep import Model

    p = find_priors(priors, n_species)
    alone, mixed = Independent(p.occurrence), DirichletProcess(p.occurrence, p.concentration)
    same, differing = PerAnnotator(p.tpr, p.fpr), PerAnnotatorSpecies.from_priors(p)
    return {
        "base": Model(alone, same),
        "base-hierarchical": Model(alone, differing),
        "dp-bmm": Model(mixed, same),
        "dp-bmm-hierarchical": Model(mixed, differing),
    }
