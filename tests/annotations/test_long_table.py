from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dawnchorus as dc
from dawnchorus import AnnotationError, Annotations, AnnotationWarning


def test_the_meaning_of_silence_must_be_told(table):
    with pytest.raises(AnnotationError) as error:
        Annotations.from_frame(table)
    message = str(error.value)
    for sentence in ("no vote: absences are rows", "absent, if the species is in", "absent: every visit"):
        assert sentence in message
    with pytest.raises(AnnotationError, match="is 'silence', which is not one of the three"):
        Annotations.from_frame(table, absence="silence")
    with pytest.raises(AnnotationError, match="needs a scope table"):
        Annotations.from_frame(table, absence="scope")


def test_three_meanings_of_silence(table):
    scope = pd.DataFrame({"annotator": ["Aino", "Aino", "Onni"], "species": ["wren", "owl", "robin"]})
    explicit = Annotations.from_frame(table, absence="explicit")
    checklist = Annotations.from_frame(table, absence="checklist")
    scoped = Annotations.from_frame(table[1:], absence="scope", scope=scope[1:])
    assert explicit.votes("r1", "Onni").to_dict() == {"robin": 1}
    assert checklist.votes("r1", "Onni").to_dict() == {"owl": 0, "robin": 1, "wren": 0}
    assert scoped.votes("r3", "Aino").to_dict() == {"owl": 1}
    assert explicit.votes("r2", "Onni").empty
    assert checklist.votes("r2", "Onni").to_dict() == {"owl": 0, "robin": 0, "wren": 0}
    assert scoped.votes("r2", "Onni").to_dict() == {"robin": 0}


def test_reports_outside_the_scope_count_for_their_visit_only(table):
    scope = pd.DataFrame({"annotator": ["Aino", "Onni"], "species": ["wren", "robin"]})
    with pytest.warns(AnnotationWarning, match="1 report is of a species outside"):
        a = Annotations.from_frame(table, absence="scope", scope=scope)
    assert a.provenance.outside_scope == 1
    assert a.votes("r3", "Aino").to_dict() == {"owl": 1, "wren": 0}
    assert "owl" not in a.votes("r1", "Aino")
    assert a.species_lists().query("annotator == 'Aino'").species.tolist() == ["owl", "robin", "wren"]


def test_annotators_without_a_scope_are_named(table):
    scope = pd.DataFrame({"annotator": ["Aino"] * 3, "species": ["wren", "owl", "robin"]})
    with pytest.warns(AnnotationWarning) as warned:
        Annotations.from_frame(table, absence="scope", scope=scope)
    assert any("no row in the scope table" in str(w.message) and "Onni" in str(w.message) for w in warned)


def test_reports_only_is_warned_of(table):
    with pytest.warns(AnnotationWarning, match="there are no absent votes"):
        Annotations.from_frame(table[:3].drop(columns="present"), absence="explicit")


@pytest.mark.parametrize(
    "present", [[1, 0], [True, False], ["yes", "No"], [1.0, 0.0], ["TRUE", "false"], ["Present", "absent"]]
)
def test_spellings_of_present(present):
    table = pd.DataFrame({"recording": 1, "annotator": "A", "species": ["a", "b"], "present": present})
    a = Annotations.from_frame(table, absence="explicit")
    assert a.votes("1", "A").tolist() == [1, 0]


def test_any_frame_gives_the_same(table):
    wanted = Annotations.from_frame(table, absence="checklist")
    polars = pl.DataFrame(table.to_dict("list"), strict=False)
    arrow = pa.Table.from_pandas(table)
    coded = table.astype({"recording": "category", "annotator": "category", "species": "category"})
    for frame in (polars, arrow, coded, polars.with_columns(pl.col("species").cast(pl.Categorical)),
                  pa.table({name: arrow[name].dictionary_encode() for name in arrow.column_names[:3]}
                           | {"present": arrow["present"]})):  # fmt: skip
        assert Annotations.from_frame(frame, absence="checklist") == wanted


def test_other_things_are_refused(table):
    with pytest.raises(TypeError, match=r"expected a pandas or polars frame or an Arrow table, got list$"):
        Annotations.from_frame([1, 2, 3], absence="checklist")
    with pytest.raises(TypeError, match=r"got LazyFrame \(collect it first\)$"):
        Annotations.from_frame(pl.LazyFrame({"recording": [1]}), absence="checklist")


def test_labels_are_tidy_text():
    table = pd.DataFrame(
        {
            "recording": [7, 7.0, None, 12],
            "annotator": [" Väinö", "Va\u0308ino\u0308 ", None, "Aino"],
            "species": ["wren", "owl", None, "wren"],
        }
    )
    a = Annotations.from_frame(table, absence="checklist")
    assert a.recordings.index.tolist() == ["7", "12"]
    assert a.annotators.index.tolist() == ["Aino", "Väinö"]
    assert a.n_visits == 2


def test_large_numbers_stay_apart_beside_nulls():
    ids = [2**53, 2**53 + 1, 2**53 + 2, None]
    columns = {"recording": ids, "annotator": ["a", "a", "a", None], "species": ["x", "y", "z", None]}
    for frame in (pl.DataFrame(columns), pa.table(columns)):
        a = Annotations.from_frame(frame, absence="checklist", recordings=frame)
        assert a.recordings.index.tolist() == [str(i) for i in ids[:3]]


def test_unused_categories_are_no_labels(table):
    coded = table.astype({"species": pd.CategoricalDtype(["wren", "robin", "owl", "dodo", ""])})
    assert "dodo" not in Annotations.from_frame(coded, absence="checklist").species.index


@pytest.mark.parametrize(
    ("word", "strange"),
    [("annotator", [["a"], ["b"]]), ("species", [{"a": 1}, {"b": 2}]), ("species", [b"a", b"b"])],
)
def test_columns_of_other_things_are_refused(word, strange):
    columns = {"recording": ["1", "2"], "annotator": ["A", "B"], "species": ["a", "b"], word: strange}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        if isinstance(strange[0], bytes) and isinstance(frame, pd.DataFrame):
            continue  # pandas cannot tell bytes from other objects
        with pytest.raises(
            AnnotationError, match="contains values that are neither text nor numbers"
        ) as error:
            Annotations.from_frame(frame, absence="checklist")
        assert f".explode('{word}')" in str(error.value)


def test_two_columns_of_one_name_are_refused(table):
    twice = pd.concat([table, table["species"]], axis=1)
    arrow = pa.table([["r1"], ["A"], ["a"], ["b"]], names=["recording", "annotator", "species", "species"])
    for frame in (twice, arrow):
        with pytest.raises(AnnotationError, match="two columns have the name 'species'"):
            Annotations.from_frame(frame, absence="checklist")


def test_invisible_differences_do_not_split_labels():
    names = ["Willow Warbler", "Willow\u200b  Warbler ", "Willow\u00a0Warbler", "\ufeffWillow Warbler"]
    table = pd.DataFrame({"recording": range(4), "annotator": "A", "species": names})
    assert Annotations.from_frame(table, absence="checklist").species.index.tolist() == ["Willow Warbler"]


def test_labels_that_do_not_meet_are_warned_of(table):
    with pytest.warns(AnnotationWarning, match="none of its species labels is in the table"):
        Annotations.from_frame(table, absence="checklist", species=pd.DataFrame({"species": ["dodo"]}))
    with pytest.warns(AnnotationWarning, match=r"'Wren' \(0 rows\), 'wren' \(2 rows\)"):
        Annotations.from_frame(table, absence="checklist", species=pd.DataFrame({"species": ["Wren", "owl"]}))


def test_metadata_keeps_its_kind(table):
    people = pd.DataFrame(
        {
            "annotator": ["Aino", "Onni"],
            "code": ["007", "1e5"],
            "level": ["3", ""],
            "score": ["1.5", "2"],
            "card": ["9" * 25, "1"],
        },
        dtype=object,
    )
    a = Annotations.from_frame(table, absence="checklist", annotators=people)
    assert a.annotators["code"].tolist() == ["007", "1e5"]
    assert a.annotators["level"].dtype == "Int64"
    assert a.annotators["score"].tolist() == [1.5, 2.0]
    assert a.annotators["card"].tolist() == ["9" * 25, "1"]


def test_aliases_are_recognised_and_reported(table):
    renamed = table.set_axis(["Clip ID", "observer", "taxon", "present"], axis=1)
    a = Annotations.from_frame(renamed, absence="checklist")
    assert a == Annotations.from_frame(table, absence="checklist")
    assert a.provenance.columns == {"recording": "Clip ID", "annotator": "observer", "species": "taxon"}
    assert "Clip ID as recording" in str(a.summary())
    told = table.set_axis(["x", "y", "z", "w"], axis=1)
    columns = {"recording": "x", "annotator": "y", "species": "z", "present": "w"}
    assert Annotations.from_frame(told, absence="checklist", columns=columns) == a


def test_concatenated_provenance(table):
    a = Annotations.from_frame(pd.concat([table, table]), absence="checklist")
    assert a.provenance.duplicate_rows == 5
    assert dc.concatenate(a, a).provenance.duplicate_rows == 10
