"""Plan: what a folder of finished folds belongs to, so that nothing is joined that does not go together."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from ..._version import __version__
from ...annotations.labelled import LabelledVotes
from ...common.errors import OutputError, reason
from ...common.files.whole import check_place, whole_file
from ...common.json_text import plain_value, write_json
from ...sampling.checkpoint import fingerprint

FILE = "compare.json"
UNIMPORTANT = ("threads", "progress")
"""Settings on which results do not depend."""


def write_plan(folder: Path, annotations: LabelledVotes, how: dict[str, Any]) -> None:
    """Write what a comparison depends on into its folder; refuse a folder that belongs to another one."""
    important = {name: value for name, value in how.items() if name not in UNIMPORTANT}
    plan = plain_value({"version": __version__, "data": _data(annotations), **important})
    check_place(folder / FILE)
    if (folder / FILE).exists():
        _check(folder, plan)
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder} is not the folder of a comparison. Remedy: choose another name.")
    with whole_file(folder / FILE) as draft:
        write_json(plan, draft)


def _check(folder: Path, plan: dict[str, Any]) -> None:
    try:
        known = dict(json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise OutputError(
            f"{folder / FILE} cannot be read ({reason(error)}). Remedy: choose another folder."
        ) from None
    other = [name for name in {**known, **plan} if known.get(name) != plan.get(name)]
    if other:
        name = other[0]
        change = (
            "other annotations" if name == "data" else f"{name} {known.get(name)!r}, not {plan.get(name)!r}"
        )
        raise OutputError(
            f"{folder} has folds of another comparison ({change}). "
            "Remedy: choose another folder, or remove this one to start anew."
        )


def _data(annotations: LabelledVotes) -> str:
    """Return a short text that differs for different votes or metadata."""
    tables = (annotations.recordings, annotations.annotators)
    text = "\n".join([fingerprint(annotations), *(table.to_csv() for table in tables)])
    return hashlib.blake2b(text.encode("utf-8", errors="backslashreplace"), digest_size=16).hexdigest()
