"""Names tables: codes and synonyms become one name everywhere, and mistakes in the table are told."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dawnchorus as dc
from dawnchorus import Annotations
from dawnchorus.annotations.frames.names import read_names

ROWS = [("r1", "Aino", "ROBI"), ("r1", "Onni", "Erithacus rubecula"), ("r2", "Aino", "Wren")]
FRAME = pd.DataFrame(ROWS, columns=["recording", "annotator", "species"])
NAMES = {"ROBI": "Robin", "Erithacus rubecula": "Robin"}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, dict])
@pytest.mark.parametrize("columns", [("from", "to"), ("code", "name"), ("Synonym", "Accepted name")])
def test_codes_and_synonyms_become_one_name(kind, columns):
    table = dict(zip(columns, ([*NAMES], [*NAMES.values()]), strict=True))
    names = NAMES if kind is dict else kind(table)
    annotations = Annotations.from_frame(FRAME, "checklist", names=names)
    assert annotations.species.index.tolist() == ["Robin", "Wren"]
    assert annotations.votes("r1", "Onni")["Robin"] == 1
    assert annotations.provenance.names == NAMES
    assert "2 in the names table" in str(annotations.summary())


def test_they_hold_for_scopes_and_for_the_table_of_species():
    scope = pd.DataFrame({"annotator": ["Aino", "Aino"], "species": ["ROBI", "Wren"]})
    species = pd.DataFrame(
        {"species": ["ROBI", "Robin", "Erithacus rubecula", "Wren"], "weight": [1, 2, 3, 4]}
    )
    found = Annotations.from_frame(FRAME.iloc[::2], "scope", scope=scope, species=species, names=NAMES)
    assert found.species["weight"].to_dict() == {"Robin": 2, "Wren": 4}
    assert found.species_lists()["species"].tolist() == ["Robin", "Wren"]
    with pytest.raises(dc.AnnotationError, match=r"row 5: the species 'Wren' has more than one row"):
        Annotations.from_frame(
            FRAME,
            "checklist",
            species=pd.DataFrame({"species": ["ROBI", "Robin", "Wren", "Wren"]}),
            names=NAMES,
        )


def test_they_hold_for_a_truth(tmp_path):
    annotations = Annotations.from_frame(FRAME, "checklist", names=NAMES)
    result = dc.fit(annotations, "majority-vote")
    truth = pd.DataFrame({"recording": ["r1", "r2"], "species": ["ROBI", "Wren"], "present": 1})
    assert dc.evaluate(result, truth).cells == 2  # by default as the annotations were read
    with pytest.warns(dc.AnnotationWarning, match="not compared"):
        assert dc.evaluate(result.presence(), truth).cells == 1
    assert dc.evaluate(result.presence(), truth, names=NAMES).cells == 2
    truth.to_csv(tmp_path / "truth.csv", index=False)
    assert dc.read_truth(tmp_path / "truth.csv", names=NAMES)["species"].tolist() == ["Robin", "Wren"]


def test_case_matters_unless_it_is_folded():
    frame = FRAME.replace({"ROBI": "robi"})
    with pytest.warns(dc.AnnotationWarning, match="1 of its 2 names does not occur in the table: 'ROBI'"):
        assert Annotations.from_frame(frame, "checklist", names=NAMES).n_species == 3
    found = Annotations.from_frame(frame, "checklist", names=NAMES, fold_case=True)
    assert found.species.index.tolist() == ["Robin", "Wren"]


def test_names_that_never_occur_are_counted():
    with pytest.warns(
        dc.AnnotationWarning, match="the names table: none of its codes and synonyms occurs in the table: 'X'"
    ) as told:
        Annotations.from_frame(FRAME, "checklist", names={"X": "Y"})
    assert len(told) == 1


def test_one_annotator_cannot_contradict_themselves_under_two_names():
    frame = FRAME.assign(annotator="Aino", present=[1, 0, 1])
    with pytest.raises(dc.AnnotationError, match="'Robin'"):
        Annotations.from_frame(frame, "explicit", names=NAMES)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "b"), ("b", "c"), ("c", "d")], "row 2: 'a' is to become 'b', but row 3 makes 'c' of 'b'. "
         "Remedy: write 'd' here"),
        ([("x", "y"), ("a", "b"), ("b", "a")], "row 3: the names lead in a circle: a → b → a"),
        ([("a", "b"), ("b", "c"), ("c", "b")], "row 2: the names lead in a circle: a → b → c → b"),
        ([("a", "b"), ("c", "d"), ("a", "d")], "row 4: 'a' has two names, 'd' and, in row 2, 'b'"),
        ([("a", "")], "row 2: 'a' stands alone: the name to use is missing"),
        ([("", "b")], "row 2: 'b' stands alone: the code or synonym is missing"),
        ([("a" * 1001, "b")], "more than 1,000 characters"),
    ],
)  # fmt: skip
def test_mistakes_in_the_table_are_told_with_their_row(rows, message):
    with pytest.raises(dc.AnnotationError) as error:
        read_names(pd.DataFrame(rows, columns=["from", "to"]))
    assert message in str(error.value)
    assert "Remedy: " in str(error.value)


def test_rows_that_change_nothing_and_blank_or_double_rows_do_no_harm():
    table = pd.DataFrame([("a", "b"), ("b", "b"), ("", ""), ("a", "b")], columns=["from", "to"])
    assert read_names(table).of(["a", "b", "c"]) == {"a": "b"}


def test_missing_columns_are_named():
    with pytest.raises(dc.AnnotationError, match="row 1: there is no column 'to'.*'from', 'x'"):
        read_names(pd.DataFrame({"from": ["a"], "x": ["b"]}))
