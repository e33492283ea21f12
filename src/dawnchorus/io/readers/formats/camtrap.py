"""Reader of Camera Trap Data Packages (Camtrap DP). Public description: https://camtrap-dp.tdwg.org/data/."""

from __future__ import annotations

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.labels import counted, verb
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed, option
from ...plain import PlainTables
from ..field_rows import FieldError, FieldRows, number_field
from ..glimpse import Glimpse
from ..inputs import Inputs
from ..long_rows import LongRows

OBSERVATIONS, DEPLOYMENTS = "observations.csv", "deployments.csv"
NEEDED = ("deploymentid", "observationlevel", "observationtype", "scientificname")
FIELDS = (*NEEDED, "mediaid", "eventid", "eventstart", "classifiedby", "classificationmethod",
          "classificationprobability")  # fmt: skip
LEVELS = {"media": "mediaid", "event": "eventid"}
NO_VISIT, NO_REPORT = ("unclassified", "unknown"), ("blank", "human", "vehicle")
UNNAMED = "unnamed"
MISSING = ("NA", "NaN", "nan")
"""Texts that mean an empty field, by the table schemas."""


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    level: str | None = None,
) -> PlainTables:
    """Camera Trap Data Package (Camtrap DP): folder or zip with observations.csv and deployments.csv.

    Parameters
    ----------
    inputs
        The folder or zip of the package, or its table of observations.
    absence
        What silence means; by default `"checklist"`: who classifies a picture answers for all species.
    level
        Which observations to read, `"media"` (of single files) or `"event"`, if the package has both.
    """
    files = {file.inside.rpartition("/")[2]: file for file in inputs.files}
    file = inputs.files[0] if len(inputs.files) == 1 else files.get(OBSERVATIONS)
    if file is None:
        raise AnnotationError(
            f"this is not a Camtrap DP: it has no {OBSERVATIONS}",
            f"give the folder or zip with {OBSERVATIONS}",
            file=inputs.name,
        )
    table = FieldRows(file)
    table.needs(NEEDED, "the table of observations of a Camtrap DP")
    level = level or _only_level(table, inputs.name)
    if level not in LEVELS:
        raise AnnotationError(f"{option('level', level)} is no level", f"use {listed(LEVELS, last=' or ')}")
    rows = LongRows()
    rows.file(file.name)
    places: dict[str, tuple[str, str]] = {}
    unknown = unnamed = 0
    for number, fields in table.rows(FIELDS, bad):
        deployment, which, kind, species, media, event, start, who, method, probability = (
            "" if field in MISSING else field for field in fields
        )
        if which != level:
            continue
        recording = (media if level == "media" else event).strip()
        try:
            if not recording:
                raise FieldError(LEVELS[level], "it is blank")
            if kind not in (*NO_VISIT, *NO_REPORT, "animal"):
                raise FieldError("observationtype", f"'{kind[:30]}' is no type of observation")
            score = number_field(probability, "classificationprobability") if probability.strip() else None
            if score is not None and not 0 <= score <= 1:
                raise FieldError("classificationprobability", f"{score:g} is not between 0 and 1")
        except FieldError as wrong:
            bad.found(wrong.at(file, number, "correct the row, or make the package again"))
            continue
        places.setdefault(recording, (deployment, start))
        annotator = who.strip() or (method.strip() if method.strip() == "machine" else UNNAMED)
        species = species.strip()
        if not species and (kind in NO_VISIT or kind == "animal"):
            unknown += kind != "unclassified"
            continue
        unnamed += not who.strip()
        score = score if method.strip() == "machine" else None
        rows.add(recording, annotator, "" if kind == "blank" else species, row=number, score=score)
    if not len(rows):
        raise AnnotationError(
            f"there is no classified observation of {level}",
            f"choose another {option('level')}",
            file=file.name,
        )
    if unknown:
        warn(
            f"{inputs.name}: {counted(unknown, 'observation')} of an unknown species "
            f"{verb(unknown, 'is', 'are')} no vote"
        )
    if unnamed:
        warn(
            f"{inputs.name}: {counted(unnamed, 'observation')} without a name in classifiedBy "
            f"{verb(unnamed, 'is', 'are')} taken for those of one annotator, '{UNNAMED}'"
        )
    deployments = None if DEPLOYMENTS not in files else FieldRows(files[DEPLOYMENTS])
    return PlainTables(
        rows.frame(),
        absence or "checklist",
        recordings=_places(places, deployments, bad),
        sources=Sources(rows.source(inputs.name, guarded=True)),
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether there are the tables of a package, or a table of observations alone."""
    names = {name.rpartition("/")[2] for name in glimpse.names}
    return {OBSERVATIONS, DEPLOYMENTS} <= names or {*NEEDED, "observationid"} <= glimpse.columns


def _only_level(table: FieldRows, name: str) -> str:
    """Return the level of all observations."""
    found: dict[str, None] = {}
    for _, (which,) in table.rows(["observationlevel"], BadRows(skip=True)):
        found[which] = None
        if len(found) > 1 and set(found) <= LEVELS.keys():
            raise AnnotationError(
                "there are observations of media and of events",
                f"choose {option('level', 'media')}",
                file=name,
            )
    return next((each for each in found if each in LEVELS), "media")


def _places(places: dict[str, tuple[str, str]], deployments: FieldRows | None, bad: BadRows) -> pd.DataFrame:
    """Return where and when recordings were made."""
    known: dict[str, list[str]] = {}
    if deployments is not None:
        fields = ("deploymentid", "latitude", "longitude")
        known = {row[0]: row[1:] for _, row in deployments.rows(fields, bad)}
    table = {
        "recording": list(places),
        "deployment": [deployment for deployment, _ in places.values()],
        "time": [start for _, start in places.values()],
    }
    if known:
        where = [known.get(deployment, ["", ""]) for deployment, _ in places.values()]
        table |= {"latitude": [each[0] for each in where], "longitude": [each[1] for each in where]}
    return pd.DataFrame(table, dtype=object)
