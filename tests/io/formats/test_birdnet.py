"""Results of BirdNET: windows, thresholds, species lists, and rows that are broken."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.io.reading import read_tables

CSV = "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
RAVEN = (
    "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\t"
    "Common Name\tSpecies Code\tConfidence\tBegin Path\tFile Offset (s)\n"
)
LIST = "Strix aluco_Tawny Owl\nTroglodytes troglodytes_Eurasian Wren\n"


def read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dc.AnnotationWarning)
        return dc.read(path, "birdnet", **options)


def told(path, **options):
    """Read results and give the notes as well."""
    with pytest.warns(dc.AnnotationWarning) as notes:
        found = dc.read(path, "birdnet", **options)
    return found, "\n".join(str(note.message) for note in notes)


def test_detections_of_a_run_with_its_species_list(write):
    path = write(CSV + "0,3,Strix aluco,Tawny Owl,0.8,n/a.wav\n6,9,Strix aluco,Tawny Owl,0.3,n/a.wav\n")
    a = read(path, species_list=write(LIST, "list.txt"))
    assert a.recordings.index.tolist() == ["a 0-3", "a 3-6", "a 6-9"]
    assert a.annotators.index.tolist() == ["BirdNET"]
    assert a.votes("a 0-3", "BirdNET").to_dict() == {"Strix aluco": 1, "Troglodytes troglodytes": 0}
    assert a.votes("a 3-6", "BirdNET").sum() == 0
    high = read(path, species_list=write(LIST, "list.txt"), threshold=0.5, duration=12, machine="v2.4")
    assert (high.n_visits, high.n_reports) == (4, 1)
    common = read(path, species_list=write(LIST, "list.txt"), common_names=True, window=0)
    assert common.votes("a", "BirdNET").to_dict() == {"Eurasian Wren": 0, "Tawny Owl": 1}


def test_without_a_list_silence_is_no_vote(write):
    path = write(CSV + "0,3,Strix aluco,Tawny Owl,0.8,a.wav\n3,6,Turdus merula,Blackbird,0.8,a.wav\n")
    with pytest.warns(dc.AnnotationWarning, match="without species_list=, what the machine does not report"):
        a = dc.read(path, "birdnet")
    assert a.votes("a 0-3", "BirdNET").to_dict() == {"Strix aluco": 1}
    with pytest.raises(dc.AnnotationError, match="needs the species list of the run"):
        read(path, absence="scope")
    with pytest.raises(dc.AnnotationError, match="absence='checklist' cannot be used"):
        read(path, absence="checklist")


def test_scores_are_cut_off_where_they_begin(write):
    path = write(CSV + "0,3,a,A,0.4,x.wav\n3,6,b,B,0.2,x.wav\n3,6,nocall,nocall,0.01,x.wav\n")
    for threshold, cut in ((None, 0.2), (0.1, 0.2), (0.3, 0.3)):
        assert read(path, threshold=threshold).annotators["score_threshold"].tolist() == [cut]
    nothing = write(CSV + "0,3,nocall,nocall,0.5,x.wav\n", "nothing.csv")
    assert "score_threshold" not in read(nothing, species_list=write(LIST, "list.txt")).annotators
    told = write("annotator,score_threshold\nBirdNET,0.15\n", "annotators.csv")
    assert read(path, annotators=told).annotators["score_threshold"].tolist() == [0.15]
    others = write("annotator,home\nBirdNET,Ithaca\n", "others.csv")
    assert read(path, annotators=others).annotators.iloc[0].to_dict() == {
        "home": "Ithaca",
        "score_threshold": 0.2,
    }


def test_scores_are_kept_the_best_of_each_window(write):
    path = write(CSV + "0,3,a,A,0.4,x.wav\n1.5,4.5,a,A,0.9,x.wav\n3,6,b,B,0.2,x.wav\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        votes = read_tables(path, "birdnet").tables.votes
    found = votes[votes["present"] == "1"].sort_values(["recording", "species"])
    assert found[["recording", "species", "score"]].to_numpy().tolist() == [
        ["x 0-3", "a", 0.9], ["x 3-6", "a", 0.9], ["x 3-6", "b", 0.2],
    ]  # fmt: skip


def test_raven_tables_of_several_files_have_times_of_each(write):
    rows = [
        "1\tS\t1\t0\t3\t0\t9\tTawny Owl\ttawowl1\t0.7\t/x/a.wav\t0",
        "2\tS\t1\t60\t63\t0\t9\tTawny Owl\ttawowl1\t0.7\t/x/b.wav\t3",
        "3\tS\t1\t63\t66\t0\t9\tnocall\tnocall\t1.0\t/x/b.wav\t6",
    ]
    a = read(write(RAVEN + "\n".join(rows) + "\n", "all.BirdNET.selection.table.txt"))
    assert a.recordings.index.tolist() == ["a 0-3", "b 0-3", "b 3-6", "b 6-9"]
    assert a.n_reports == 2
    with pytest.warns(dc.AnnotationWarning, match="read as birdnet"):
        assert (
            dc.read(write(RAVEN + rows[0] + "\n"), species_list=write("Tawny Owl\n", "l.txt")).n_reports == 1
        )


def test_common_names_of_raven_tables_become_those_of_the_list(write):
    row = "1\tS\t1\t0\t3\t0\t9\tTawny Owl\ttawowl1\t0.7\t/x/a.wav\t0\n"
    path, listed = write(RAVEN + row, "a.BirdNET.selection.table.txt"), write(LIST, "list.txt")
    a = read(path, species_list=listed)
    assert a.votes("a 0-3", "BirdNET").to_dict() == {"Strix aluco": 1, "Troglodytes troglodytes": 0}
    a = read(path, species_list=listed, common_names=True)
    assert a.votes("a 0-3", "BirdNET").to_dict() == {"Eurasian Wren": 0, "Tawny Owl": 1}
    assert read(path).species.index.tolist() == ["Tawny Owl"]


def test_older_raven_tables_have_the_name_of_the_file(write):
    old = "Begin File\tBegin Time (s)\tEnd Time (s)\tSpecies Code\tCommon Name\tConfidence\n"
    a = read(write(old + "b.wav\t0.0\t3.0\tbkcchi\tBlack-capped Chickadee\t0.9\n", "all.txt"))
    assert a.recordings.index.tolist() == ["b 0-3"]


def test_a_folder_of_results_and_other_files(tmp_path):
    (tmp_path / "a.BirdNET.results.csv").write_text(CSV.replace(",File", "") + "0,3,a,A,0.4\n")
    (tmp_path / "b.BirdNET.results.csv").write_text(CSV.replace(",File", ""))  # nothing was detected
    (tmp_path / "BirdNET_analysis_params.csv").write_text("File splitting,3\n")
    with pytest.warns(dc.AnnotationWarning) as notes:
        a = dc.read(tmp_path, "birdnet")
    assert "1 file that is no table of results was left out" in str(notes[0].message)
    assert a.recordings.index.tolist() == ["a 0-3", "b 0-3"]
    assert a.n_visits == 2


def test_results_of_one_recording_of_two_kinds_are_one_visit(tmp_path):
    nothing = "1\tS\t1\t0\t3\t0\t9\tnocall\tnocall\t1.0\t/data/b.wav\t0\n"
    (tmp_path / "b.BirdNET.results.csv").write_text(CSV)
    (tmp_path / "b.BirdNET.selection.table.txt").write_text(RAVEN + nothing)
    a, notes = told(tmp_path)
    assert a.recordings.index.tolist() == ["b 0-3"]
    assert "in another folder" not in notes


def test_one_table_for_all_recordings_is_no_recording(tmp_path):
    (tmp_path / "BirdNET_CombinedTable.csv").write_text(CSV)
    (tmp_path / "BirdNET_SelectionTable.txt").write_text(RAVEN)
    with pytest.raises(dc.AnnotationError, match="nothing tells which recordings were analysed"):
        read(tmp_path)
    (tmp_path / "b.BirdNET.results.csv").write_text(CSV)
    assert read(tmp_path).recordings.index.tolist() == ["b 0-3"]
    (tmp_path / "BirdNET_SelectionTable.list.txt").write_text("/data/b.wav\n\n/data/c.wav\n")
    (tmp_path / "b.BirdNET.results.csv").unlink()
    (tmp_path / "BirdNET_CombinedTable.csv").write_text(CSV + "0,3,a,A,0.4,/data/d.wav\n")
    a, notes = told(tmp_path)
    assert a.recordings.index.tolist() == ["b 0-3", "c 0-3", "d 0-3"]
    assert "left out" not in notes


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ("x,3,a,A,0.4,x.wav", "start_s", "'x' is not a number"),
        ("0,nan,a,A,0.4,x.wav", "end_s", "not a finite number"),
        ("9,3,a,A,0.4,x.wav", "end_s", "before it begins"),
        ("0,3,a,A,1.4,x.wav", "confidence", "not between 0 and 1"),
        ("0,3,a,A,,x.wav", "confidence", "'' is not a number"),
        ("0,1e12,a,A,0.4,x.wav", "end_s", "windows of 3 seconds"),
    ],
)
def test_broken_rows_are_named_or_left_out(write, row, field, problem):
    path = write(CSV + "0,3,a,A,0.4,x.wav\n" + row + "\n")
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        read(path)
    assert (error.value.row, error.value.field) == (3, field)
    assert read(path, skip_bad=True).n_reports == 1


def test_tables_in_parquet_are_read_like_those_in_text(tmp_path, write):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    text = write(CSV + "0,3,Strix aluco,Tawny Owl,0.8123,n/a.wav\n3,6,Strix aluco,Tawny Owl,0.3,n/a.wav\n")
    path = tmp_path / "BirdNET_CombinedTable.parquet"
    pd.read_csv(text).to_parquet(path)
    listed = write(LIST, "list.txt")
    with pytest.warns(dc.AnnotationWarning, match="read as birdnet"):
        a = dc.read(path, species_list=listed)
    assert a == read(text, species_list=listed)
    pd.read_csv(text).assign(Confidence=[0.8, 1.3]).to_parquet(path)
    with pytest.raises(dc.AnnotationError, match="row 3, field 'confidence': 1.3 is not between 0 and 1"):
        read(path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(dc.AnnotationError, match="cannot be read|damaged|broken"):
        read(path)


def test_other_broken_input(write):
    with pytest.raises(dc.AnnotationError, match="row 2: the row has 7 fields.*put quotes around"):
        read(write(CSV + "0,3,a,A,0.4,north, site/x.wav\n"))
    with pytest.raises(dc.AnnotationError, match="no columns 'start_s', 'end_s' and 'confidence'"):
        read(write("a,b\n1,2\n"))
    path = write(CSV + "0,3,a,A,0.4,x.wav\n")
    with pytest.raises(dc.AnnotationError, match="the species list is empty"):
        read(path, species_list=write("\n", "l.txt"))
    with pytest.raises(dc.AnnotationError, match="window=-1 is no length of time"):
        read(path, window=-1)


def test_files_of_one_name_in_different_folders_are_different_recordings(tmp_path, write):
    rows = ["0,3,Strix aluco,Tawny Owl,0.9,siteA/n.wav", r"0,3,Bubo bubo,Eagle-Owl,0.8,D:\x\siteB\n.wav"]
    a, notes = told(write(CSV + "\n".join([*rows, "0,3,a,A,0.9,siteA/m.wav"]) + "\n"))
    assert "2 recordings have the file name of another in another folder" in notes
    assert "'siteA/n', 'siteB/n'" in notes
    assert a.recordings.index.tolist() == ["m 0-3", "siteA/n 0-3", "siteB/n 0-3"]
    assert a.votes("siteA/n 0-3", "BirdNET").to_dict() == {"Strix aluco": 1}
    for name in ("n", "B/n", "owls.north", "owls.south"):  # results that do not name the audio file
        path = tmp_path / "results" / f"{name}.BirdNET.results.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CSV.replace(",File", "") + "0,3,a,A,0.4\n")
    a, notes = told(tmp_path / "results", window=0)
    assert "2 recordings have the file name of another" in notes
    assert a.recordings.index.tolist() == ["B/n", "owls.north", "owls.south", "results/n"]
    a = read([tmp_path / "results" / "B", tmp_path / "results" / "n.BirdNET.results.csv"], window=0)
    assert a.recordings.index.tolist() == ["B/n", "results/n"]


def test_a_name_without_folders_is_the_file_that_has_them(write):
    csv = write(CSV + "0,3,a,A,0.9,nights/n.wav\n")
    old = "Begin File\tBegin Time (s)\tEnd Time (s)\tSpecies Code\tCommon Name\tConfidence\n"
    a = read([csv, write(old + "n.wav\t0.0\t3.0\tb\tB\t0.9\n", "all.txt")])
    assert a.recordings.index.tolist() == ["n 0-3"]


def test_two_kinds_of_results_in_one_folder_name_species_alike(tmp_path):
    raven = "1\tS\t1\t0\t3\t0\t9\tTawny Owl\ttawowl1\t0.81\t/x/a.wav\t0\n"
    (tmp_path / "a.BirdNET.results.csv").write_text(CSV + "0,3,Strix aluco,Tawny Owl,0.81,/x/a.wav\n")
    (tmp_path / "A.selection.table.txt").write_text(RAVEN + raven)  # before the CSV
    for common, name in ((False, "Strix aluco"), (True, "Tawny Owl")):
        a, notes = told(tmp_path, common_names=common)
        assert (a.species.index.tolist(), a.n_reports) == ([name], 1)
        assert "two names" not in notes
    (tmp_path / "b.selection.table.txt").write_text(RAVEN + raven.replace("Tawny Owl", "Great Tit"))
    a, notes = told(tmp_path)
    assert a.species.index.tolist() == ["Great Tit", "Strix aluco"]
    assert "do not tell the other name of 'Great Tit'" in notes
    more = "0,3,Strix nivicolum,Tawny Owl,0.81,/x/b.wav\n"  # one common name of two species
    (tmp_path / "b.BirdNET.results.csv").write_text(CSV + more)
    a, notes = told(tmp_path)
    assert a.votes("a 0-3", "BirdNET").index.tolist() == ["Great Tit", "Strix aluco", "Tawny Owl"]
    assert "'Tawny Owl', 'Great Tit'" in notes


def test_results_may_tell_the_threshold_of_the_run(tmp_path):
    header = CSV[:-1] + ",min_conf,species_list\n"
    results = tmp_path / "a.BirdNET.results.csv"
    results.write_text(header + "0,3,Strix aluco,Tawny Owl,0.8,a.wav,0.1,C:\\lists\\Birds.txt\n")
    a, notes = told(results)
    assert a.annotators["score_threshold"].tolist() == [0.1]
    assert "the run reported from a confidence of 0.1 on; scores count as cut off at 0.1" in notes
    assert "that of the run was 'C:\\lists\\Birds.txt'" in notes
    assert told(results, threshold=0.3)[0].annotators["score_threshold"].tolist() == [0.3]
    with pytest.raises(dc.AnnotationError, match="needs the species list.*that of the run was"):
        read(results, absence="scope")
    (tmp_path / "birds.txt").write_text(LIST)  # the list is beside the results
    a, notes = told(tmp_path)
    assert "the species list of the run is" in notes
    assert "left out" not in notes
    assert a.votes("a 0-3", "BirdNET").to_dict() == {"Strix aluco": 1, "Troglodytes troglodytes": 0}
    (tmp_path / "b.csv").write_text(header + "0,3,Strix aluco,Tawny Owl,0.8,b.wav,0.05,\n")
    a, notes = told(tmp_path)  # another run had another threshold, and no list
    assert a.annotators["score_threshold"].tolist() == [0.05]
    assert "the smallest of 2 that its files tell" in notes
    assert a.votes("b 0-3", "BirdNET").to_dict() == {"Strix aluco": 1}
    (tmp_path / "b.csv").write_text(header + "0,3,Strix aluco,Tawny Owl,0.8,b.wav,low,\n")
    with pytest.raises(dc.AnnotationError, match="row 2, field 'min_conf': 'low' is not a number"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "cut"),
    [
        ("BirdNET_analysis_params.csv", "Segment length,Minimum confidence\n3.0,0.2\n", 0.2),
        ("birdnet.analyze-params.csv", "Parameter,Value\nMinimum confidence,0.2\nTop N,\n", 0.2),
        ("birdnet.analyze-params.csv", "Parameter,Value\nMinimum confidence,0.0\nTop N,3\n", 0.8),
        ("birdnet.analyze-params.csv", "Parameter,Value\n", 0.8),
        ("birdnet.analyze-params.csv", "Parameter,Value\nMin_conf,high\n", 0.8),
        ("birdnet.analyze-params.csv", "\udcff,\n", 0.8),
    ],
)
def test_the_settings_of_the_run_are_beside_the_results(tmp_path, name, content, cut):
    (tmp_path / "a.BirdNET.results.csv").write_text(CSV + "0,3,Strix aluco,Tawny Owl,0.8,a.wav\n")
    (tmp_path / name).write_text(content, errors="surrogateescape")
    a, notes = told(tmp_path)
    assert a.annotators["score_threshold"].tolist() == [cut]
    assert ("left out" in notes) == ("confidence" not in content)
