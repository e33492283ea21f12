"""What a task of Zooniverse offers to choose from, by version of the workflow, from a workflow export.

That is a table with a row for each version; `tasks` and `strings` are JSON: the tasks, and the texts that
they refer to. Public description: https://help.zooniverse.org/next-steps/data-exports/.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....common.errors import AnnotationError
from ....common.wording import listed, option
from ..field_rows import FieldError, FieldRows, json_in
from ..inputs import PathLike, input_files
from .nothing import Nothing

NEEDED = ("workflow_id", "version", "tasks", "strings")
AGAIN = "request a new workflow export on the page of data exports"

Choices = dict[str, str]
"""What can be chosen in a task, and what it is called there."""


class Workflows:
    """The choices of one task of a workflow, in each version that an export has."""

    def __init__(self, path: PathLike, workflow: str, task: str) -> None:
        self.name, self.workflow, self.task = str(path), workflow, task
        self._of: dict[tuple[str, int], Choices] = {}
        for file in input_files(path).files:
            table = FieldRows(file)
            table.needs(NEEDED, "a workflow export of Zooniverse")
            for number, fields in table.rows((*NEEDED, "minor_version"), BadRows()):
                one, version, tasks, strings, minor = (field.strip() for field in fields)
                if one != workflow:
                    continue
                try:
                    self._of[version, _minor(minor)] = _choices(tasks, strings, task)
                except FieldError as wrong:
                    raise wrong.at(file, number, AGAIN) from None
        if not any(self._of.values()):
            what = f"has no choices of the task '{task}'" if self._of else "is not there"
            raise AnnotationError(
                f"workflow {workflow} {what}",
                f"give the project's workflow export, and check {option('workflow')} and {option('task')}",
                file=self.name,
            )

    def choices(self, version: str) -> Choices:
        """Return what a version offers: that version, or another one in which the tasks are the same."""
        first, _, second = version.partition(".")
        minors = {minor: found for (major, minor), found in self._of.items() if major == first}
        if not minors:
            known = sorted({major for major, _ in self._of}, key=lambda text: (len(text), text))
            raise AnnotationError(
                f"version '{first}' of workflow {self.workflow} is not there, only {listed(known, 6)}",
                f"{AGAIN}, or read other versions by {option('workflow_version')}",
                file=self.name,
            )
        return minors.get(_minor(second), minors[max(minors)])

    def saying(self, blank: Nothing) -> Nothing:
        """Return words for nothing, with the codes of choices that are called so."""
        called = [pair for found in self._of.values() for pair in found.items()]
        return blank.also({choice for choice, words in called if words in blank})

    def species(self, blank: Nothing) -> pd.DataFrame:
        """Return a table of all species, with what they are called in the last version if that differs."""
        called: Choices = {}
        for version in sorted(self._of, key=lambda each: (len(each[0]), each)):
            called |= self._of[version]
        called = {choice: words for choice, words in called.items() if choice not in blank}
        table = pd.DataFrame({"species": list(called), "common_name": list(called.values())})
        return table if (table["species"] != table["common_name"]).any() else table[["species"]]

    def lists(self, versions: Iterable[str], blank: Nothing) -> pd.DataFrame:
        """Return a table of scopes: the species that each of these versions offers."""
        pairs = [(one, choice) for one in versions for choice in self.choices(one) if choice not in blank]
        return pd.DataFrame(pairs, columns=["scope", "species"])


def _minor(text: str) -> int:
    return int(text) if text.isdigit() else -1


def _choices(tasks: str, strings: str, task: str) -> Choices:
    """Return the choices of a survey, which exports name by a code, or of a question, by its words."""
    found = _object(tasks, "tasks").get(task)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise FieldError("tasks", f"the task '{task}' is not an object")
    texts = _object(strings, "strings")
    offered = found.get("choices")
    if isinstance(offered, dict):
        return {code: _words(each, texts, code) for code, each in offered.items()}
    answers = found.get("answers")
    words = [_words(each, texts, "") for each in answers] if isinstance(answers, list) else []
    return {text: text for text in words if text}


def _words(choice: Any, texts: dict[str, Any], otherwise: str) -> str:
    key = choice.get("label") if isinstance(choice, dict) else None
    words = texts.get(key, key) if isinstance(key, str) else None
    return words.strip() if isinstance(words, str) and words.strip() else otherwise


def _object(text: str, field: str) -> dict[str, Any]:
    try:
        found = json_in(text)
    except ValueError as error:
        raise FieldError(field, error) from None
    if not isinstance(found, dict):
        raise FieldError(field, "an object is expected")
    return found
