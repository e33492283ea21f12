"""Folders with a table of annotations and other tables beside it, such as a scope table and a truth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ..annotations.frames.columns import resolve
from ..common.errors import AnnotationError
from ..common.wording import listed
from .readers.formats.table import COLUMNS
from .readers.inputs import InputFile, Inputs
from .readers.open_tables import opened_table

BESIDE: dict[str, list[str]] = {
    **{word: needed for word, (needed, _) in COLUMNS.items() if word != "frame"},
    "names": [],
    "truth": ["recording", "species", "present"],
}
"""Other tables that are recognised by the names of their files, and the columns that they need."""
RESULT = "fit.json"


class Folder(NamedTuple):
    """The files of a folder: those with annotations, recognised other tables by their use, and the rest."""

    annotations: list[InputFile]
    beside: dict[str, InputFile]
    rest: list[InputFile]

    def others(self) -> dict[str, str]:
        """Return what files without annotations are for, by name; nothing if it is not known."""
        known = {file.inside: word for word, file in self.beside.items()}
        return known | {file.inside: "" for file in self.rest}


def sorted_files(inputs: Inputs, columns: Mapping[str, str] | None) -> Folder | None:
    """Return which of several files have annotations, or nothing if all have, or none is recognised.

    Raises
    ------
    AnnotationError
        If no file has annotations but others are recognised, or if they are in an archive, where single
        tables have no path.
    """
    if len(inputs.files) < 2:
        return None
    found = Folder([], {}, [])
    for file in inputs.files:
        word = PurePosixPath(file.inside).stem.lower().rpartition(".")[2]
        if _has(file, COLUMNS["frame"][0], columns):
            found.annotations.append(file)
        elif word in BESIDE and word not in found.beside and _has(file, BESIDE[word]):
            found.beside[word] = file
        else:
            found.rest.append(file)
    if not (found.beside or (found.annotations and found.rest)):
        return None
    if not found.annotations:
        is_result = any(file.inside == RESULT for file in found.rest)
        raise AnnotationError(
            "no file in it has columns of recordings, annotators and species; the files are "
            + listed(found.others()),
            "it is the result of a fit: name the files that were fitted, or write its page with `dawnchorus "
            f"report {inputs.name}`"
            if is_result
            else "name the file with the annotations",
            file=inputs.name,
        )
    if not all(Path(file.name).is_file() for file in inputs.files):
        raise AnnotationError(
            f"beside {listed(file.inside for file in found.annotations)} it has other tables: "
            + listed(found.others()),
            "unpack it, and look at the folder",
            file=inputs.name,
        )
    return found


def _has(file: InputFile, needed: list[str], columns: Mapping[str, str] | None = None) -> bool:
    """Return whether a file is a table with these columns."""
    try:
        table = opened_table(file)
        resolve(table.columns, needed, [], table.source, columns)
    except AnnotationError:
        return False
    return True
