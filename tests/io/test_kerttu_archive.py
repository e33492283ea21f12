"""The reader of the Kerttu archive, on a tiny one: what it reads, and how damage is located."""

from __future__ import annotations

import pytest

import dawnchorus as dc
from archives import KERTTU_FILES, kerttu_archive, kerttu_zip


def test_reads(tmp_path):
    a = dc.read(kerttu_archive(tmp_path), format="kerttu", drop_unreported=False)
    assert a.species.index.tolist() == ["MX.2", "MX.1"]  # as in taxa.tsv; the extra one was not asked
    assert a.to_cube().tolist() == [[[0, 1]], [[-1, -1]], [[-1, -1]]]
    assert a.recordings.site.tolist()[0] == "HLO13"
    assert a.recordings.time.isna().tolist() == [False, True, True]
    assert a.recordings.hour.iloc[0] == pytest.approx(6 + 19 / 60 + 47 / 3600)
    assert a.recordings.date.iloc[0] == 144
    assert a.recordings[["site", "hour", "date"]].isna().sum().tolist() == [2, 2, 2]
    assert dc.read(kerttu_archive(tmp_path), format="kerttu").species["name"].tolist() == ["Wren"]


@pytest.mark.parametrize("prefix", ["", "Kerttu data/"])
def test_zip_is_the_same_as_the_folder(tmp_path, prefix):
    assert dc.read(kerttu_zip(tmp_path, prefix), format="kerttu") == dc.read(
        kerttu_archive(tmp_path), format="kerttu"
    )


def test_folder_one_level_down(tmp_path):
    folder = kerttu_archive(tmp_path)
    assert dc.read(folder.parent, format="kerttu") == dc.read(folder, format="kerttu")


def test_no_archive(tmp_path, write):
    with pytest.raises(dc.AnnotationError, match="there is no file in it"):
        dc.read(tmp_path, format="kerttu")
    with pytest.raises(dc.AnnotationError, match="this is not the Kerttu archive"):
        dc.read(write("recording,annotator\n"), format="kerttu")
    with pytest.raises(dc.AnnotationError, match="the file cannot be opened"):
        dc.read(tmp_path / "nowhere", format="kerttu")


def test_absence_is_not_to_be_told(tmp_path):
    with pytest.raises(dc.AnnotationError, match="cannot be used"):
        dc.read(kerttu_archive(tmp_path), format="kerttu", absence="checklist")


VOTES, VISITS, CLIPS = (
    f"clips/{name}.tsv" for name in ("clip_taxon_annotations", "clip_annotations", "clips")
)


@pytest.mark.parametrize(
    ("file", "old", "new", "named", "row", "problem"),
    [
        (VOTES, "\t2\tF", "\t5\tF", VOTES, 5, "annotation '5' is not one of 1, 0, 2"),
        (VOTES, "\n2\t", "\n3\t", VOTES, 5, "clip_annotation_id '3' is not in"),
        (VOTES, "taxon_id", "taxon", VOTES, 1, "no column 'taxon_id'"),
        (VOTES, "0\tFalse", "0\tmaybe", VOTES, 3, "'maybe' is not one of True"),
        (VOTES, "MX.2\t0", "MX.1\t0", VOTES, 3, "both present and absent"),
        (VISITS, "2\t8", "1\t8", VISITS, 3, "'1' has more than one row"),
        (CLIPS, "8\todd", "7\todd", CLIPS, 3, "'7' has more than one row"),
        (CLIPS, "8\todd", "6\todd", VISITS, 3, "clip_id '8' is not in clips/clips.tsv"),
        ("taxa.tsv", "MX.3\t", "MX.2\t", "taxa.tsv", 4, "'MX.2' has more than one row"),
        ("taxa.tsv", "MX.1\t", "MX.7\t", VOTES, 2, "taxon_id 'MX.1' is not in taxa.tsv"),
        ("users.tsv", "user_id", "id", "users.tsv", 1, "no column 'user_id'"),
        ("users.tsv", "u1\t", "u3\t", VISITS, 2, "user_id 'u1' is not in users.tsv"),
    ],
)
def test_damage_is_located(tmp_path, file, old, new, named, row, problem):
    folder = kerttu_archive(tmp_path, **{file: KERTTU_FILES[file].replace(old, new)})
    with pytest.raises(dc.AnnotationError, match=problem) as error:
        dc.read(folder, format="kerttu")
    assert (error.value.file, error.value.row) == (f"{folder}/{named}", row)


def test_blank_lines_at_the_end_are_no_rows(tmp_path):
    folder = kerttu_archive(tmp_path, **{name: text + "\n\n" for name, text in KERTTU_FILES.items()})
    assert dc.read(folder, format="kerttu").n_reports == 1


def test_damaged_zip(tmp_path):
    path = kerttu_zip(tmp_path)
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)
    path.write_bytes(content)
    with pytest.raises(dc.AnnotationError, match="Remedy"):
        dc.read(path, format="kerttu")


def test_missing_member(tmp_path):
    folder = kerttu_archive(tmp_path)
    (folder / "users.tsv").unlink()
    with pytest.raises(dc.AnnotationError, match=r"users\.tsv"):
        dc.read(folder, format="kerttu")
