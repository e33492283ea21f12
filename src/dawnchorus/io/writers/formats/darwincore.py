"""Writer of Darwin Core occurrences: a row for each species that counts as present, or as absent.

Public description: https://dwc.tdwg.org/terms/ and https://www.gbif.org/data-quality-requirements-occurrences.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ....annotations.labels import counted
from ....common.checked import threshold_above
from ....common.errors import AnnotationError
from ....common.wording import option
from ..circumstances import circumstances
from ..consensus import COMMON_NAME, SCIENTIFIC_NAME, Consensus, check_absent
from ..csv_tables import write_table

MOST_ROWS = 20_000_000


def write(
    found: Consensus,
    place: Path,
    *,
    threshold: float = 0.5,
    absent_below: float | None = None,
    duration: float | None = None,
    dataset: str = "dawnchorus",
) -> dict[str, Any]:
    """CSV of Darwin Core occurrences, with occurrenceStatus and a remark on the probability.

    Parameters
    ----------
    threshold
        The smallest probability of a species that counts as present.
    absent_below
        The largest probability of a species that counts as absent, where somebody answered for it; by default
        absences are not written.
    duration
        The length of recordings in seconds, if their metadata do not tell it, for the end of eventDate.
    dataset
        The name of your data set, with which identifiers begin.
    """
    threshold_above(threshold)
    status = found.present(threshold).assign(occurrenceStatus="present")
    if absent_below is not None:
        if found.unlisted is not None:
            raise AnnotationError(
                f"{option('absent_below', absent_below)} cannot be used: improbable cells are not listed",
                f"leave out {option('absent_below')}, or export fewer recordings",
            )
        check_absent(absent_below, threshold)
        cells = found.cells
        absent = cells[(cells["probability"] <= absent_below) & (cells["votes"] > 0)]
        absent = absent[absent["probability"] < threshold]
        if len(absent) > MOST_ROWS:
            raise AnnotationError(
                f"there are {len(absent):,} absences, more than {MOST_ROWS:,}",
                f"give a smaller {option('absent_below')}",
            )
        status = pd.concat([status, absent.assign(occurrenceStatus="absent")]).sort_index()
    table = _rows(found, status.reset_index(drop=True), circumstances(found.recordings, duration), dataset)
    write_table(table, place, exact_labels=found.exact_labels)
    number = status["occurrenceStatus"].value_counts()
    return {"present": int(number.get("present", 0)), "absent": int(number.get("absent", 0))}


def _rows(found: Consensus, cells: pd.DataFrame, known: pd.DataFrame, dataset: str) -> pd.DataFrame:
    there = known.loc[cells["recording"]].reset_index(drop=True)
    label = cells["species"].astype(object)
    scientific, common = found.names(*SCIENTIFIC_NAME), found.names(*COMMON_NAME)
    placed = there["latitude"].notna() & there["longitude"].notna()
    table = pd.DataFrame(
        {
            "occurrenceID": dataset + ":" + cells["recording"].astype(str) + ":" + label.astype(str),
            "basisOfRecord": "MachineObservation",
            "occurrenceStatus": cells["occurrenceStatus"],
            "scientificName": label.map(lambda name: scientific.get(name, name)),
            "vernacularName": label.map(common),
            "eventID": cells["recording"].astype(object),
            "eventDate": np.where(
                there["start"] == there["end"], there["start"], there["start"] + "/" + there["end"]
            ),
            "locationID": there["deployment"],
            "decimalLatitude": there["latitude"].astype(object),
            "decimalLongitude": there["longitude"].astype(object),
            "geodeticDatum": placed.map({True: "WGS84", False: None}),
            "associatedMedia": there["file"],
            "identifiedBy": found.made_by,
            "occurrenceRemarks": _remarks(found, cells),
        }
    )
    needless = [
        name
        for name in ("vernacularName", "eventDate", "locationID", "geodeticDatum", "associatedMedia")
        if not table[name].replace("", None).notna().any()
    ]
    if "geodeticDatum" in needless:
        needless += ["decimalLatitude", "decimalLongitude"]
    return table.drop(columns=needless)


def _remarks(found: Consensus, cells: pd.DataFrame) -> list[str]:
    """Return a sentence on the probability of each occurrence, and what it is about."""
    bounds: list[str] = [""] * len(cells)
    ends = ["probability_lower", "probability_upper"]
    if set(ends) <= set(cells):
        bounds = [
            f" (90 % interval {low:.3g} to {high:.3g})"
            for low, high in zip(*(cells[end] for end in ends), strict=True)
        ]
    rows = zip(cells["probability"], bounds, cells["reports"], cells["votes"], strict=True)
    return [
        f"{found.meaning}: {chance:.3g}{bound}; {counted(reports, 'report')} in {counted(votes, 'vote')}"
        for chance, bound, reports, votes in rows
    ]
