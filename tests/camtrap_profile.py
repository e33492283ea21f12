"""What Camtrap DP 1.0.2 asks of its tables and its description, written from its public description.

https://camtrap-dp.tdwg.org/data/ and https://camtrap-dp.tdwg.org/metadata/. Without descriptions of fields;
`schema` gives a table schema as frictionless takes it.
"""

from __future__ import annotations

import csv
import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

TIME = {"type": "datetime", "format": "%Y-%m-%dT%H:%M:%S%z"}
MUST = {"required": True}
TEXT: dict[str, Any] = {"type": "string"}


def text(**constraints: Any) -> dict[str, Any]:
    return {"type": "string", "constraints": constraints}


def number(kind: str = "number", **constraints: Any) -> dict[str, Any]:
    return {"type": kind, "constraints": constraints}


def fields(**given: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, **field} for name, field in given.items()]


FLAG = {"type": "boolean"}
TABLES: dict[str, list[dict[str, Any]]] = {
    "deployments": fields(
        deploymentID=text(required=True, unique=True), locationID=TEXT, locationName=TEXT,
        latitude=number(required=True, minimum=-90, maximum=90),
        longitude=number(required=True, minimum=-180, maximum=180),
        coordinateUncertainty=number("integer", minimum=1),
        deploymentStart=TIME | {"constraints": MUST}, deploymentEnd=TIME | {"constraints": MUST},
        setupBy=TEXT, cameraID=TEXT, cameraModel=TEXT, cameraDelay=number("integer", minimum=0),
        cameraHeight=number(minimum=0), cameraDepth=number(minimum=0),
        cameraTilt=number("integer", minimum=-90, maximum=90),
        cameraHeading=number("integer", minimum=0, maximum=360), detectionDistance=number(minimum=0),
        timestampIssues=FLAG, baitUse=FLAG, featureType=TEXT, habitat=TEXT, deploymentGroups=TEXT,
        deploymentTags=TEXT, deploymentComments=TEXT,
    ),
    "media": fields(
        mediaID=text(required=True, unique=True), deploymentID=text(required=True),
        captureMethod=text(enum=["activityDetection", "timeLapse"]),
        timestamp=TIME | {"constraints": MUST},
        filePath=text(required=True, pattern=r"^(?=^[^./~])(^((?!\.{2}).)*$).*$"),
        filePublic=FLAG | {"constraints": MUST}, fileName=TEXT,
        fileMediatype=text(required=True, pattern=r"^(image|video|audio)/.*$"),
        exifData={"type": "any"}, favorite=FLAG, mediaComments=TEXT,
    ),
    "observations": fields(
        observationID=text(required=True, unique=True), deploymentID=text(required=True), mediaID=TEXT,
        eventID=TEXT, eventStart=TIME | {"constraints": MUST}, eventEnd=TIME | {"constraints": MUST},
        observationLevel=text(required=True, enum=["media", "event"]),
        observationType=text(
            required=True, enum=["animal", "human", "vehicle", "blank", "unknown", "unclassified"]
        ),
        cameraSetupType=text(enum=["setup", "calibration"]), scientificName=TEXT,
        count=number("integer", minimum=1), lifeStage=text(enum=["adult", "subadult", "juvenile"]),
        sex=text(enum=["female", "male"]), behavior=TEXT, individualID=TEXT,
        individualPositionRadius=number(minimum=0),
        individualPositionAngle=number(minimum=-90, maximum=90), individualSpeed=number(minimum=0),
        bboxX=number(minimum=0, maximum=1), bboxY=number(minimum=0, maximum=1),
        bboxWidth=number(minimum=1e-15, maximum=1), bboxHeight=number(minimum=1e-15, maximum=1),
        classificationMethod=text(enum=["human", "machine"]), classifiedBy=TEXT,
        classificationTimestamp=TIME, classificationProbability=number(minimum=0, maximum=1),
        observationTags=TEXT, observationComments=TEXT,
    ),
}  # fmt: skip
KEYS = {"deployments": "deploymentID", "media": "mediaID", "observations": "observationID"}
FOREIGN = {"deployments": [], "media": ["deployments"], "observations": ["deployments", "media"]}
PROFILE: dict[str, Any] = {
    "type": "object",
    "required": [
        "resources", "profile", "created", "contributors", "project", "spatial", "temporal", "taxonomic",
    ],
    "properties": {
        "resources": {
            "minItems": 3,
            "items": {
                "required": ["name", "path", "profile", "schema"],
                "properties": {
                    "name": {"enum": list(TABLES)},
                    "profile": {"enum": ["tabular-data-resource"]},
                    "schema": {"type": "string", "pattern": r"1\.0\.2"},
                },
            },
        },
        "profile": {"type": "string", "pattern": r"1\.0\.2"},
        "created": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "contributors": {
            "minItems": 1,
            "items": {
                "required": ["title"],
                "properties": {
                    "role": {
                        "enum": [
                            "contact", "principalInvestigator", "rightsHolder", "publisher", "contributor",
                        ]
                    }
                },
            },
        },
        "project": {
            "required": ["title", "samplingDesign", "captureMethod", "individualAnimals", "observationLevel"],
            "properties": {
                "samplingDesign": {
                    "enum": [
                        "simpleRandom", "systematicRandom", "clusteredRandom", "experimental", "targeted",
                        "opportunistic",
                    ]
                },
                "captureMethod": {
                    "type": "array", "minItems": 1, "items": {"enum": ["activityDetection", "timeLapse"]},
                },
                "individualAnimals": {"type": "boolean"},
                "observationLevel": {"type": "array", "items": {"enum": ["media", "event"]}},
            },
        },
        "spatial": {"type": "object", "required": ["type", "coordinates"]},
        "temporal": {
            "required": ["start", "end"],
            "properties": {
                name: {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"} for name in ("start", "end")
            },
        },
        "taxonomic": {"type": "array", "items": {"required": ["scientificName"]}},
    },
}  # fmt: skip


def schema(table: str) -> dict[str, Any]:
    """Return the table schema, with its keys."""
    foreign = [
        {"fields": KEYS[other], "reference": {"resource": other, "fields": KEYS[other]}}
        for other in FOREIGN[table]
    ]
    return {
        "fields": TABLES[table],
        "missingValues": ["", "NA", "NaN", "nan"],
        "primaryKey": KEYS[table],
        "foreignKeys": foreign,
    }


def check(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Assert that a package is as described, without frictionless; return its tables."""
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    check_value(package, PROFILE, "package")
    tables = {}
    for resource in package["resources"]:
        with (folder / resource["path"]).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        wanted = TABLES[resource["name"]]
        assert list(rows[0]) == [field["name"] for field in wanted]
        for field in wanted:
            check_field([row[field["name"]] for row in rows], field)
        tables[resource["name"]] = rows
    for name, others in FOREIGN.items():
        for other in others:
            known = {row[KEYS[other]] for row in tables[other]}
            assert {row[KEYS[other]] for row in tables[name]} <= known | {""}
    return tables


def check_field(values: list[str], field: dict[str, Any]) -> None:
    rules = field.get("constraints", {})
    known = [value for value in values if value != ""]
    assert not rules.get("required") or len(known) == len(values), field["name"]
    assert not rules.get("unique") or len(set(values)) == len(values), field["name"]
    for value in known:
        if field["type"] == "datetime":
            datetime.strptime(value, field["format"])
        elif field["type"] == "boolean":
            assert value in ("true", "false")
        elif field["type"] in ("number", "integer"):
            found = (int if field["type"] == "integer" else float)(value)
            assert rules.get("minimum", found) <= found <= rules.get("maximum", found), field["name"]
        assert value in rules.get("enum", [value]), field["name"]
        assert re.search(rules.get("pattern", ""), value), (field["name"], value)


def check_value(value: Any, rules: dict[str, Any], where: str) -> None:
    """Assert what a JSON schema of this size asks for."""
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool}
    assert isinstance(value, kinds.get(rules.get("type", ""), object)), where
    assert value in rules.get("enum", [value]), where
    if "pattern" in rules:
        assert re.search(rules["pattern"], value), where
    for name in rules.get("required", ()):
        assert name in value, f"{where}.{name}"
    for name, inner in rules.get("properties", {}).items():
        if name in value:
            check_value(value[name], inner, f"{where}.{name}")
    if "items" in rules:
        assert len(value) >= rules.get("minItems", 0), where
        for each in value:
            check_value(each, rules["items"], where)
