"""Known: how many cells were known from elsewhere, and where all who voted said otherwise."""

from __future__ import annotations

from typing import Any

from ...annotations.labels import counted, in_table, verb
from ..subject import Subject
from ..words import percent
from .recordings import who_said_what

MOST = 200


def section(subject: Subject) -> dict[str, Any] | None:
    """Return what was known, or None if nothing was."""
    posterior, a = subject.whole, subject.annotations
    known = posterior.known_cells
    if known is None:
        return None
    table = posterior.known()
    n, present = len(table), int(table["present"].sum())
    against = table["contradicted"].to_numpy()
    recording, species = known.recording[against], known.species[against]
    probability = subject.findings.at(recording, species)
    rows = zip(
        recording[:MOST],
        species[:MOST],
        known.present[against][:MOST],
        probability[:MOST],
        who_said_what(subject, recording[:MOST], species[:MOST]),
        strict=True,
    )
    expert = posterior.model.known_votes
    rates = [posterior.draws.mean(v.name) for v in expert.variables] if expert else []
    return {
        "counted": counted(n, "cell"),
        "were": verb(n, "was", "were"),
        "there": f"{present:,} present and {n - present:,} absent",
        "expert": [percent(float(rate)) for rate in rates],
        "contradicted": counted(len(recording), "cell"),
        "rows": [
            {
                "recording": a.recordings.index[i],
                "name": subject.species[k],
                "present": bool(there),
                "probability": float(p),
                "who": who,
            }
            for i, k, there, p, who in rows
        ],
        "shown": in_table(min(len(recording), MOST), len(recording), "contradicted cell"),
        "file": subject.has_file("known.csv"),
    }
