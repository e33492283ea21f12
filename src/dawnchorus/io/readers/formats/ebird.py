"""Reader of the eBird Basic Dataset.

Public description: https://science.ebird.org/en/use-ebird-data/download-ebird-data-products;
columns as in the examples of the R package auk, https://docs.ropensci.org/auk/.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.labels import counted, verb
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ...plain import PlainTables, told_absence
from ..field_rows import FieldError, FieldRows, tables_among
from ..glimpse import Glimpse
from ..inputs import InputFile, Inputs
from ..long_rows import LongRows

NEEDED = ("sampling_event_identifier", "observer_id", "all_species_reported")
WHERE = ("latitude", "longitude", "observation_date", "time_observations_started")
FIELDS = (*NEEDED, "group_identifier", "scientific_name", "category", "observation_count", *WHERE)
COARSE = ("spuh", "slash", "hybrid")
"""Categories of records that name no single species."""
COMPLETE = "complete checklist"
WHY = "each checklist says whether all species were reported"


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    encoding: str | None = None,
) -> PlainTables:
    """Files of the eBird Basic Dataset: observations and, if there are any, sampling events.

    Parameters
    ----------
    inputs
        The files of observations and of sampling events, in any order; or the folder or zip that has them.
    absence
        Not needed: a species is absent if the checklist reports all species, otherwise silence is no vote.
    encoding
        The encoding of the text, if it is not UTF-8.
    """
    told_absence(absence, None, ("scope",), WHY)
    rows = LongRows()
    places: dict[str, list[str]] = {}
    named, coarse = False, 0

    def opened(file: InputFile) -> FieldRows:
        table = FieldRows(file, encoding=encoding, quoted=False)
        table.needs(NEEDED, "a file of the eBird Basic Dataset")
        return table

    for table in tables_among(inputs, opened, "table of observations or sampling events"):
        rows.file(table.file.name)
        named |= "scientific_name" in table.columns
        for number, fields in _checked(table, bad):
            event, observer, complete, group, species, category, number_seen, *where = fields
            recording = group.strip() or event.strip()
            if recording not in places:
                places[recording] = where
            scope = COMPLETE if complete == "1" else ""
            if rows.new_visit(recording, observer):
                rows.add(recording, observer, scope=scope, row=number)
            if category.strip().lower() in COARSE:
                coarse += 1
            elif species.strip():
                seen = int(number_seen.strip() != "0")
                rows.add(recording, observer, species.strip(), seen, scope=scope, row=number)
    if not named:
        raise AnnotationError(
            "there are sampling events but no observations",
            "give the file of observations as well",
            file=inputs.name,
        )
    if not len(rows):
        raise AnnotationError("there is no row", "check that the file is complete", file=inputs.name)
    if coarse:
        warn(
            f"{inputs.name}: {counted(coarse, 'record')} of hybrids or of no single species "
            f"{verb(coarse, 'is', 'are')} no vote"
        )
    frame = rows.frame()
    complete_lists = "scope" in frame
    everything = [name for name in frame["species"].cat.categories if name]
    return PlainTables(
        frame,
        "scope" if complete_lists else "explicit",
        scope=pd.DataFrame({"scope": COMPLETE, "species": everything}) if complete_lists else None,
        recordings=_places(places),
        sources=Sources(rows.source(inputs.name)),
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether one of the tables has the columns of the dataset."""
    return any(columns.issuperset(NEEDED) for columns in glimpse.tables)


def _checked(table: FieldRows, bad: BadRows) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that say who, where, and whether all species were reported."""
    file: InputFile = table.file
    for number, fields in table.rows(FIELDS, bad):
        event, observer, complete, group, *_ = fields
        try:
            if not (event.strip() or group.strip()):
                raise FieldError("sampling_event_identifier", "the checklist has no identifier")
            if not observer.strip():
                raise FieldError("observer_id", "there is no observer")
            if complete not in ("0", "1"):
                raise FieldError("all_species_reported", f"'{complete[:20]}' is neither 0 nor 1")
        except FieldError as wrong:
            bad.found(wrong.at(file, number, "download the data again, or correct the row"))
            continue
        yield number, fields


def _places(places: dict[str, list[str]]) -> pd.DataFrame | None:
    """Return where and when checklists were made, as far as that is told."""
    if not any(any(where) for where in places.values()):
        return None
    values = list(places.values())
    return pd.DataFrame(
        {
            "recording": list(places),
            "latitude": [where[0] for where in values],
            "longitude": [where[1] for where in values],
            "time": [f"{where[2]} {where[3]}".strip() for where in values],
        },
        dtype=object,
    )
