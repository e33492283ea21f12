"""One contract for every reader, and what only plain tables have."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dawnchorus as dc
from archives import kerttu_archive


def example_table(folder: Path) -> Path:
    table = pd.DataFrame({"recording": ["1", "1"], "annotator": ["A", "B"], "species": ["wren", None]})
    table.to_csv(folder / "example.csv", index=False)
    return folder / "example.csv"


def example_kerttu(folder: Path) -> Path:
    return kerttu_archive(folder)


EXAMPLES = {"table": (example_table, "checklist"), "kerttu": (example_kerttu, None)}


@pytest.mark.parametrize("name", dc.READERS)
class TestEveryReader:
    def test_reads_what_it_should(self, name, tmp_path):
        make, absence = EXAMPLES[name]
        path = make(tmp_path)
        annotations = dc.read(path, format=name, absence=absence)
        assert isinstance(annotations, dc.Annotations)
        assert annotations.n_reports == 1
        assert str(path) in annotations.provenance.source
        assert annotations == dc.read(str(path), format=name, absence=absence)

    def test_refuses_what_it_cannot_read(self, name, tmp_path):
        (tmp_path / "noise").write_bytes(bytes(range(200)))
        for path in (tmp_path / "noise", tmp_path / "nothing", tmp_path):
            with pytest.raises(dc.AnnotationError, match="Remedy"):
                dc.read(path, format=name, absence=None)

    def test_can_drop_species_nobody_reported(self, name, tmp_path):
        make, absence = EXAMPLES[name]
        annotations = dc.read(make(tmp_path), format=name, absence=absence, drop_unreported=True)
        assert len(np.unique(annotations.reports.item)) == annotations.n_species

    def test_takes_the_options_about_labels(self, name, tmp_path):
        make, absence = EXAMPLES[name]
        path = make(tmp_path)
        plain = dc.read(path, format=name, absence=absence)
        options = dc.read(path, format=name, absence=absence, fold_case=True, keep_na=True)
        assert options == plain
        assert options.provenance.fold_case
        assert options.provenance.keep_na

    def test_describes_itself_in_one_line(self, name):
        first = (dc.READERS[name].__doc__ or "").splitlines()[0]
        assert 20 < len(first) < 110


ROWS = "r1,Väinö,wren,1\nr1,Aino,,\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_delimiter_encoding_and_newline_are_detected(write, encoding, delimiter, newline):
    text = ("recording,annotator,species,present\n" + ROWS).replace(",", delimiter).replace("\n", newline)
    a = dc.read(write(text.encode(encoding)), absence="checklist")
    assert a.annotators.index.tolist() == ["Aino", "Väinö"]
    assert a.n_visits == 2


def test_gzip(write):
    text = "recording,annotator,species,present\n" + ROWS
    assert dc.read(write(gzip.compress(text.encode()), "t.csv.gz"), absence="checklist").n_visits == 2


def test_text_stays_what_it_is(write):
    path = write('clip,user,taxon\n007,"Smith, J.",NA\n7,1e5,"say ""hi"""\n')
    a = dc.read(path, absence="checklist", keep_na=True)
    assert a.recordings.index.tolist() == ["007", "7"]
    assert a.annotators.index.tolist() == ["1e5", "Smith, J."]
    assert a.species.index.tolist() == ["NA", 'say "hi"']


def test_parquet(tmp_path, table):
    wanted = dc.Annotations.from_frame(table, absence="checklist")
    arrow = pa.Table.from_pandas(table.assign(note="not needed"), preserve_index=False)
    pq.write_table(arrow, tmp_path / "t.parquet", row_group_size=2)
    assert dc.read(tmp_path / "t.parquet", absence="checklist") == wanted
    numbers = pd.DataFrame({"recording": [3, 12], "annotator": [1, 2], "species": ["a", None]})
    numbers.to_parquet(tmp_path / "n.parquet")
    assert dc.read(tmp_path / "n.parquet", absence="checklist").recordings.index.tolist() == ["3", "12"]


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, table, monkeypatch):
    table.to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(dc.AnnotationError, match=r"pip install 'dawnchorus\[parquet\]'"):
        dc.read(tmp_path / "t.parquet", absence="checklist")


def test_optional_tables(write):
    a = dc.read(
        write("recording,annotator,species\nr1,A,wren\n"),
        absence="scope",
        scope=write("annotator,species\nA,wren\nA,owl\nB,owl\n", "scope.csv"),
        recordings=write("recording,site,hour\nr2,X,5\nr1,Y,\n", "recordings.csv"),
        annotators=write("annotator;level\nA;3\n", "annotators.csv"),
        species=write("species\tname\nowl\tUral Owl\nwren\t\n\n", "species.tsv"),
    )
    assert a.recordings.to_dict("list")["site"] == ["X", "Y"]
    assert a.recordings["hour"].tolist()[0] == 5
    assert a.annotators["level"].tolist()[0] == 3
    assert a.species["name"].tolist()[0] == "Ural Owl"
    assert a.votes("r1", "A").to_dict() == {"owl": 0, "wren": 1}
