"""Machines: what scores are worth, species by species, and from which score on most reports are right."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import plots
from ...annotations.labels import counted, in_table
from ..figures import NARROW, Sheet, draw
from ..subject import Subject

MOST = 300
PRECISION = 0.9
EXAMPLE = 0.8


def section(subject: Subject) -> dict[str, Any] | None:
    """Return the machines with their species, or None if no scores were used."""
    posterior = subject.whole
    if posterior.model.scored is None:
        return None
    probability = subject.annotations.provenance.score_scale == "probability"
    scores = subject.whole.design.scores.score
    example = EXAMPLE if probability else float(np.quantile(scores, EXAMPLE).round(1))
    thresholds = posterior.score_thresholds(PRECISION)
    thresholds["worth"] = posterior.score_calibration([example])["probability"]
    return {
        "example": f"{example:g}",
        "file": subject.has_file("score_thresholds.csv"),
        "machines": [
            _one(subject, name, table.sort_values("reports", ascending=False, kind="stable"))
            for name, table in thresholds.groupby("machine", sort=False)
        ],
    }


def _one(subject: Subject, name: Any, table: Any) -> dict[str, Any]:
    """Return one machine: a figure, and a row for each species."""
    heard = table[table["reports"] > 0]
    place = subject.annotations.species.index.get_indexer(heard["species"])
    rows = [
        {
            "name": subject.species[k],
            "reports": row.reports,
            "worth": float(row.worth),
            "score": _shown(row.score, "more than any"),
            "sort": 2.0 if np.isnan(row.score) else row.score,
            "range": f"{_shown(row.score_lower, 'none')} to {_shown(row.score_upper, 'more than any')}",
            "recall": "" if np.isnan(row.recall) else f"{row.recall:.2f}",
        }
        for k, row in zip(place[:MOST], heard.iloc[:MOST].itertuples(), strict=True)
    ]
    people = subject.people.set_index("annotator").loc[name]
    return {
        "name": name,
        "reports": counted(int(people["scored_reports"]), "report"),
        "present": f"{people['score_present']:.2f}",
        "absent": f"{people['score_absent']:.2f}",
        "rows": rows,
        "shown": in_table(len(rows), len(heard), "species", "the most reported first"),
        "figure": draw(
            lambda ax: plots.score_calibration(subject.whole, machine=str(name), ax=ax),
            f"The probability that a report of {name} is right, by its score, for some species. "
            "The table has all of them.",
            Sheet(6.5, 4.4),
            Sheet(NARROW, 4.2),
        ),
    }


def _shown(score: float, otherwise: str) -> str:
    return otherwise if np.isnan(score) else f"{score:.2f}"
