"""Lists of species in one cell: in frames of any kind, and as text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dawnchorus as dc

COLUMNS = {"task": ["1", "1", "2"], "worker": ["A", "B", "B"], "label": [["wren", "owl"], [], ["owl"]]}
LONG = {"task": ["1", "1", "1", "2"], "worker": ["A", "A", "B", "B"], "label": ["wren", "owl", "", "owl"]}
PANDAS = pd.DataFrame(COLUMNS)


def votes(frame, **options):
    return dc.Annotations.from_frame(frame, absence="checklist", **options).to_frame("explicit")


@pytest.mark.parametrize(
    "frame",
    [
        PANDAS,
        PANDAS.set_axis([7, 7, 0]),
        PANDAS.assign(label=[np.array(["wren", "owl"]), np.array([]), np.array(["owl"])]),
        PANDAS.assign(label=[("wren", "owl"), None, "owl"]),
        PANDAS.assign(label=[["wren", None, "owl"], np.nan, {"owl"}]),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        pa.table(COLUMNS).to_pandas(types_mapper=pd.ArrowDtype),
        pl.DataFrame(COLUMNS | {"label": [["wren", "owl"], None, ["owl"]]}),
        PANDAS.assign(label=["['wren', \"owl\"]", "[]", "owl"]),
        PANDAS.assign(label=["['wren'\n 'owl']", "[ ]", '["owl"]']),
        pl.DataFrame(COLUMNS | {"label": ["['wren', 'owl',]", "[]", "['owl']"]}),
        PANDAS.assign(label=["['wren','owl']", "[]", "owl"]).astype({"label": "category"}),
    ],
)
def test_each_species_is_a_report_and_an_empty_list_a_visit(frame):
    pd.testing.assert_frame_equal(votes(frame), votes(pd.DataFrame(LONG)))


def test_numbers_are_labels_and_other_brackets_are_names():
    assert set(votes(PANDAS.assign(label=[[7, 8.0], [], [True]]))["species"]) == {"7", "8", "True"}
    names = ["[sp. 1]", "[unknown", "wren ['song']"]
    assert set(votes(PANDAS.assign(label=names))["species"]) == set(names)


def test_files_with_lists_and_scopes_with_lists(tmp_path):
    table = pl.DataFrame(COLUMNS).rename({"task": "recording", "worker": "annotator", "label": "species"})
    table.write_parquet(tmp_path / "t.parquet")
    once = dc.read(tmp_path / "t.parquet", absence="checklist")
    assert (once.n_visits, once.n_reports) == (3, 3)
    twice = dc.read([tmp_path / "t.parquet"] * 2, absence="checklist")
    pd.testing.assert_frame_equal(twice.to_frame("explicit"), once.to_frame("explicit"))
    table.to_pandas().to_csv(tmp_path / "t.csv", index=False)
    pd.testing.assert_frame_equal(
        dc.read(tmp_path / "t.csv", absence="checklist").to_frame("explicit"), once.to_frame("explicit")
    )
    scope = pd.DataFrame({"annotator": ["A", "B"], "species": [["wren", "owl"], ["owl"]]})
    answered = dc.Annotations.from_frame(table, absence="scope", scope=scope)
    assert answered.votes("1", "B").to_dict() == {"owl": 0}


def test_a_present_column_is_said_of_all_in_the_list():
    frame = PANDAS.assign(present=[0, "", 1])
    found = dc.Annotations.from_frame(frame, absence="explicit")
    assert found.votes("1", "A").to_dict() == {"owl": 0, "wren": 0}
    assert found.n_reports == 1


def test_what_is_wrong_is_named_by_its_row():
    nested = PANDAS.assign(label=[["wren"], [], [["owl"]]])
    with pytest.raises(dc.AnnotationError, match="row 4: a list of species contains something") as error:
        votes(nested)
    assert error.value.row == 4
    with pytest.raises(dc.AnnotationError, match="row 4: the species contains a line break"):
        votes(PANDAS.assign(label=[["wren", "owl"], [], ["o\nwl"]]))
    with pytest.raises(dc.AnnotationError, match="row 2: there is one score for a list of 2 species"):
        votes(PANDAS.assign(score=[0.5, None, None]))
    single = PANDAS.assign(label=[["wren"], [], ["owl"]], score=[0.5, None, 0.25])
    assert len(dc.Annotations.from_frame(single, absence="checklist").scores) == 2


def test_bad_lists_can_be_left_out(tmp_path):
    nested = {"recording": ["1", "2"], "annotator": ["A", "A"], "species": [[["owl"]], []]}
    pl.DataFrame(nested).write_parquet(tmp_path / "t.parquet")
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        found = dc.read(tmp_path / "t.parquet", absence="checklist", skip_bad=True)
    assert found.recordings.index.tolist() == ["2"]
