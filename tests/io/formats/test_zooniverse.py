"""Exports of Zooniverse: who said what, which tasks and workflows, and rows that are broken."""

from __future__ import annotations

import json

import pytest

import dawnchorus as dc
from examples import HEADER, classification, classified


def read(path, **options):
    return dc.read(path, "zooniverse", **options)


def test_surveys(write):
    rows = [
        classification(1, "Aino", "Wren", "Owl"),
        classification(1, "Onni"),
        classification(2, "Onni", "Owl"),
    ]
    a = read(write(HEADER + "".join(rows)))
    assert a.votes("1", "Aino").to_dict() == {"Owl": 1, "Wren": 1}
    assert a.votes("1", "Onni").to_dict() == {"Owl": 0, "Wren": 0}  # an empty survey is a visit
    assert a.n_visits == 3


def test_people_without_a_name(write):
    answer = json.dumps([{"task": "T0", "value": [{"choice": "Wren"}]}])
    rows = [classified(i, "", answer, ip=f"ip{i % 2}") for i in range(4)]
    a = read(write(HEADER + "".join(rows)))
    assert len(a.annotators) == 2
    assert all(name.startswith("anonymous-") and "ip" not in name for name in a.annotators.index)
    with pytest.raises(dc.AnnotationError, match="row 2, field 'user_name': there is no user_name"):
        read(write(HEADER + classified(1, "", answer)))


def test_later_classifications_are_counted(write):
    rows = [
        classification(1, "Aino", "Wren"),
        classification(1, "Aino", "Owl"),
        classification(1, "Onni", "Owl"),
    ]
    with pytest.warns(dc.AnnotationWarning, match="1 later classification of a subject by the same person"):
        a = read(write(HEADER + "".join(rows)))
    assert a.votes("1", "Aino").to_dict() == {"Owl": 0, "Wren": 1}


def test_workflows_and_versions_are_not_mixed(write):
    path = write(
        HEADER + classification(1, "A", "Wren", workflow=5) + classification(1, "B", "Fox", workflow=6)
    )
    with pytest.raises(dc.AnnotationError, match="row 3, field 'workflow_id': two workflows.*workflow='5'"):
        read(path)
    assert read(path, workflow="6").species.index.tolist() == ["Fox"]
    with pytest.raises(dc.AnnotationError, match="no classification has a survey"):
        read(path, workflow="7")
    answer = json.dumps([{"task": "T0", "value": [{"choice": "Wren"}]}])
    path = write(HEADER + "".join(classified(i, "A", answer, version=f"{i}.3") for i in (1, 10, 12)))
    assert read(path, workflow_version="1").n_visits == 1
    assert read(path, workflow_version="12.3").n_visits == 1
    with pytest.warns(dc.AnnotationWarning, match="3 versions of the workflow are read together"):
        assert read(path).n_visits == 3


def test_questions_and_combined_tasks(write):
    question = json.dumps([{"task": "T1", "value": "Wren"}, {"task": "T2", "value": ["calm", "windy"]}])
    path = write(HEADER + classified(1, "A", question))
    with pytest.raises(dc.AnnotationError, match="2 tasks, 'T1', 'T2'.*task='T1'"):
        read(path)
    assert read(path, task="T1").species.index.tolist() == ["Wren"]
    assert read(path, task="T2").n_reports == 2
    combined = json.dumps([{"task": "T9", "value": [{"task": "T3", "value": "Owl"}]}])
    assert read(write(HEADER + classified(1, "A", combined))).species.index.tolist() == ["Owl"]
    skipped = json.dumps([{"task": "T1", "value": None}])
    with pytest.warns(dc.AnnotationWarning, match="1 classification does not answer the task 'T1'"):
        a = read(write(HEADER + classified(1, "A", skipped) + classified(2, "A", question)), task="T1")
    assert a.n_visits == 1


def test_choices_that_say_nothing(write):
    path = write(HEADER + classification(1, "A", "NOTHINGHERE") + classification(1, "B", "Desert"))
    assert read(path).species.index.tolist() == ["Desert"]
    a = read(path, nothing="desert")
    assert a.species.index.tolist() == ["NOTHINGHERE"]
    assert a.n_visits == 2


@pytest.mark.parametrize(
    ("annotations", "problem"),
    [
        ('[{"task": "T0", "value": [{"choice"', "field 'annotations': it is not JSON"),
        ("[" * 1_000_000, "field 'annotations': it is nested too deeply"),
        ('{"task": "T0"}', "a list is expected, not an object"),
        ("17", "a list is expected, not a number"),
        ('[{"value": []}]', "an answer has no 'task'"),
        ("[3]", "an answer has no 'task'"),
        ('[{"task": "T0", "value": [{"choice": 3}]}]', "a choice of the task 'T0' is a number, not text"),
        ('[{"task": "T0", "value": [{"choice": null}]}]', "is nothing, not text"),
        ('[{"task": "T0", "value": [[1]]}]', "is a list, not text"),
    ],
)
def test_broken_rows_are_named_or_left_out(write, annotations, problem):
    path = write(HEADER + classification(1, "A", "Wren") + classified(2, "A", annotations))
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        read(path)
    assert (error.value.file, error.value.row) == (str(path), 3)
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out.*row 3, field 'annotations'"):
        assert read(path, skip_bad=True).n_visits == 1


def test_other_broken_files(write):
    with pytest.raises(dc.AnnotationError, match="no columns 'workflow_id', 'annotations' and 'subject_ids'"):
        read(write("user_name,choice\nA,Wren\n"))
    with pytest.raises(dc.AnnotationError, match="no classification"):
        read(write(HEADER))
    with pytest.raises(dc.AnnotationError, match="row 2, field 'subject_ids': the subject is blank"):
        read(write(HEADER + classification("", "A", "Wren")))
    with pytest.raises(dc.AnnotationError, match="this is not a table"):
        read(write(HEADER + classification(1, "A", "Wren")[:-20]))
    huge = classified(1, "A", json.dumps([{"task": "T0", "value": "x" * 20_000_000}]))
    with pytest.raises(dc.AnnotationError, match="field larger than field limit"):
        read(write(HEADER + huge))
