"""Tables in parts: what is said of them without reading, and the same votes as in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.io.parts import labels as labels_module
from dawnchorus.io.parts.coded import blocks_in, code_dataset
from dawnchorus.io.parts.pieces import load, recording_labels
from dawnchorus.model.design import blocks_of


def spread(frame, parts, folder, suffix, seed=0):
    """Write a table in parts, its rows anywhere, so that recordings are spread over files."""
    rng = np.random.default_rng(seed)
    folder.mkdir(exist_ok=True)
    where = rng.integers(parts, size=len(frame))
    for part in range(parts):
        rows = frame[where == part]
        path = folder / f"part-{part}.{suffix}"
        rows.to_csv(path, index=False) if suffix == "csv" else rows.to_parquet(path, index=False)
    return folder


def long_table(named):
    a = dc.simulate_portal(90, 7, 8, visits=2.2, sites=3, seed=3).annotations
    frame = a.to_frame("scope")
    frame = pd.concat([frame, frame.iloc[::9]], ignore_index=True)  # some rows occur twice
    if named == "numbers":
        frame["recording"] = frame["recording"].str[1:].astype(int) * 8 % 91  # 9 before 10
    if named == "text":
        frame["recording"] = frame["recording"].str[1:].astype(int) * 8 % 91
        frame["recording"] = frame["recording"].map(lambda i: f"Å {i}" if i % 3 else f" a{i} ")
    return a, frame


@pytest.mark.parametrize(("named", "suffix"), [("numbers", "parquet"), ("text", "parquet"), ("as_is", "csv")])
@pytest.mark.parametrize("absence", ["scope", "checklist", "explicit"])
def test_coded_votes_are_those_of_one_table(named, suffix, absence, tmp_path, monkeypatch):
    monkeypatch.setattr(labels_module, "ROWS", 60)
    a, frame = long_table(named)
    side = {}
    if absence == "scope":
        side = {"scope": tmp_path / "scope.csv"}
        a.species_lists().to_csv(side["scope"], index=False)
    folder = spread(frame, 4, tmp_path / "visits", suffix)
    data = dc.open_dataset(folder, absence=absence, **side)
    coded = code_dataset(data, tmp_path / "work")
    whole = data.read()
    assert len(coded.pieces) > 3
    assert coded.labels.annotators.index.equals(whole.annotators.index)
    assert coded.labels.species.index.equals(whole.species.index)
    assert recording_labels(coded.pieces, 0, coded.n_recordings).tolist() == whole.recordings.index.tolist()
    assert coded.total("duplicate_rows") == whole.provenance.duplicate_rows > 0
    assert coded.total("visits") == whole.n_visits
    starts = blocks_of(whole.visits_by_recording.start)
    for block in (1, 2, 3, 7, 10, 50, 10**6):
        monkeypatch.setattr("dawnchorus.model.design.BLOCK", block)
        assert blocks_in(coded, block).tolist() == blocks_of(whole.visits_by_recording.start).tolist()
    assert len(starts) == 2
    n = whole.n_recordings
    for first, last in ((0, n), (0, 1), (5, 50), (n - 3, n)):
        part = load(coded.pieces, first, last, coded.tables)
        visits = np.flatnonzero((whole.visit_recording >= first) & (whole.visit_recording < last))
        assert np.array_equal(part.visit_recording + first, whole.visit_recording[visits])
        assert np.array_equal(part.visit_annotator, whole.visit_annotator[visits])
        assert part.reports.equals(whole.reports.take(visits))
        assert part.unsure.equals(whole.unsure.take(visits))
        mine, theirs = part.scopes.take(part.visit_scope), whole.scopes.take(whole.visit_scope[visits])
        assert mine.equals(theirs)


def test_a_dataset_is_described_without_reading_its_rows(tmp_path, monkeypatch):
    _, frame = long_table("as_is")
    folder = spread(frame, 3, tmp_path / "visits", "parquet")

    def refuse(*_, **__):
        raise AssertionError("rows were read")

    monkeypatch.setattr("dawnchorus.io.readers.parquet_files.ParquetFile.frame", refuse)
    data = dc.open_dataset(str(folder / "part-*.parquet"), absence="checklist")
    assert data.rows == len(frame)
    assert data.columns == ("recording", "annotator", "species", "present")
    words = f"3 partitions, {len(frame)} rows, 0.0 MB; columns recording, annotator, species, present"
    assert words in repr(data)
    text = dc.open_dataset(spread(frame, 2, tmp_path / "text", "csv"), absence="checklist")
    assert text.rows is None
    assert "an unknown number of rows (text)" in repr(text)


def test_what_is_wrong_is_named(tmp_path):
    _, frame = long_table("as_is")
    folder = spread(frame, 3, tmp_path / "visits", "csv")
    with pytest.raises(dc.AnnotationError, match="absence, the meaning of silence, was not given"):
        dc.open_dataset(folder)
    with pytest.raises(dc.AnnotationError, match="no file is named like this"):
        dc.open_dataset(tmp_path / "no*.csv", absence="checklist")
    other = frame.iloc[:3].rename(columns={"species": "taxon"})
    other.to_csv(folder / "part-3.csv", index=False)
    with pytest.raises(dc.AnnotationError, match="part-3.csv, row 1: its columns are recording, annot"):
        dc.open_dataset(folder, absence="checklist")
    bad = frame.iloc[:5].copy()
    bad.loc[bad.index[3], "annotator"] = ""
    bad.to_csv(folder / "part-3.csv", index=False)
    data = dc.open_dataset(folder, absence="checklist")
    with pytest.raises(dc.AnnotationError, match="part-3.csv, row 5: the annotator is blank"):
        code_dataset(data, tmp_path / "work")
    # A contradiction between rows of two files.
    first = frame[frame["present"] == 1].iloc[:1].astype({"present": object})
    first.assign(present=0).to_csv(folder / "part-3.csv", index=False)
    data = dc.open_dataset(folder, absence="explicit")
    with pytest.raises(dc.AnnotationError, match="part-3.csv, row 2: annotator .* both present and absent"):
        code_dataset(data, tmp_path / "work2")
    frame.assign(score=0.5).to_csv(folder / "part-3.csv", index=False)
    for part in range(3):
        (folder / f"part-{part}.csv").unlink()
    with pytest.raises(dc.AnnotationError, match="part-3.csv: the column 'score' has scores of machines"):
        dc.open_dataset(folder, absence="explicit")


def test_spellings_are_told_of_all_parts_together(tmp_path):
    rows = [("r1", "Aino", "Robin"), ("r2", "Aino", "Robin"), ("r3", "aino", "robin"), ("r3", "Onni", "Wren")]
    for place, part in enumerate((rows[:2], rows[2:])):
        frame = pd.DataFrame(part, columns=["recording", "annotator", "species"])
        frame.to_parquet(tmp_path / f"{place}.parquet")
    data = dc.open_dataset(tmp_path, absence="checklist")
    with pytest.warns(dc.AnnotationWarning) as warned:
        code_dataset(data, tmp_path / "work")
    told = "\n".join(str(one.message) for one in warned)
    assert "1 annotator is written in several ways" in told
    assert "'Aino' (2 rows), 'aino' (1 row)" in told
    assert "'Robin' (2 rows), 'robin' (1 row)" in told
    assert "dataset.read(fold_case=True)" in told
