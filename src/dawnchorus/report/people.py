"""Annotators: how often each reports what is there and what is not, overall and by species."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import plots
from ..annotations.labels import all_of, counted
from . import self_knowledge
from .figures import NARROW, Sheet, draw
from .subject import Subject

MOST = 500
FIGURE = 60
MAP, FEW = (40, 40), (30, 12)
"""So many annotators and species are in the map of skills, and on a narrow screen."""


def section(subject: Subject) -> dict[str, Any]:
    """Return the table of annotators and the figures of their rates."""
    posterior, a = subject.posterior, subject.annotations
    table, right = subject.people, subject.findings.found.sum(axis=1)
    order = np.argsort(-table["tpr"].to_numpy(), kind="stable")
    columns = [name for name in table if name not in ("annotator", "recordings", "reports")]
    rows = [
        {
            "annotator": table["annotator"][j],
            "level": subject.self_ratings[j],
            "recordings": int(table["recordings"][j]),
            "reports": int(table["reports"][j]),
            "right": right[j] / table["reports"][j] if table["reports"][j] else np.nan,
            **{name: table[name][j] for name in columns},
        }
        for j in order[:MOST]
    ]
    active = np.argsort(-table["recordings"].to_numpy(), kind="stable")
    shown = list(a.annotators.index[active[:FIGURE]])
    return {
        "rows": rows,
        "shown": all_of(len(rows), len(table), "annotator", "those who find most first"),
        "hierarchical": posterior.draws.by_pair,
        "level": subject.self_rating.replace("_", " ") if subject.self_rating else "",
        "figures": [_violins(subject, rate, shown) for rate in ("tpr", "fpr")],
        "only": len(shown) if len(shown) < len(table) else 0,
        "map": _map(subject, active) if posterior.draws.by_pair else None,
        "file": subject.has_file("annotators.csv"),
        "skill": self_knowledge.part(subject),
    }


def _violins(subject: Subject, rate: str, shown: list[str]) -> Any:
    words = {"tpr": "reports what is there", "fpr": "reports what is not there"}[rate]
    coloured = f", coloured by {subject.self_rating.replace('_', ' ')}" if subject.self_rating else ""
    return draw(
        lambda ax: plots.annotators(subject.posterior, rate, by=subject.self_rating, which=shown, ax=ax),
        f"How often each annotator {words}: violins, lowest first{coloured}.",
        Sheet(max(5.0, min(10.0, 1.5 + 0.17 * len(shown))), 3.6),
        Sheet(NARROW, 1.2 + 0.2 * len(shown)),
        fill_narrow=lambda ax: plots.annotator_intervals(
            subject.posterior, rate, by=subject.self_rating, which=shown, ax=ax
        ),
    )


def _map(subject: Subject, active: Any) -> Any:
    a = subject.annotations
    people = list(a.annotators.index[active[: MAP[0]]])
    reports = a.reports_by_species
    birds = list(a.species.index[np.argsort(-reports, kind="stable")[: MAP[1]]])
    few, common = people[: FEW[0]], birds[: FEW[1]]
    return {
        "all": _map_size(subject, len(people), len(birds)),
        "few": _map_size(subject, len(few), len(common)),
        "figure": draw(
            lambda ax: plots.skills(subject.posterior, annotators=people, species=birds, ax=ax),
            f"Map of {counted(len(people), 'annotator')} and {len(birds)} species: the true positive rate of "
            "each pair, pale where there is no information.",
            Sheet(2.2 + 0.19 * len(birds), 2.0 + 0.17 * len(people)),
            Sheet(NARROW, 2.2 + 0.17 * len(few)),
            fill_narrow=lambda ax: plots.skills(subject.posterior, annotators=few, species=common, ax=ax),
        ),
    }


def _map_size(subject: Subject, people: int, birds: int) -> str:
    """Return how many annotators and species are in the map, and which, in words."""
    a = subject.annotations
    who = f"the {people} annotators with most visits" if people < a.n_annotators else "all annotators"
    which = f"the {birds} species with most reports" if birds < a.n_species else "all species"
    return f"{who} on {which}"
