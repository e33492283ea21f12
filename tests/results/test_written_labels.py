"""CSV files of a result: no formulas for spreadsheets, no column of the user's lost, labels restored."""

from __future__ import annotations

import csv
import json

import pandas as pd
import pytest

import dawnchorus as dc

pytestmark = pytest.mark.filterwarnings("ignore:.*nearly the name of another")
FORMULAS = ["=1+1", "+owl", "-owl", "@owl", "'=1+1", "''-owl", "'owl", "owl"]


def evil(**tables) -> dc.Annotations:
    """Return annotations in which every name, and metadata and its column, would be a formula."""
    rows = [(f"{name} r", f"{name} a", name) for name in FORMULAS]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species"])
    return dc.Annotations.from_frame(frame, absence="checklist", **tables)


def cells(path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [cell for row in csv.reader(file) for cell in row]


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.fixture(scope="module")
def result():
    notes = pd.DataFrame(
        {"recording": [f"{name} r" for name in FORMULAS], "=note": ["\t=1", "\r=2", "-3", "4"] * 2}
    )
    return dc.fit(evil(recordings=notes), "base", draws=20, warmup=20, min_ess=None)


def test_no_csv_has_a_formula(result, tmp_path):
    dc.write_result(result, tmp_path / "fit")
    files = list((tmp_path / "fit").glob("*.csv"))
    assert len(files) == 4
    for file in files:
        assert not [
            c for c in cells(file) if c.startswith(("=", "+", "-", "@", "\t", "\r")) and not is_number(c)
        ]
        assert "'=1+1" in " ".join(cells(file))


def test_reading_restores_the_labels(result, tmp_path):
    for exact in (False, True):
        folder = tmp_path / str(exact)
        dc.write_result(result, folder, exact_labels=exact)
        saved = dc.read_result(folder)
        assert saved.species == result.annotations.species.index.tolist()
        assert saved.recordings == result.annotations.recordings.index.tolist()
        wanted = result.presence()
        pd.testing.assert_frame_equal(
            saved.presence[["recording", "species"]], wanted[["recording", "species"]], check_dtype=False
        )
        assert dc.Posterior.load(folder).annotations == result.annotations
        assert ("=1+1" in cells(folder / "species.csv")) == exact
        assert json.loads((folder / "fit.json").read_text())["presence"]["exact_labels"] == exact


def test_our_tables_are_read_back_as_tables(result, tmp_path):
    dc.write_result(result, tmp_path / "fit")
    again = evil(recordings=None)
    frame = again.to_frame("checklist")
    path = tmp_path / "annotations.csv"
    dc.io.writers.csv_tables.write_table(frame, path)
    read = dc.read(
        path,
        absence="checklist",
        recordings=tmp_path / "fit/recordings.csv",
        species=tmp_path / "fit/species.csv",
    )
    assert set(read.species.index) == set(FORMULAS)
    assert read.recordings.loc["=1+1 r", "=note"] == "\t=1"
    truth = frame.assign(present=1)[["recording", "species", "present"]]
    dc.io.writers.csv_tables.write_table(truth, tmp_path / "truth.csv")
    assert dc.evaluate(result, dc.read_truth(tmp_path / "truth.csv"), bootstrap=0).cells == len(FORMULAS)


def test_parquet_is_exact(tmp_path):
    frame = evil().to_frame("checklist")
    frame.to_parquet(tmp_path / "t.parquet")
    assert set(dc.read(tmp_path / "t.parquet", absence="checklist").species.index) == set(FORMULAS)
    assert set(dc.Annotations.from_frame(frame, absence="checklist").species.index) == set(FORMULAS)


TAKEN = {
    "recordings": ("recording", ["visits", "reports"]),
    "annotators": ("annotator", ["recordings", "reports"]),
    "species": ("species", ["reports", "occurrence"]),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_column_with_a_name_of_ours_is_kept_under_another(name, table, tmp_path):
    word, taken = TAKEN[name]
    labels = {"recordings": ["r1", "r2", "r3"], "annotators": ["Aino", "Onni"], "species": ["wren", "owl"]}[
        name
    ]
    given = pd.DataFrame({word: labels, taken[0]: "mine", taken[1]: 7, f"{taken[1]}_given": 8, "site": "X"})
    annotations = dc.Annotations.from_frame(table, absence="checklist", **{name: given})
    result = dc.fit(annotations, "majority-vote")
    with pytest.warns(dc.AnnotationWarning, match=rf"{name}\.csv has columns of its own") as warned:
        dc.write_result(result, tmp_path / "fit")
    assert f"your '{taken[0]}' is '{taken[0]}_given' there" in str(warned[0].message)
    assert warned[0].filename == __file__
    written = pd.read_csv(tmp_path / f"fit/{name}.csv")
    assert written.columns.is_unique
    assert written[f"{taken[0]}_given"][0] == "mine"
    assert written[f"{taken[1]}_given_given"][0] == 7
    assert written[f"{taken[1]}_given"][0] == 8
    assert written["site"][0] == "X"
    assert written[taken[0]].tolist() == result.tables()[name][taken[0]].tolist()


def test_whole_numbers_of_the_user_stay_whole_where_some_are_missing(tmp_path):
    notes = pd.DataFrame({"recording": ["a", "b"], "night": [5, 7], "depth": [0.5, 2], "id": [2**60, 1]})
    votes = pd.DataFrame([("a", "A", "owl"), ("b", "B", "owl"), ("c", "C", "owl")],
                         columns=["recording", "annotator", "species"])  # fmt: skip
    annotations = dc.Annotations.from_frame(votes, "checklist", recordings=notes)
    dc.write_result(dc.fit(annotations, "majority-vote"), tmp_path / "fit")
    with (tmp_path / "fit" / "recordings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["night"] for row in rows] == ["5", "7", ""]
    assert [row["depth"] for row in rows] == ["0.5", "2.0", ""]
