"""Runs of BirdNET: what results and the file of settings beside them tell of the run.

`--additional_columns min_conf species_list` adds columns to CSV results; newer versions write both settings
into the file of parameters. BirdNET with `--top_n` has a minimum confidence of 0, which says nothing.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable
from pathlib import PureWindowsPath

from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed, option
from ..damaged_files import UNREADABLE, damaged
from ..field_rows import FieldError, number_field, tidy
from ..inputs import InputFile, PathLike, input_files

PARAMETERS = re.compile(r"(analysis|analyze)[_.-]param\w*\.csv$", re.IGNORECASE)
"""The end of the name of the file of settings: BirdNET_analysis_params.csv or birdnet.analyze-params.csv."""
CONFIDENCES = ("minimum_confidence", "min_confidence", "min_conf", "confidence_threshold")
LISTS = ("species_list_file", "species_list", "slist")


class Run:
    """What is known of the run of a machine, or of several runs."""

    def __init__(self) -> None:
        self.smallest = math.inf
        """The smallest confidence in the results."""
        self._confidences: dict[str, float] = {}
        self._lists: dict[str, None] = {}
        self._names: dict[str, str] = {}
        self._unclear: set[str] = set()
        self._lone: dict[str, None] = {}

    def confidence(self, told: str) -> None:
        """Remember the minimum confidence of a row's run; raise `FieldError` if it is none."""
        if told in self._confidences or not told.strip():
            return
        value = number_field(told, "min_conf")
        if not 0 <= value <= 1:
            raise FieldError("min_conf", f"{value:g} is not between 0 and 1")
        self._confidences[told] = value

    def species_lists(self, paths: Iterable[str]) -> None:
        """Remember the paths of the species lists of runs, "" if one had none."""
        self._lists.update(dict.fromkeys(path.strip() for path in paths))

    def also_called(self, names: Iterable[tuple[str, str]]) -> None:
        """Remember that species go by other names too, which results of another kind may have."""
        for label, other in names:
            if self._names.setdefault(other, label) != label:
                self._unclear.add(other)

    def only_called(self, labels: Iterable[str]) -> None:
        """Remember names in results that do not have the kind of names that is wanted."""
        self._lone.update(dict.fromkeys(labels))

    def settings(self, file: InputFile) -> bool:
        """Return whether a file has settings of a run that can be used, and remember them."""
        if not PARAMETERS.search(file.name.removesuffix(".gz")):
            return False
        try:
            told = _parameters(file)
            confidence = next((told[name] for name in CONFIDENCES if told.get(name)), None)
            self.confidence(confidence or "")
        except (AnnotationError, FieldError):
            return False
        path = next((told[name] for name in LISTS if name in told), None)
        if path is not None:
            self.species_lists([path])
        return confidence is not None or path is not None

    def list_among(self, files: list[InputFile]) -> InputFile | None:
        """Return the species list of the run, if it is one of these files."""
        path = next(iter(self._lists)) if len(self._lists) == 1 else ""
        found = [file for file in files if _last(file.name) == _last(path)] if path else []
        return found[0] if len(found) == 1 else None

    @property
    def lists(self) -> list[str]:
        """The paths of the species lists of runs."""
        return [path for path in self._lists if path]

    def cut(self, threshold: float | None, where: str) -> float:
        """Return the score below which there is nothing, and tell how it is known."""
        told = sorted({value for value in self._confidences.values() if value > 0})
        cut = max(min([*told[:1], self.smallest]), threshold or 0.0)
        if told:
            several = f" (the smallest of {len(told):,} that its files tell)" if told[1:] else ""
            warn(
                f"{where}: the run reported from a confidence of {told[0]:g} on{several}; scores count as "
                f"cut off at {cut:g}"
            )
        return cut

    def name(self, label: str, species: dict[str, str]) -> str:
        """Return the name of a species: as its list has it, or as results have it that know both names."""
        return species.get(label) or ("" if label in self._unclear else self._names.get(label)) or label

    def tell_names(self, species: dict[str, str], where: str) -> None:
        """Warn of names of one kind among names of the other kind."""
        known = species.keys() | (self._names.keys() - self._unclear)
        lone = [label for label in self._lone if label not in known]
        if self._names and lone:
            warn(
                f"{where}: other results do not tell the other name of {listed(lone, 4)}, so the same "
                f"species may be there under two names; give {option('species_list')}, or results of one kind"
            )


def species_names(path: PathLike | InputFile, common_names: bool) -> dict[str, str]:
    """Return the names of species in a list as BirdNET writes it, by both names; raise an error if none.

    Selection tables have common names only, so these lead to the scientific ones.
    """
    file = path if isinstance(path, InputFile) else input_files(path).files[0]
    parts = [line.strip().partition("_") for line in text_of(file).splitlines() if line.strip()]
    if not parts:
        raise AnnotationError("the species list is empty", "write one species per line", file=file.name)
    names = {}
    for first, _, common in parts:
        names[first] = names[common or first] = (common or first) if common_names else first
    return names


def _parameters(file: InputFile) -> dict[str, str]:
    """Return the settings of a run by name: in rows of a name and a value, or in a row below their names."""
    try:
        rows = [row for row in csv.reader(text_of(file).splitlines()) if row]
    except csv.Error:
        return {}
    below = rows[:1] and [tidy(name) for name in rows[0][:2]] != ["parameter", "value"]
    pairs = zip(*rows[:2], strict=False) if below else (row[:2] for row in rows if len(row) > 1)
    return {tidy(name): value.strip() for name, value in pairs} if rows[1:] else {}


def text_of(file: InputFile) -> str:
    """Return the text of a small file."""
    try:
        with file.open() as stream:
            return str(stream.read(1 << 24).decode("utf-8-sig"))
    except UnicodeError:
        raise AnnotationError("the text is not UTF-8", "save it as UTF-8", file=file.name) from None
    except UNREADABLE as error:
        raise damaged(error, file.name) from None


def _last(path: str) -> str:
    return PureWindowsPath(path).name.lower()
