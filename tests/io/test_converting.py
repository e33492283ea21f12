"""Every format becomes a plain table, and the same annotations come back from it."""

from __future__ import annotations

import json
import shlex
import warnings

import pandas as pd
import pytest

import dawnchorus as dc
from examples import EXAMPLES, annotation, task


def convert(path, out, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dc.AnnotationWarning)
        return dc.convert(path, out, **options)


def again(contents):
    files = contents["files"]
    sides = {name: path for name, path in files.items() if name not in ("annotations", "truth")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dc.AnnotationWarning)
        return dc.read(files["annotations"], "table", absence=contents["absence"], **sides)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_there_and_back(name, tmp_path, ending):
    example = EXAMPLES[name]
    path = example.make(tmp_path)
    options = {"format": example.reader(name), "absence": example.absence, **example.options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dc.AnnotationWarning)
        wanted = dc.read(path, **options)
    contents = convert(path, tmp_path / f"plain.{ending}", **options)
    found = again(contents)
    assert found.to_frame().astype(str).equals(wanted.to_frame().astype(str))
    for table in ("recordings", "annotators", "species"):
        assert getattr(found, table).index.equals(getattr(wanted, table).index)
        assert list(getattr(found, table)) == list(getattr(wanted, table))
    assert found.lists.take(found.annotator_list).equals(wanted.lists.take(wanted.annotator_list))
    assert shlex.split(contents["command"])[:2] == ["dawnchorus", "fit"]


def test_scopes_of_visits_have_names(write, tmp_path):
    path = write(
        "observation_id,user_login,taxon_name,taxon_rank\n1,a,Owl,species\n1,b,Wren,species\n2,a,Owl,species\n"
    )
    contents = convert(path, tmp_path / "plain.csv", format="inaturalist")
    assert contents["absence"] == "scope"
    assert pd.read_csv(tmp_path / "plain.scope.csv").columns.tolist() == ["scope", "species"]
    assert again(contents) == dc.read(path, "inaturalist")


def test_scores_and_truth_are_kept(write, tmp_path):
    path = write("file,wren,owl\nx,0.9,0.1\ny,0.2,0.7\n")
    convert(path, tmp_path / "plain.csv", format="scores", threshold=0.5)
    assert pd.read_csv(tmp_path / "plain.csv")["score"].tolist() == [0.9, 0.7]
    again = convert(tmp_path / "plain.csv", tmp_path / "more.csv", format="table", absence="checklist")
    assert pd.read_csv(again["files"]["annotations"])["score"].tolist() == [0.9, 0.7]
    tasks = [task(1, annotation(1, "Wren"), annotation(2, "Owl", ground_truth=True))]
    contents = convert(write(json.dumps(tasks), "ls.json"), tmp_path / "ls.parquet")
    assert dc.read_truth(contents["files"]["truth"]).to_numpy().tolist() == [
        ["1", "Owl", 1],
        ["1", "Wren", 0],
    ]


def test_formulas_are_harmless_in_csv(write, tmp_path):
    tasks = [task("=1+1", annotation("@SUM(A1)", "=HYPERLINK(0)", "-2+3"))]
    path = write(json.dumps(tasks), "ls.json")
    contents = convert(path, tmp_path / "plain.csv", format="labelstudio")
    lines = (tmp_path / "plain.csv").read_text().splitlines()[1:]
    assert all(field.startswith("'") for line in lines for field in line.split(",")[:3])
    assert again(contents) == dc.read(path, "labelstudio")
    convert(path, tmp_path / "exact.csv", format="labelstudio", exact_labels=True)
    assert "'" not in (tmp_path / "exact.csv").read_text()


def test_places_that_cannot_be_written(write, tmp_path):
    path = write("clip,user,wren,owl\n1,A,1,0\n")
    with pytest.raises(dc.OutputError, match=r"does not end in \.parquet or \.csv"):
        convert(path, tmp_path / "plain.txt", format="wide")
    with pytest.raises(dc.OutputError, match="exists"):
        convert(path, path, format="wide")
    out = tmp_path / "plain.csv"
    convert(path, out, format="wide")
    with pytest.raises(dc.OutputError, match="exists"):
        convert(path, out, format="wide")
    assert convert(path, out, format="wide", overwrite=True)["files"]["annotations"] == str(out)
