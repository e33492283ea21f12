"""Writer of Camera Trap Data Packages (Camtrap DP 1.0.2): deployments, media and consensus observations.

Public description: https://camtrap-dp.tdwg.org/metadata/ and https://camtrap-dp.tdwg.org/data/.
"""

from __future__ import annotations

import mimetypes
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from ....annotations.labels import counted, verb
from ....common.checked import threshold_above
from ....common.errors import AnnotationError
from ....common.json_text import write_json
from ....common.warn import warn
from ....common.wording import listed, option
from ..camtrap_fields import DEPLOYMENTS, MEDIA, MISSING, OBSERVATIONS
from ..circumstances import circumstances
from ..consensus import SCIENTIFIC_NAME, Consensus, refuse_without
from ..csv_tables import write_table

NAME = "Camtrap DP"
ADDRESS = "https://raw.githubusercontent.com/tdwg/camtrap-dp/1.0.2"
DESIGNS = ["simpleRandom", "systematicRandom", "clusteredRandom", "experimental", "targeted", "opportunistic"]
METHODS = ["timeLapse", "activityDetection"]


def write(
    found: Consensus,
    place: Path,
    *,
    threshold: float = 0.5,
    duration: float | None = None,
    title: str = "Consensus of annotators",
    contributor: str = "Dawnchorus",
    sampling_design: str = "opportunistic",
    capture_method: str = "timeLapse",
    media_type: str = "audio/wav",
) -> dict[str, Any]:
    """Folder of a Camtrap DP, with consensus observations and their classificationProbability.

    Parameters
    ----------
    threshold
        The smallest probability of an observation; recordings without any are blank.
    duration
        The length of recordings in seconds, if their metadata do not tell it.
    title
        The title of the project.
    contributor
        Who contributed the package: a person or an organisation.
    sampling_design
        How sites were chosen: simpleRandom, systematicRandom, clusteredRandom, experimental, targeted or
        opportunistic.
    capture_method
        What started recordings: timeLapse or activityDetection.
    media_type
        The media type of files whose ending does not tell it.
    """
    threshold_above(threshold)
    _check(sampling_design, DESIGNS, "sampling_design")
    _check(capture_method, METHODS, "capture_method")
    if not _is_medium(media_type):
        raise AnnotationError(
            f"{option('media_type', media_type)} is no audio, image or video", "write it as audio/wav"
        )
    known = circumstances(found.recordings, duration)
    for what in ("latitude", "longitude"):
        refuse_without(what, known, known[what].isna(), NAME)
    refuse_without("time", known, known["start"] == "", NAME)
    known["deployment"] = known["deployment"].where(
        known["deployment"] != "", known["latitude"].astype(str) + ", " + known["longitude"].astype(str)
    )
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    tables = {
        "deployments": _deployments(known),
        "media": _media(known, capture_method, media_type),
        "observations": _observations(found, known, threshold, now),
    }
    _refuse_missing_words(tables)
    for name, table in tables.items():
        write_table(table, place / f"{name}.csv", exact_labels=found.exact_labels)
    package = _package(found, tables, now, title, contributor, sampling_design, capture_method)
    write_json(package, place / "datapackage.json")
    unsure = int((~known["sure"]).sum())
    if unsure:
        warn(
            f"the time of {counted(unsure, 'recording')} has no time of day or no time zone, so it is taken "
            f"for UTC, and timestampIssues is true in {verb(unsure, 'its deployment', 'their deployments')}; "
            "a column time_zone of the recordings' metadata tells it"
        )
    kinds = tables["observations"]["observationType"].value_counts()
    return {"observations": int(kinds.get("animal", 0)), "blank": int(kinds.get("blank", 0))}


def _check(value: str, possible: list[str], name: str) -> None:
    if value not in possible:
        raise AnnotationError(f"{option(name, value)} is not known", f"use one of {listed(possible)}")


def _refuse_missing_words(tables: dict[str, pd.DataFrame]) -> None:
    """Raise an error if something has a name that Camtrap DP reads as nothing."""
    for name, column, what in (
        ("media", "mediaID", "recording"),
        ("deployments", "deploymentID", "deployment"),
        ("media", "filePath", "file of a recording"),
        ("observations", "scientificName", "species"),
    ):
        words = tables[name][column]
        found = words[words.isin(MISSING)]
        if len(found):
            raise AnnotationError(
                f"a {what} is called '{found.iloc[0]}', which means a missing value in {NAME}",
                "give it another name, and fit again",
            )


def _filled(table: pd.DataFrame, fields: list[str]) -> pd.DataFrame:
    """Return a table with all fields of the description, in its order; numbers keep all their digits."""
    return table.reindex(columns=fields).astype(object).where(lambda t: t.notna(), None)


def _deployments(known: pd.DataFrame) -> pd.DataFrame:
    groups = known.groupby("deployment", sort=True)
    for what in ("latitude", "longitude"):
        several = groups[what].nunique()
        several = several[several > 1]
        if len(several):
            raise AnnotationError(
                f"recordings of the deployment '{several.index[0]}' have different values of {what}",
                "correct them, or give a column deployment that tells places apart",
            )
    order = known.assign(
        moment=pd.to_datetime(known["start"], utc=True), last=pd.to_datetime(known["end"], utc=True)
    )
    first = order.sort_values("moment", kind="stable").groupby("deployment")["start"].first()
    last = order.sort_values("last", kind="stable").groupby("deployment")["end"].last()
    table = groups.agg(latitude=("latitude", "first"), longitude=("longitude", "first"), sure=("sure", "all"))
    return _filled(
        table.assign(
            deploymentID=table.index,
            locationName=table.index,
            deploymentStart=first,
            deploymentEnd=last,
            timestampIssues=table["sure"].map({True: "false", False: "true"}),
        ),
        DEPLOYMENTS,
    )


def _media(known: pd.DataFrame, capture_method: str, media_type: str) -> pd.DataFrame:
    files = known["file"].where(known["file"] != "", known.index.to_series())
    paths = [_path(text) for text in files]
    return _filled(
        pd.DataFrame(
            {
                "mediaID": known.index,
                "deploymentID": known["deployment"],
                "captureMethod": capture_method,
                "timestamp": known["start"],
                "filePath": paths,
                "filePublic": "false",
                "fileName": [PurePosixPath(path).name for path in paths],
                "fileMediatype": [_media_type(path) or media_type for path in paths],
            }
        ),
        MEDIA,
    )


def _path(text: str) -> str:
    """Return an address, or a path inside the package, which does not lead out of it."""
    if "://" in text and ".." not in text:
        return text
    parts = [part for part in text.replace("\\", "/").split("/") if part.strip(".")]
    return "/".join(parts).replace("..", "_").lstrip("./~") or "_"


def _media_type(path: str) -> str | None:
    kind = mimetypes.guess_type(path)[0] or ""
    return kind if _is_medium(kind) else None


def _is_medium(kind: str) -> bool:
    return kind.partition("/")[0] in ("audio", "image", "video") and "/" in kind


def _observations(found: Consensus, known: pd.DataFrame, threshold: float, now: str) -> pd.DataFrame:
    """Return an observation for every species that counts as present, and a blank where there is none."""
    cells = found.present(threshold)
    names = found.names(*SCIENTIFIC_NAME)
    animals = pd.DataFrame(
        {
            "mediaID": cells["recording"].astype(object),
            "observationType": "animal",
            "scientificName": cells["species"].astype(object).map(lambda label: names.get(label, label)),
            "classificationProbability": cells["probability"].round(6),
            "observationComments": [
                f"{found.meaning}; {counted(reports, 'report')} in {counted(votes, 'vote')}"
                for reports, votes in zip(cells["reports"], cells["votes"], strict=True)
            ],
        }
    )
    empty = found.recordings.index.difference(animals["mediaID"], sort=False)
    visited = found.recordings.loc[empty, "visits"].astype(int) > 0
    blank = pd.DataFrame(
        {
            "mediaID": empty,
            "observationType": visited.map({True: "blank", False: "unclassified"}).to_numpy(object),
            "observationComments": f"no species reaches a probability of {threshold:g}",
        }
    )
    table = pd.concat([animals, blank], ignore_index=True)
    place = known.index.get_indexer(table["mediaID"])
    table = table.iloc[place.argsort(kind="stable")].reset_index(drop=True)
    there = known.loc[table["mediaID"]].reset_index(drop=True)
    classified = table["observationType"] != "unclassified"
    return _filled(
        table.assign(
            observationID=[f"observation {number}" for number in range(1, len(table) + 1)],
            deploymentID=there["deployment"],
            eventID=table["mediaID"],
            eventStart=there["start"],
            eventEnd=there["end"],
            observationLevel="media",
            classificationMethod=classified.map({True: "machine", False: None}),
            classifiedBy=classified.map({True: found.made_by, False: None}),
            classificationTimestamp=classified.map({True: now, False: None}),
        ),
        OBSERVATIONS,
    )


def _package(
    found: Consensus,
    tables: dict[str, pd.DataFrame],
    now: str,
    title: str,
    contributor: str,
    sampling_design: str,
    capture_method: str,
) -> dict[str, Any]:
    """Return the description of the package."""
    where = tables["deployments"]
    west, east = float(where["longitude"].min()), float(where["longitude"].max())
    south, north = float(where["latitude"].min()), float(where["latitude"].max())
    names = tables["observations"]["scientificName"].dropna().unique()
    return {
        "resources": [
            {
                "name": name,
                "path": f"{name}.csv",
                "profile": "tabular-data-resource",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "schema": f"{ADDRESS}/{name}-table-schema.json",
            }
            for name in tables
        ],
        "profile": f"{ADDRESS}/camtrap-dp-profile.json",
        "name": "dawnchorus-consensus",
        "created": now,
        "title": title,
        "description": f"classificationProbability is {found.meaning}, from the votes of all annotators; "
        f"made by {found.made_by}.",
        "contributors": [{"title": contributor, "role": "contributor"}],
        "project": {
            "title": title,
            "samplingDesign": sampling_design,
            "captureMethod": [capture_method],
            "individualAnimals": False,
            "observationLevel": ["media"],
        },
        "spatial": {
            "type": "Polygon",
            "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]],
        },
        "temporal": {
            "start": min(where["deploymentStart"])[:10],
            "end": max(where["deploymentEnd"])[:10],
        },
        "taxonomic": [{"scientificName": name} for name in sorted(names)],
    }
