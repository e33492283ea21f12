"""Camera Trap Data Packages: blanks, levels, machines, and rows that are broken."""

from __future__ import annotations

import warnings
import zipfile

import pytest

import dawnchorus as dc
from dawnchorus.io.reading import read_tables
from examples import OBSERVATIONS, sighting


def read(path, **options):
    return dc.read(path, "camtrap", **options)


def test_blank_is_a_visit_and_unknown_is_none(write):
    rows = [
        sighting("m1", "Aino", "animal", "Vulpes vulpes"), sighting("m1", "Onni", "blank"),
        sighting("m2", "Aino", "human"), sighting("m2", "Onni", "unknown"),
        sighting("m3", "Aino", "animal"), sighting("m3", "Onni", "unclassified"),
    ]  # fmt: skip
    path = write(OBSERVATIONS + "".join(rows))
    with pytest.warns(dc.AnnotationWarning, match="2 observations of an unknown species are no vote"):
        a = read(path)
    assert a.visits()[["recording", "annotator"]].to_numpy().tolist() == [
        ["m1", "Aino"], ["m1", "Onni"], ["m2", "Aino"],
    ]  # fmt: skip
    assert a.votes("m1", "Onni").to_dict() == {"Vulpes vulpes": 0}


def test_fields_may_be_missing_in_several_ways(write):
    rows = [
        sighting("m1", "Aino", "animal", "Lynx lynx", p="NaN"),
        sighting("m1", "Onni", "blank", "NA", p="nan"),
    ]
    a = read(write(OBSERVATIONS + "".join(rows)))
    assert a.votes("m1", "Aino").to_dict() == {"Lynx lynx": 1}
    assert a.votes("m1", "Onni").to_dict() == {"Lynx lynx": 0}


def test_levels_are_not_mixed(write):
    rows = sighting("m1", "A", "animal", "Lynx lynx") + sighting("m1", "A", "blank", level="event")
    path = write(OBSERVATIONS + rows)
    with pytest.raises(dc.AnnotationError, match="observations of media and of events.*level='media'"):
        read(path)
    assert read(path, level="event").recordings.index.tolist() == ["e-m1"]
    with pytest.raises(dc.AnnotationError, match="is no level.*'media' or 'event'"):
        read(path, level="site")


def test_machines_have_scores_and_packages_places(tmp_path):
    rows = sighting("m1", "MegaDetector", "animal", "Lynx lynx", method="machine", p="0.93")
    rows += sighting("m1", "", "animal", "Lynx lynx")
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as archive:
        archive.writestr("data/observations.csv", OBSERVATIONS + rows)
        archive.writestr("data/deployments.csv", "deploymentID,latitude,longitude\nd1,60.1,24.9\n")
        archive.writestr("data/media.csv", "mediaID\nm1\n")
        archive.writestr("data/datapackage.json", "{}")
    with pytest.warns(dc.AnnotationWarning, match="1 observation without a name in classifiedBy is taken"):
        a = read(tmp_path / "package.zip")
    assert a.annotators.index.tolist() == ["MegaDetector", "unnamed"]
    assert a.recordings.loc["m1", "latitude"] == 60.1
    assert a.recordings.loc["m1", "deployment"] == "d1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        votes = read_tables(tmp_path / "package.zip", "camtrap").tables.votes
    assert votes["score"].dropna().tolist() == [0.93]


def package(path, rows, deployments):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("observations.csv", OBSERVATIONS + rows)
        archive.writestr("deployments.csv", "deploymentID,latitude,longitude\n" + deployments)
    return path


@pytest.mark.parametrize("folder", [False, True])
def test_several_packages_are_read_each_with_its_own_deployments(tmp_path, folder):
    paths = [
        package(tmp_path / "p1.zip", sighting("m1", "Aino", "animal", "Lynx lynx"), "d1,60.1,24.9\n"),
        package(tmp_path / "p2.zip", sighting("m2", "Aino", "blank"), "d1,61.2,25.5\n"),
    ]
    if folder:
        for path in paths:
            zipfile.ZipFile(path).extractall(tmp_path / "both" / path.stem)
    a = read(tmp_path / "both" if folder else paths)
    assert a.recordings["latitude"].to_dict() == {"m1": 60.1, "m2": 61.2}
    assert a.votes("m2", "Aino").to_dict() == {"Lynx lynx": 0}


def test_recordings_that_packages_share_are_counted(tmp_path):
    first = package(tmp_path / "p1.zip", sighting("m1", "Aino", "animal", "Lynx lynx"), "d1,60.1,24.9\n")
    second = package(tmp_path / "p2.zip", sighting("m1", "Onni", "blank"), "d1,60.1,24.9\n")
    with pytest.warns(dc.AnnotationWarning, match="1 recording with the same identifier in several packages"):
        assert read([first, second]).n_visits == 2
    events = package(tmp_path / "p3.zip", sighting("m1", "Onni", "blank", level="event"), "")
    with pytest.raises(dc.AnnotationError, match="observations of media and of events"):
        read([first, events])


def test_guards_against_spreadsheets_are_removed_everywhere(write):
    path = write(OBSERVATIONS + sighting("'=c4", "'@Aino", "animal", "Lynx lynx"))
    a = read(path)
    assert a.recordings.index.tolist() == ["=c4"]
    assert a.recordings.loc["=c4", "time"] == "2026-05-01T05:00:00Z"
    assert a.annotators.index.tolist() == ["@Aino"]


def test_notes_call_unnamed_annotators_as_they_are_called(write):
    rows = sighting("m1", "", "animal", "Lynx lynx", method="machine", p="0.9")
    rows += sighting("m1", "", "blank") + sighting("m2", "", "blank")
    with pytest.warns(dc.AnnotationWarning) as notes:
        a = read(write(OBSERVATIONS + rows))
    assert a.annotators.index.tolist() == ["machine", "unnamed"]
    told = [str(note.message).partition(": ")[2] for note in notes]
    assert told[0].startswith("1 observation")
    assert told[0].endswith("'machine'")
    assert told[1].startswith("2 observations")
    assert told[1].endswith("'unnamed'")


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (sighting("", "A", "blank"), "mediaid"),
        (sighting("m2", "A", "ghost"), "observationtype"),
        (sighting("m2", "A", "animal", "x", p="high"), "classificationprobability"),
        (sighting("m2", "A", "animal", "x", p="7"), "classificationprobability"),
    ],
)
def test_broken_rows_are_named_or_left_out(write, row, field):
    path = write(OBSERVATIONS + sighting("m1", "A", "animal", "Lynx lynx") + row)
    with pytest.raises(dc.AnnotationError) as error:
        read(path)
    assert (error.value.row, error.value.field) == (3, field)
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        assert read(path, skip_bad=True).n_visits == 1


def test_other_broken_packages(write, tmp_path):
    with pytest.raises(dc.AnnotationError, match="no columns 'deploymentid', 'observationlevel'"):
        read(write("a,b\n1,2\n"))
    with pytest.raises(dc.AnnotationError, match="no classified observation of media"):
        read(write(OBSERVATIONS))
    write("a\n", "media.csv")
    with pytest.raises(dc.AnnotationError, match=r"not a Camtrap DP: it has no observations\.csv"):
        read(tmp_path)
