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
    a = read(tmp_path / "t.parquet", threshold=0)
    assert a.to_frame().query("present == 1")[["recording", "species"]].to_numpy().tolist() == [
        ["a", "owl"], ["b", "wren"],
    ]  # fmt: skip


def test_windows_follow_from_starts_or_are_told(write):
    path = write("file,offset,wren,owl\nx,0,1,0\nx,5,0,0\nx,10,0,0\n")
    assert read(path).recordings.index.tolist() == ["x 0-5", "x 10-15", "x 5-10"]
    assert read(path, window=15).recordings.index.tolist() == ["x 0-15"]


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
