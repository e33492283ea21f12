"""Tables of scores: thresholds, windows, logits, and fields that are broken."""

from __future__ import annotations

import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.io.reading import read_tables


def read(path, threshold=0.5, **options):
    return dc.read(path, "scores", threshold=threshold, **options)


def test_scores_are_cut_off_at_the_threshold(write):
    a = read(write("filename,wren,owl\nx.wav,0.6,0.9\ny.wav,0.1,0.5\n"), machine="Perch")
    assert a.annotators["score_threshold"].to_dict() == {"Perch": 0.5}
    assert a.score_cuts(["Perch"]) == (0.0,)


def test_scores_at_or_above_the_threshold_are_reports(write):
    path = write("filename,start_s,end_s,wren,owl\nn/x.wav,0,5,0.5,0.9\nn/x.wav,5,10,,0.2\n")
    a = read(path, machine="Perch")
    assert a.recordings.index.tolist() == ["x 0-5", "x 5-10"]
    assert a.votes("x 0-5", "Perch").to_dict() == {"owl": 1, "wren": 1}
    assert a.votes("x 5-10", "Perch").to_dict() == {"owl": 0}  # what has no score has no vote
    votes = read_tables(path, "scores", threshold=0.5).tables.votes
    assert sorted(votes["score"].dropna()) == [0.5, 0.9]


def test_logits_in_parquet_without_times(tmp_path):
    frame = pd.DataFrame({"file": ["a.wav", "b.wav"], "wren": [-3.0, 2.0], "owl": [0.0, -1.0]})
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.warns(dc.AnnotationWarning, match="scores are taken for logits, since some are not between"):
        read(tmp_path / "t.parquet", threshold=0)
    a = read(tmp_path / "t.parquet", threshold=0, score_scale="logit")  # told, so nothing is said
    assert a.to_frame().query("present == 1")[["recording", "species"]].to_numpy().tolist() == [
        ["a", "owl"], ["b", "wren"],
    ]  # fmt: skip


def test_windows_follow_from_starts_or_are_told(write):
    path = write("file,offset,wren,owl\nx,0,1,0\nx,5,0,0\nx,10,0,0\n")
    assert read(path).recordings.index.tolist() == ["x 0-5", "x 10-15", "x 5-10"]
    assert read(path, window=15).recordings.index.tolist() == ["x 0-15"]


def test_windows_are_as_given(write):
    rows = "n.wav,1,6,0.9,0\nn.wav,6,11,0,0.8\nn.wav,2.5,7.5,0,0.7\n"
    path = write("filename,start_s,end_s,wren,owl\n" + rows)
    a = read(path)
    assert a.recordings.index.tolist() == ["n 1-6", "n 2.5-7.5", "n 6-11"]
    assert a.votes("n 6-11", "machine").to_dict() == {"owl": 1, "wren": 0}
    cut = read(path, window=5)  # a row counts in every window that it overlaps, the best score in each
    assert cut.recordings.index.tolist() == ["n 0-5", "n 10-15", "n 5-10"]
    votes = cut.to_frame().query("present == 1").set_index(["recording", "species"])["score"]
    assert votes.to_dict() == {
        ("n 0-5", "owl"): 0.7, ("n 0-5", "wren"): 0.9, ("n 10-15", "owl"): 0.8, ("n 5-10", "owl"): 0.8,
        ("n 5-10", "wren"): 0.9,
    }  # fmt: skip
    starts = write("file,offset,wren,owl\nx,5,1,0\ny,0,0,0\nx,7.5,0,0\n")
    assert read(starts).recordings.index.tolist() == ["x 5-7.5", "x 7.5-10", "y 0-2.5"]


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ("n,,5,0.9,0", "start_s", "'' is no time in seconds"),
        ("n,x,5,0.9,0", "start_s", "'x' is no time in seconds"),
        ("n,0,,0.9,0", "end_s", "'' is no time in seconds"),
        ("n,-5,5,0.9,0", "start_s", "the window begins at -5"),
        ("n,5,5,0.9,0", "end_s", "the window is from 5 to 5 seconds"),
    ],
)
def test_rows_without_proper_times_are_bad(write, row, field, problem):
    path = write("file,start_s,end_s,wren,owl\n\nn,0,5,0.1,0.2\n" + row + "\n")
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        read(path)
    assert (error.value.row, error.value.field) == (4, field)
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        assert read(path, skip_bad=True).recordings.index.tolist() == ["n 0-5"]


def test_lengths_of_windows_that_nothing_tells(write):
    assert read(write("file,start_s,wren,owl\nx,0,1,0\ny,0,1,0\n")).recordings.index.tolist() == ["x", "y"]
    path = write("file,start_s,wren,owl\nx,0,1,0\ny,5,1,0\n")
    with pytest.raises(dc.AnnotationError, match="nothing tells how long windows are.*window=5"):
        read(path)
    assert read(path, window=5).recordings.index.tolist() == ["x 0-5", "y 5-10"]
    with pytest.raises(dc.AnnotationError, match="window=-1 is no length of time"):
        read(path, window=-1)
    huge = write("file,start_s,end_s,wren,owl\nx,0,1e300,1,0\n")
    with pytest.raises(dc.AnnotationError, match="windows of 5 seconds.*give a larger window="):
        read(huge, window=5)


def test_files_of_one_name_in_different_folders_are_different_recordings(write):
    first = write("file,wren,owl\nA/n.wav,0.9,0.1\nB/n.wav,0.1,0.2\nclip.1,0.9,0\nclip.2,0,0\n")
    with pytest.warns(dc.AnnotationWarning, match="2 recordings have the file name of another"):
        a = read(first)
    assert a.recordings.index.tolist() == ["A/n", "B/n", "clip.1", "clip.2"]
    assert a.votes("B/n", "machine").to_dict() == {"owl": 0, "wren": 0}
    with pytest.warns(dc.AnnotationWarning, match="3 recordings have the file name of another"):
        both = read([first, write("file,wren,owl\nC/n.wav,0.9,0.1\n", "second.csv")])
    assert both.recordings.index.tolist()[:3] == ["A/n", "B/n", "C/n"]


def test_an_empty_field_is_no_vote(write):
    path = write("file,wren,owl,tit\nx,0.9,,0.1\ny,0.1,0.2,0.9\nz,,,\nx,,0.7,\n")
    a = read(path)
    assert "unsure" not in repr(a)
    assert a.votes("x", "machine").to_dict() == {"owl": 1, "tit": 0, "wren": 1}  # from two rows
    assert a.votes("y", "machine").to_dict() == {"owl": 0, "tit": 1, "wren": 0}
    assert a.votes("z", "machine").empty
    assert a.visits()["recording"].tolist() == ["x", "y", "z"]
    other = write("file,wren,robin\nw,0.9,0.1\n", "other.csv")  # knows other species
    both = read([path, other])
    assert both.votes("w", "machine").to_dict() == {"robin": 0, "wren": 1}
    assert both.votes("y", "machine").to_dict() == {"owl": 0, "tit": 1, "wren": 0}


def test_broken_input(write):
    good = "file,wren,owl\nx,0.1,0.2\n"
    with pytest.raises(dc.AnnotationError, match=r"from which score on.*threshold=0\.5"):
        dc.read(write(good), "scores")
    path = write(good + "y,0.9,high\nz,0.9,1e999\n")
    with pytest.raises(dc.AnnotationError, match="row 3, field 'owl': 'high' is not a finite number"):
        read(path)
    with pytest.warns(dc.AnnotationWarning, match="2 bad rows were left out"):
        assert read(path, skip_bad=True).n_votes == 4
    with pytest.raises(dc.AnnotationError, match="no column contains scores"):
        read(write("file,note\nx,fine\n"))
    with pytest.raises(dc.AnnotationError, match="two columns have the name 'wren'"):
        read(write("file,wren,wren\nx,1,0\n"))
    with pytest.warns(dc.AnnotationWarning, match="columns that contain no scores are not used: 'site'"):
        read(write("file,site,wren\nx,north,1\n"))
