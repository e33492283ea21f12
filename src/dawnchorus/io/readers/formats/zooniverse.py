"""Reader of classification exports of Zooniverse: CSV with JSON in the column of annotations.

Public description: https://help.zooniverse.org/next-steps/data-exports/.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.labels import counted, verb
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed, option
from ...plain import PlainTables
from ..choices.nothing import NOTHING, Nothing
from ..choices.workflows import Workflows
from ..field_rows import FieldError, FieldRows, bad_field, json_in
from ..glimpse import Glimpse
from ..inputs import InputFile, Inputs, PathLike
from ..long_rows import LongRows

NEEDED = ("workflow_id", "annotations", "subject_ids")
FIELDS = (*NEEDED, "workflow_version", "user_name", "user_id", "user_ip")
FIRST = 1000
"""So many classifications are looked at to find the task, if it is not told."""
AGAIN = "export the classifications again, or correct the row"


class Answer(NamedTuple):
    """What a classification says in one task: whether it is a survey, and the choices."""

    task: str
    survey: bool
    choices: list[str] | None


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    workflow: str | None = None,
    workflow_version: str | None = None,
    task: str | None = None,
    nothing: Collection[str] = NOTHING,
    workflows: PathLike | None = None,
) -> PlainTables:
    """Classification export of Zooniverse: CSV with subject_ids, user_name and annotations in JSON.

    Parameters
    ----------
    inputs
        The exported file, or several of them.
    absence
        What silence means: by default `"scope"` with a workflow export, absent if the version of the workflow
        offers the choice; without one `"checklist"`, absent if anybody chose it.
    workflow
        The id of the workflow to read, if the export has several.
    workflow_version
        Its version, as `"12.5"`, or `"12"` for all versions that begin so; by default all.
    task
        The task to read, such as `"T0"`, if there are several.
    nothing
        Choices that say that there is nothing, in any case; such a classification reports no species.
    workflows
        Path of the workflow export of the project, which has all choices of the task.
    """
    export = _Export(inputs, bad, workflow, workflow_version)
    task = task or export.only_task()
    offered = None if workflows is None else Workflows(workflows, export.only_workflow(), task)
    blank = Nothing(nothing) if offered is None else offered.saying(Nothing(nothing))
    rows = LongRows()
    unanswered = 0
    for file, number, version, subject, user, answers in export.classifications():
        rows.file(file.name)
        answer = next((each for each in answers if each.task == task and each.choices is not None), None)
        if answer is None or answer.choices is None:
            unanswered += 1
            continue
        if not rows.new_visit(subject, user):
            export.again += 1
            continue
        species = dict.fromkeys(choice for choice in answer.choices if choice not in blank)
        for each in species or [""]:
            rows.add(subject, user, each, row=number, scope=version if offered else "")
    if not len(rows):
        raise AnnotationError(
            f"no classification answers the task '{task}'" + (f" of workflow {workflow}" if workflow else ""),
            f"choose another {option('task')}, {option('workflow')} or {option('workflow_version')}",
            file=inputs.name,
        )
    export.tell(unanswered, task)
    sources = Sources(rows.source(inputs.name))
    if offered is None:
        return PlainTables(rows.frame(), absence or "checklist", sources=sources)
    votes = rows.frame()
    told: Absence = absence or "scope"
    return PlainTables(
        votes,
        told,
        scope=offered.lists(dict.fromkeys(votes["scope"]), blank) if told == "scope" else None,
        species=offered.species(blank),
        sources=sources,
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether a table has the columns of a classification export."""
    return {*NEEDED, "classification_id", "user_name"} <= glimpse.columns


class _Export:
    """The classifications in the files of an export, and what was noticed of them."""

    def __init__(self, inputs: Inputs, bad: BadRows, workflow: str | None, version: str | None) -> None:
        self.inputs, self.bad = inputs, bad
        self.workflow, self.version = workflow, version
        self.again = 0
        self.versions: Counter[str] = Counter()

    def classifications(
        self, bad: BadRows | None = None
    ) -> Iterator[tuple[InputFile, int, str, str, str, list[Answer]]]:
        """Yield file, row, version, subject, user and answers of each classification of the workflow."""
        only = self.workflow
        for file in self.inputs.files:
            table = FieldRows(file)
            table.needs(NEEDED, "a classification export of Zooniverse")
            for number, fields in table.rows(FIELDS, bad or self.bad):
                workflow, annotations, subject, version, *who = fields
                if only is None:
                    only = workflow
                if workflow != only:
                    if self.workflow is None:
                        raise bad_field(
                            file,
                            number,
                            "workflow_id",
                            f"two workflows are mixed, {only} and {workflow}",
                            f"choose one, as in {option('workflow', only)}",
                        )
                    continue
                if self.version is not None and not f"{version}.".startswith(f"{self.version}."):
                    continue
                self.versions[version.partition(".")[0]] += 1
                try:
                    if not subject.strip():
                        raise FieldError("subject_ids", "the subject is blank")
                    yield file, number, version.strip(), subject, _user(*who), _answers(annotations)
                except FieldError as wrong:
                    (bad or self.bad).found(wrong.at(file, number, AGAIN))

    def only_workflow(self) -> str:
        """Return the id of the workflow: as told, or that of the first classification."""
        if self.workflow is None:
            first = next(FieldRows(self.inputs.files[0]).rows(NEEDED, BadRows(skip=True)), (0, [""]))
            return first[1][0]
        return self.workflow

    def only_task(self) -> str:
        """Return the only survey task, or the only task of another kind, among the first classifications."""
        surveys: dict[str, None] = {}
        others: dict[str, None] = {}
        for i, (*_, answers) in enumerate(self.classifications(BadRows(skip=True))):
            if i == FIRST:
                break
            for answer in answers:
                if answer.choices is not None:
                    (surveys if answer.survey else others)[answer.task] = None
        self.versions.clear()
        found = surveys or others
        if len(found) == 1:
            return next(iter(found))
        if not found:
            for _ in self.classifications():  # names the first bad row, if there is one
                break
            raise AnnotationError(
                "no classification has a survey or a question that is answered",
                f"choose another {option('workflow')}, or export the classifications again",
                file=self.inputs.name,
            )
        raise AnnotationError(
            f"there are {len(found)} tasks, {listed(found)}",
            f"say which has the species, as in {option('task', next(iter(found)))}",
            file=self.inputs.name,
        )

    def tell(self, unanswered: int, task: str) -> None:
        """Warn about what was left out, and about versions that were read together."""
        name = self.inputs.name
        if self.again:
            warn(
                f"{name}: {counted(self.again, 'later classification')} of a subject by the same person "
                f"{verb(self.again, 'was', 'were')} left out; the first is kept"
            )
        if unanswered:
            warn(
                f"{name}: {counted(unanswered, 'classification')} {verb(unanswered, 'does', 'do')} not "
                f"answer the task '{task}', and {verb(unanswered, 'is', 'are')} no visit"
            )
        if len(self.versions) > 1:
            one = option("workflow_version", max(self.versions))
            warn(
                f"{name}: {len(self.versions)} versions of the workflow are read together, "
                f"{listed(sorted(self.versions), 6)}; {one} reads one"
            )


def _user(name: str, number: str, address: str) -> str:
    if name.strip() or number.strip():
        return name.strip() or number.strip()
    if not address.strip():
        raise FieldError("user_name", "there is no user_name, user_id or user_ip")
    return f"anonymous-{hashlib.sha256(address.strip().encode()).hexdigest()[:12]}"


def _answers(text: str) -> list[Answer]:
    """Return what a classification says in each task; tasks may be inside a combination of tasks."""
    try:
        tasks = json_in(text)
    except ValueError as error:
        raise FieldError("annotations", error) from None
    if not isinstance(tasks, list):
        raise FieldError("annotations", f"a list is expected, not {_kind(tasks)}")
    answers = []
    for each in tasks:
        if not isinstance(each, dict) or "task" not in each:
            raise FieldError("annotations", "an answer has no 'task'")
        value = each.get("value")
        items = value if isinstance(value, list) else []
        inner = [item for item in items if isinstance(item, dict) and "task" in item]
        for one in inner or [each]:
            answers.append(_answer(str(one["task"]), one.get("value")))
    return answers


def _answer(task: str, value: Any) -> Answer:
    if value is None or value == "":
        return Answer(task, False, None)
    if isinstance(value, str | int | float | bool):
        return Answer(task, False, [str(value)])
    if isinstance(value, dict):
        value = [value]
    choices, survey = [], not value
    for item in value:
        if isinstance(item, dict):
            if "choice" not in item:
                return Answer(task, False, None)  # a drawing or a text
            survey, item = True, item["choice"]
        if not isinstance(item, str) or not item.strip():
            raise FieldError("annotations", f"a choice of the task '{task}' is {_kind(item)}, not text")
        choices.append(item)
    return Answer(task, survey, choices)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", type(None): "nothing"}
    return names.get(type(value), "a number")
