"""Columns are checked before rows; the delimiter a spreadsheet is told; standard input; wide tables."""

from __future__ import annotations

import gzip
import io
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dawnchorus as dc
from archives import kerttu_archive

HEADER = "recording,annotator,species,present\n"

# Missing columns


def test_all_missing_columns_are_named_before_a_broken_encoding(write):
    path = write("clip,note,more\nr1,Järvi,x\n".encode("cp1252"))
    with pytest.raises(dc.AnnotationError) as error:
        dc.read(path, absence="checklist")
    assert "there are no columns 'annotator' and 'species'" in error.value.problem
    assert "columns={'annotator': 'NAME', 'species': 'NAME'}" in error.value.remedy
    assert "--column annotator=NAME --column species=NAME" in error.value.at_command_line()
    with pytest.raises(dc.AnnotationError, match="no columns 'recording', 'species' and 'present'"):
        dc.read_truth(write("a,b\nJärvi,x\n".encode("cp1252")))
    with pytest.raises(
        dc.AnnotationError, match="no column 'x' to use as recording and no column 'y' to use"
    ):
        dc.read(path, absence="checklist", columns={"recording": "x", "annotator": "y"})


def test_missing_columns_of_all_tables_are_named_at_once(write):
    with pytest.raises(dc.AnnotationError) as error:
        dc.read(
            write("recording,annotator\nr1,Järvi\n".encode("cp1252"), "reports.csv"),
            absence="scope",
            scope=write("who,what\nJärvi,owl\n".encode("cp1252"), "scope.csv"),
            recordings=write("place\nJärvi\n".encode("cp1252"), "recordings.csv"),
        )
    first, second, third = str(error.value).splitlines()
    assert "reports.csv, row 1: there is no column 'species'" in first
    assert "scope.csv, row 1: there are no columns 'annotator' and 'species'" in second
    assert "recordings.csv, row 1: there is no column 'recording'" in third
    assert len(error.value.at_command_line().splitlines()) == 3


def test_missing_columns_of_an_archive_are_named_at_once(tmp_path):
    folder = kerttu_archive(tmp_path)
    (folder / "clips/clips.tsv").write_text("number\n1\n")
    (folder / "users.tsv").write_bytes("user_id\tname\n1\tJärvi\n".encode("cp1252"))
    with pytest.raises(dc.AnnotationError) as error:
        dc.read(folder, format="kerttu")
    assert "there are no columns 'clip_id' and 'audio_file'" in str(error.value)
    assert "users.tsv, row 1: there is no column 'taxon_expertise'" in str(error.value)


def test_missing_columns_of_frames_are_named_at_once():
    with pytest.raises(dc.AnnotationError, match="no columns 'annotator' and 'species'"):
        dc.Annotations.from_frame(pd.DataFrame({"recording": [1]}), absence="checklist")


# sep=;


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("line", "delimiter"), [("sep=;", ";"), ('"sep=,"', ","), ("SEP=\t", "\t"), ("sep=:", ":")]
)
def test_a_first_line_may_tell_the_delimiter(write, encoding, newline, line, delimiter):
    rows = "recording,annotator,species,present\nr1,Väinö,wren,1\nr1,Aino,,\n"
    told = f"{line}\n{rows.replace(',', delimiter)}".replace("\n", newline)
    plain = dc.read(write(rows, "plain.csv"), absence="checklist")
    assert dc.read(write(told.encode(encoding)), absence="checklist") == plain


@pytest.mark.parametrize(
    ("rows", "row", "problem"),
    [
        ("recording;annotator;species\nr1;;wren\n", 3, "the annotator is blank"),
        ("recording;species\nr1;wren\n", 2, "no column 'annotator'"),
        ("recording;annotator;species\nr1;A;wren\nr1;B\n", 4, "2 fields"),
        ("recording;annotator;species\nr1;A;wren\nr1;B;owl;x\n", 4, "4 fields"),
        ('recording;annotator;species\nr1;A;wren\nr1;"B;owl\n', 4, "is not closed"),
        ("recording;annotator;species\nr1;A;wren\nr1;B;owl;\n", 4, "ends with a delimiter"),
        ("recording;annotator;species\nr1;J\xe4rvi;wren\n", 3, "not UTF-8"),
        ("recording;annotator;species\n", 2, "a header but no row"),
        ("\nrecording;annotator;species\n", 2, "the first row is blank"),
        ("", 1, "the file is empty"),
    ],
)
def test_rows_are_counted_with_that_line(write, rows, row, problem):
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        dc.read(write(("sep=;\n" + rows).encode("latin-1")), absence="checklist")
    assert error.value.row == row


# Standard input


class Piped:
    def __init__(self, content: bytes, terminal: bool = False) -> None:
        self.buffer, self.terminal = io.BytesIO(content), terminal

    def isatty(self) -> bool:
        return self.terminal


def test_standard_input(monkeypatch, tmp_path, table):
    text = table.to_csv(index=False).encode()
    table.to_parquet(tmp_path / "t.parquet")
    wanted = dc.Annotations.from_frame(table, absence="checklist")
    for content in (text, gzip.compress(text), (tmp_path / "t.parquet").read_bytes()):
        monkeypatch.setattr(sys, "stdin", Piped(content))
        annotations = dc.read("-", absence="checklist")
        assert annotations == wanted
        assert annotations.provenance.source == "standard input"
    monkeypatch.setattr(sys, "stdin", Piped(b"recording,species,present\nr1,wren,1\n"))
    assert len(dc.read_truth("-")) == 1


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (Piped(b""), "nothing came from standard input"),
        (Piped(b"x", terminal=True), "nothing is piped"),
        (None, "nothing is piped"),
        (Piped(b"clip,user\n1,2\n"), "standard input, row 1: there is no column 'species'"),
    ],
)
def test_standard_input_that_cannot_be_read(monkeypatch, stdin, message):
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(dc.AnnotationError, match=message):
        dc.read("-", absence="checklist")


def test_standard_input_is_read_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Piped(b"recording,annotator,species\n1,A,wren\n"))
    with pytest.raises(dc.AnnotationError, match="only one table can come from there"):
        dc.read("-", absence="scope", scope="-")


# Wide tables

WIDE = "site;clip;user;wren;robin;Ural owl;dodo\nX;r1;Aino;1;0;;\nY;r2;Onni;0;0;1;\n"


def check(annotations: dc.Annotations) -> None:
    assert annotations.species.index.drop("dodo", errors="ignore").tolist() == ["Ural owl", "robin", "wren"]
    assert annotations.votes("r2", "Onni").to_dict() == {"Ural owl": 1, "robin": 0, "wren": 0}
    assert annotations.n_visits == 2


@pytest.mark.parametrize("first", ["", "sep=;\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_wide_table_is_told_apart(write, first, encoding):
    path = write((first + WIDE).encode(encoding), "my wide.csv")
    with pytest.raises(
        dc.AnnotationError, match="4 columns contain only votes .*this seems to be a wide"
    ) as error:
        dc.read(path, "table", absence="explicit")
    assert "--format wide" in error.value.at_command_line()
    with pytest.warns(dc.AnnotationWarning) as notes:
        wide = dc.read(path)
    assert ["read as wide" in str(note.message) for note in notes] == [True, False]
    assert "not used: 'site'" in str(notes[1].message)
    check(wide)
    assert "dodo" in wide.species.index  # nobody voted on it, but it was asked for


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_wide_frame_is_told_apart_with_code_that_works(kind):
    frame = kind({"clip": ["r1", "r2"], "user": ["Aino", "Onni"], "wren": [1, 0], "robin": [0, 0],
                  "Ural owl": [None, 1]})  # fmt: skip
    with pytest.raises(dc.AnnotationError, match="wide table") as error:
        dc.Annotations.from_frame(frame, absence="explicit")
    names: dict[str, object] = {"frame": frame}
    exec(next(line for line in error.value.remedy.splitlines() if line.startswith("long = ")), names)
    check(dc.Annotations.from_frame(names["long"], absence="explicit"))


def test_other_tables_are_not_called_wide(write):
    for text in ("clip,user,note\n1,A,1\n", "clip,user,present,checked\n1,A,1,0\n", "a,b\n1,0\n1,1\n"):
        with pytest.raises(dc.AnnotationError) as error:
            dc.read(write(text), absence="explicit")
        assert "wide" not in str(error.value)
