"""Camtrap DP: valid by its description, with frictionless where it is installed, and read again."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest

import camtrap_profile
import dawnchorus as dc
from exports import RECORDINGS, voted


def test_the_package_is_as_described(tmp_path):
    written = dc.export(voted(), tmp_path / "out", "camtrap", title="Owls", contributor="Aino")
    tables = camtrap_profile.check(tmp_path / "out")
    assert (written["observations"], written["blank"]) == (3, 1)
    north, south = tables["deployments"]
    assert (north["deploymentID"], north["longitude"], north["timestampIssues"]) == (
        "north",
        "-123.456789",
        "false",
    )
    assert north["deploymentStart"] == "2024-05-24T04:00:00+03:00"
    assert north["deploymentEnd"] == "2024-05-25T04:01:00+03:00"
    assert south["latitude"] == "-1.5"
    assert [row["fileMediatype"].partition("/")[0] for row in tables["media"]] == ["audio"] * 4
    found = [
        (row["mediaID"], row["observationType"], row["scientificName"], row["classificationProbability"])
        for row in tables["observations"]
    ]
    assert found == [
        ("owls 1", "animal", "'=wren", "1.0"),
        ("owls 1", "animal", "Ural owl", "0.5"),
        ("owls 2", "animal", "Ural owl", "1.0"),
        ("owls 3", "blank", "", ""),
        ("owls 4", "unclassified", "", ""),  # nobody has visited it
    ]
    assert tables["observations"][0]["observationComments"] == (
        "the probability that the species is present; 2 reports in 2 votes"
    )
    assert "majority-vote" in tables["observations"][0]["classifiedBy"]
    package = json.loads((tmp_path / "out/datapackage.json").read_text())
    assert package["contributors"][0]["title"] == "Aino"
    assert package["temporal"] == {"start": "2024-05-24", "end": "2024-05-26"}
    assert [each["scientificName"] for each in package["taxonomic"]] == ["=wren", "Ural owl"]


PUBLISHED = os.environ.get("CAMTRAP_DP_PROFILE")
"""A folder with the published files of Camtrap DP 1.0.2, and the two that they refer to by an address."""
REFERRED = {
    "https://specs.frictionlessdata.io/schemas/data-package.json": "data-package.json",
    "http://json.schemastore.org/geojson.json": "geojson.json",
}


@pytest.mark.skipif(PUBLISHED is None, reason="CAMTRAP_DP_PROFILE names no folder with the published files")
def test_it_is_valid_against_the_published_profile(tmp_path, monkeypatch):
    frictionless = pytest.importorskip("frictionless", reason="the extra camtrap is not installed")
    out = tmp_path / "out"
    dc.export(voted(), out, "camtrap")
    shutil.copytree(Path(PUBLISHED or ""), out / "1.0.2")
    changed = {
        "datapackage.json": {"https://raw.githubusercontent.com/tdwg/camtrap-dp/1.0.2": "1.0.2"},
        "1.0.2/camtrap-dp-profile.json": REFERRED,
    }
    for name, addresses in changed.items():  # all addresses lead into the folder, as there may be no network
        text = (out / name).read_text()
        for address, place in addresses.items():
            assert address in text
            text = text.replace(address, place)
        (out / name).write_text(text)
    monkeypatch.chdir(out)
    report = frictionless.validate("datapackage.json")
    assert report.valid, report.flatten(["message"])
    whole = Path("datapackage.json").read_text()
    for right, wrong in (('"timeLapse"', '"luck"'), ('"Polygon"', '"Circle"'), ('"temporal"', '"when"')):
        assert right in whole
        Path("datapackage.json").write_text(whole.replace(right, wrong))
        assert not frictionless.validate("datapackage.json").valid
    Path("datapackage.json").write_text(whole)
    media = Path("media.csv").read_text()
    Path("media.csv").write_text(media.replace("audio/", "text/"))
    assert not frictionless.validate("datapackage.json").valid


def test_it_is_valid_with_frictionless(tmp_path):
    frictionless = pytest.importorskip("frictionless", reason="the extra camtrap is not installed")
    out = tmp_path / "out"
    dc.export(voted(), out, "camtrap")
    path = out / "datapackage.json"
    package = json.loads(path.read_text())
    assert package["profile"].endswith("/1.0.2/camtrap-dp-profile.json")
    (out / "profile.json").write_text(json.dumps(camtrap_profile.PROFILE))  # there may be no network
    package["profile"] = "data-package"
    for resource in package["resources"]:
        assert resource["schema"].endswith(f"/1.0.2/{resource['name']}-table-schema.json")
        resource["schema"] = camtrap_profile.schema(resource["name"])
    path.write_text(json.dumps(package))
    report = frictionless.validate(str(path))
    assert report.valid, report.flatten(["message"])
    whole = (out / "observations.csv").read_text()
    (out / "observations.csv").write_text(whole.replace(",machine,", ",oracle,"))
    assert not frictionless.validate(str(path)).valid
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(
        json.loads(path.read_text()) | {"profile": "1.0.2", "resources": []},
        camtrap_profile.PROFILE | {"properties": camtrap_profile.PROFILE["properties"] | {"resources": {}}},
    )


def test_the_check_finds_faults(tmp_path):
    dc.export(voted(), tmp_path / "out", "camtrap")
    media = tmp_path / "out/media.csv"
    for wrong in (("audio/", "text/"), ("north/owls", "../owls"), ("false", "no"), (",north,", ",east,")):
        whole = media.read_text()
        assert wrong[0] in whole
        media.write_text(whole.replace(*wrong))
        with pytest.raises(AssertionError):
            camtrap_profile.check(tmp_path / "out")
        media.write_text(whole)


def test_there_and_back(tmp_path):
    result = voted()
    dc.export(result, tmp_path / "out", "camtrap")
    again = dc.read(tmp_path / "out", "camtrap")
    assert again.annotators.index.tolist() == [f"Dawnchorus {dc.__version__}, model majority-vote"]
    reports = again.to_frame("checklist")
    reports = reports[reports["species"] != ""][["recording", "species"]]
    present = result.presence(0.5)[["recording", "species"]]
    assert set(map(tuple, reports.to_numpy())) == set(map(tuple, present.to_numpy()))
    assert again.recordings.loc["owls 1", "deployment"] == "north"
    assert (again.n_visits, again.n_recordings) == (3, 4)  # nobody has classified the fourth


def test_what_is_missing_is_named(tmp_path):
    for what in ("latitude", "longitude", "time"):
        bare = voted(recordings=RECORDINGS.drop(columns=what))
        with pytest.raises(
            dc.AnnotationError, match=f"the {what} of recording 'owls 1' is not known.*recordings="
        ):
            dc.export(bare, tmp_path / "out", "camtrap")
    gap = RECORDINGS.assign(latitude=[1.0, 1.0, None, 2.0])
    with pytest.raises(dc.AnnotationError, match="the latitude of recording 'owls 3'"):
        dc.export(voted(recordings=gap), tmp_path / "out", "camtrap")
    blank = RECORDINGS.astype({"latitude": str}).assign(latitude=["1.0", "1.0", "", "2.0"])
    with pytest.raises(dc.AnnotationError, match="the latitude of recording 'owls 3' is not known"):
        dc.export(voted(), tmp_path / "out", "camtrap", recordings=blank)
    wrong = RECORDINGS.assign(latitude=[1.0, 1.0, 95.0, 2.0])
    with pytest.raises(dc.AnnotationError, match="the latitude of recording 'owls 3' is '95'"):
        dc.export(voted(), tmp_path / "out", "camtrap", recordings=wrong)
    moved = RECORDINGS.assign(latitude=[1.0, 1.5, 2.0, 2.0])
    with pytest.raises(dc.AnnotationError, match="the deployment 'north' have different values of latitude"):
        dc.export(voted(recordings=moved), tmp_path / "out", "camtrap")
    for name, value in (("sampling_design", "random"), ("capture_method", "luck")):
        with pytest.raises(dc.AnnotationError, match=f"{name}='{value}' is not known"):
            dc.export(voted(), tmp_path / "out", "camtrap", **{name: value})


@pytest.mark.parametrize("word", ["NA", "NaN", "nan"])
def test_names_that_mean_nothing_are_refused(tmp_path, word):
    rows = [("a", "Aino", "owl"), ("b", "Aino", "wren")]
    table = pd.DataFrame(rows, columns=["recording", "annotator", "species"])
    recordings = RECORDINGS[:2].assign(recording=["a", "b"])
    for what, votes, metadata in (
        ("recording", table.replace("a", word), recordings.replace({"recording": {"a": word}})),
        ("deployment", table, recordings.replace({"site": {"north": word}})),
        ("file of a recording", table, recordings.assign(file=[word, "b.wav"])),
        ("species", table.replace("wren", word), recordings),
    ):
        annotations = dc.Annotations.from_frame(votes, "checklist", recordings=metadata, keep_na=True)
        with pytest.raises(dc.AnnotationError, match=f"a {what} is called '{word}'"):
            dc.export(dc.fit(annotations, "majority-vote"), tmp_path / "out", "camtrap")
    for kind in ("text/plain", "audio"):
        with pytest.raises(dc.AnnotationError, match=f"media_type='{kind}' is no audio, image or video"):
            dc.export(voted(), tmp_path / "out", "camtrap", media_type=kind)


def test_times_without_a_zone_are_told_and_marked(tmp_path):
    times = ["2024-05-24 04:00", "2024-05-25 04:00", "2024-05-24", "2024-05-26T01:00Z"]
    with pytest.warns(
        dc.AnnotationWarning, match="the time of 3 recordings has no time of day or no time zone"
    ):
        dc.export(voted(recordings=RECORDINGS.assign(time=times)), tmp_path / "out", "camtrap")
    tables = camtrap_profile.check(tmp_path / "out")
    assert [row["timestampIssues"] for row in tables["deployments"]] == ["true", "true"]
    zoned = RECORDINGS.assign(time=times[:2] + times[3:] * 2, time_zone="Europe/Helsinki")
    dc.export(voted(recordings=zoned), tmp_path / "zoned", "camtrap")
    assert camtrap_profile.check(tmp_path / "zoned")["media"][0]["timestamp"] == "2024-05-24T04:00:00+03:00"


def test_dangerous_paths_stay_inside_and_places_may_have_no_name(tmp_path):
    files = ["../../etc/passwd", "/etc/passwd", "~/x.wav", "https://example.org/a.mp3"]
    table = RECORDINGS.assign(file=files).drop(columns=["site", "duration"])
    dc.export(voted(recordings=table), tmp_path / "out", "camtrap", duration=30.5)
    tables = camtrap_profile.check(tmp_path / "out")
    assert [row["filePath"] for row in tables["media"]] == ["etc/passwd", "etc/passwd", "x.wav", files[3]]
    assert [row["deploymentID"] for row in tables["deployments"]] == [
        "'-1.5, 25.0",
        "62.123456789, -123.456789",
    ]


def test_scientific_names_come_from_the_metadata(tmp_path):
    species = pd.DataFrame({"species": ["=wren", "Ural owl"], "Scientific name": ["", "Strix uralensis"]})
    dc.export(voted(species=species), tmp_path / "out", "camtrap", threshold=0.9)
    names = [row["scientificName"] for row in camtrap_profile.check(tmp_path / "out")["observations"]]
    assert names == ["'=wren", "Strix uralensis", "", ""]
