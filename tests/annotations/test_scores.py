"""Scores of machines: read, checked, and kept in order whatever happens to the annotations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.annotations.selection import marks_as_reports
from dawnchorus.io.readers.field_rows import FieldError, number_field

ROWS = [
    ("r2", "BirdNET", "wren", 1, 0.7),
    ("r1", "BirdNET", "wren", 1, 0.9),
    ("r1", "BirdNET", "owl", 1, 0.2),
    ("r2", "BirdNET", "robin", None, None),
    ("r1", "Aino", "robin", 1, None),
    ("r2", "Aino", "wren", 0, None),
]
COLUMNS = ["recording", "annotator", "species", "present", "score"]


def frame(rows=ROWS) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS).astype({"present": "Int8", "score": float})


def by_label(a: dc.Annotations) -> dict[tuple[str, str, str], float]:
    """Give the score of each report by its labels."""
    visit = a.reports.row_of_item()
    labels = zip(
        a.recordings.index[a.visit_recording[visit]],
        a.annotators.index[a.visit_annotator[visit]],
        a.species.index[a.reports.item],
        strict=True,
    )
    return dict(zip(labels, a.scores, strict=True))


@pytest.fixture
def annotations() -> dc.Annotations:
    return dc.Annotations.from_frame(frame(), "checklist")


def test_scores_are_those_of_reports(annotations):
    found = by_label(annotations)
    assert found["r1", "BirdNET", "wren"] == 0.9
    assert found["r1", "BirdNET", "owl"] == 0.2
    assert np.isnan(found["r1", "Aino", "robin"])
    assert annotations.machines == ("BirdNET",)
    assert annotations.provenance.score_scale == "probability"
    assert annotations.summary().scored_reports == 3
    scores = annotations.scores_by(["nobody", "BirdNET"])
    assert scores.recording.tolist() == [0, 0, 1]
    assert scores.machine.tolist() == [1, 1, 1]
    assert np.allclose(1 / (1 + np.exp(-scores.score)), [0.2, 0.9, 0.7])


def test_without_scores_there_are_none():
    annotations = dc.Annotations.from_frame(frame().drop(columns="score"), "checklist")
    assert not len(annotations.scores)
    assert annotations.machines == ()
    assert "score" not in annotations.to_frame()
    empty = dc.Annotations.from_frame(frame().assign(score=None), "checklist")
    assert empty == annotations
    assert not len(empty.scores)


@pytest.mark.parametrize("absence", ["explicit", "checklist"])
def test_there_and_back(annotations, absence):
    again = dc.Annotations.from_frame(annotations.to_frame(absence), absence)
    assert again == annotations
    assert again != dc.Annotations.from_frame(frame().assign(score=frame()["score"] / 2), "checklist")


def test_selecting_and_joining(annotations):
    whole = by_label(annotations)
    part = annotations.select(species=["robin", "wren"])
    assert {key: whole[key] for key in by_label(part)} == pytest.approx(by_label(part), nan_ok=True)
    assert not len(annotations.select(annotators="Aino").scores)
    one, other = annotations.select(recordings="r1"), annotations.drop(recordings="r1")
    both = dc.concatenate(other, one)
    assert by_label(both) == pytest.approx(whole, nan_ok=True)
    assert dc.concatenate(annotations, annotations) == annotations
    changed = frame().assign(score=[0.6, *frame()["score"][1:]])
    with pytest.raises(dc.AnnotationError, match="is in both sets and differs"):
        dc.concatenate(annotations, dc.Annotations.from_frame(changed, "checklist"))


def test_two_scales_are_joined_as_logits(annotations):
    other = dc.Annotations.from_frame(
        frame([("r1", "Perch", "owl", 1, 7.5)]), "checklist", score_scale="logit", species=annotations.species
    )
    both = dc.concatenate(annotations, other)
    assert both.provenance.score_scale == "logit"
    found = by_label(both)
    assert found["r1", "Perch", "owl"] == 7.5
    assert found["r1", "BirdNET", "wren"] == pytest.approx(np.log(9))
    assert both.machines == ("BirdNET", "Perch")


def test_marks_that_are_votes_have_no_score(annotations):
    assert by_label(marks_as_reports(annotations)) == pytest.approx(
        by_label(annotations) | {("r2", "BirdNET", "robin"): np.nan}, nan_ok=True
    )


def test_labels_in_other_ways_of_writing_keep_their_scores():
    rows = [("r1", "birdnet", "Wren", 1, 0.9), *ROWS[2:], ("r2", "BirdNET", "wren", 1, 0.7)]
    folded = dc.Annotations.from_frame(frame(rows), "checklist", fold_case=True)
    assert sorted(folded.scores[~np.isnan(folded.scores)]) == [0.2, 0.7, 0.9]
    named = dc.Annotations.from_frame(frame(), "checklist", names={"wren": "Troglodytes"})
    assert by_label(named)["r1", "BirdNET", "Troglodytes"] == 0.9


def test_of_several_rows_the_best_score_counts():
    twice = frame([*ROWS, ("r1", "BirdNET", "wren", 1, 0.95)])
    assert by_label(dc.Annotations.from_frame(twice, "checklist"))["r1", "BirdNET", "wren"] == 0.95


def test_scores_of_rows_that_report_nothing_are_not_used():
    with pytest.warns(dc.AnnotationWarning, match="1 score in rows that report nothing is not used"):
        found = dc.Annotations.from_frame(frame([*ROWS, ("r2", "BirdNET", "owl", 0, 0.05)]), "checklist")
    assert len(found.scores) == found.n_reports


@pytest.mark.parametrize(
    ("score", "options", "problem", "remedy"),
    [
        ("high", {}, "'score' is 'high', which is not a finite number", "rename the column"),
        (np.inf, {}, "'score' is 'inf', which is not a finite number", "write a number"),
        (1.5, {"score_scale": "probability"}, "which is not between 0 and 1", "score_scale='logit'"),
    ],
)
def test_bad_scores_are_named_by_row_with_a_remedy(score, options, problem, remedy):
    table = frame().astype({"score": object})
    table.loc[2, "score"] = score
    with pytest.raises(dc.AnnotationError, match="row 4") as error:
        dc.Annotations.from_frame(table, "checklist", **options)
    assert problem in str(error.value)
    assert remedy in str(error.value)


def test_bad_scores_can_be_left_out(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("recording,annotator,species,score\nr1,B,wren,0.9\nr1,B,owl,many\n")
    with pytest.raises(dc.AnnotationError, match=r"scores\.csv, row 3"):
        dc.read(path, "table", "checklist")
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        found = dc.read(path, "table", "checklist", skip_bad=True)
    assert found.scores.tolist() == [0.9]


def test_logits_are_recognised_and_said():
    table = frame().assign(score=[0.5, -2.0, 3.0, np.nan, np.nan, np.nan])
    with pytest.warns(dc.AnnotationWarning, match=r"taken for logits.* -2 in row 3"):
        found = dc.Annotations.from_frame(table, "checklist")
    assert found.provenance.score_scale == "logit"
    assert np.array_equal(found.score_logits, found.scores, equal_nan=True)
    quiet = dc.Annotations.from_frame(table, "checklist", score_scale="logit")
    assert quiet == found


def test_an_unknown_scale_is_refused():
    with pytest.raises(dc.AnnotationError, match="use one of: probability, logit"):
        dc.Annotations.from_frame(frame(), "checklist", score_scale="percent")


def test_conversion_keeps_scores(tmp_path):
    machine = tmp_path / "machine.csv"
    frame().to_csv(machine, index=False)
    contents = dc.convert(machine, tmp_path / "plain.csv", "table", "checklist")
    assert dc.read(contents["files"]["annotations"], "table", contents["absence"]) == dc.read(
        machine, "table", "checklist"
    )
    logits = tmp_path / "logits.csv"
    frame().assign(score=[-0.5, 0.1, 0.2, None, None, None]).to_csv(logits, index=False)
    told = dc.convert(logits, tmp_path / "other.csv", "table", "checklist", score_scale="logit")
    assert told["command"].endswith("--score-scale logit --out fitted")


def test_of_several_files_some_may_have_no_scores(tmp_path):
    people, machine = tmp_path / "people.csv", tmp_path / "machine.csv"
    people.write_text("recording,annotator,species\nr1,Aino,wren\n")
    machine.write_text("recording,annotator,species,score\nr1,BirdNET,owl,0.4\n")
    found = dc.read([people, machine], "table", "checklist")
    assert by_label(found) == pytest.approx(
        {("r1", "Aino", "wren"): np.nan, ("r1", "BirdNET", "owl"): 0.4}, nan_ok=True
    )


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_numbers_may_have_a_decimal_comma_where_columns_have_another_sign(write, delimiter):
    rows = "recording|annotator|species|score\nr1|m|wren|0,85\nr2|m|wren|,5\nr3|m|wren|0.25\n"
    sites = "recording|lat|code\nr1|60,5|1,2,3\nr2|61|4\nr3|59.25|5\n"
    path = write(rows.replace("|", delimiter))
    places = write(sites.replace("|", delimiter), "sites.csv")
    a = dc.read(path, absence="checklist", recordings=places)
    assert a.scores.tolist() == [0.85, 0.5, 0.25]
    assert a.recordings["lat"].tolist() == [60.5, 61, 59.25]
    assert a.recordings["code"].tolist() == ["1,2,3", "4", "5"]
    wide = write("filename;start_s;wren;owl\nx.wav;0,5;0,1;0,9\nx.wav;5,5;;0,2\n", "wide.csv")
    b = dc.read(wide, "scores", threshold=0.15, machine="m")
    assert sorted(b.scores) == [0.2, 0.9]
    with pytest.raises(dc.AnnotationError, match="seems to be a table of a machine's scores"):
        dc.look(wide)


def test_elsewhere_a_decimal_comma_is_said_to_be_a_point(write, tmp_path):
    path = write('recording,annotator,species,score\nr1,m,wren,"0,85"\n')
    with pytest.raises(dc.AnnotationError, match=r"'0,85', which .* Remedy: write 0.85, with a point"):
        dc.read(path, absence="checklist")
    wide = write('filename,wren\nx.wav,0.5\ny.wav,"0,1"\n', "wide.csv")
    with pytest.raises(dc.AnnotationError, match=r"'0,1' is not a .* Remedy: write 0.1, with a point"):
        dc.read(wide, "scores", threshold=0.15, machine="m")
    with pytest.raises(FieldError, match="'1,5' is not a number; write 1.5, with a point"):
        number_field("1,5", "Begin Time (s)")
