"""NA and the like are missing values unless they are said to be names; no name has over 1,000 letters."""

from __future__ import annotations

import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus import Annotations

HEADER = "recording,annotator,species,present\n"
WORDS = ["NA", "N/A", "nan", "None", "-", "NaN", "#N/A", "null"]


@pytest.mark.parametrize("word", WORDS)
def test_a_species_that_is_missing_is_no_species(write, word):
    path = write(f"{HEADER}r1,A,wren,1\nr2,A,{word},\nr3,A,{word},0\n")
    with pytest.warns(dc.AnnotationWarning, match="missing in 2 rows") as warned:
        annotations = dc.read(path, absence="checklist")
    assert f"('{word}' 2)" in str(warned[0].message)
    assert "keep_na=True" in str(warned[0].message)
    assert annotations.species.index.tolist() == ["wren"]
    assert annotations.n_visits == 3
    assert annotations.summary().missing_species == 2
    assert "rows with a missing species" in str(annotations.summary())
    kept = dc.read(path, absence="checklist", keep_na=True)
    assert set(kept.species.index) == {"wren", word}
    assert kept.provenance.keep_na


def test_a_report_without_a_species_is_refused_or_left_out(write):
    with pytest.raises(
        dc.AnnotationError, match=r"row 2: 'present' is 1, but the species is missing \('NA'\)"
    ):
        dc.read(write(HEADER + "r1,A,NA,1\n"), absence="checklist")
    reports = write("recording,annotator,species\nr1,A,wren\nr2,A,NA\nr2,B,None\nr3,A,\n")
    with pytest.warns(dc.AnnotationWarning, match="missing in 2 rows.*left out"):
        annotations = dc.read(reports, absence="checklist")
    assert annotations.visits()["recording"].tolist() == [
        "r1",
        "r3",
    ]  # that of r3 is said by an empty species
    with pytest.raises(dc.AnnotationError, match="missing in all rows.*keep_na=True"):
        dc.read(write("recording,annotator,species\nr1,A,NA\n"), absence="checklist")


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("column", ["recording", "annotator"])
def test_recordings_and_annotators_must_be_there(write, column, word):
    rows = {"recording": f"{word},A", "annotator": f"r1,{word}"}[column]
    path = write(f"{HEADER}r1,A,wren,1\n{rows},wren,1\n{rows},owl,1\n{rows},tit,1\n")
    with pytest.raises(dc.AnnotationError) as error:
        dc.read(path, absence="checklist")
    assert error.value.row == 3
    assert error.value.problem == f"the {column} is missing ('{word}'), as in 2 more rows"
    assert f"keep_na=True if '{word}' is a name" in error.value.remedy
    kept = dc.read(path, absence="checklist", keep_na=True)
    assert word in getattr(kept, column + "s").index


def test_names_that_look_similar_are_names():
    frame = pd.DataFrame(
        {"recording": ["1", "2", "3"], "annotator": ["Na", "Nan", "Nina"], "species": "wren"}
    )
    assert Annotations.from_frame(frame, absence="checklist").n_annotators == 3


def test_side_tables_follow(write):
    path = write(HEADER + "r1,A,wren,1\n")
    people = write("annotator,level\nA,1\nNA,2\n", "people.csv")
    with pytest.raises(dc.AnnotationError, match=r"people\.csv, row 3: the annotator is missing \('NA'\)"):
        dc.read(path, absence="checklist", annotators=people)
    assert dc.read(path, absence="checklist", annotators=people, keep_na=True).n_annotators == 2
    scope = write("annotator,species\nA,wren\nA,NA\n", "scope.csv")
    with pytest.warns(dc.AnnotationWarning, match="the species is missing in 1 row"):
        assert dc.read(path, absence="scope", scope=scope).species.index.tolist() == ["wren"]
    assert "NA" in dc.read(path, absence="scope", scope=scope, keep_na=True).species.index


def test_a_truth_follows(write):
    path = write("recording,species,present\nr1,NA,1\n")
    with pytest.raises(dc.AnnotationError, match=r"row 2: the species is missing \('NA'\).*keep_na=True"):
        dc.read_truth(path)
    truth = dc.read_truth(path, keep_na=True)
    frame = pd.DataFrame({"recording": ["r1", "r2"], "annotator": "A", "species": ["NA", "wren"]})
    result = dc.fit(Annotations.from_frame(frame, absence="checklist", keep_na=True), "majority-vote")
    assert dc.evaluate(result, truth).cells == 1


def test_the_vote_is_not_a_name(write):
    for keep in (False, True):
        with pytest.raises(dc.AnnotationError, match="'present' is 'NA'"):
            dc.read(write(HEADER + "r1,A,wren,NA\n"), absence="checklist", keep_na=keep)


@pytest.mark.parametrize("column", ["recording", "annotator", "species"])
def test_names_beyond_a_thousand_characters_are_refused(write, column):
    row = {"recording": "r1", "annotator": "A", "species": "wren"}
    for length, allowed in ((1000, True), (1001, False), (1_000_000, False)):
        path = write(f"{HEADER}r1,A,owl,1\n" + ",".join((row | {column: "x" * length}).values()) + ",1\n")
        if allowed:
            assert dc.read(path, absence="checklist").n_reports == 2
            continue
        with pytest.raises(dc.AnnotationError, match=f"the {column} has {length:,} characters") as error:
            dc.read(path, absence="checklist")
        assert error.value.row == 3
        assert error.value.remedy.startswith("shorten it")
        assert len(str(error.value)) < 1000
        truth = write(f"recording,species,present\n{'x' * length},wren,1\n", "truth.csv")
        with pytest.raises(dc.AnnotationError, match="at most 1,000 are allowed"):
            dc.read_truth(truth)
        people = write(f"annotator\n{'x' * length}\n", "people.csv")
        with pytest.raises(dc.AnnotationError, match="shorten it"):
            dc.read(write(HEADER + "r1,A,owl,1\n"), absence="checklist", annotators=people)


@pytest.mark.parametrize("word", WORDS)
def test_rows_of_other_tables_that_are_left_out_are_told(word):
    columns = ["recording", "annotator", "species"]
    table = pd.DataFrame([("r1", "A", "wren"), ("r2", "B", "owl")], columns=columns)
    for column, name in zip(columns, ("recordings", "annotators", "species"), strict=True):
        labels = pd.DataFrame({column: [table[column][0], word, table[column][1]]})
        told = f"the {column} is missing in 1 row .'{word}' 1., which is left out"
        with pytest.warns(dc.AnnotationWarning, match=told):
            read = Annotations.from_frame(table, "checklist", **{name: labels})
        assert word not in getattr(read, name).index
    scope = [("A", "wren"), ("B", "owl"), ("A", word), (word, "wren")]
    with pytest.warns(dc.AnnotationWarning) as warned:
        Annotations.from_frame(table, "scope", scope=pd.DataFrame(scope, columns=columns[1:]))
    messages = " ".join(str(one.message) for one in warned)
    assert "the annotator is missing in 1 row" in messages
    assert "the species is missing in 1 row" in messages
    with pytest.raises(dc.AnnotationError, match=f"the name to use for 'owl' is missing .'{word}'."):
        Annotations.from_frame(table, "checklist", names={"owl": word})
