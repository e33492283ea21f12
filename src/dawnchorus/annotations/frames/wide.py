"""Recognition of wide tables, with one column per species, and what to do with them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NoReturn

from ...common.errors import AnnotationError
from ...common.wording import either, in_code, listed, no_columns, option
from ..labels import as_text
from ..votes import VOTES

FEWEST = 2
"""A table with at least so many columns of votes is wide."""


def refuse_wide(
    sample: Mapping[str, Iterable[object]],
    chosen: Mapping[str, str],
    missing: list[str],
    name: str,
    header: int,
    code: str | None,
) -> None:
    """Raise an error if a table without a column of species has one column of votes per species."""
    texts = {
        column: {as_text(value).lower() for value in values}
        for column, values in sample.items()
        if column not in chosen.values()
    }
    species = [column for column, found in texts.items() if found <= VOTES.keys()]
    others = [column for column in texts if column not in species]
    voted = sum(bool(texts[column] - {""}) for column in species)
    if "present" not in chosen and voted >= FEWEST and (chosen or others):
        _refuse(species, others, chosen, missing, name, header, code)


def _refuse(
    species: list[str],
    others: list[str],
    chosen: Mapping[str, str],
    missing: list[str],
    name: str,
    header: int,
    code: str | None,
) -> NoReturn:
    problem = (
        f"{no_columns(missing)}, but {len(species)} columns contain only votes ({listed(species, 6)}): "
        "this seems to be a wide table, with one column per species"
    )
    if missing != ["species"]:
        remedy = (
            f"make it long, with one row per vote, and columns recording, annotator, species and present; "
            f"columns that go by other names are given by {option('columns', {'recording': 'NAME'})}"
        )
    else:
        remedy = (
            "make it long, with one row per vote, because wide tables cannot be read yet "
            f"(an empty cell will mean unsure). {_how(name, code, [*chosen.values()], others)}"
        )
    raise AnnotationError(problem, remedy, file=name, row=header)


def _how(name: str, code: str | None, labels: list[str], others: list[str]) -> str:
    """Return the code, and the command, that make the table long."""
    if code is None:
        return "Save the table to a file first: the message about the file will have the command for it"
    drop = f".drop(columns={in_code(others)})" if others else ""
    long = f'{code}{drop}.melt({in_code(labels)}, var_name="species", value_name="present")'
    path = Path(name.removesuffix(".gz"))
    new = str(path.with_name(f"{path.stem}_long.csv"))
    command = shlex.join(
        [sys.executable, "-c", f"import pandas as pd; {long}.to_csv({in_code(new)}, index=False)"]
    )
    return either(
        f"This code does it:\nlong = {long}\nThen give it to dc.Annotations.from_frame",
        f"This command does it:\n{command}\nThen give {new} instead of {name}",
    )
