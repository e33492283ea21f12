"""Tables of Crowd-Kit: labels one by one, in lists, in text and in Parquet."""

from __future__ import annotations

import pandas as pd
import pytest

import dawnchorus as dc


def read(path, absence="checklist", **options):
    return dc.read(path, "crowdkit", absence=absence, **options)


def test_lists_in_every_way_of_writing(write, tmp_path):
    text = """task,worker,label\n1,A,"['wren', 'owl']"\n1,B,"[""owl""]"\n1,C,owl\n1,D,[]\n1,E,\n"""
    a = read(write(text))
    assert [a.votes("1", who).sum() for who in "ABCDE"] == [2, 1, 1, 0, 0]
    frame = pd.DataFrame({"task": [1] * 3, "worker": list("ABC"), "label": [["wren", "owl"], ["owl"], []]})
    frame.to_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").n_reports == 3
    assert dc.Annotations.from_frame(frame.explode("label"), absence="checklist").n_reports == 3


def test_silence_has_to_be_told(write):
    with pytest.raises(dc.AnnotationError, match="absence, the meaning of silence, was not given"):
        read(write("task,worker,label\n1,A,wren\n"), absence=None)


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ('2,A,"[wren"', "label", "it is not JSON"),
        ('2,A,"[[1]]"', "label", "contains something else"),
        ("2,,wren", "worker", "the worker is blank"),
        (f'2,A,"{"[" * 100_000}"', "label", "nested too deeply"),
    ],
)
def test_broken_rows_are_named_or_left_out(write, row, field, problem):
    path = write(f"task,worker,label\n1,A,wren\n{row}\n")
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        read(path)
    assert (error.value.row, error.value.field) == (3, field)
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        assert read(path, skip_bad=True).n_visits == 1
    with pytest.raises(dc.AnnotationError, match="there is no column 'label'"):
        read(write("task,worker,labels\n1,A,wren\n"))
