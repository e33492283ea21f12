"""Reader of JSON exports of Label Studio. Public description: https://labelstud.io/guide/task_format."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.labels import as_text, counted, verb
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed, option
from ...plain import PlainTables
from ..choices.nothing import NOTHING, Nothing
from ..field_rows import FieldError
from ..glimpse import Glimpse
from ..inputs import Inputs
from ..json_files import json_objects
from ..long_rows import LongRows

AGAIN = "export the project again as JSON (not JSON-MIN), or correct the task"


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    recording_field: str | None = None,
    control: str | None = None,
    nothing: Collection[str] = NOTHING,
) -> PlainTables:
    """JSON export of Label Studio: tasks with the annotations of several people.

    Parameters
    ----------
    inputs
        The exported file, or several of them.
    absence
        What silence means; by default `"checklist"`: everybody sees all labels of the project.
    recording_field
        The field of a task's `data` that names the recording, such as `"audio"`; by default the task's id.
    control
        The `from_name` of the labels to read, if the project has several kinds.
    nothing
        Labels that say that there is nothing, in any case.
    """
    rows, blank = LongRows(), Nothing(nothing)
    controls: dict[str, None] = {}
    known: dict[str, set[str]] = {}
    cancelled = again = 0
    for file in inputs.files:
        rows.file(file.name)
        for number, task in json_objects(file):
            try:
                recording, annotations = _task(task, recording_field)
            except FieldError as wrong:
                bad.found(wrong.at(file, number, AGAIN))
                continue
            for each in annotations:
                try:
                    if not isinstance(each, dict):
                        raise FieldError("annotations", "an annotation is expected, an object with result")
                    if each.get("was_cancelled"):
                        cancelled += 1
                        continue
                    labels = dict.fromkeys(_labels(each, control, controls))
                    annotator = "" if each.get("ground_truth") else _annotator(each)
                except FieldError as wrong:
                    bad.found(wrong.at(file, number, AGAIN))
                    continue
                species = [label for label in labels if label not in blank]
                if each.get("ground_truth"):
                    known.setdefault(recording, set()).update(species)
                elif not rows.new_visit(recording, annotator):
                    again += 1
                else:
                    for one in species or [""]:
                        rows.add(recording, annotator, one, row=number)
    if control is None and len(controls) > 1:
        raise AnnotationError(
            f"there are {len(controls)} kinds of labels, {listed(controls)}",
            f"say which has the species, as in {option('control', next(iter(controls)))}",
            file=inputs.name,
        )
    if not len(rows):
        raise AnnotationError(
            "nobody has annotated anything", "export annotated tasks as JSON", file=inputs.name
        )
    _tell(inputs.name, cancelled, again, known)
    frame = rows.frame()
    return PlainTables(
        frame,
        absence or "checklist",
        truth=_truth(known, frame),
        sources=Sources(rows.source(inputs.name)),
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether the first object is a task with annotations."""
    task = glimpse.json_start
    if isinstance(task, dict):
        return isinstance(task.get("annotations"), list) and isinstance(task.get("data"), dict)
    return '"completed_by"' in (glimpse.json or "") and '"annotations"' in (glimpse.json or "")


def _task(task: Any, field: str | None) -> tuple[str, list[Any]]:
    """Return the name of a task's recording, and its annotations."""
    if not isinstance(task, dict):
        raise FieldError("id", "a task is expected, an object with id, data and annotations")
    annotations = task.get("annotations")
    if not isinstance(annotations, list):
        raise FieldError("annotations", "the task has no list of annotations")
    if field is None:
        name = task.get("id")
    else:
        data = task.get("data")
        if not isinstance(data, dict) or field not in data:
            has = f"; it has {listed(data, 6)}" if isinstance(data, dict) else ""
            raise FieldError("data", f"the task's data have no '{field}'{has}")
        name = data[field]
    return _name(name, "id" if field is None else f"data.{field}"), annotations


def _annotator(annotation: dict[str, Any]) -> str:
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return _name(who, "completed_by")


def _name(value: Any, field: str) -> str:
    if isinstance(value, bool | list | dict) or not as_text(value):
        raise FieldError(field, "a name or a number is expected")
    return as_text(value)


def _labels(annotation: dict[str, Any], control: str | None, controls: dict[str, None]) -> Iterator[str]:
    """Yield the labels of an annotation; controls that have any are remembered."""
    result = annotation.get("result")
    if not isinstance(result, list):
        raise FieldError("result", "a list is expected")
    for each in result:
        if not isinstance(each, dict):
            raise FieldError("result", "a list of objects is expected")
        kind, value, name = each.get("type"), each.get("value"), str(each.get("from_name", ""))
        if kind not in ("choices", "taxonomy") and not str(kind).endswith("labels"):
            if not isinstance(value, dict) or "labels" not in value:
                continue  # a relation, a text, a rating
            kind = "labels"  # a region of a video has them, whatever its type
        if control is not None and name != control:
            continue
        found = value.get(kind) if isinstance(value, dict) else None
        if found is None and isinstance(value, dict) and kind != "choices":
            found = []  # a region without a label
        if not isinstance(found, list):
            raise FieldError("value", f"a list of {kind} is expected")
        controls[name] = None
        for label in found:
            last = label[-1] if isinstance(label, list) and label else label  # a path in a taxonomy
            if not isinstance(last, str) or not last.strip():
                raise FieldError("value", f"a label of {kind} is not text")
            yield last


def _tell(name: str, cancelled: int, again: int, known: dict[str, set[str]]) -> None:
    if cancelled:
        was = verb(cancelled, "was cancelled and is", "were cancelled and are")
        warn(f"{name}: {counted(cancelled, 'annotation')} {was} no visit")
    if again:
        warn(
            f"{name}: {counted(again, 'later annotation')} of a task by the same person "
            f"{verb(again, 'was', 'were')} left out; the first is kept"
        )
    if known:
        warn(
            f"{name}: the ground truth of {counted(len(known), 'recording')} is no visit; it is in the table "
            "of the truth that is made by converting the file"
        )


def _truth(known: dict[str, set[str]], frame: pd.DataFrame) -> pd.DataFrame | None:
    """Return the truth: every species that anybody named is there or not, in each recording with a truth."""
    if not known:
        return None
    species = {str(name) for name in frame["species"].cat.categories if name}.union(*known.values())
    return pd.DataFrame(
        [(where, name, int(name in found)) for where, found in known.items() for name in sorted(species)],
        columns=["recording", "species", "present"],
    )
