"""Recordings: where one more visit would tell most, and where the model overrules the majority."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...annotations.labels import counted, in_table
from ...common.ragged import Ints
from ...results.findings.encounters import Vote
from ...results.findings.examples import MOST
from ...results.findings.information import in_doubt
from ...results.findings.known import known_words
from ...results.tables import labelled_cells
from ..subject import Subject
from ..words import listed, reason

ORDER = "those where a visit would tell most first"
APART = "those where the probability and the share of reports among votes are farthest apart first"
MOST_FAINT, LIKELY = 100, 0.5
"""So many faint birds are listed, that are present with at least this probability; and so many deceptive ones
that are absent."""
LEAST = 0.01
"""If a visit is expected to tell fewer bits than this everywhere, and nothing is in doubt, none is listed."""
IN_ONE = 6
"""So many species in doubt are shown for a recording."""


def section(subject: Subject) -> dict[str, Any]:
    """Return the most uncertain recordings, and the cells where majority and model disagree."""
    findings, overall = subject.findings, subject.overall
    table = findings.recordings()
    visited, information = table["visits"].to_numpy() > 0, table["information"].to_numpy()
    order = np.argsort(-np.where(visited, information, -1), kind="stable")[: min(MOST, int(visited.sum()))]
    rows = _rows(subject, table, order)
    overruled, fresh = findings.overruled().head(MOST), overall.never_visited
    return {
        "rows": rows,
        "open": bool((table["in_doubt"] > 0)[order].any() or (information[order] >= LEAST).any()),
        "shown": in_table(len(rows), subject.summary.recordings - fresh, "visited recording", ORDER),
        "unvisited": fresh,
        "fresh": overall.fresh / max(fresh, 1),
        "sites": sorted({row["site"] for row in rows if row["site"]}),
        "species": sorted({cell["name"] for row in rows for cell in row["cells"]}),
        "overruled": _overruled(subject, overruled),
        "overruled_counted": counted(overall.overruled, "cell"),
        "overruled_shown": in_table(len(overruled), overall.overruled, "cell", APART),
        "faint": _faint(subject) if "faintness" in subject.posterior.draws else None,
        "deceptive": _deceptive(subject) if "deception" in subject.posterior.draws else None,
        "has_sites": any(subject.sites),
        "file": subject.has_file("presence.csv"),
    }


def _faint(subject: Subject) -> dict[str, Any]:
    """Return the birds that are probably there and that fewest people would report."""
    there = _with_names(subject, subject.whole.audibility())
    there = there[(there["probability"] >= LIKELY) & (there["votes"] > 1)].sort_values("audible")
    return {
        "rows": there.head(MOST_FAINT).to_dict("records"),
        "shown": in_table(min(len(there), MOST_FAINT), len(there), "bird", "the faintest first"),
        "file": subject.has_file("audibility.csv"),
    }


def _deceptive(subject: Subject) -> dict[str, Any]:
    """Return the birds that are probably not there and that most people would report all the same."""
    gone = _with_names(subject, subject.whole.deceptive())
    gone = gone[(gone["absent"] >= LIKELY) & (gone["votes"] > 1)]
    gone = gone.sort_values("misled", ascending=False)
    return {
        "rows": gone.head(MOST_FAINT).to_dict("records"),
        "shown": in_table(min(len(gone), MOST_FAINT), len(gone), "bird", "the most deceptive first"),
        "file": subject.has_file("deceptive.csv"),
    }


def _with_names(subject: Subject, table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of cells with the name of the species, site and probability."""
    cells, annotations = subject.findings.cells, subject.annotations
    known = labelled_cells(
        annotations,
        cells.recording,
        cells.species,
        name=np.asarray(subject.species)[cells.species],
        site=np.asarray(subject.sites)[cells.recording],
        probability=cells.probability,
    )
    return table.merge(known, on=["recording", "species"])


def _rows(subject: Subject, table: pd.DataFrame, recordings: Ints) -> list[dict[str, Any]]:
    cells, names = subject.findings.cells, subject.species
    shown = [_cells_to_show(subject, int(i)) for i in recordings]
    every = np.concatenate([np.empty(0, np.int64), *shown])
    who = iter(who_said_what(subject, cells.recording[every], cells.species[every]))
    return [
        {
            "recording": table["recording"][i],
            "site": subject.sites[i],
            "visits": int(table["visits"][i]),
            "information": table["information"][i],
            "in_doubt": int(table["in_doubt"][i]),
            "cells": [
                {
                    "name": names[cells.species[c]],
                    "probability": float(cells.probability[c]),
                    "who": next(who),
                }
                for c in some
            ],
            "more": max(int(table["in_doubt"][i]) - len(some), 0),
        }
        for i, some in zip(recordings, shown, strict=True)
    ]


def _cells_to_show(subject: Subject, recording: int) -> Ints:
    """Return the places of the cells of a recording that are in doubt, those that tell most first.

    If none is, that of the cell of which a visit would tell most.
    """
    cells = subject.findings.cells
    start, end = np.searchsorted(cells.recording, [recording, recording + 1])
    information = subject.findings.information[start:end]
    places = start + np.argsort(-information, kind="stable")
    doubtful = places[in_doubt(cells.probability[places])]
    return doubtful[:IN_ONE] if len(doubtful) else places[:1]


def who_said_what(subject: Subject, recording: Ints, species: Ints) -> list[str]:
    """Return who reported a species in a recording, and who did not, in words, for each of these cells."""
    votes, marks = (
        subject.findings.votes_on(recording, species),
        subject.findings.marked_by(recording, species),
    )
    return [_who(*said) for said in zip(votes, marks, strict=True)]


def _who(votes: list[Vote], marked: list[str]) -> str:
    said = [vote.annotator for vote in votes if vote.present]
    silent = [vote.annotator for vote in votes if not vote.present]
    words = []
    if said:
        words.append(f"reported by {listed(said)}")
    if silent:
        words.append(f"not by {listed(silent)}")
    if marked:
        words.append(f"marked unsure by {listed(marked)}")
    return "; ".join(words) if words else "nobody answered for it"


def _overruled(subject: Subject, table: pd.DataFrame) -> list[dict[str, Any]]:
    a, together = subject.findings.annotations, subject.posterior.has_components
    recording = a.recordings.index.get_indexer(table["recording"])
    species = a.species.index.get_indexer(table["species"])
    occurrence = subject.posterior.draws.mean("occurrence")
    votes = subject.findings.votes_on(recording, species)
    known = known_words(subject.posterior.known_cells, recording, species)
    return [
        {
            "recording": cell["recording"],
            "site": subject.sites[i],
            "name": subject.species[k],
            "probability": cell["probability"],
            "majority": cell["majority"],
            "votes": f"{cell['reports']} of {cell['votes']}",
            "reason": reason(
                given, cell["probability"], float(occurrence[k]), expert=expert, together=together
            ),
        }
        for cell, i, k, given, expert in zip(
            table.to_dict("records"), recording, species, votes, known, strict=True
        )
    ]
