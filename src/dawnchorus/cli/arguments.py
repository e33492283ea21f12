"""Conversion of command-line options to the arguments of public functions."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Any

from ..common.errors import AnnotationError
from ..common.lazy import lazy
from ..common.wording import option_name

TERMINAL = lazy("dawnchorus.cli.terminal")
NAMED = lazy("dawnchorus.model.distributions.named_priors")


def command_line() -> str:
    """Return the command as the user typed it."""
    return shlex.join(["dawnchorus", *sys.argv[1:]])


def record_since(started: float) -> dict[str, Any]:
    """Return what fit.json records about the run: the command, and the seconds since it started."""
    return {"command": command_line(), "seconds": round(time.perf_counter() - started, 3)}


def column_mapping(pairs: list[str] | None) -> dict[str, str] | None:
    """Return options such as `recording=clip_name` as a mapping."""
    wrong = [pair for pair in pairs or () if "=" not in pair]
    if wrong:
        raise AnnotationError(
            f"--column {wrong[0]} is not of the form word=column", "write for example recording=clip_name"
        )
    return dict(pair.split("=", 1) for pair in pairs) if pairs else None


def truth_options(
    record: dict[str, Any],
    columns: list[str] | None,
    encoding: str | None,
    names: Path | None,
    **told: bool | None,
) -> dict[str, Any]:
    """Return the options for reading a truth; what is not told is as in the fit that has this record."""
    data = record.get("data", {})
    labels = {name: bool(data.get(name)) if value is None else value for name, value in told.items()}
    names_of_fit = data.get("names") or None
    return {
        "columns": column_mapping(columns),
        "encoding": encoding,
        "names": names_of_fit if names is None else names,
        **labels,
    }


def chosen_priors(
    name: str | None, beliefs: dict[str, Any], n_species: int, reported: float | None = None
) -> Any:
    """Return the name of priors, or priors made from options such as --tpr; none if neither was given."""
    given = {key: value for key, value in beliefs.items() if value is not None}
    if not given:
        return name
    name = "default" if name is None else name.strip().lower()
    if name not in NAMED.MADE:
        raise AnnotationError(
            f"{option_name(min(given))} cannot be used with --priors {name}", "leave out one of them"
        )
    sure = [key for key in given if key.endswith("_strength")]
    if name == "learned" and sure:
        raise AnnotationError(
            f"{option_name(min(sure))} cannot be used with --priors learned, which learns it",
            "leave out one of them",
        )
    return NAMED.make_priors(name, reported=reported, n_species=n_species, **given)
