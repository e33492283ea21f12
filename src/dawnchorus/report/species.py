"""Species: how often each occurs, and how reliable reports of it are."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import plots
from .figures import draw
from .subject import Subject
from .words import times_as_high

MOST = 1000
FIGURE = 30
CONFUSED = 10
ENCOUNTERS = 5.0
"""Species with fewer expected encounters than this are not listed among those missed most."""


def section(subject: Subject) -> dict[str, Any]:
    """Return the table of species, and which are missed or confused most."""
    posterior, names = subject.posterior, subject.species
    table, found = posterior.species(), subject.findings.species()
    met = subject.findings.met.sum(axis=0)
    order = np.argsort(-table["occurrence"].to_numpy(), kind="stable")
    rows = [
        {
            "name": names[k],
            "label": table["species"][k] if table["species"][k] != names[k] else "",
            "occurrence": table["occurrence"][k],
            "lower": table["occurrence_lower"][k],
            "upper": table["occurrence_upper"][k],
            "reports": int(table["reports"][k]),
            "recordings": found["recordings_expected"][k],
            "believed": found["believed"][k],
            "missed": found["missed"][k],
        }
        for k in order[:MOST]
    ]
    usual = np.flatnonzero(met >= ENCOUNTERS)
    missed = usual[np.argsort(-found["missed"].to_numpy()[usual], kind="stable")][:3]
    pairs = subject.findings.confusions()
    confused = pairs.head(CONFUSED)
    place = subject.annotations.species.index.get_indexer
    some = min(FIGURE, len(rows))
    return {
        "rows": rows,
        "total": len(table),
        "figure": draw(
            lambda ax: plots.occurrence(posterior, most=FIGURE, ax=ax),
            f"Share of recordings in which each of the {some} most common species occurs, with 90 % "
            "intervals, and the share in which it was reported.",
            size=(6.5, 1 + 0.21 * some),
        ),
        "missed": [(names[k], found["missed"][k]) for k in missed],
        "confused": [
            {
                **row._asdict(),
                "species": names[k],
                "reported": names[said],
                "odds": times_as_high(row.odds, row.odds_lower, row.odds_upper),
            }
            for k, said, row in zip(
                place(confused["species"]), place(confused["reported"]), confused.itertuples(), strict=True
            )
        ],
        "confused_total": len(pairs),
        "file": subject.has_file("species.csv"),
    }
