"""A first look at files of every format, and its command."""

from __future__ import annotations

import warnings

import pytest

import dawnchorus as dc
from dawnchorus.io.reading import described
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
    assert f"--format {format}" in seen.command
    assert ("--absence explicit|scope|checklist" in seen.command) == (format in ("table", "crowdkit"))
    assert str(seen).startswith("format")
    assert seen.as_dict()["summary"]["visits"] == seen.summary.visits


def test_bad_rows_are_counted_and_notes_kept(write):
    path = write("recording,annotator,species,present\nr1,A,wren,1\nr1,B,owl,maybe\nr1,C,WREN,1\n")
    seen = dc.look(path, columns={"species": "species"}, absence="checklist", fold_case=True)
    assert seen.bad_rows == 1
    assert "row 3" in seen.first_bad
    assert seen.command.endswith(
        "--format table --column species=species --fold-case --absence checklist --skip-bad --out fitted"
    )
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
