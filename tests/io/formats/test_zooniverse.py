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


def workflows(*rows):
    """Return a workflow export: id, version, minor version, tasks and strings of each row."""
    head = "workflow_id,display_name,version,active,tasks,strings,minor_version\n"
    lines = []
    for number, version, minor, tasks, strings in rows:
        fields = [json.dumps(each) if isinstance(each, dict) else each for each in (tasks, strings)]
        quoted = [f'"{field.replace(chr(34), chr(34) * 2)}"' for field in fields]
        lines.append(f"{number},Birds,{version},true,{quoted[0]},{quoted[1]},{minor}\n")
    return head + "".join(lines)


def survey(**choices):
    """Return tasks with a survey of these codes, and the texts that they refer to."""
    labels = {f"T0.choices.{code}.label": words for code, words in choices.items()}
    offered = {code: {"label": f"T0.choices.{code}.label", "images": []} for code in choices}
    return {"T0": {"type": "survey", "choices": offered, "choicesOrder": list(choices)}}, labels


def test_a_workflow_export_tells_what_each_version_offers(write):
    first = survey(WRN="Wren", RWL="Owl", NTS="Nothing to see")
    second = survey(WRN="Wren", RWL="Ural owl", LYNX="Lynx")
    offered = write(workflows((5, 1, 3, *first), (5, 2, 1, *second), (6, 1, 1, *survey(FX="Fox"))), "w.csv")
    rows = [
        classification(1, "Aino", "WRN", version="1.3"),
        classification(2, "Aino", "NTS", version="1.9"),  # a minor version that is not there
        classification(1, "Onni", version="2.1"),
    ]
    path = write(HEADER + "".join(rows), "c.csv")
    with pytest.warns(dc.AnnotationWarning, match="2 versions of the workflow"):
        a = read(path, workflows=offered, nothing="Nothing to see")
    assert a.votes("1", "Aino").to_dict() == {"RWL": 0, "WRN": 1}
    assert a.votes("2", "Aino").to_dict() == {"RWL": 0, "WRN": 0}
    assert a.votes("1", "Onni").to_dict() == {"LYNX": 0, "RWL": 0, "WRN": 0}
    assert a.species["common_name"].to_dict() == {"LYNX": "Lynx", "RWL": "Ural owl", "WRN": "Wren"}
    everything = read(path, workflows=offered, absence="checklist", workflow_version="1", nothing=["NTS"])
    assert everything.votes("2", "Aino").to_dict() == {"LYNX": 0, "RWL": 0, "WRN": 0}


def test_the_options_of_a_question_are_offered_too(write):
    tasks = {"T1": {"type": "single", "answers": [{"label": "T1.answers.0.label"}, {"label": "Owl"}]}}
    offered = write(workflows((5, 12, 3, tasks, {"T1.answers.0.label": "Wren"})), "w.csv")
    answer = json.dumps([{"task": "T1", "value": "Wren"}])
    a = read(write(HEADER + classified(1, "A", answer, version="12.3"), "c.csv"), workflows=offered)
    assert a.votes("1", "A").to_dict() == {"Owl": 0, "Wren": 1}
    assert list(a.species) == []


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ((6, 1, 1, *survey(W="Wren")), "workflow 5 is not there"),
        ((5, 1, 1, {"T7": {}}, {}), "workflow 5 has no choices of the task 'T0'"),
        ((5, 9, 1, *survey(W="Wren")), "version '1' of workflow 5 is not there, only '9'"),
        ((5, 1, 1, '{"T0": {"choi', {}), "row 2, field 'tasks': it is not JSON"),
        ((5, 1, 1, {"T0": 3}, {}), "field 'tasks': the task 'T0' is not an object"),
        ((5, 1, 1, {"T0": {"choices": {"W": {}}}}, "[]"), "field 'strings': an object is expected"),
        ((5, 1, 1, "[" * 100_000, {}), "field 'tasks': it is nested too deeply"),
    ],
)
def test_broken_workflow_exports(write, row, problem):
    path = write(HEADER + classification(1, "A", "W", version="1.1"), "c.csv")
    with pytest.raises(dc.AnnotationError, match=problem):
        read(path, workflows=write(workflows(row), "w.csv"))
    with pytest.raises(dc.AnnotationError, match="this is not a workflow export of Zooniverse"):
        read(path, workflows=path)


def test_codes_without_vowels_say_nothing_too(write):
    rows = [
        classification(i, "A", code) for i, code in enumerate(["NTHNGHR", "NTHNG", "nothing_here", "ZBR"])
    ]
    a = read(write(HEADER + "".join(rows)))
    assert (a.species.index.tolist(), a.n_visits) == (["ZBR"], 4)
