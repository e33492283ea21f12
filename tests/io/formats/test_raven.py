"""Raven tables and Audacity labels: who, where, windows, and files that are broken."""

from __future__ import annotations

import pytest

import dawnchorus as dc

RAVEN = "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tSpecies\n"


def put(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    return folder


def read(path, **options):
    return dc.read(path, "raven", **options)


def test_folders_are_annotators_and_files_recordings(tmp_path):
    files = {
        "Aino/c1.Table.1.selections.txt": RAVEN + "1\tS\t1\t0.5\t2\t100\twren\n2\tS\t1\t4\t5\t100\towl\n",
        "Onni/c1.txt": "0.100000\t0.900000\twren\n\\\t100.0\t900.0\n",
        "Elli/c1.txt": "",
        "Elli/c2.txt": RAVEN,
    }
    put(tmp_path, files)
    a = read(tmp_path)
    assert a.n_visits == 4
    assert a.votes("c1", "Aino").to_dict() == {"owl": 1, "wren": 1}
    assert a.votes("c1", "Onni").to_dict() == {"owl": 0, "wren": 1}
    assert a.votes("c1", "Elli").to_dict() == {"owl": 0, "wren": 0}  # an empty table is a visit
    assert a.visits(annotator="Onni")["recording"].tolist() == ["c1"]  # a missing file is none
    cut = read(tmp_path, window=2)
    assert cut.visits(recording="c1 4-6")["annotator"].tolist() == ["Aino", "Elli", "Onni"]
    assert cut.votes("c1 0-2", "Aino").to_dict() == {"owl": 0, "wren": 1}
    assert cut.n_visits == 3 * 3 + 1
    assert read(tmp_path, window=2, duration=10).n_visits == 4 * 5
    assert read(str(tmp_path / "*" / "*.txt")) == a


def test_patterns_tell_who_and_where(tmp_path):
    put(tmp_path, {"c1_Aino.txt": "0\t1\twren\n", "c1_Onni.txt": ""})
    with pytest.raises(dc.AnnotationError, match="does not tell the annotator.*pattern="):
        dc.read([tmp_path / "c1_Aino.txt"], "raven", pattern="x{annotator}/{recording}")
    a = read(tmp_path, pattern="{recording}_{annotator}")
    assert a.annotators.index.tolist() == ["Aino", "Onni"]
    assert a.recordings.index.tolist() == ["c1"]
    for wrong, message in (("{recording}", "does not have"), ("{annotator}{annotator}", "twice")):
        with pytest.raises(dc.AnnotationError, match=message):
            read(tmp_path, pattern=wrong)
    table = RAVEN.replace("Species", "Begin File\tSpecies") + "1\tS\t1\t0\t1\t9\tn1.wav\twren\n"
    (tmp_path / "more").mkdir()
    put(tmp_path / "more", {"Aino.txt": table})
    assert read(tmp_path / "more", pattern="{annotator}").recordings.index.tolist() == ["n1"]


def test_the_column_of_species(tmp_path):
    put(tmp_path, {"A/c.txt": RAVEN.replace("Species", "Call Type") + "1\tS\t1\t0\t1\t9\tsong\n"})
    with pytest.raises(dc.AnnotationError, match="no column has the species.*columns="):
        read(tmp_path)
    assert read(tmp_path, columns={"species": "Call Type"}).species.index.tolist() == ["song"]
    with pytest.raises(dc.AnnotationError, match="no column is called 'code'; the columns are 'selection'"):
        read(tmp_path, columns={"species": "Code"})


def test_who_selected_nothing_needs_no_column_of_species(tmp_path):
    put(tmp_path, {"Aino/c.txt": RAVEN.replace("\tSpecies", ""), "Onni/c.txt": "0\t1\twren\n"})
    for columns in (None, {"species": "Call Type"}):
        assert read(tmp_path, columns=columns).votes("c", "Aino").to_dict() == {"wren": 0}


@pytest.mark.parametrize(
    ("content", "row", "problem"),
    [
        (RAVEN + "1\tS\t1\tx\t1\t9\twren\n", 2, "'x' is not a number"),
        (RAVEN + "1\tS\t1\t3\t1\t9\twren\n", 2, "the selection is from 3 to 1 seconds"),
        (RAVEN + "1\tS\t1\t0\t1e15\t9\twren\n", 2, "windows of 2 seconds"),
        (RAVEN + "1\tS\t1\n", 2, "the row has 3 fields, but the header has 7"),
        ("0\t1\twren\nx\t1\twren\n", 2, "field 'time': 'x' is not a number"),
        ("5\t1\twren\n", 1, "from 5 to 1"),
        ("0\t3\tStrix aluco, Tawny Owl\t0.8123\n", 1, "field 'label': a further column.*BirdNET"),
    ],
)
def test_broken_rows_are_named_or_left_out(tmp_path, content, row, problem):
    put(tmp_path, {"A/c.txt": content, "B/c.txt": "0\t1\twren\n"})
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        read(tmp_path, window=2)
    assert error.value.row == row
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        assert read(tmp_path, window=2, skip_bad=True).n_reports >= 1


def test_quotation_marks_are_text_but_around_whole_fields(tmp_path):
    header = RAVEN.replace("Species", "Species\tNotes")
    rows = [
        '1\tS\t1\t0\t1\t9\twren\t"maybe" far',
        '2\tS\t1\t0\t1\t9\t"Owl, Tawny"\t"',
        '3\tS\t1\t0\t1\t9\ttit\t5" away',
    ]
    put(tmp_path, {"Aino/c.txt": header + "\n".join(rows) + "\n"})
    put(tmp_path, {"R/c.txt": '"Begin Time (s)"\t"End Time (s)"\t"Species"\n0.5\t"1"\t"wren"\n'})
    put(tmp_path, {"Onni/c.csv": 'Begin Time (s),End Time (s),Species\n0.5,1,"Owl, Tawny"\n'})
    assert read(tmp_path).to_frame().query("present == 1")[["annotator", "species"]].to_numpy().tolist() == [
        ["Aino", "Owl, Tawny"], ["Aino", "tit"], ["Aino", "wren"], ["Onni", "Owl, Tawny"], ["R", "wren"],
    ]  # fmt: skip


def test_selections_without_a_label_are_counted(tmp_path):
    put(tmp_path, {"A/c.txt": "0\t1\t\n1\t2\twren\n"})
    with pytest.warns(dc.AnnotationWarning, match="1 selection without a label was left out"):
        assert read(tmp_path).n_reports == 1
    put(tmp_path, {"A/c.txt": "what\tis\tthis\n"})
    with pytest.raises(dc.AnnotationError, match="not a selection table of Raven: there are no columns"):
        read(tmp_path)


def test_files_of_one_name_in_different_folders_are_different_recordings(tmp_path):
    (tmp_path / "lab" / "B").mkdir(parents=True)
    label = "0\t1\twren\n"
    put(tmp_path / "lab", {"Aino/n.txt": label, "Aino/m.txt": label, "B/Aino/n.txt": "", "B/Onni/n.txt": ""})
    with pytest.warns(dc.AnnotationWarning, match="2 recordings have the file name of another.*'B/n'"):
        a = read(tmp_path / "lab")
    assert a.visits()[["recording", "annotator"]].to_numpy().tolist() == [
        ["B/n", "Aino"], ["B/n", "Onni"], ["lab/n", "Aino"], ["m", "Aino"],
    ]  # fmt: skip
    (tmp_path / "C").mkdir()
    put(tmp_path / "C", {"Aino/n.txt": ""})
    with pytest.warns(dc.AnnotationWarning, match="2 recordings have"):
        a = read([tmp_path / "lab" / "B", tmp_path / "C"])
    assert a.recordings.index.tolist() == ["B/n", "C/n"]


def test_people_may_keep_the_same_recordings_in_places_of_their_own(tmp_path):
    put(tmp_path, {"Aino/n_Aino.txt": "0\t1\twren\n", "Onni/n_Onni.txt": ""})
    assert read(tmp_path, pattern="{recording}_{annotator}").recordings.index.tolist() == ["n"]
    header = RAVEN.replace("Species", "Begin Path\tBegin File\tSpecies")
    rows = {who: [f"1\tS\t1\t0\t1\t9\t{path}\tn.wav\twren\n" for path in paths] for who, paths in (
        ("Aino", ["C:\\Aino\\A\\n.wav"]), ("Onni", ["/onni/A/n.wav", "/onni/B/n.wav"]),
    )}  # fmt: skip
    (tmp_path / "one").mkdir()
    put(tmp_path / "one", {f"{who}.txt": header + each[0] for who, each in rows.items()})
    assert read(tmp_path / "one", pattern="{annotator}").recordings.index.tolist() == ["n"]
    put(tmp_path / "one", {f"{who}.txt": header + "".join(each) for who, each in rows.items()})
    with pytest.warns(dc.AnnotationWarning, match="2 recordings have the file name of another"):
        a = read(tmp_path / "one", pattern="{annotator}", window=1)
    assert a.visits(annotator="Aino")["recording"].tolist() == ["A/n 0-1"]
    assert a.recordings.index.tolist() == ["A/n 0-1", "B/n 0-1"]
