"""Reader of Camera Trap Data Packages (Camtrap DP). Public description: https://camtrap-dp.tdwg.org/data/."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import NamedTuple

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.labels import counted, verb
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.formulas import restored
from ....common.warn import warn
from ....common.wording import listed, option
from ...plain import PlainTables
from ..field_rows import FieldError, FieldRows, number_field
from ..glimpse import Glimpse
from ..inputs import InputFile, Inputs
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


class Package(NamedTuple):
    """The tables of a package."""

    observations: FieldRows
    deployments: InputFile | None


class Place(NamedTuple):
    """Where and when a recording was made."""

    deployment: str
    time: str
    latitude: str
    longitude: str


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
        The folder or zip of the package, or its table of observations; or several packages.
    absence
        What silence means; by default `"checklist"`: who classifies a picture answers for all species.
    level
        Which observations to read, `"media"` (of single files) or `"event"`, if the package has both.
    """
    packages = _packages(inputs)
    level = level or _only_level([package.observations for package in packages], inputs.name)
    if level not in LEVELS:
        raise AnnotationError(f"{option('level', level)} is no level", f"use {listed(LEVELS, last=' or ')}")
    rows = LongRows()
    places: dict[str, Place] = {}
    unknown, shared, unnamed = 0, set(), Counter[str]()
    for package in packages:
        file = package.observations.file
        rows.file(file.name)
        earlier, where = set(places), _deployments(package, bad)
        for number, fields in package.observations.rows(FIELDS, bad):
            deployment, which, kind, species, media, event, start, who, method, probability = map(
                _value, fields
            )
            if which != level:
                continue
            recording = (media if level == "media" else event).strip()
            machine = method.strip() == "machine"
            try:
                if not recording:
                    raise FieldError(LEVELS[level], "it is blank")
                if kind not in (*NO_VISIT, *NO_REPORT, "animal"):
                    raise FieldError("observationtype", f"'{kind[:30]}' is no type of observation")
                score = _score(probability)
            except FieldError as wrong:
                bad.found(wrong.at(file, number, "correct the row, or make the package again"))
                continue
            if recording in earlier:
                shared.add(recording)
            if recording not in places:
                places[recording] = Place(deployment, start, *where.get(deployment, ("", "")))
            annotator = who.strip() or ("machine" if machine else UNNAMED)
            species = species.strip()
            if not species and (kind in NO_VISIT or kind == "animal"):
                unknown += kind != "unclassified"
                continue
            unnamed[annotator] += not who.strip()
            species = "" if kind == "blank" else species
            rows.add(recording, annotator, species, row=number, score=score if machine else None)
    if not len(rows):
        raise AnnotationError(
            f"there is no classified observation of {level}",
            f"choose another {option('level')}",
            file=inputs.name,
        )
    _tell(inputs.name, unknown, len(shared), unnamed)
    return PlainTables(
        rows.frame(),
        absence or "checklist",
        recordings=_places(places),
        sources=Sources(rows.source(inputs.name)),
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether there are the tables of a package, or a table of observations alone."""
    names = {name.rpartition("/")[2] for name in glimpse.names}
    return {OBSERVATIONS, DEPLOYMENTS} <= names or {*NEEDED, "observationid"} <= glimpse.columns


def _packages(inputs: Inputs) -> list[Package]:
    """Return every table of observations, with the deployments beside it."""
    observations = inputs.files if len(inputs.files) == 1 else _named(inputs, OBSERVATIONS)
    if not observations:
        raise AnnotationError(
            f"this is not a Camtrap DP: it has no {OBSERVATIONS}",
            f"give the folder or zip with {OBSERVATIONS}",
            file=inputs.name,
        )
    beside = {PurePath(file.name).parent: file for file in _named(inputs, DEPLOYMENTS)}
    packages = []
    for file in observations:
        table = FieldRows(file)
        table.needs(NEEDED, "the table of observations of a Camtrap DP")
        packages.append(Package(table, beside.get(PurePath(file.name).parent)))
    return packages


def _named(inputs: Inputs, name: str) -> list[InputFile]:
    return [file for file in inputs.files if file.inside.rpartition("/")[2] == name]


def _value(field: str) -> str:
    """Return the text of a field: empty if that is meant, and without a guard against spreadsheets."""
    return "" if field in MISSING else restored(field) if field[:1] == "'" else field


def _score(probability: str) -> float | None:
    """Return the probability of a classification, if there is one; raise `FieldError` if it is none."""
    if not probability.strip():
        return None
    score = number_field(probability, "classificationprobability")
    if not 0 <= score <= 1:
        raise FieldError("classificationprobability", f"{score:g} is not between 0 and 1")
    return score


def _only_level(tables: list[FieldRows], name: str) -> str:
    """Return the level of all observations."""
    found: dict[str, None] = {}
    for table in tables:
        for _, (which,) in table.rows(["observationlevel"], BadRows(skip=True)):
            found[which] = None
            if len(found) > 1 and set(found) <= LEVELS.keys():
                raise AnnotationError(
                    "there are observations of media and of events",
                    f"choose {option('level', 'media')}",
                    file=name,
                )
    return next((each for each in found if each in LEVELS), "media")


def _tell(name: str, unknown: int, shared: int, unnamed: Counter[str]) -> None:
    if unknown:
        warn(
            f"{name}: {counted(unknown, 'observation')} of an unknown species "
            f"{verb(unknown, 'is', 'are')} no vote"
        )
    if shared:
        warn(
            f"{name}: {counted(shared, 'recording')} with the same identifier in several packages "
            f"{verb(shared, 'is', 'are')} taken for the same"
        )
    for annotator, number in unnamed.items():
        if number:
            warn(
                f"{name}: {counted(number, 'observation')} without a name in classifiedBy "
                f"{verb(number, 'is', 'are')} taken for those of one annotator, '{annotator}'"
            )


def _deployments(package: Package, bad: BadRows) -> dict[str, tuple[str, str]]:
    """Return latitude and longitude of each deployment."""
    if package.deployments is None:
        return {}
    rows = FieldRows(package.deployments).rows(("deploymentid", "latitude", "longitude"), bad)
    values = (map(_value, fields) for _, fields in rows)
    return {deployment: (latitude, longitude) for deployment, latitude, longitude in values}


def _places(places: dict[str, Place]) -> pd.DataFrame:
    """Return where and when recordings were made."""
    table = pd.DataFrame(list(places.values()), columns=Place._fields, dtype=object)
    table.insert(0, "recording", pd.Series(list(places), dtype=object))
    known = (table[["latitude", "longitude"]] != "").to_numpy().any()
    return table if known else table.drop(columns=["latitude", "longitude"])
