"""AOEF of Whombat: completed tasks, creators, tags, and documents that are broken."""

from __future__ import annotations

import json

import pytest

import dawnchorus as dc
from examples import aoef


def put(write, **changes):
    return write(json.dumps(aoef(**changes)), "project.json")


def read(path, **options):
    return dc.read(path, "aoef", **options)


def test_completed_tasks_make_visits(write):
    a = read(put(write))
    assert a.recordings.index.tolist() == ["owls 0-3"]
    assert a.votes("owls 0-3", "Aino").to_dict() == {"wren": 1}
    assert a.votes("owls 0-3", "Onni").to_dict() == {"wren": 0}
    assert read(put(write), tag_key="quality").species.index.tolist() == ["good"]


def test_tags_of_clips_belong_to_who_completed_them(write):
    badges = [{"state": "completed", "owner": "u2"}]
    clips = [{"uuid": "a1", "clip": "c1", "tags": [0], "sound_events": ["s1"]}]
    tasks = [{"uuid": "t1", "clip": "c1", "status_badges": badges}]
    with pytest.warns(dc.AnnotationWarning, match="1 tag in clips that their annotator has not completed"):
        a = read(put(write, clip_annotations=clips, tasks=tasks))
    assert a.annotators.index.tolist() == ["Onni"]
    assert a.n_reports == 1


def test_tags_of_sequences_count_like_those_of_sounds(write):
    sequences = [{"uuid": "q1", "sequence": "x", "tags": [0], "created_by": "u2"}]
    clips = [{"uuid": "a1", "clip": "c1", "sequences": ["q1"]}]
    a = read(put(write, clip_annotations=clips, sequence_annotations=sequences))
    assert a.votes("owls 0-3", "Onni").to_dict() == {"wren": 1}
    assert a.votes("owls 0-3", "Aino").to_dict() == {"wren": 0}


def test_sets_without_tasks_have_visits_of_who_annotated(write):
    document = aoef()
    del document["data"]["tasks"]
    a = read(write(json.dumps(document), "set.json"))
    assert a.visits()[["recording", "annotator"]].to_numpy().tolist() == [
        ["owls 0-3", "Aino"], ["owls 3-6", "unnamed"],
    ]  # fmt: skip


def test_the_key_of_species(write):
    tags = [{"id": 0, "key": "bird", "value": "wren"}, {"id": 1, "key": "quality", "value": "good"}]
    with pytest.raises(dc.AnnotationError, match="tags have the keys 'bird', 'quality'.*tag_key='bird'"):
        read(put(write, tags=tags))
    with pytest.raises(dc.AnnotationError, match="no tag has the key 'x'"):
        read(put(write), tag_key="x")
    assert read(put(write, tags=[tags[0], tags[1] | {"key": "bird", "value": ""}])).n_reports == 1
    terms = [tags[0] | {"key": "Scientific Taxon Name"}, tags[1]]  # as soundevent names its terms
    assert read(put(write, tags=terms)).species.index.tolist() == ["wren"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"clips": [{"uuid": "c1", "recording": "r9", "start_time": 0, "end_time": 1}]}, "recording"),
        ({"clips": [{"uuid": "c1", "recording": "r1", "start_time": "x"}]}, "start_time"),
        ({"tasks": [{"clip": "c9", "status_badges": [{"state": "completed"}]}]}, "clip"),
        ({"tasks": [{"clip": "c1", "status_badges": [3]}]}, "status_badges"),
        ({"clip_annotations": [{"clip": "c1", "sound_events": ["s9"]}]}, "sound_events"),
        ({"clip_annotations": [{"clip": "c1", "sequences": ["q9"]}]}, "sequences"),
        ({"clip_annotations": [{"clip": "c1", "tags": [77]}]}, "tags"),
        ({"sound_event_annotations": [{"uuid": "s1", "tags": [0, 77], "created_by": "u1"}]}, "tags"),
        ({"users": [3]}, "users"),
        ({"tags": 3}, "tags"),
    ],
)
def test_broken_parts_are_named(write, changes, field):
    with pytest.raises(dc.AnnotationError) as error:
        read(put(write, **changes))
    assert (error.value.row, error.value.field) == (1, field)


def test_bad_parts_of_sets_are_counted_once(write):
    tags = [{"clip": "c1", "tags": [0]}, {"clip": "c1", "tags": [9]}]
    document = aoef(clip_annotations=[{"clip": "c9"}, {"clip": "c8"}, *tags])
    del document["data"]["tasks"]
    with pytest.warns(dc.AnnotationWarning, match="3 bad rows were left out"):
        a = read(write(json.dumps(document), "set.json"), skip_bad=True)
    assert (a.n_visits, a.n_reports) == (1, 1)


def test_broken_documents(write):
    for content, problem in (
        ("{}", "it has no data with clip_annotations"),
        (json.dumps(aoef())[:-30], "not JSON, or it is incomplete"),
        ('{"data":' * 1_000_000, "nested too deeply"),
        (json.dumps(aoef(tasks=[])), "no task is completed"),
    ):
        with pytest.raises(dc.AnnotationError, match=problem):
            read(write(content, "project.json"))


def test_recordings_in_different_folders_are_different(write):
    recordings = [{"uuid": "r1", "path": "A/n.wav"}, {"uuid": "r2", "path": "B/n.wav"}]
    clips = [{"uuid": f"c{i}", "recording": f"r{i}", "start_time": 0, "end_time": 3} for i in (1, 2)]
    done = [{"state": "completed", "owner": "u1"}]
    tasks = [{"uuid": clip["uuid"], "clip": clip["uuid"], "status_badges": done} for clip in clips]
    with pytest.warns(dc.AnnotationWarning, match="2 recordings have the file name of another"):
        a = read(put(write, recordings=recordings, clips=clips, tasks=tasks))
    assert a.visits()["recording"].unique().tolist() == ["A/n 0-3", "B/n 0-3"]
    first = write(json.dumps(aoef(recordings=[{"uuid": "r1", "path": "/home/Aino/n.wav"}])), "1.json")
    second = write(json.dumps(aoef(recordings=[{"uuid": "r1", "path": "/media/Onni/n.wav"}])), "2.json")
    both = read([first, second])  # each project may keep the same files in a place of its own
    assert {name.split()[0] for name in both.recordings.index} == {"n"}
