"""Exports of Label Studio: labels of all kinds, cancelled and true annotations, and JSON that is broken."""

from __future__ import annotations

import json
import warnings

import pytest

import dawnchorus as dc
from dawnchorus.io.reading import read_tables
from examples import annotation, task


def export(write, *tasks):
    return write(json.dumps(list(tasks)), "export.json")


def read(path, **options):
    return dc.read(path, "labelstudio", **options)


def test_people_and_silence(write):
    path = export(write, task(1, annotation(7, "Wren", "Owl"), annotation({"id": 3, "email": "o@x.fi"})))
    a = read(path)
    assert a.votes("1", "7").to_dict() == {"Owl": 1, "Wren": 1}
    assert a.votes("1", "o@x.fi").to_dict() == {"Owl": 0, "Wren": 0}
    assert read(path, recording_field="audio").recordings.index.tolist() == ["/clips/1.wav"]
    assert read(path, nothing="owl").species.index.tolist() == ["Wren"]


def test_labels_of_regions_and_taxonomies(write):
    def item(kind, value, name="bird"):
        return {"type": kind, "from_name": name, "value": {"start": 0, "end": 1, kind: value}}

    result = [
        item("labels", ["Wren"]), item("taxonomy", [["Birds", "Owl"], ["Fox"]]), item("textarea", ["x"]),
        item("timeserieslabels", ["Robin"]), {"type": "relation"}, {"type": "labels", "value": {"start": 0}},
    ]  # fmt: skip
    path = export(write, task(1, annotation(1, result=result)))
    with pytest.raises(dc.AnnotationError, match=r"2 kinds of labels, 'bird', ''"):
        read(path)
    a = read(path, control="bird")
    assert a.species.index.tolist() == ["Fox", "Owl", "Robin", "Wren"]


def test_labels_of_regions_of_videos_are_reports(write):
    fox = {"type": "videorectangle", "from_name": "box", "value": {"sequence": [], "labels": ["Fox"]}}
    a = read(export(write, task(1, annotation(1, result=[fox]), annotation(2, "Fox"))), control="box")
    assert a.votes("1", "1").to_dict() == {"Fox": 1}
    assert a.votes("1", "2").to_dict() == {"Fox": 0}
    with pytest.raises(dc.AnnotationError, match="a list of labels is expected"):
        read(export(write, task(1, annotation(1, result=[fox | {"value": {"labels": "Fox"}}]))))


def test_cancelled_again_and_true(write):
    path = export(
        write,
        task(1, annotation(1, "Wren"), annotation(2, was_cancelled=True), annotation(1, "Owl")),
        task(2, annotation(9, "Owl", ground_truth=True), annotation(1)),
    )
    with pytest.warns(dc.AnnotationWarning) as notes:
        a = read(path)
    assert [str(note.message).partition(": ")[2].split(" ")[0] for note in notes] == ["1", "1", "the"]
    assert a.n_visits == 2
    assert a.n_reports == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = read_tables(path, "labelstudio").tables.truth
    assert truth.to_numpy().tolist() == [["2", "Owl", 1], ["2", "Wren", 0]]


@pytest.mark.parametrize(
    ("wrong", "field", "problem"),
    [
        (7, "id", "a task is expected"),
        ({"id": 2, "bird": "Wren"}, "annotations", "no list of annotations"),
        ({"id": 2, "annotations": [3]}, "annotations", "an annotation is expected"),
        (task(None, annotation(1)), "id", "a name or a number is expected"),
        (task(2, annotation(None)), "completed_by", "a name or a number is expected"),
        (task(2, annotation(1, result="Wren")), "result", "a list is expected"),
        (task(2, annotation(1, result=[3])), "result", "a list of objects"),
        (task(2, annotation(1, result=[{"type": "choices", "value": 3}])), "value", "a list of choices"),
        (
            task(
                2, annotation(1, result=[{"type": "choices", "from_name": "bird", "value": {"choices": [3]}}])
            ),
            "value",
            "is not text",
        ),
    ],
)
def test_broken_tasks_are_named_or_left_out(write, wrong, field, problem):
    path = export(write, task(1, annotation(1, "Wren")), wrong)
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        read(path)
    assert (error.value.file, error.value.row, error.value.field) == (str(path), 2, field)
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        assert read(path, skip_bad=True).n_visits == 1


@pytest.mark.parametrize("wrong", [annotation(2, result=[3]), annotation(None, "Wren"), 7])
def test_a_bad_annotation_leaves_the_others_of_its_task(write, wrong):
    path = export(write, task(1, wrong, annotation(1, "Wren"), annotation(3)))
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        a = read(path, skip_bad=True)
    assert a.annotators.index.tolist() == ["1", "3"]
    assert a.votes("1", "3").to_dict() == {"Wren": 0}


def test_broken_json(write):
    whole = json.dumps([task(i, annotation(1, "Wren")) for i in range(5)])
    for content, problem in (
        (whole[:-1], "ends after 5 objects"),
        (whole[:300], "not JSON, or it is incomplete"),
        ("[]", "nobody has annotated anything"),
        ("[" * 1_000_000, "nested too deeply|not JSON"),
        ('[{"a":' * 1_000_000, "nested too deeply"),
        ("wren, owl", "not JSON"),
        ('[{"id": 1, "data": {"audio": "no"}}]', "no list of annotations"),
    ):
        with pytest.raises(dc.AnnotationError, match=problem):
            read(write(content, "export.json"))
    with pytest.raises(dc.AnnotationError, match="the task's data have no 'x'; it has 'audio'"):
        read(write(whole, "export.json"), recording_field="x")


def test_a_huge_value_is_refused(write, monkeypatch):
    from dawnchorus.io.readers import json_files

    monkeypatch.setattr(json_files, "LARGEST_OBJECT", 1_000_000)
    path = export(write, task(1, annotation(1, "x" * 9_000_000)))
    with pytest.raises(dc.AnnotationError, match="an object has more than 1,000,000 characters"):
        read(path)


def test_objects_across_blocks_are_read_whole(write, monkeypatch):
    from dawnchorus.io.readers import json_files

    tasks = [task(i, annotation(i % 3, f"species {i % 7} of ä")) for i in range(200)]
    for block in (1, 7, 64, 100_000):
        monkeypatch.setattr(json_files, "BLOCK", block)
        assert read(write(json.dumps(tasks, indent=1), "e.json")).n_reports == 200
