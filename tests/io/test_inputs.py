"""Paths that lead to files, and archives that were made to do harm."""

from __future__ import annotations

import gzip
import io
import stat
import subprocess
import sys
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dawnchorus as dc
from dawnchorus.io.readers import excel_files, guards
from dawnchorus.io.readers.inputs import input_files

TABLE = "recording,annotator,species\nr1,A,wren\n"


def make_zip(path, *members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def link(name):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def test_a_frame_is_no_path_and_the_message_says_where_it_goes():
    with pytest.raises(TypeError, match=r"got DataFrame; for a frame, use dc\.Annotations\.from_frame"):
        dc.read(pd.DataFrame({"recording": ["a.csv"]}), absence="checklist")


def test_files_come_in_order_without_hidden_ones(tmp_path):
    for name in ("b.csv", "a/c.csv", ".hidden", "__MACOSX/x", "a/.x"):
        path = tmp_path / "d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    wanted = ["a/c.csv", "b.csv"]
    assert [file.inside for file in input_files(tmp_path / "d").files] == wanted
    members = [(name, "x") for name in ("b.csv", "a/", "a/c.csv", ".hidden", "__MACOSX/x")]
    archive = make_zip(tmp_path / "d.zip", *members)
    assert [file.inside for file in input_files(archive).files] == wanted
    assert len(input_files(str(tmp_path / "**/*.csv")).files) == 2
    for nothing in (tmp_path / "*.none", tmp_path / "none"):
        with pytest.raises(dc.AnnotationError, match="cannot be opened"):
            input_files(str(nothing))
    with pytest.raises(dc.AnnotationError, match="no file is named"):
        input_files([])
    with pytest.raises(TypeError, match="expected a path, got int"):
        input_files([1])


@pytest.mark.parametrize(
    "name", ["../evil.csv", "a/../../evil.csv", "/etc/evil.csv", "..\\evil.csv", "C:/evil.csv"]
)
def test_names_that_lead_out_of_an_archive_are_refused(tmp_path, name):
    path = make_zip(tmp_path / "a.zip", ("t.csv", TABLE), (name, TABLE))
    with pytest.raises(dc.AnnotationError, match="would lie outside"):
        dc.read(path, absence="checklist")


def test_links_in_archives_are_refused(tmp_path):
    path = make_zip(tmp_path / "a.zip", (link("t.csv"), "/etc/passwd"))
    with pytest.raises(dc.AnnotationError, match=r"contains a link, 't\.csv'"):
        dc.read(path, absence="checklist")


def bomb(size: int) -> bytes:
    """A gzip file of a line of as many commas, and blank lines, as it unpacks to."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as file:
        file.write(TABLE.encode())
        for _ in range(size // 100_000):
            file.write(b"r1,A,wren\n" * 10_000)
    return packed.getvalue()


def test_bombs_are_refused_before_they_fill_the_memory(tmp_path, monkeypatch, write):
    monkeypatch.setattr(guards, "HARMLESS", 1_000_000)
    monkeypatch.setattr(guards, "LARGEST_RATIO", 50)
    packed = write(bomb(20_000_000), "bomb.csv.gz")
    archive = make_zip(tmp_path / "bomb.zip", ("bomb.csv", "x\n" * 5_000_000))
    inner = make_zip(tmp_path / "inner.zip", ("bomb.csv.gz", packed.read_bytes()))
    for path in (packed, archive, inner):
        with pytest.raises(dc.AnnotationError, match="may be made to fill the memory"):
            dc.read(path, absence="checklist")


def test_an_archive_that_lies_about_its_size_is_found_out(tmp_path, monkeypatch):
    monkeypatch.setattr(guards, "HARMLESS", 1_000_000)
    monkeypatch.setattr(guards, "LARGEST_RATIO", 50)
    path = make_zip(tmp_path / "bomb.zip", ("bomb.csv", TABLE + "r1,A,wren\n" * 1_000_000))
    content = path.read_bytes()
    size = (len(TABLE) + 10_000_000).to_bytes(4, "little")
    assert content.count(size) == 2
    path.write_bytes(content.replace(size, (100).to_bytes(4, "little")))
    with pytest.raises(dc.AnnotationError):
        dc.read(path, absence="checklist")


def test_workbooks_may_be_bombs_too(tmp_path, monkeypatch):
    monkeypatch.setattr(guards, "HARMLESS", 1_000_000)
    folder = tmp_path / "folder"
    folder.mkdir()
    path = make_zip(
        folder / "t.xlsx", ("[Content_Types].xml", "x"), ("xl/worksheets/sheet1.xml", "<c/>" * 5_000_000)
    )
    inner = make_zip(tmp_path / "inner.zip", ("t.xlsx", path.read_bytes()))
    for each in (path, folder, inner):
        with pytest.raises(dc.AnnotationError, match="may be made to fill the memory"):
            dc.read(each, "table", absence="checklist")


def test_gzip_bombs_are_refused_before_they_are_read(write, monkeypatch):
    monkeypatch.setattr(guards, "HARMLESS", 1_000_000)
    monkeypatch.setattr(guards, "LARGEST_RATIO", 50)
    path = write(bomb(20_000_000), "bomb.csv.gz")
    with pytest.raises(dc.AnnotationError, match="may be made to fill the memory"):
        input_files(path)


def test_parquet_may_have_too_many_rows_for_its_size(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    table = pd.DataFrame({"recording": ["r1"], "annotator": ["A"], "species": ["wren"]})
    pd.concat([table] * 50_000).to_parquet(path, index=False)
    assert dc.read(path, absence="checklist").n_reports == 1
    monkeypatch.setattr(guards, "HARMLESS_ROWS", 1_000)
    monkeypatch.setattr(guards, "MOST_ROWS_A_BYTE", 1)
    with pytest.raises(dc.AnnotationError, match=r"it has 50,000 rows in [\d,]+ bytes"):
        dc.read(path, absence="checklist")


def test_long_texts_that_parquet_has_once_take_memory_once(tmp_path):
    path = tmp_path / "t.parquet"
    species = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000), pa.array(["wren" * 10_000]))
    columns = {
        "recording": pa.array(range(100_000)),
        "annotator": pa.array(["A"] * 100_000),
        "species": species,
    }
    pq.write_table(pa.table(columns), path, store_schema=False)
    assert path.stat().st_size < 1_000_000
    told = within(2 << 30, f"dc.read({str(path)!r}, absence='checklist')")
    assert "the species has 40,000 characters" in told


def within(memory: int, code: str) -> str:
    """What Python says of running this with so many bytes of memory."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))"
    whole = f"{limit}; import dawnchorus as dc; {code}"
    return subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True).stderr[-500:]


def test_what_a_workbook_says_of_its_size_takes_no_memory(tmp_path):
    path, made = tmp_path / "t.xlsx", tmp_path / "made.xlsx"
    pd.DataFrame({"recording": ["r1"], "annotator": ["A"], "species": ["wren"]}).to_excel(made, index=False)
    with zipfile.ZipFile(made) as parts, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in parts.namelist():
            content = parts.read(name).replace(b'ref="A1:C2"', b'ref="A1:XFD1048576"')
            archive.writestr(name, content.replace(b"</sheetData>", b'<row r="50000"/></sheetData>'))
    assert b"XFD1048576" in zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml")
    assert within(2 << 30, f"dc.read({str(path)!r}, absence='checklist')") == ""


def test_blank_cells_of_a_workbook_are_limited(tmp_path, monkeypatch):
    path = tmp_path / "t.xlsx"
    header = ("recording", "annotator", "species", *[None] * 97)
    rows = [header, *[("r1", "A", *[None] * 97, "x")] * 200]
    pd.DataFrame(rows).to_excel(path, index=False, header=False)
    assert dc.read(path, absence="checklist").n_visits == 1
    for limit, value in (("MOST_CELLS", 10_000), ("MOST_ROWS", 100)):
        with monkeypatch.context() as patch:
            patch.setattr(excel_files, limit, value)
            with pytest.raises(dc.AnnotationError, match=r"row 10\d: the sheet 'Sheet1' has over"):
                dc.read(path, absence="checklist")


def test_archives_in_folders_are_read_as_if_they_were_unpacked_there(tmp_path):
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    make_zip(folder / "a" / "t.zip", ("x.csv", TABLE), ("y/z.csv", TABLE.replace("r1", "r2")))
    assert [file.inside for file in input_files(folder).files] == ["a/t/x.csv", "a/t/y/z.csv"]
    assert dc.read(folder, absence="checklist").n_recordings == 2


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_tables_in_archives_that_are_read_in_any_order(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    table = pd.DataFrame({"recording": ["r1"], "annotator": ["A"], "species": ["wren"]})
    table.to_parquet(path) if ending == "parquet" else table.to_excel(path, index=False)
    packed = tmp_path / f"packed.{ending}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for each in (packed, make_zip(tmp_path / "t.zip", (path.name, path.read_bytes()))):
        assert dc.read(each, absence="checklist").n_reports == 1


@pytest.mark.parametrize("quoted", [False, True])
def test_an_endless_field_is_refused(write, monkeypatch, quoted):
    monkeypatch.setattr(guards, "LONGEST_LINE", 1_000_000)
    field = "x" * 3_000_000
    field = f'"{field}"' if quoted else field
    for text in (f"{TABLE}r1,A,{field}\n", f"recording,annotator,{field}\n", field):
        with pytest.raises(
            dc.AnnotationError, match="a line has more than 1,000,000 bytes|a field has more than"
        ):
            dc.read(write(text), absence="checklist")


def test_an_endless_field_with_line_breaks_is_refused(write, monkeypatch):
    monkeypatch.setattr(guards, "LONGEST_LINE", 100_000)
    monkeypatch.setattr(guards, "LONGEST_FIELD", 200_000)
    rows = "r1,A,wren\n" * 20_000
    assert dc.read(write(TABLE + rows), absence="checklist").n_reports == 1
    field = "x\n" * 150_000
    with pytest.raises(dc.AnnotationError, match="row 3: a field has more than 200,000 characters"):
        dc.read(write(f'{TABLE}r1,A,"{field}"\n'), absence="checklist")


@pytest.mark.slow
def test_a_field_of_a_gigabyte_is_refused_within_little_memory(tmp_path):
    import resource

    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.write(TABLE.encode() + b"r1,A,")
        for _ in range(1000):
            file.write(b"x" * 1_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(dc.AnnotationError, match="a line has more than"):
        dc.read(path, absence="checklist")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


def test_an_archive_in_an_archive_is_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as inner:
        inner.writestr("a.csv", "recording,annotator,species\n1,A,wren\n")
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as outer:
        outer.write(tmp_path / "inner.zip", "inner.zip")
    with pytest.raises(dc.AnnotationError, match="inner.zip: this is a zip archive inside another archive"):
        dc.read(tmp_path / "outer.zip", absence="checklist")
