"""A small result with everything that writers may need, and dangerous labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

import dawnchorus as dc

VOTES = [
    ("owls 1", "Aino", "=wren"),
    ("owls 1", "Onni", "=wren"),
    ("owls 1", "Onni", "Ural owl"),
    ("owls 2", "Aino", "Ural owl"),
    ("owls 2", "Onni", "Ural owl"),
    ("owls 3", "Aino", ""),
    ("owls 3", "Onni", ""),
]
RECORDINGS = pd.DataFrame(
    {
        "recording": ["owls 1", "owls 2", "owls 3", "owls 4"],
        "site": ["north", "north", "south", "south"],
        "latitude": [62.123456789, 62.123456789, -1.5, -1.5],
        "longitude": [-123.456789, -123.456789, 25.0, 25.0],
        "time": [
            "2024-05-24T04:00:00+03:00",
            "2024-05-25T04:00+03:00",
            "2024-05-24 02:00Z",
            "2024-05-26 02:00Z",
        ],
        "duration": [60, 60, 60, 60],
        "file": ["north/owls 1.wav", "north/owls 2.wav", "south/owls 3.flac", "south/owls 4.flac"],
    }
)
SPECIES = pd.DataFrame({"species": ["=wren", "Ural owl", "Robin"], "family": ["wrens", "owls", "thrushes"]})
OPTIONS: dict[str, dict[str, Any]] = {name: {} for name in dc.WRITERS}
ENDINGS = {"darwincore": ".csv", "parquet": ".parquet", "arviz": ".nc"}


def annotations(**more: Any) -> dc.Annotations:
    frame = pd.DataFrame(VOTES, columns=["recording", "annotator", "species"])
    tables = {"recordings": RECORDINGS, "species": SPECIES} | more
    return dc.Annotations.from_frame(frame, "checklist", **tables)


def voted(**more: Any) -> dc.MajorityVote:
    """Return majority vote: =wren is sure in owls 1, Ural owl is 0.5 there and sure in owls 2."""
    return dc.fit(annotations(**more), "majority-vote")


def place(folder: Path, to: str) -> Path:
    return folder / f"out{ENDINGS.get(to, '')}"
