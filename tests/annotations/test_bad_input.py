"""Each kind of bad input gets a message with the file, the row as a spreadsheet counts, and a remedy."""

from __future__ import annotations

import gzip
import os

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dawnchorus as dc

HEADER = "recording,annotator,species,present\n"

BAD_TABLES = {
    "missing column": ("recording,species\nr1,wren\n", 1, "no column 'annotator'", "rename a column"),
    "empty file": ("", 1, "the file is empty", "written completely"),
    "only blanks": (" \n\n", 1, "the file is empty", "written completely"),
    "blank header": ("\n" + HEADER, 1, "the first row is blank", "column names"),
    "header only": (HEADER, 1, "a header but no row", "complete"),
    "all rows blank": (HEADER + ",,,\n\n", 2, "all rows are blank", "complete"),
    "unknown value": (HEADER + "r1,A,owl,1\n\nr1,B,owl,maybe\n", 4, "'present' is 'maybe'", "leave it"),
    "NA for unsure": (HEADER + "r1,A,wren,NA\n", 2, "'present' is 'NA'", "leave it empty"),
    "both present and absent": (
        HEADER + "r1,A,wren,1\nr1,B,wren,1\nr1,A,wren,0\n",
        4,
        "'A' calls species 'wren' in recording 'r1' both present and absent (see row 2)",
        "delete the other",
    ),
    "both present and unsure": (HEADER + "r1,A,wren,1\nr1,A,wren,\n", 3, "present and unsure", "delete"),
    "blank recording": (HEADER + "r1,A,wren,1\n ,A,wren,1\n", 3, "the recording is blank", "fill in"),
    "blank annotator": (HEADER + "r1,A,wren,1\nr1,,wren,1\n", 3, "the annotator is blank", "fill in"),
    "short row": (HEADER + "r1,A,wren,1\nr2,A\n", 3, "2 fields, but the header has 4", "be incomplete"),
    "long later row": (HEADER + "r1,A,a,1,\nr2,A,a,1,\nr3,A,a,1,9\n", 4, "5 fields", "quotes"),
    "one delimiter too many": (HEADER + "r1,A,a,1\nr2,A,a,1,\n", 3, "ends with a delimiter", "remove it"),
    "same column twice": (HEADER[:-1] + ",present\nr1,A,a,1,0\n", 1, "each of the columns", "rename one"),
    "stray quotes": (HEADER + 'r1,A,"wren,1\nr2,B,x,1\nr3,B,y",1\n', 2, "contains a line break", "quotation"),
    "line break": (HEADER + 'r1,A,w,1\n"x\ry",A,wren,1\n', 3, "contains a line break", "line break"),
    "report without species": (HEADER + "r1,A,,1\n", 2, "the species is blank", "name the species"),
    "long row": (HEADER + "r1,A,wren,1\nr1,B,wren,1,9\n", 3, "5 fields, but the header has 4", "quotes"),
    "long first row": (HEADER + "r1,A,wren,1,9\n", 2, "5 fields, but the header has 4", "quotes"),
    "open quote": (HEADER + 'r1,A,wren,1\nr1,"B,wren,1\n', 3, "is not closed", "close it"),
    "ambiguous columns": ("clip,file,user,taxon\n1,2,3,4\n", 1, "'clip', 'file' could be", "say which"),
    "prose": ("Dear all,\nplease find the data.\n", 1, "'annotator' and 'species'", "rename columns"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables(name, write):
    content, row, problem, remedy = BAD_TABLES[name]
    path = write(content)
    with pytest.raises(dc.AnnotationError) as error:
        dc.read(path, absence="checklist")
    assert error.value.file == str(path)
    assert error.value.row == row
    assert problem in error.value.problem
    assert remedy in error.value.remedy


NO_TABLES = {
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(50), "a picture"),
    "workbook": (b"PK\x03\x04" + bytes(50), "zip file cannot be read"),
    "bytes": (bytes(range(256)), "bytes that do not occur in text"),
    "cut gzip": (gzip.compress(HEADER.encode() * 9999)[:60], "cannot be read"),
    "broken parquet": (b"PAR1" + bytes(80), "cannot be read"),
    "damaged gzip": (gzip.compress(HEADER.encode())[:20] + bytes(30), "cannot be read"),
}


@pytest.mark.parametrize("name", NO_TABLES)
def test_files_that_are_no_tables(name, write):
    content, problem = NO_TABLES[name]
    path = write(content)
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        dc.read(path, absence="checklist")
    assert error.value.file == str(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(dc.AnnotationError, match=r"nothing\.csv: the file cannot be opened"):
        dc.read(tmp_path / "nothing.csv", absence="checklist")
    with pytest.raises(dc.AnnotationError, match="there is no file in it"):
        dc.read(tmp_path, absence="checklist")
    with pytest.raises(dc.AnnotationError, match="this is a folder, not a table"):
        dc.read_truth(tmp_path)
    with pytest.raises(dc.AnnotationError, match="no reader for the format 'xml'.*table, wide"):
        dc.read(tmp_path, format="xml")


def test_broken_utf8_shows_the_row_and_what_windows_would_read(write):
    lines = HEADER.encode() + b"r1,Aino,wren,1\n" * 20_000
    path = write(lines + "r2,Järvi,wren,1\n".encode("cp1252"))
    with pytest.raises(dc.AnnotationError, match="not UTF-8.*'Järvi'.*encoding='cp1252'") as error:
        dc.read(path, absence="checklist")
    assert error.value.row == 20_002
    assert "Järvi" in dc.read(path, absence="checklist", encoding="cp1252").annotators.index
    with pytest.raises(dc.AnnotationError, match="'klingon' is not a known text encoding"):
        dc.read(path, absence="checklist", encoding="klingon")


def test_rows_of_broken_text_are_those_of_a_spreadsheet(write):
    quoted = HEADER + 'r1,A,"wr\nen",1\nr2,J?rvi,wren,1\n'
    for text, row in ((quoted, 3), (quoted.replace('"wr\nen"', "wren").replace("\n", "\r"), 3)):
        with pytest.raises(dc.AnnotationError, match="not UTF-8") as error:
            dc.read(write(text.replace("?", "ä").encode("cp1252")), absence="checklist")
        assert error.value.row == row


def test_encodings_by_other_names(write):
    text = HEADER + "r1,Väinö,wren,1\n"
    for encoding in ("UTF-16LE", "utf_16_be", "UTF-32", "latin-1"):
        a = dc.read(write(text.encode(encoding)), absence="checklist", encoding=encoding)
        assert a.annotators.index.tolist() == ["Väinö"]
    marked = write(text.encode("utf-8-sig"))
    assert dc.read(marked, absence="checklist", encoding="cp1252").annotators.index.tolist() == ["Väinö"]
    with pytest.raises(dc.AnnotationError, match="not ASCII.*give the correct encoding"):
        dc.read(write(text), absence="checklist", encoding="ascii")


def test_headers_of_any_shape_are_read_whole(write):
    for extra in ('"no\nte"', "no\x85te", ",".join(f"column {i}" for i in range(9000))):
        width = len(extra.split(","))
        text = f"recording,annotator,species,{extra},present\nr1,A,wren{',x' * width},0\n"
        with pytest.warns(dc.AnnotationWarning, match="columns not read: '") as notes:
            a = dc.read(write(text), absence="explicit")
        assert str(notes[0].message).isprintable()
        assert a.n_reports == 0


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(dc.AnnotationError, match="save it to a file first"):
        dc.read(tmp_path / "pipe", absence="checklist")


def test_messages_are_short_and_safe_for_a_terminal(write):
    with pytest.raises(dc.AnnotationError) as error:
        dc.read(write("x" * 70_000 + "\x1b[31m,\x1b[31m\n1,2\n"), absence="checklist")
    assert len(str(error.value)) < 2000
    assert "\x1b" not in str(error.value)


def test_broken_utf8_in_the_header(write):
    path = write("recording,annotator,species,Höhe\n1,2,3,4\n".encode("cp1252"))
    with pytest.raises(dc.AnnotationError, match="not UTF-8") as error:
        dc.read(path, absence="checklist")
    assert error.value.row == 1


def test_duplicate_rows_are_kept_once_and_counted(write):
    a = dc.read(write(HEADER + "r1,A,wren,1\nr1,A,wren,1\nr1,A,wren,yes\n"), absence="checklist")
    assert a.n_reports == 1
    assert a.summary().duplicate_rows == 2


def test_reports_outside_the_scope_are_accepted_with_a_warning(write):
    path = write(HEADER + "r1,A,wren,1\nr1,A,owl,1\nr2,A,crane,1\n")
    scope = write("annotator,species\nA,wren\n", "scope.csv")
    with pytest.warns(dc.AnnotationWarning, match=r"table\.csv: 2 reports are of a species outside"):
        a = dc.read(path, absence="scope", scope=scope)
    assert a.n_reports == 3


def test_optional_tables_name_their_own_file_and_row(write):
    path = write(HEADER + "r1,A,wren,1\n")
    twice = write("recording,site\nr1,X\n\nr1,Y\n", "recordings.csv")
    with pytest.raises(
        dc.AnnotationError, match=r"recordings\.csv, row 4: the recording 'r1' has more than one row"
    ):
        dc.read(path, absence="checklist", recordings=twice)
    blank = write("recording,site\nr1,X\n,Y\n", "recordings.csv")
    with pytest.raises(dc.AnnotationError, match=r"recordings\.csv, row 3: the recording is blank"):
        dc.read(path, absence="checklist", recordings=blank)
    unclear = write("clip,filename\nr1,X\n", "recordings.csv")
    with pytest.raises(dc.AnnotationError, match=r"could be the recording\. Remedy: rename one\."):
        dc.read(path, absence="checklist", recordings=unclear)
    lists = write("annotator,bird_list\nA,wren\n", "scope.csv")
    with pytest.raises(dc.AnnotationError, match=r"scope\.csv, row 1: there is no column 'species'"):
        dc.read(path, absence="scope", scope=lists)


def test_column_mapping_is_checked(write):
    path = write("a,b,c\n1,2,3\n")
    with pytest.raises(dc.AnnotationError, match="no column 'clip' to use as recording"):
        dc.read(path, absence="checklist", columns={"recording": "clip"})
    with pytest.raises(dc.AnnotationError, match="'site' is not one of 'recording', 'annotator'"):
        dc.read(path, absence="checklist", columns={"site": "a"})
    with pytest.raises(dc.AnnotationError, match="given for two different things"):
        dc.read(path, absence="checklist", columns={"recording": "a", "annotator": "a"})


@pytest.mark.parametrize(
    ("content", "row", "problem"),
    [
        ("recording,species,present\nr1,wren,1\nr1,owl,?\n", 3, "'present' is '\\?'"),
        ("recording,species,present\nr1,wren,\n", 2, "but must be 1 or 0"),
        ("recording,species,present\nr1,wren,1\nr1,wren,0\n", 3, r"both present and absent \(see row 2\)"),
        ("recording,species,present\n,,\n\n", 2, "all rows are blank"),
        ("recording,species,present\nr1,,1\n", 2, "the species is blank"),
        ("recording,species\nr1,wren\n", 1, "no column 'present'"),
    ],
)
def test_bad_truth(write, content, row, problem):
    path = write(content, "truth.csv")
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        dc.read_truth(path)
    assert (error.value.file, error.value.row) == (str(path), row)


def test_truth_accepts_duplicates_and_blank_rows(write):
    truth = dc.read_truth(write("clip_id;taxon_id;present\n7;wren;1\n;;\n7;wren;1\n"))
    assert truth.to_dict("records") == [{"recording": "7", "species": "wren", "present": 1}]


CELL = st.one_of(
    st.sampled_from(["r1", "r2", "A", "B", "wren", "owl", "", " ", "1", "0", "yes", "NA", "007", "1e5"]),
    st.text(alphabet=st.characters(codec="utf-8"), max_size=4),
)
PRESENT = st.one_of(st.sampled_from(["1", "0", "", "true", "no"]), CELL)


@st.composite
def messy_tables(draw):
    """Draw the bytes of a table that may be in any state of disorder."""
    names = ["recording", "annotator", "species", "present"]
    if draw(st.booleans()):
        names = draw(st.lists(st.sampled_from([*names, "clip", "user", "note", ""]), max_size=6))
    rows = draw(st.lists(st.tuples(CELL, CELL, CELL, PRESENT) | st.lists(CELL, max_size=6), max_size=8))
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    quoting = draw(st.booleans())

    def line(cells):
        if quoting:
            cells = ['"' + cell.replace('"', '""') + '"' for cell in cells]
        return delimiter.join(cells)

    text = draw(st.sampled_from(["\n", "\r\n"])).join([line(names), *map(line, rows)])
    content = text.encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))
    return content + draw(st.binary(max_size=3)) if draw(st.booleans()) else content


@pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")
@settings(max_examples=800)
@given(messy_tables(), st.sampled_from(["explicit", "checklist"]))
def test_messy_tables_are_read_and_round_trip_or_are_refused(tmp_path_factory, content, absence):
    path = tmp_path_factory.mktemp("messy") / "table.csv"
    path.write_bytes(content)
    try:
        a = dc.read(path, absence=absence)
    except dc.AnnotationError as error:
        assert error.file == str(path)
        return
    table = a.to_frame(absence)
    tables = {"recordings": a.recordings, "annotators": a.annotators}
    if a.n_species:
        tables["species"] = a.species
    assert dc.Annotations.from_frame(table, absence=absence, **tables) == a
    again = path.with_name("again.csv")
    table.to_csv(again, index=False)
    assert dc.read(again, absence=absence).n_reports == a.n_reports
    assert isinstance(a.summary().as_dict(), dict)
    assert isinstance(table, pd.DataFrame)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recording,annotator,wren,robin,owl,crow,tit\nr1,A,1,0,0,1,0\n", "read it with format='wide'"),
        ("recording,annotator,wren,robin,owl,crow,tit\nr1,A,12,x,7,y,0\n", "is read with format='wide'"),
        ("recording,annotator,species,species\nr1,A,wren,owl\n", "Remedy: rename one."),
    ],
)
def test_tables_of_another_shape_are_told_what_to_do(write, text, message):
    with pytest.raises(dc.AnnotationError) as error:
        dc.read(write(text, "t.csv"), "table", absence="checklist")
    assert "t.csv, row" in str(error.value)
    assert message in str(error.value)


def test_a_table_without_any_species_cannot_be_fitted(write):
    annotations = dc.read(write("recording,annotator,species\nr1,A,\nr2,A,\n", "t.csv"), absence="checklist")
    for model in ("base", "majority-vote"):
        with pytest.raises(dc.AnnotationError, match=r"t\.csv: no row names a species"):
            dc.fit(annotations, model)


@pytest.mark.parametrize("tick", ["x", "X", "✓"])
def test_ticks_in_a_wide_table_are_named_with_the_remedy(write, tick):
    path = write(f"recording;annotator;Robin;Wren;Tit\nr1;A;{tick};;{tick}\nr2;B;;{tick};\n")
    told = f"write 1 in place of '{tick.lower()}', and 0 where a species was listened for"
    with pytest.raises(dc.AnnotationError, match=f"seems to be a wide table.*{told}.*format='wide'"):
        dc.read(path, absence="checklist", format="table")
    with pytest.raises(dc.AnnotationError, match=f"no column contains votes.*{told}"):
        dc.read(path, format="wide")
