"""Reader of AOEF, the JSON of soundevent that Whombat exports.

Public description: https://mbsantiago.github.io/soundevent/.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import cached_property
from typing import Any

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.long_table import Sources
from ....annotations.labels import as_text, counted, verb
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.warn import warn
from ....common.wording import listed, option
from ...plain import PlainTables
from ..field_rows import FieldError
from ..glimpse import Glimpse
from ..inputs import InputFile, Inputs
from ..json_files import json_document
from ..long_rows import LongRows
from ..windows import Recordings, window_name, windows_named

KEYS = (
    "species",
    "scientific_name",
    "scientificname",
    "dwc:scientificname",
    "scientific taxon name",
    "taxon",
)
"""Keys of tags that have the species, the likeliest first; soundevent writes the name or label of a term."""
UNNAMED = "unnamed"
AGAIN = "export the project again"


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
    tag_key: str | None = None,
) -> PlainTables:
    """AOEF of Whombat and soundevent: JSON of an annotation project, with tasks, clips and tags.

    Parameters
    ----------
    inputs
        The exported file, or several of them.
    absence
        What silence means; by default `"checklist"`: who completes a task answers for all species.
    tag_key
        The key of the tags that have the species; by default `"species"` or the like, or the only key.
    """
    rows, recordings = LongRows(), Recordings()
    left_out = 0
    for file in inputs.files:
        rows.file(file.name)
        project = _Project(file, recordings, bad, tag_key)
        visits = project.visits()
        for clip, annotator in visits:
            rows.add(project.clips[clip], annotator)
        for clip, annotator, species, number in project.reports(visits):
            if (clip, annotator) in visits:
                rows.add(project.clips[clip], annotator, species, row=number)
            else:
                left_out += 1
    if not len(rows):
        raise AnnotationError(
            "no task is completed", "complete tasks before exporting the project", file=inputs.name
        )
    rows.rename("recording", windows_named(recordings.named(inputs.name)))
    if left_out:
        warn(
            f"{inputs.name}: {counted(left_out, 'tag')} in clips that their annotator has not completed "
            f"{verb(left_out, 'is', 'are')} no vote"
        )
    return PlainTables(rows.frame(), absence or "checklist", sources=Sources(rows.source(inputs.name)))


def seems(glimpse: Glimpse) -> bool:
    """Return whether a document says that it is a collection of annotations."""
    return '"collection_type"' in (glimpse.json or "")


WORDS = {
    "clip": "clip",
    "sound_events": "annotation of a sound",
    "sequences": "annotation of a sequence of sounds",
    "tags": "tag",
}
"""What fields refer to, in words."""
ANNOTATED_IN = {"sound_events": "sound_event_annotations", "sequences": "sequence_annotations"}
"""The part of a document that has what these fields of an annotated clip refer to."""
Visits = dict[tuple[str, str], None]


class _Project:
    """The parts of a document, by their identifiers."""

    def __init__(self, file: InputFile, recordings: Recordings, bad: BadRows, key: str | None) -> None:
        self._file, self._bad = file, bad
        document = json_document(file)
        data = document.get("data") if isinstance(document, dict) else None
        if not isinstance(data, dict) or "clip_annotations" not in data:
            raise AnnotationError(
                "this is no annotation project or set in AOEF: it has no data with clip_annotations",
                AGAIN,
                file=file.name,
            )
        self._data = data
        self._users = {
            _text(user, "uuid"): as_text(user.get("username") or user.get("name") or user.get("email"))
            for _, user in self._part("users")
        }
        self._tags = self._species(key)
        paths = {
            _text(each, "uuid"): recordings.key(_text(each, "path"), file.name)
            for _, each in self._part("recordings")
        }
        self.clips = {}
        for number, clip in self._part("clips"):
            try:
                self.clips[_text(clip, "uuid")] = _clip_name(clip, paths)
            except FieldError as wrong:
                bad.found(wrong.at(file, number, AGAIN))

    def visits(self) -> Visits:
        """Return the clips of completed tasks with who completed them; in a set, with who annotated them."""
        found: Visits = {}
        if "tasks" not in self._data:
            return {(clip, who): None for clip, who, *_ in self._annotated}
        for number, task in self._part("tasks"):
            badges = task.get("status_badges") or task.get("badges") or []
            if not isinstance(badges, list) or not all(isinstance(badge, dict) for badge in badges):
                error = FieldError("status_badges", "a list of objects is expected")
                self._bad.found(error.at(self._file, number, AGAIN))
                continue
            clip = as_text(task.get("clip"))
            for badge in badges:
                if badge.get("state") == "completed" and self._known(clip, number):
                    found[clip, self._name(badge.get("owner"))] = None
        return found

    def reports(self, visits: Visits) -> Iterator[tuple[str, str, str, int]]:
        """Yield clip, annotator, species and number of each tag of a species."""
        owners: dict[str, list[str]] = {}
        for clip, who in visits:
            owners.setdefault(clip, []).append(who)
        for clip, who, tags, number in self._annotated:
            several = owners.get(clip, [who]) if who == UNNAMED else [who]
            for tag in tags:
                if tag in self._tags:
                    yield from ((clip, one, self._tags[tag], number) for one in several)

    @cached_property
    def _annotated(self) -> list[tuple[str, str, list[str], int]]:
        """Clip, annotator, tags and number of clips, and of the sounds and sequences of sounds in them."""
        known = {
            field: {_text(each, "uuid"): each for _, each in self._part(part)}
            for field, part in ANNOTATED_IN.items()
        }
        found = []
        for number, each in self._part("clip_annotations"):
            clip = as_text(each.get("clip"))
            uuids = {field: _texts(each.get(field)) for field in ANNOTATED_IN}
            if not self._known(clip, number) or not all(
                self._all_in(known[field], uuids[field], field, number) for field in ANNOTATED_IN
            ):
                continue
            inside = [known[field][uuid] for field in ANNOTATED_IN for uuid in uuids[field]]
            mine = [(self._name(sound.get("created_by")), _texts(sound.get("tags"))) for sound in inside]
            if each.get("tags") or not inside:
                mine.append((UNNAMED, _texts(each.get("tags"))))
            found += [
                (clip, who, of, number) for who, of in mine if self._all_in(self._ids, of, "tags", number)
            ]
        return found

    def _known(self, clip: str, number: int) -> bool:
        return self._all_in(self.clips, [clip], "clip", number)

    def _all_in(self, known: Container[str], wanted: list[str], field: str, number: int) -> bool:
        """Return whether all of these are there; if not, the part is bad."""
        missing = [each for each in wanted if each not in known]
        if missing:
            error = FieldError(field, f"there is no {WORDS[field]} '{missing[0][:40]}'")
            self._bad.found(error.at(self._file, number, AGAIN))
        return not missing

    def _name(self, user: Any) -> str:
        return self._users.get(as_text(user)) or as_text(user) or UNNAMED

    def _species(self, key: str | None) -> dict[str, str]:
        """Return the species of tags, by the identifiers of tags."""
        tags = [tag for _, tag in self._part("tags")]
        self._ids = {as_text(tag.get("id")) for tag in tags}
        keys = list(dict.fromkeys(as_text(tag.get("key")) for tag in tags))
        likely = [name for word in KEYS for name in keys if name.lower() == word]
        if key is None and not likely and len(keys) > 1:
            raise AnnotationError(
                f"tags have the keys {listed(keys)}",
                f"say which has the species, as in {option('tag_key', keys[0])}",
                file=self._file.name,
            )
        if key is not None and key not in keys:
            raise AnnotationError(
                f"no tag has the key '{key}'; the keys are {listed(keys)}",
                "name one of them",
                file=self._file.name,
            )
        chosen = key or next(iter([*likely, *keys]), None)
        return {
            as_text(tag.get("id")): as_text(tag.get("value"))
            for tag in tags
            if as_text(tag.get("key")) == chosen and as_text(tag.get("value"))
        }

    def _part(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the numbers and the objects of a part of the document."""
        part = self._data.get(name)
        if part is None:
            return
        if not isinstance(part, list):
            raise FieldError(name, "a list is expected").at(self._file, 1, AGAIN)
        for number, item in enumerate(part, start=1):
            if isinstance(item, dict):
                yield number, item
            else:
                self._bad.found(FieldError(name, "an object is expected").at(self._file, number, AGAIN))


def _clip_name(clip: dict[str, Any], paths: dict[str, str]) -> str:
    recording = paths.get(as_text(clip.get("recording")))
    if not recording:
        raise FieldError("recording", f"there is no recording '{as_text(clip.get('recording'))[:40]}'")
    start, end = clip.get("start_time"), clip.get("end_time")
    for time in (start, end):
        if not isinstance(time, int | float) or not 0 <= time < 1e9:
            raise FieldError("start_time", "a clip needs start_time and end_time")
    return window_name(recording, float(start or 0), float(end or 0))


def _text(item: dict[str, Any], field: str) -> str:
    value = item.get(field)
    return "" if isinstance(value, list | dict) else as_text(value)


def _texts(values: Any) -> list[str]:
    return (
        [as_text(value) for value in values if not isinstance(value, list | dict)]
        if isinstance(values, list)
        else []
    )
