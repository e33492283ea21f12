"""A first look at files of every format, and its command."""

from __future__ import annotations

import warnings
import zipfile

import pytest

import dawnchorus as dc
from dawnchorus.io.reading import described
from dawnchorus.simulation.files import write_simulation
from examples import EXAMPLES, HEADER, classification


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_format_can_be_looked_at(name, tmp_path):
    example = EXAMPLES[name]
    path = example.make(tmp_path)
    format = example.reader(name)
    told = {} if example.guessed else {"format": format}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen = dc.look(path, **told, **example.options)
    assert seen.format == format
    assert seen.guessed == example.guessed
    assert seen.summary.reports == 1
    assert list(seen.most_reported.values()) == [1]
    assert (f"--format {format}" in seen.command) == (not example.guessed)
    assert len(seen.advice) == (3 if format in ("table", "crowdkit") else 0)
    assert str(seen).startswith("format")
    assert seen.as_dict()["summary"]["visits"] == seen.summary.visits


def test_bad_rows_are_counted_and_notes_kept(write):
    path = write("recording,annotator,species,present\nr1,A,wren,1\nr1,B,owl,maybe\nr1,C,WREN,1\n")
    seen = dc.look(path, columns={"species": "species"}, absence="checklist", fold_case=True)
    assert seen.bad_rows == 1
    assert "row 3" in seen.first_bad
    assert seen.command.endswith(
        "table.csv --column species=species --fold-case --absence checklist --out fitted"
    )
    assert seen.as_rows()[0][0] == "bad rows"
    assert [line.partition(", which")[0] for line in seen.advice] == [
        "1 bad row stops it: mend that first. Or add --skip-bad"
    ]
    assert any("several ways" in note for note in dc.look(path).notes)
    with pytest.raises(dc.AnnotationError, match="no reader for the format 'x'"):
        dc.look(path, "x")


def test_results_of_birdnet_are_seen_beside_other_files(tmp_path):
    EXAMPLES["birdnet"].make(tmp_path)
    (tmp_path / "BirdNET_analysis_params.csv").write_text("File splitting duration,Overlap\n600,0\n")
    seen = dc.look(tmp_path)
    assert (seen.format, seen.guessed, seen.summary.reports) == ("birdnet", True, 1)
    assert any("1 file that is no table of results was left out" in note for note in seen.notes)


def test_tables_of_scores_are_told_from_plain_ones(write):
    path = write("filename,start_s,wren,owl\nx.wav,0,0.1,0.9\nx.wav,5,,0.2\n")
    with pytest.raises(
        dc.AnnotationError, match=r"seems to be a table of a machine's scores.*format='scores'"
    ):
        dc.look(path)
    coded = write("recording,who,bird\nr1,7,12\nr1,8,13\n")
    columns = {"annotator": "who", "species": "bird"}
    assert dc.read(coded, absence="checklist", columns=columns).n_reports == 2
    several = write("recording,clip,who,bird\nr1,0.5,7,12\nr1,0.5,8,13\n")
    with pytest.warns(dc.AnnotationWarning, match="columns not read: 'recording'$"):
        assert dc.read(several, absence="checklist", columns={"recording": "clip"} | columns).n_reports == 2


def test_formats_say_what_they_need():
    assert described("table")["needs"] == ["absence"]
    assert described("scores")["needs"] == ["threshold"]
    assert all(all(described(name)["options"].values()) for name in dc.READERS)
    with pytest.raises(dc.AnnotationError, match="no reader for the format 'x'"):
        described("x")


def test_json_that_is_cut_off_is_not_taken_for_a_table(tmp_path):
    path = tmp_path / "export.json"
    path.write_text('{"annotations": [', encoding="utf-8")
    for read in (dc.look, lambda file: dc.read(file, absence="checklist")):
        with pytest.raises(
            dc.AnnotationError, match=r"export\.json: this is JSON, but incomplete.*format='NAME'"
        ):
            read(path)


def test_the_guess_is_said_where_files_cannot_be_read(write):
    two = classification(1, "A", "Wren", workflow=5) + classification(1, "B", "Fox", workflow=6)
    path = write(HEADER + two)
    with (
        pytest.warns(dc.AnnotationWarning, match="read as zooniverse, as it seems to be"),
        pytest.raises(dc.AnnotationError, match="two workflows are mixed"),
    ):
        dc.look(path)
    with pytest.raises(dc.AnnotationError, match="two workflows are mixed"):
        dc.look(path, "zooniverse")  # told, so nothing is said


def test_the_command_can_be_pasted_and_other_meanings_of_silence_follow(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for rows, absence in (("r1,A,wren,1\nr2,A,wren,0\n", "explicit"), ("r1,A,wren,1\nr2,A,,\n", "checklist")):
        write(f"recording,annotator,species,present\n{rows}")
        seen = dc.look("table.csv")
        assert seen.command == f"dawnchorus fit table.csv --absence {absence} --out fitted"
        others = [line.split()[1] for line in seen.advice[1:]]
        assert [absence, *others] == sorted([absence, *others], key=lambda name: name != absence)
        assert {absence, *others} == {"explicit", "scope", "checklist"}
        assert "plain table (no other format recognised)" in str(seen)
    assert dc.look("table.csv", absence="checklist").advice == []
    assert dc.look("table.csv", "table").command.startswith("dawnchorus fit table.csv --format table")


def test_other_tables_of_a_folder_are_recognised_by_name(tmp_path):
    write_simulation(dc.simulate_portal(recordings=30, seed=1), tmp_path / "data")
    (tmp_path / "data" / "readme.txt").write_text("What is in here.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = dc.look(tmp_path / "data")
    folder = tmp_path / "data"
    for name in ("scope", "recordings", "annotators", "species"):
        assert f"--{name} {folder / name}.csv" in seen.command
        assert seen.others[f"{name}.csv"] == name
    assert seen.command.startswith(f"dawnchorus fit {folder / 'annotations.csv'} --")
    assert seen.command.endswith("--absence scope --out fitted")
    assert seen.others["true_annotators.csv"] == seen.others["readme.txt"] == ""
    assert seen.advice[-1].endswith(f"dawnchorus evaluate fitted --truth {folder / 'truth.csv'}")
    assert seen.files == 1
    assert "truth.csv (truth)" in str(seen)


def test_a_folder_without_annotations_says_what_is_in_it(tmp_path):
    (tmp_path / "species.csv").write_text("species,occurrence\nwren,0.1\n")
    (tmp_path / "presence.csv").write_text("recording,species,probability\nr1,wren,0.1\n")
    with pytest.raises(dc.AnnotationError, match=r"'species.csv', 'presence.csv'. Remedy: name the file"):
        dc.look(tmp_path)
    (tmp_path / "fit.json").write_text("{}")
    with pytest.raises(dc.AnnotationError, match="Remedy: it is the result of a fit: name the files"):
        dc.look(tmp_path)


def test_other_tables_in_an_archive_have_no_path(tmp_path):
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("reports.csv", "recording,annotator,species\nr1,A,wren\n")
        archive.writestr("species.csv", "species\nwren\n")
    with pytest.raises(dc.AnnotationError, match=r"beside 'reports.csv' .* tables: 'species.csv'.*unpack"):
        dc.look(tmp_path / "data.zip")
