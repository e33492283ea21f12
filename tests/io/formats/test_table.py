"""What only plain tables have."""

from __future__ import annotations

import gzip
from functools import partial

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dawnchorus as dc

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
    with pytest.warns(dc.AnnotationWarning, match=r"t\.parquet: columns not read: 'note'$"):
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


# Several files, workbooks, scopes by visit, bad rows


def test_several_tables_keep_their_rows_in_messages(write):
    first = write("recording,annotator,species,present\nr1,A,wren,1\n", "1.csv")
    second = write("clip;user;taxon;vote\nr2;A;wren;0\nr2;;owl;1\n", "2.csv")
    with pytest.raises(dc.AnnotationError, match=r"2\.csv, row 3: the annotator is blank"):
        dc.read([first, second], absence="explicit")
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        a = dc.read([first, second], absence="explicit", skip_bad=True)
    assert a.n_visits == 2
    assert "owl" not in a.species.index
    with pytest.raises(dc.AnnotationError, match=r"2\.csv, row 1: its columns are .*the same columns"):
        dc.read([first, write("recording,annotator,species\nr1,A,wren\n", "2.csv")], absence="explicit")


def test_bad_rows_of_every_kind_are_left_out_and_counted(write):
    rows = ["r1,A,wren,1", "r1,A,owl,maybe", "r1,,owl,1", "r2,A", "r2,A,wren,1,9", 'r2,"A\nB",wren,1',
            f"r2,{'x' * 1001},wren,1", "r3,A,,1", "r1,A,wren,0", "r4,A,,"]  # fmt: skip
    path = write("recording,annotator,species,present\n" + "\n".join(rows) + "\n")
    with pytest.warns(dc.AnnotationWarning, match=r"9 bad rows were left out.*the first: .*row 5") as notes:
        a = dc.read(path, absence="checklist", skip_bad=True)
    assert len(notes) == 1
    assert (a.n_visits, a.n_species, a.recordings.index.tolist()) == (1, 0, ["r4"])


@pytest.mark.parametrize("votes", [(1, 0), (0, 1), (1, 0, 1), (0, "", 0)])
def test_contradicting_rows_are_all_left_out(write, votes):
    rows = "".join(f"r1,A,wren,{vote}\n" for vote in votes) + "r1,A,owl,1\nr1,B,wren,1\nr1,B,wren,1\n"
    path = write(f"recording,annotator,species,present\n{rows}")
    with pytest.warns(dc.AnnotationWarning, match=f"{len(votes)} bad rows were left out.*row 3: .* both"):
        a = dc.read(path, absence="explicit", skip_bad=True)
    assert (a.votes("r1", "A").to_dict(), a.votes("r1", "B").to_dict()) == ({"owl": 1}, {"wren": 1})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "r1,A\nr2,A\n",
            "all 2 rows are bad; the first: row 2: the row has 2 fields, .*write all",
        ),
        ("r1,A,owl,WAHR\nr1,B,owl,FALSCH\n", "all 2 rows are bad; the first: row 2: 'present' is 'WAHR'"),
        ("r1,A,owl,maybe\n", "the only row is bad: row 2: 'present' is 'maybe'. Remedy: write 1, true"),
        ("r1,A\nr1,,owl,1\n", "all 2 rows are bad; the first: row 2: the row has 2 fields"),
        ("r1,A,owl,1\nr1,A,owl,0\n", "all 2 rows are bad; the first: row 3: annotator 'A' calls"),
    ],
)
def test_where_every_row_is_bad_the_first_is_told(write, rows, message):
    path = write(f"recording,annotator,species,present\n{rows}")
    for read in (partial(dc.read, absence="checklist", skip_bad=True), dc.look):
        with pytest.raises(dc.AnnotationError, match=rf"table\.csv: {message}"):
            read(path)


# Columns that are not read


def test_columns_that_are_not_read_are_told(write):
    rows = "r1,A,wren,yes,a\nr1,B,wren,no,\nr2,B,owl,,b\n"
    path = write(f"recording,annotator,species,heard,comment\n{rows}")
    told = r"columns not read: 'heard', 'comment'; perhaps columns=\{'present': 'heard'\}$"
    with pytest.warns(dc.AnnotationWarning, match=r"table\.csv: " + told):
        dc.read(path, absence="checklist")
    with pytest.warns(dc.AnnotationWarning, match="the table: " + told):
        dc.Annotations.from_frame(pd.read_csv(path, dtype=str), absence="checklist")
    with pytest.warns(dc.AnnotationWarning, match="columns not read: 'comment'$"):
        assert dc.read(path, absence="checklist", columns={"present": "heard"}).n_reports == 1
    assert [note.partition(": ")[2] for note in dc.look(path).notes] == [
        "columns not read: 'heard', 'comment'; perhaps columns={'present': 'heard'}"
    ]
    with pytest.warns(dc.AnnotationWarning, match="columns not read: 'heard', 'comment'"):
        dc.open_dataset(path, absence="checklist")


def test_numbers_of_rows_and_named_scopes_are_no_strangers(write):
    path = write(",Unnamed: 1,recording,annotator,species,scope\n0,0,r1,A,wren,all\n")
    assert not dc.look(path).notes  # the scope is read with absence="scope"
    with pytest.warns(dc.AnnotationWarning, match="columns not read: 'scope'$"):
        dc.read(path, absence="checklist")


def workbook(path, **sheets):
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


VOTES = [("clip", "user", "taxon", "present"), (7, "Aino", "wren", 1), (8, "Aino", None, None)]


def test_workbooks(tmp_path):
    path = workbook(tmp_path / "t.xlsx", votes=VOTES)
    a = dc.read(path, absence="checklist")
    assert (a.recordings.index.tolist(), a.n_visits, a.n_reports) == (["7", "8"], 2, 1)
    several = workbook(tmp_path / "s.xlsx", notes=[("x",)], votes=VOTES)
    assert dc.read(several, absence="checklist", sheet="votes") == a
    with pytest.raises(dc.AnnotationError, match="2 sheets: 'notes', 'votes'.*sheet='notes'"):
        dc.read(several, absence="checklist")
    with pytest.raises(dc.AnnotationError, match="no sheet 'x'; the sheets are"):
        dc.read(several, absence="checklist", sheet="x")
    with pytest.raises(dc.AnnotationError, match="not an Excel workbook"):
        dc.read(_csv(tmp_path), absence="checklist", sheet="x")
    wrong = workbook(tmp_path / "w.xlsx", votes=[*VOTES, (9, None, "owl", 1)])
    with pytest.raises(dc.AnnotationError, match=r"w\.xlsx, row 4: the annotator is blank"):
        dc.read(wrong, absence="checklist")
    wide = workbook(
        tmp_path / "wide.xlsx", votes=[("clip", "user", "wren", "owl"), (7, "A", 1, None), (8, "A", 0, 1)]
    )
    assert dc.read(wide, "wide").n_votes == 3
    whole = path.read_bytes()
    for cut in range(0, len(whole), 211):
        path.write_bytes(whole[:cut])
        with pytest.raises(dc.AnnotationError):
            dc.read(path, absence="checklist")


def _csv(folder):
    (folder / "t.csv").write_text("recording,annotator,species\nr,A,wren\n")
    return folder / "t.csv"


def test_workbooks_without_openpyxl_say_what_to_install(tmp_path, monkeypatch):
    path = workbook(tmp_path / "t.xlsx", votes=VOTES)
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(dc.AnnotationError, match=r"pip install 'dawnchorus\[excel\]'"):
        dc.read(path, absence="checklist")


def test_scopes_by_visit(write):
    lists = write("scope,species\nall,wren\nall,owl\nsome,wren\n", "lists.csv")
    rows = "recording,annotator,species,scope\nr1,A,wren,all\nr2,A,,some\nr3,A,owl,\nr4,A,owl,some\n"
    with pytest.warns(dc.AnnotationWarning, match="1 report is of a species outside the scope"):
        a = dc.read(write(rows), absence="scope", scope=lists)
    assert [a.votes(r, "A").to_dict() for r in ("r1", "r2", "r3", "r4")] == [
        {"owl": 0, "wren": 1}, {"wren": 0}, {"owl": 1}, {"owl": 1, "wren": 0},
    ]  # fmt: skip
    for bad, message in (
        ("r1,A,wren,all\nr1,A,owl,some\n", "field 'scope': the rows of one visit have different"),
        ("r1,A,wren,none of these\n", "is not in the scope table"),
    ):
        with pytest.raises(dc.AnnotationError, match=message):
            dc.read(write(rows.splitlines()[0] + "\n" + bad), absence="scope", scope=lists)
    with pytest.raises(dc.AnnotationError, match="no column 'scope'"):
        dc.read(write("recording,annotator,species\nr1,A,wren\n"), absence="scope", scope=lists)


def test_a_workbook_is_opened_twice_at_most(tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    opened, load = [], openpyxl.load_workbook
    monkeypatch.setattr(openpyxl, "load_workbook", lambda *a, **b: opened.append(1) or load(*a, **b))
    path = workbook(tmp_path / "t.xlsx", votes=VOTES)
    assert dc.read(path, "table", absence="checklist").n_reports > 0
    assert len(opened) <= 2  # to see what is in it, and to read it: each time, all its texts are read
