"""Reader of identifications of iNaturalist: CSV, or JSON of its interface for programs.

Public description: https://api.inaturalist.org/v1/docs/.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.labels import as_text, counted, verb
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ...plain import PlainTables
from ..field_rows import FieldError, FieldRows
from ..glimpse import Glimpse
from ..inputs import InputFile, Inputs
from ..json_files import json_objects, starts_json
from ..long_rows import LongRows

COLUMNS = {
    "observation": ("observation_id", "observation"),
    "user": ("user_login", "user_id", "user_name", "user", "login", "identifier"),
    "taxon": ("taxon_name", "scientific_name", "taxon_scientific_name", "name"),
    "rank": ("taxon_rank", "rank"),
    "current": ("current",),
}
"""The columns of a table of identifications, each with the names that it may have."""
SPECIES = ("species", "hybrid")
FINER = ("subspecies", "variety", "form", "infrahybrid")
AGAIN = "download the identifications again, or correct it"


class Identification(NamedTuple):
    """Who called an observation what."""

    observation: str
    user: str
    taxon: str
    rank: str
    current: bool


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
) -> PlainTables:
    """Identifications of iNaturalist: CSV, or JSON of /identifications or /observations of its API.

    Parameters
    ----------
    inputs
        The file, or several of them.
    absence
        What silence means: by default `"scope"`, the other species that anybody named for the same
        observation are absent, and all others have no vote; `"explicit"`, no vote; `"checklist"`, absent.
    """
    told: Absence = absence or "scope"
    last: dict[tuple[str, str], tuple[str, int, str]] = {}
    coarse = withdrawn = 0
    for file in inputs.files:
        for number, each in _identifications(file, bad):
            key = each.observation, each.user
            if not each.current:
                withdrawn += 1
            elif each.rank in SPECIES or each.rank in FINER:
                words = each.taxon.split()
                last[key] = (" ".join(words[:2]) if each.rank in FINER else each.taxon), number, file.name
            else:
                coarse += 1
                last.pop(key, None)  # a later identification takes the place of an earlier one
    if not last:
        raise AnnotationError(
            "no identification is of a species", "download identifications at species rank", file=inputs.name
        )
    rows = LongRows()
    candidates: dict[tuple[str, str], None] = {}
    for (observation, user), (species, number, name) in last.items():
        rows.file(name)
        candidates[observation, species] = None
        rows.add(observation, user, species, row=number, scope=observation if told == "scope" else "")
    for what, count in (("of a coarser rank", coarse), ("that was withdrawn or replaced", withdrawn)):
        if count:
            warn(
                f"{inputs.name}: {counted(count, 'identification')} {what} {verb(count, 'is', 'are')} no vote"
            )
    pairs = pd.DataFrame(list(candidates), columns=["scope", "species"])
    return PlainTables(
        rows.frame(),
        told,
        scope=pairs if told == "scope" else None,
        sources=Sources(rows.source(inputs.name)),
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether a table, or the first object of JSON, has identifications."""
    columns = glimpse.columns
    if "observation_id" in columns and any(name in columns for name in COLUMNS["taxon"]):
        return any(name in columns for name in COLUMNS["rank"])
    text = glimpse.json or ""
    return '"taxon"' in text and '"rank"' in text and ('"identifications"' in text or '"observation"' in text)


def _identifications(file: InputFile, bad: BadRows) -> Iterator[tuple[int, Identification]]:
    found = _in_json(file, bad) if starts_json(file.head(100)) else _in_table(file, bad)
    for number, fields in found:
        try:
            yield number, _checked(**fields)
        except FieldError as wrong:
            bad.found(wrong.at(file, number, AGAIN))


def _checked(observation: Any, user: Any, taxon: Any, rank: Any, current: Any) -> Identification:
    texts = {}
    for name, value in (("observation", observation), ("user", user), ("taxon", taxon), ("rank", rank)):
        if isinstance(value, bool | list | dict) or not as_text(value):
            raise FieldError(name, "it is missing")
        texts[name] = as_text(value)
    texts["rank"] = texts["rank"].lower()
    return Identification(**texts, current=str(current).strip().lower() not in ("false", "f", "0", "no"))


def _in_table(file: InputFile, bad: BadRows) -> Iterator[tuple[int, dict[str, Any]]]:
    table = FieldRows(file)
    names = {
        word: next((name for name in others if name in table.columns), others[0])
        for word, others in COLUMNS.items()
    }
    table.needs([names[word] for word in COLUMNS if word != "current"], "a table of identifications")
    for number, fields in table.rows(list(names.values()), bad):
        yield number, dict(zip(COLUMNS, fields, strict=True))


def _in_json(file: InputFile, bad: BadRows) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the identifications in pages of results, or in a list; those of observations are inside these."""
    number = 0
    for _, item in json_objects(file):
        page = item.get("results", item) if isinstance(item, dict) else item
        for result in page if isinstance(page, list) else [page]:
            number += 1
            try:
                yield from ((number, fields) for fields in _of_result(result))
            except FieldError as wrong:
                bad.found(wrong.at(file, number, AGAIN))


def _of_result(result: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(result, dict):
        raise FieldError("results", "an object is expected")
    inside = result.get("identifications")
    if inside is not None and not isinstance(inside, list):
        raise FieldError("identifications", "a list is expected")
    for each in [result] if inside is None else inside:
        if not isinstance(each, dict):
            raise FieldError("identifications", "a list of objects is expected")
        observation, user, taxon = (_object(each, name) for name in ("observation", "user", "taxon"))
        yield {
            "observation": observation.get("id", each.get("observation_id"))
            if inside is None
            else result.get("id"),
            "user": user.get("login") or user.get("id"),
            "taxon": taxon.get("name"),
            "rank": taxon.get("rank"),
            "current": each.get("current", True),
        }


def _object(item: dict[str, Any], name: str) -> dict[str, Any]:
    value = item.get(name)
    return value if isinstance(value, dict) else {}
