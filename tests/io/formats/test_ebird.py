"""The eBird Basic Dataset: complete and incomplete checklists, groups, and rows that are broken."""

from __future__ import annotations

import re
import zipfile

import pytest

import dawnchorus as dc
from examples import EBIRD, checklist


def read(path, **options):
    return dc.read(path, "ebird", **options)


def test_silence_is_absence_only_in_complete_checklists(write):
    rows = [
        checklist("S1", "obs1", "Strix aluco"),
        checklist("S1", "obs1", "Bubo bubo", count="0"),
        checklist("S2", "obs2", "Bubo bubo", complete=0),
        checklist("S3", "obs3", "Turdus merula"),
    ]
    a = read(write(EBIRD + "".join(rows)))
    assert a.votes("S1", "obs1").to_dict() == {"Bubo bubo": 0, "Strix aluco": 1, "Turdus merula": 0}
    assert a.votes("S2", "obs2").to_dict() == {"Bubo bubo": 1}
    assert a.recordings.loc["S1", ["latitude", "time"]].tolist() == [60.1, "2026-05-01 05:30:00"]
    incomplete = read(write(EBIRD + rows[2]))
    assert incomplete.n_votes == 1
    with pytest.raises(dc.AnnotationError, match="says whether all species were reported"):
        read(write(EBIRD + rows[0]), absence="checklist")


def test_there_may_be_more_people_than_lists(write):
    rows = [checklist(f"S{i}", f"obs{i}", "Strix aluco", complete=i % 2) for i in range(9)]
    a = read(write(EBIRD + "".join(rows) + checklist("S20", "obs20", "Bubo bubo")))
    assert a.n_votes == 4 * 2 + 5 + 2


def test_people_of_a_group_see_one_thing(write):
    rows = [checklist(f"S{i}", f"obs{i}", "Strix aluco", group="G7") for i in (1, 2)]
    a = read(write(EBIRD + "".join(rows)))
    assert a.visits()[["recording", "annotator"]].to_numpy().tolist() == [["G7", "obs1"], ["G7", "obs2"]]


def test_sampling_events_are_visits_that_may_have_reported_nothing(write):
    events = write(
        "SAMPLING EVENT IDENTIFIER\tOBSERVER ID\tALL SPECIES REPORTED\nS9\tobs9\t1\n", "sampling.txt"
    )
    found = write(EBIRD + checklist("S1", "obs1", "Strix aluco"), "ebd.txt")
    a = read([events, found])
    assert a.votes("S9", "obs9").to_dict() == {"Strix aluco": 0}
    with pytest.raises(dc.AnnotationError, match="sampling events but no observations"):
        read(events)


def test_files_that_come_with_the_dataset_are_left_out(tmp_path):
    with zipfile.ZipFile(tmp_path / "ebd_FI.zip", "w") as archive:
        archive.writestr("BCRCodes.txt", "BCR CODE\tBCR NAME\n1\tAleutian\n")
        archive.writestr("ebd_FI.txt", EBIRD + checklist("S1", "obs1", "Strix aluco"))
        archive.writestr("recommended_citation.txt", "eBird Basic Dataset. Version: EBD_relMay-2026.\n")
        archive.writestr("terms_of_use.pdf", b"%PDF-1.4")
    with pytest.warns(dc.AnnotationWarning) as notes:
        assert dc.read(tmp_path / "ebd_FI.zip").n_reports == 1
    assert "read as ebird" in str(notes[0].message)
    left_out = (
        "3 files that are no table of observations or sampling events were left out, such as .*BCRCodes"
    )
    assert re.search(left_out, str(notes[1].message))
    assert dc.look(tmp_path / "ebd_FI.zip").format == "ebird"


def test_records_of_no_single_species_are_no_vote(write):
    rows = checklist("S1", "o", "Strix sp.", kind="spuh") + checklist("S1", "o", "Bubo bubo", kind="issf")
    with pytest.warns(dc.AnnotationWarning, match="1 record of hybrids or of no single species is no vote"):
        assert read(write(EBIRD + rows)).species.index.tolist() == ["Bubo bubo"]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (checklist("", "o", "Bubo bubo"), "sampling_event_identifier"),
        (checklist("S2", "", "Bubo bubo"), "observer_id"),
        (checklist("S2", "o", "Bubo bubo", complete=7), "all_species_reported"),
        ("only\tthree\tfields\n", None),
    ],
)
def test_broken_rows_are_named_or_left_out(write, row, field):
    path = write(EBIRD + checklist("S1", "o", 'quote " in it') + row)
    with pytest.raises(dc.AnnotationError) as error:
        read(path)
    assert (error.value.row, error.value.field) == (3, field)
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        assert read(path, skip_bad=True).n_visits == 1
    with pytest.raises(dc.AnnotationError, match="no columns 'sampling_event_identifier', 'observer_id'"):
        read(write("a\tb\n1\t2\n"))
