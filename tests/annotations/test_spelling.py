"""Labels that differ only in upper and lower case are all told, and can be folded into one."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dawnchorus as dc
from dawnchorus import Annotations

TEN = [f"Bird {letter}" for letter in "ABCDEFGHIJ"]


def ten_pairs() -> pd.DataFrame:
    """Fifteen species, ten of them in two ways of writing: 'Bird A' in three rows, 'BIRD A' in one."""
    rows = [(f"r{i}", "Aino", name) for i in range(3) for name in TEN]
    rows += [("r9", "AINO", name.upper()) for name in TEN]
    rows += [("r1", "Onni", f"Owl {i}") for i in range(5)]
    return pd.DataFrame(rows, columns=["recording", "annotator", "species"])


def told(warned, word: str) -> str:
    (message,) = (str(w.message) for w in warned if f"{word} is written" in str(w.message)
                  or f"{word} are written" in str(w.message))  # fmt: skip
    return message


def test_all_are_told_with_their_rows():
    with pytest.warns(dc.AnnotationWarning) as warned:
        annotations = Annotations.from_frame(ten_pairs(), absence="checklist")
    assert annotations.n_species == 25
    message = told(warned, "species")
    assert "10 species are written in several ways" in message
    for name in TEN:
        assert f"'{name}' (3 rows), '{name.upper()}' (1 row)" in message
    assert "use fold_case=True" in message
    assert "1 annotator is written" in (people := told(warned, "annotator"))
    assert "'Aino' (30 rows), 'AINO' (10 rows)" in people
    assert {w.filename for w in warned} == {__file__}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_folded_they_are_one_in_the_commonest_spelling(kind):
    frame = kind(ten_pairs().to_dict("list"))
    annotations = Annotations.from_frame(frame, absence="checklist", fold_case=True)
    assert annotations.n_species == 15
    assert annotations.annotators.index.tolist() == ["Aino", "Onni"]
    assert set(TEN) < set(annotations.species.index)
    assert annotations.votes("r9", "Aino")["Bird A"] == 1
    assert (annotations.provenance.fold_case, annotations.provenance.folded) == (True, 11)
    assert "11 other ways of writing a label" in str(annotations.summary())


def test_folding_does_not_depend_on_the_order_of_rows():
    frame = pd.DataFrame({"recording": ["1", "2"], "annotator": "A", "species": ["wren", "Wren"]})
    first, second = (
        Annotations.from_frame(f, absence="checklist", fold_case=True) for f in (frame, frame.iloc[::-1])
    )
    assert first == second


def test_tables_decide_the_spelling_and_are_folded_too():
    with pytest.warns(dc.AnnotationWarning, match="outside the annotator's scope"):
        annotations = Annotations.from_frame(
            ten_pairs(),
            absence="scope",
            scope=pd.DataFrame({"annotator": ["aino", "ONNI"], "species": ["bird a", "owl 1"]}),
            species=pd.DataFrame({"species": ["bIRD a"], "name": ["Alpha"]}),
            annotators=pd.DataFrame({"annotator": ["aINO"], "level": [3]}),
            fold_case=True,
        )
    assert annotations.n_species == 15
    assert annotations.species.index[0] == "bIRD a"
    assert annotations.species["name"].tolist()[0] == "Alpha"
    assert annotations.annotators.index.tolist() == ["aINO", "Onni"]


def test_folding_shows_contradictions_and_double_rows():
    table = pd.DataFrame(
        {"recording": "1", "annotator": "A", "species": ["Wren", "wren"], "present": [1, 0]}, index=[0, 1]
    )
    with pytest.raises(dc.AnnotationError, match=r"'wren' .* both present and absent \(see row 2\)"):
        Annotations.from_frame(table, absence="explicit", fold_case=True)
    with pytest.raises(dc.AnnotationError, match=r"species 'Wren' .* both absent and present \(see row 2\)"):
        Annotations.from_frame(table[::-1], absence="explicit", fold_case=True)
    twice = pd.DataFrame({"species": ["Wren", "wren"]})
    with pytest.raises(dc.AnnotationError, match=r"the species 'wren' has more than one row \(see row 2\)"):
        told = {"species": twice.assign(code=[1, 2]), "fold_case": True}
        Annotations.from_frame(table[:1], absence="explicit", **told)
    read = Annotations.from_frame(table[:1], absence="explicit", species=twice, fold_case=True)
    assert read.species.index.tolist() == ["Wren"]  # nothing is said of either that could differ


def test_columns_of_a_wide_table_are_folded(write):
    path = write("recording,annotator,Robin,robin,Wren\nr1,A,1,,1\nr2,B,,1,0\n")
    with pytest.warns(dc.AnnotationWarning, match="use fold_case=True"):
        assert dc.read(path, format="wide").n_species == 3
    folded = dc.read(path, format="wide", fold_case=True)
    assert folded.species.index.tolist() == ["Robin", "Wren"]
    assert folded.reports_by_species.tolist() == [2, 1]


def test_a_dataset_can_be_read_with_one_spelling(tmp_path):
    rows = [("r1", "A", "Robin"), ("r2", "A", "robin"), ("r2", "B", "Wren")]
    pd.DataFrame(rows, columns=["recording", "annotator", "species"]).to_parquet(tmp_path / "visits.parquet")
    dataset = dc.open_dataset(tmp_path / "visits.parquet", absence="checklist")
    assert dataset.read(fold_case=True).n_species == 2


def test_recordings_keep_their_case():
    frame = pd.DataFrame({"recording": ["aB1", "ab1"], "annotator": "A", "species": "wren"})
    annotations = Annotations.from_frame(frame, absence="checklist", fold_case=True)
    assert annotations.recordings.index.tolist() == ["aB1", "ab1"]


def test_sets_that_are_joined(write):
    first, second = (
        dc.read(write(f"recording,annotator,species\n{rows}", name), absence="checklist")
        for rows, name in (("r1,Aino,Wren\n", "a.csv"), ("r2,AINO,wren\nr2,AINO,owl\n", "b.csv"))
    )
    with pytest.warns(dc.AnnotationWarning) as warned:
        assert dc.concatenate(first, second).n_species == 3
    assert ["'Aino', 'AINO'" in str(w.message) for w in warned] == [True, False]
    assert ["'Wren', 'wren'" in str(w.message) for w in warned] == [False, True]
    both = dc.concatenate(first, second, fold_case=True)
    assert both.species.index.tolist() == ["Wren", "owl"]
    assert both.annotators.index.tolist() == ["Aino"]
    assert both.species.index.dtype == object
    assert both.provenance.fold_case


def test_joining_cannot_fold_inside_a_set():
    def of(*species):
        return dc.Annotations.from_frame(
            pd.DataFrame({"recording": species, "annotator": "A", "species": species}), absence="checklist"
        )

    with pytest.warns(dc.AnnotationWarning):
        mixed = of("wren", "WREN")
    with pytest.raises(dc.AnnotationError, match="in several ways.*fold_case=True"):
        dc.concatenate(of("Wren"), mixed, fold_case=True)


TRUTH = pd.DataFrame({"recording": ["r1", "r1"], "species": ["WREN", "owl"], "present": [1, 0]})


def fitted(**options):
    frame = pd.DataFrame(
        {"recording": ["r1", "r2", "r2"], "annotator": "A", "species": ["Wren", "Wren", "owl"]}
    )
    return dc.fit(Annotations.from_frame(frame, absence="checklist", **options), "majority-vote")


def test_the_truth_is_folded_as_the_annotations_were():
    assert dc.evaluate(fitted(fold_case=True), TRUTH).cells == 2
    with pytest.warns(dc.AnnotationWarning, match=r"1 species label \(WREN\) is not in the result"):
        assert dc.evaluate(fitted(), TRUTH).cells == 1
    assert dc.evaluate(fitted(), TRUTH, fold_case=True).cells == 2
    with pytest.warns(dc.AnnotationWarning, match="WREN"):
        assert dc.evaluate(fitted(fold_case=True), TRUTH, fold_case=False).cells == 1


def test_a_truth_file_is_folded(write):
    path = write("recording,species,present\nr1,wren,1\nr2,wren,0\nr3,Wren,1\n")
    assert dc.read_truth(path)["species"].nunique() == 2
    assert set(dc.read_truth(path, fold_case=True)["species"]) == {"wren"}
    assert set(dc.read_truth(path, fold_case=True, species=["WREN"])["species"]) == {"WREN"}
    both = dc.read_truth(path, fold_case=True, species=["wren", "Wren"])
    assert both["species"].tolist() == ["wren", "wren", "Wren"]


def test_a_fit_is_resumed_only_with_the_same_folding(tmp_path):
    options = {"draws": 20, "warmup": 20, "min_ess": None, "checkpoint": tmp_path / "fit.checkpoint"}
    table = ten_pairs()
    folded = Annotations.from_frame(table, absence="checklist", fold_case=True)
    with pytest.warns(dc.AnnotationWarning):
        apart = Annotations.from_frame(table, absence="checklist")
    first = dc.fit(folded, "base", keep_checkpoint=True, **options)
    with pytest.raises(dc.DawnchorusError, match="another fit: data"):
        dc.fit(apart, "base", resume=True, **options)
    again = dc.fit(folded, "base", resume=True, **options)
    assert (again.draws["tpr"] == first.draws["tpr"]).all()


def test_at_a_tie_capitals_come_last():
    frame = pd.DataFrame({"recording": range(6), "annotator": "A", "species": ["ROBIN", "Robin", "OWL", "owl",
                                                                             "OWL", "Wren"]})  # fmt: skip
    annotations = Annotations.from_frame(frame, absence="checklist", fold_case=True)
    assert annotations.species.index.tolist() == ["OWL", "Robin", "Wren"]  # most rows come before capitals
