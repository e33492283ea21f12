"""JSON that is no list of objects, or has values that cannot be read."""

from __future__ import annotations

import json

import pytest

import dawnchorus as dc
from dawnchorus.io.readers import json_files
from dawnchorus.io.readers.inputs import input_files
from dawnchorus.io.readers.json_files import json_document, json_objects
from examples import aoef, task

DIGITS = "7" * 5_000


@pytest.mark.parametrize(
    ("format", "content", "row"),
    [
        ("aoef", json.dumps(aoef()).replace('"duration": 60', f'"duration": {DIGITS}'), None),
        ("labelstudio", json.dumps([task(1), task("N")]).replace('"N"', DIGITS), 2),
    ],
)
def test_an_integer_of_thousands_of_digits_is_refused(write, format, content, row):
    path = write(content, "a.json")
    with pytest.raises(dc.AnnotationError, match=r"a value cannot be read \(Exceeds.*5000 digits\)") as error:
        dc.read(path, format)
    assert (error.value.file, error.value.row) == (str(path), row)


def items(path):
    return [item for _, item in json_objects(input_files(path).files[0])]


@pytest.mark.parametrize("block", [1, 5, 1 << 20])
def test_text_after_the_end_of_a_list_is_refused(write, monkeypatch, block):
    monkeypatch.setattr(json_files, "BLOCK", block)
    assert items(write('[{"a": 1}, {"a": 2}] \n\n ')) == [{"a": 1}, {"a": 2}]
    for rest in ("x", '\n[{"a": 3}]', "]", ' , {"a": 3}'):
        with pytest.raises(dc.AnnotationError, match="more after the end of the list of 2 objects: '"):
            items(write('[{"a": 1}, {"a": 2}]' + rest))
    with pytest.raises(dc.AnnotationError, match="not JSON"):
        json_document(input_files(write("[1] x")).files[0])
