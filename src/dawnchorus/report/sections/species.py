"""Species: how often each occurs, and how reliable reports of it are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ... import plots
from ...annotations.labels import in_table
from ...common.ragged import Floats
from ..figures import NARROW, Sheet, draw
from ..subject import Subject
from ..words import times_as_high

MOST = 1000
FIGURE = 30
CONFUSED = 10
ENCOUNTERS = 5.0
"""Species with fewer expected encounters than this are not listed among those missed most,"""
OFTEN = 0.05
"""nor those that are missed less often than this."""
MISSED, APART = 3, 0.02
"""So many species are in the sentence on those that are missed most, if the next is missed less often by more
than this, twice the error of probabilities."""
HARD, HARDEST = 15, 5
"""So many species are in figures of those that are hard for everyone, and in sentences."""


def section(subject: Subject) -> dict[str, Any]:
    """Return the table of species, and which are missed or confused most."""
    posterior, names = subject.posterior, subject.species
    table, found = posterior.species(), subject.found_species
    met = subject.overall.met
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
    pairs = subject.confusions
    confused = pairs.head(CONFUSED)
    place = subject.annotations.species.index.get_indexer
    some = min(FIGURE, len(rows))
    return {
        "rows": rows,
        "shown": in_table(len(rows), len(table), "species", "the most common first"),
        "figure": draw(
            lambda ax: plots.occurrence(posterior, most=FIGURE, ax=ax),
            f"How often the most common species ({some}) occur: shares of recordings with 90 % intervals, "
            "and the share in which each was reported.",
            Sheet(6.5, 1 + 0.21 * some),
            Sheet(NARROW, 1.3 + 0.21 * some),
        ),
        "missed": [(names[k], found["missed"][k]) for k in _missed_most(found["missed"].to_numpy(), met)],
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
        "hard": _hard(subject, table) if "typical_tpr" in table else None,
        "several": len(table) > 1,
        "confused_total": len(pairs),
        "file": subject.has_file("species.csv"),
    }


def _missed_most(share: Floats, met: Floats) -> list[int]:
    """Return up to three species that are missed more often than all others that were met often enough.

    >>> often = np.full(5, 10.0)
    >>> _missed_most(np.array([0.1, 0.5, 0.3, 0.4, 0.2]), often)
    [1, 3, 2]
    >>> _missed_most(np.array([0.1, 0.5, 0.3, 0.3, 0.29]), often)  # who is third?
    [1]
    >>> _missed_most(np.full(5, 0.3), often)
    []
    """
    usual = np.flatnonzero(np.round(met) >= ENCOUNTERS)
    usual = usual[np.argsort(-share[usual], kind="stable")]
    told = -np.diff(share[usual]) > APART
    last = max(np.flatnonzero(told[:MISSED]), default=-1)
    return [int(k) for k in usual[: last + 1] if share[k] >= OFTEN]


def _hard(subject: Subject, table: pd.DataFrame) -> dict[str, Any]:
    """Return the species that are surely harder than most, or more easily taken for present, and figures."""
    tpr, fpr = table["typical_tpr"], table["typical_fpr"]
    hard = np.flatnonzero(table["typical_tpr_upper"] < tpr.median())
    tempting = np.flatnonzero(table["typical_fpr_lower"] > fpr.median())
    some = min(HARD, len(table))
    words = {"tpr": "hardest for everyone", "fpr": "most easily taken for present"}
    return {
        "hard": [(subject.species[k], tpr[k]) for k in hard[np.argsort(tpr[hard])][:HARDEST]],
        "tempting": [(subject.species[k], fpr[k]) for k in tempting[np.argsort(-fpr[tempting])][:HARDEST]],
        "median": tpr.median(),
        "median_false": fpr.median(),
        "figures": [
            draw(
                lambda ax, rate=rate: plots.difficulty(subject.posterior, rate, most=HARD, ax=ax),
                f"The {some} species {words[rate]}: rates of a typical annotator with 90 % intervals.",
                Sheet(6.5, 1 + 0.21 * some),
                Sheet(NARROW, 1.3 + 0.21 * some),
            )
            for rate in words
        ],
    }
