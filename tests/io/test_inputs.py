"""Paths that lead to files, and archives that were made to do harm."""

from __future__ import annotations

import gzip
import io
import stat
import zipfile

import pytest

import dawnchorus as dc
from dawnchorus.io.readers import guards
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
    path = make_zip(
        tmp_path / "t.xlsx", ("[Content_Types].xml", "x"), ("xl/worksheets/sheet1.xml", "<c/>" * 5_000_000)
    )
    with pytest.raises(dc.AnnotationError, match="may be made to fill the memory"):
        dc.read(path, absence="checklist")


@pytest.mark.parametrize("quoted", [False, True])
def test_an_endless_field_is_refused(write, monkeypatch, quoted):
    monkeypatch.setattr(guards, "LONGEST_LINE", 1_000_000)
    field = "x" * 3_000_000
    field = f'"{field}"' if quoted else field
    for text in (f"{TABLE}r1,A,{field}\n", f"recording,annotator,{field}\n", field):
        with pytest.raises(dc.AnnotationError, match="a line has more than 1,000,000 bytes|than field"):
            dc.read(write(text), absence="checklist")


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
