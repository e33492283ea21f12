"""Recordings: where one more visit would tell most, and where the model overrules the majority."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results.findings.findings import in_doubt
from .subject import Subject
from .words import listed, reason

MOST = 200
MOST_OVERRULED = 200
IN_ONE = 6
"""So many species in doubt are shown for a recording."""


def section(subject: Subject) -> dict[str, Any]:
    """Return the most uncertain recordings, and the cells where majority and model disagree."""
    findings = subject.findings
    table = findings.recordings()
    visited, information = table["visits"].to_numpy() > 0, table["information"].to_numpy()
    order = np.argsort(-np.where(visited, information, -1), kind="stable")[: min(MOST, int(visited.sum()))]
    rows = [_row(subject, table, int(i)) for i in order]
    overruled = findings.overruled()
    return {
        "rows": rows,
        "total": int(visited.sum()),
        "unvisited": int(np.count_nonzero(~visited)),
        "fresh": float(information[~visited].mean()) if not visited.all() else 0.0,
        "sites": sorted({row["site"] for row in rows if row["site"]}),
        "species": sorted({cell["name"] for row in rows for cell in row["cells"]}),
        "overruled": [
            _overruled(subject, cell) for cell in overruled.head(MOST_OVERRULED).to_dict("records")
        ],
        "overruled_total": len(overruled),
        "has_sites": any(subject.sites),
        "file": subject.has_file("presence.csv"),
    }


def _row(subject: Subject, table: Any, i: int) -> dict[str, Any]:
    cells, names = subject.findings.cells, subject.species
    start, end = np.searchsorted(cells.recording, [i, i + 1])
    information = subject.findings.information[start:end]
    places = start + np.argsort(-information, kind="stable")[:IN_ONE]
    doubtful = places[in_doubt(cells.probability[places])]
    return {
        "recording": table["recording"][i],
        "site": subject.sites[i],
        "visits": int(table["visits"][i]),
        "information": table["information"][i],
        "in_doubt": int(table["in_doubt"][i]),
        "cells": [
            {
                "name": names[cells.species[c]],
                "probability": float(cells.probability[c]),
                "who": who_said_what(subject, i, int(cells.species[c])),
            }
            for c in (doubtful if len(doubtful) else places[:1])
        ],
    }


def who_said_what(subject: Subject, recording: int, species: int) -> str:
    """Return who reported a species in a recording, and who did not, in words."""
    a = subject.annotations
    votes = subject.findings.who_voted(a.recordings.index[recording], a.species.index[species])
    said = [vote.annotator for vote in votes if vote.present]
    silent = [vote.annotator for vote in votes if not vote.present]
    words = []
    if said:
        words.append(f"reported by {listed(said)}")
    if silent:
        words.append(f"not by {listed(silent)}")
    return "; ".join(words) if words else "nobody answered for it"


def _overruled(subject: Subject, cell: dict[str, Any]) -> dict[str, Any]:
    a = subject.annotations
    i, k = a.recordings.index.get_loc(cell["recording"]), a.species.index.get_loc(cell["species"])
    occurrence = float(subject.posterior.draws["occurrence"][..., k].mean())
    votes = subject.findings.who_voted(cell["recording"], cell["species"])
    return {
        "recording": cell["recording"],
        "site": subject.sites[i],
        "name": subject.species[k],
        "probability": cell["probability"],
        "majority": cell["majority"],
        "votes": f"{cell['reports']} of {cell['votes']}",
        "reason": reason(votes, cell["probability"], occurrence, together=subject.posterior.has_components),
    }
