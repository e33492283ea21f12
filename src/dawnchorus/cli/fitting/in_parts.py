"""Whether `dawnchorus fit` takes its files as a dataset in parts, and which options go with that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...common.errors import AnnotationError
from ...common.lazy import lazy
from ...common.wording import option_name

INPUTS = lazy("dawnchorus.io.readers.inputs")
PARQUET = ".parquet"
READING = ("absence", "scope", "annotators", "species", "columns", "keep_na", "encoding")
"""Options about reading that go with a dataset in parts."""
MODEL = "base"


def taken_in_parts(
    told: bool | None, path: list[str], reading: dict[str, Any], model: str, others: dict[str, Any]
) -> bool:
    """Return whether files are taken as a dataset in parts.

    Unless it is told, they are if the fit runs on a cluster and can be made in parts, and all files, several
    of them, are Parquet.
    """
    wrong = [name for name in (*reading, *others) if name not in READING and name != "cluster"]
    if told is None:
        if "cluster" not in others or model != MODEL or wrong or INPUTS.STANDARD_INPUT in path:
            return False
        names = [Path(file.name) for file in INPUTS.input_files(path).files]
        return len(names) > 1 and all(name.suffix == PARQUET and name.is_file() for name in names)
    if told and wrong:
        raise AnnotationError(
            f"{option_name(wrong[0])} cannot be used with --in-parts", "leave out one of them"
        )
    return told
