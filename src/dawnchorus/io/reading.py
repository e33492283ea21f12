"""Reading of files in any format: the format is found, and its reader called for plain tables."""

from __future__ import annotations

import re
from dataclasses import replace
from inspect import getdoc, signature
from typing import Any, NamedTuple

from ..annotations.annotations import Annotations
from ..annotations.frames.bad_rows import BadRows
from ..annotations.votes import Absence
from ..common.errors import AnnotationError
from ..common.warn import warn
from ..common.wording import listed, option
from .plain import PlainTables
from .readers.glimpse import Glimpse
from .readers.inputs import Inputs, PathLike, Paths, input_files
from .readers.open_tables import open_table
from .registry import READERS, guessed

PLAIN = "table"
"""The format of files that are unmistakably nothing else."""
GIVEN = ("inputs", "bad")
"""What readers are given besides their options."""


class ReadTables(NamedTuple):
    """The plain tables of some files, and the format in which they were read."""

    format: str
    inputs: Inputs
    tables: PlainTables
    bad: BadRows

    def annotations(self, absence: Absence | None = None, **labels: Any) -> Annotations:
        """Return the annotations, and warn about bad rows that were left out."""
        tables = self.tables if absence is None else replace(self.tables, absence=absence)
        annotations = tables.annotations(self.inputs.name, bad=self.bad, **labels)
        self.bad.tell(self.inputs.name)
        return annotations


def read_tables(
    path: Paths,
    format: str | None = None,
    absence: Absence | None = None,
    *,
    inputs: Inputs | None = None,
    skip_bad: bool = False,
    scope: PathLike | None = None,
    recordings: PathLike | None = None,
    annotators: PathLike | None = None,
    species: PathLike | None = None,
    **options: Any,
) -> ReadTables:
    """Return the plain tables of files; `read` documents the arguments, and `inputs` are files at hand."""
    if format is not None and format not in READERS:
        raise AnnotationError(
            f"there is no reader for the format '{format}'", f"use one of: {', '.join(READERS)}"
        )
    inputs = inputs or input_files(path)
    if format is None:
        format = guessed_format(inputs)
    bad = BadRows(skip=skip_bad)
    reader = READERS[format]
    told = {"scope": scope, "recordings": recordings, "annotators": annotators, "species": species}
    sides = {name: place for name, place in told.items() if place is not None}
    known = signature(reader).parameters
    own = {name: place for name, place in sides.items() if name in known}
    if "scope" in sides and "scope" not in own and absence is None:
        absence = "scope"
    check_options(format, options)
    tables = reader(inputs, bad=bad, absence=absence, **options, **own)
    for name in sides.keys() - own.keys():
        table = open_table(sides[name])
        tables = replace(
            tables,
            sources=tables.sources._replace(**{name: table.source}),
            **{name: table.frame()},
        )
    return ReadTables(format, inputs, tables, bad)


def guessed_format(inputs: Inputs) -> str:
    """Return the format that files seem to be, and say so unless it is a plain table."""
    glimpse = Glimpse(inputs.files)
    found = guessed(glimpse)
    if found is None:
        return plain_format(glimpse)
    warn(f"{inputs.name}: read as {found}, as it seems to be; {option('format', PLAIN)} reads a plain table")
    return found


def plain_format(glimpse: Glimpse) -> str:
    """Return the format of plain tables; raise an error if files are JSON, which no table is."""
    if glimpse.json is not None and glimpse.names[0].lower().endswith(".json"):
        raise AnnotationError(
            "this is JSON, but incomplete, or of no format that is known by its content",
            f"export or copy the file again, or name its format by {option('format', 'NAME')}",
            file=glimpse.files[0].name,
        )
    return PLAIN


def options_of(format: str) -> list[str]:
    """Return the names of the options of a format's own, in order."""
    return [name for name in signature(READERS[format]).parameters if name not in GIVEN]


def described(format: str) -> dict[str, Any]:
    """Return what a reader says of itself: what it reads, its options in words, and those it needs."""
    if format not in READERS:
        raise AnnotationError(
            f"there is no reader for the format '{format}'", f"use one of: {', '.join(READERS)}"
        )
    doc = getdoc(READERS[format]) or ""
    options = {}
    for name in options_of(format):
        words = re.search(rf"^(?:\w+, )*{name}(?:, \w+)*\n((?: {{4}}.*\n?)+)", doc, re.MULTILINE)
        options[name] = " ".join(words.group(1).split()) if words else ""
    needs = [name for name, words in options.items() if "There is no default" in words]
    return {"format": format, "reads": doc.splitlines()[0], "needs": needs, "options": options}


def check_options(format: str, options: dict[str, Any]) -> None:
    """Raise an error if the format does not have one of these options."""
    known = options_of(format)
    unknown = [name for name in options if name not in known]
    if unknown:
        raise AnnotationError(
            f"{option(unknown[0])} cannot be used with {option('format', format)}",
            f"leave it out; the options of this format are {listed(known)}",
        )
