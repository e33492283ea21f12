"""Reading of files in any format: the format is found, and its reader called for plain tables."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any, NamedTuple

import pandas as pd

from ..annotations.annotations import Annotations
from ..annotations.frames.bad_rows import BadRows
from ..annotations.frames.columns import resolve
from ..annotations.frames.names import NameTable
from ..annotations.frames.reading import SAMPLE
from ..annotations.labels import as_text
from ..annotations.votes import Absence
from ..common.errors import AnnotationError
from ..common.warn import warn
from ..common.wording import option
from . import described as description
from .names import named
from .plain import PlainTables
from .readers.glimpse import Glimpse
from .readers.inputs import Inputs, PathLike, Paths, input_files
from .readers.open_tables import open_table
from .registry import READERS, Reader, guessed

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
    names: NameTable

    def annotations(self, absence: Absence | None = None, **labels: Any) -> Annotations:
        """Return the annotations, and warn about bad rows that were left out."""
        tables = self.tables if absence is None else replace(self.tables, absence=absence)
        annotations = tables.annotations(self.inputs.name, bad=self.bad, names=self.names, **labels)
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
    names: Any = None,
    **options: Any,
) -> ReadTables:
    """Return the plain tables of files; `read` documents the arguments, and `inputs` are files at hand."""
    if format is not None:
        reader_of(format)
    inputs = inputs or input_files(path)
    if format is None:
        format = guessed_format(inputs)
    one_name = named(names)
    bad = BadRows(skip=skip_bad)
    reader = READERS[format]
    told = {"scope": scope, "recordings": recordings, "annotators": annotators, "species": species}
    sides = {name: place for name, place in told.items() if place is not None}
    known = signature(reader).parameters
    own = {name: place for name, place in sides.items() if name in known}
    if "scope" in sides and "scope" not in own and absence is None:
        absence = "scope"
    description.check_options(reader, GIVEN, options, option("format", format))
    tables = reader(inputs, bad=bad, absence=absence, **options, **own)
    for name in sides.keys() - own.keys():
        table = open_table(sides[name])
        tables = replace(
            tables,
            sources=tables.sources._replace(**{name: table.source}),
            **{name: table.frame()},
        )
    return ReadTables(format, inputs, tables, bad, one_name)


def guessed_format(inputs: Inputs) -> str:
    """Return the format that files seem to be, and say so unless it is a plain table."""
    glimpse = Glimpse(inputs.files)
    found = guessed(glimpse)
    if found is None:
        return plain_format(glimpse)
    tell_guess(inputs, found)
    return found


def tell_guess(inputs: Inputs, format: str) -> None:
    """Say as what files are read."""
    warn(f"{inputs.name}: read as {format}, as it seems to be; {option('format', PLAIN)} reads a plain table")


def plain_format(glimpse: Glimpse) -> str:
    """Return the format of plain tables; raise an error if files are JSON, or seem to be scores."""
    if glimpse.json is not None and glimpse.names[0].lower().endswith(".json"):
        raise AnnotationError(
            "this is JSON, but incomplete, or of no format that is known by its content",
            f"export or copy the file again, or name its format by {option('format', 'NAME')}",
            file=glimpse.files[0].name,
        )
    if _scored(glimpse):
        raise AnnotationError(
            "no column names annotators or species, and all others have numbers: this seems to be a table of "
            "a machine's scores, one column per species",
            f"read it with {option('format', 'scores')} and {option('threshold', 0.5)}; or, if it is none, "
            f"with {option('format', PLAIN)}",
            file=glimpse.files[0].name,
        )
    return PLAIN


def _scored(glimpse: Glimpse) -> bool:
    """Return whether a table names recordings, and all of its other columns have numbers, not all whole."""
    table = glimpse.table
    if table is None:
        return False
    try:
        names = resolve(table.columns, [], ["recording", "annotator", "species"], table.source)
        if names.keys() != {"recording"}:
            return False
        sample = [values for name, values in table.sample(SAMPLE).items() if name != names["recording"]]
    except AnnotationError:
        return False  # the reader of plain tables tells what is wrong, or is told which column is which
    texts = [[text for text in map(as_text, values) if text] for values in sample]
    numbers = [pd.to_numeric(pd.Series(values, dtype=object), errors="coerce") for values in texts]
    return all(number.notna().all() for number in numbers) and any((each % 1 != 0).any() for each in numbers)


def options_of(format: str) -> list[str]:
    """Return the names of the options of a format's own, in order."""
    return description.options_of(READERS[format], GIVEN)


def described(format: str) -> dict[str, Any]:
    """Return what a reader says of itself: what it reads, its options in words, and those it needs."""
    found = description.described(reader_of(format), GIVEN)
    return {"format": format, "reads": found["what"], "needs": found["needs"], "options": found["options"]}


def reader_of(format: str) -> Reader:
    """Return the reader of a format; raise an error if there is none."""
    if format not in READERS:
        raise AnnotationError(
            f"there is no reader for the format '{format}'", f"use one of: {', '.join(READERS)}"
        )
    return READERS[format]
