"""One contract for every writer: what it writes, what it refuses, and how it is documented."""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path

import pytest

import dawnchorus as dc
from dawnchorus.io.described import options_of
from dawnchorus.io.writing import GIVEN, described_writer
from exports import RECORDINGS, SPECIES, annotations, place, voted

ROOT = Path(__file__).parents[3]
PRESENCE = [name for name in dc.WRITERS if name != "arviz"]


def contents(path: Path) -> dict[str, bytes]:
    """Return what is in a file or folder, without moments of writing."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("[!.]*") if file.is_file())
    return {
        file.relative_to(path.parent).as_posix(): re.sub(rb"20\d\d-[^,\"]+Z", b"now", file.read_bytes())
        for file in files
    }


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "fit"
    dc.write_result(voted(), folder)
    return folder


@pytest.mark.parametrize("to", PRESENCE)
class TestEveryWriterOfPresence:
    def test_writes_and_says_which_probability(self, to, tmp_path):
        written = dc.export(voted(), place(tmp_path, to), to)
        assert written["out"] == str(place(tmp_path, to))
        assert written["probability"] == "the probability that the species is present"
        assert written["files"]
        assert any(value for name, value in written.items() if isinstance(value, int))

    def test_a_folder_gives_the_same_as_the_result_itself(self, to, tmp_path, saved):
        dc.export(voted(), place(tmp_path, to), to)
        (tmp_path / "again").mkdir()
        dc.export(saved, place(tmp_path / "again", to), to)
        if to == "parquet":
            return  # tests/io/writers/test_parquet.py compares values: text has six digits
        assert contents(place(tmp_path, to)) == contents(place(tmp_path / "again", to))

    def test_nothing_is_overwritten_unasked_and_only_what_is_ours(self, to, tmp_path):
        out = place(tmp_path, to)
        dc.export(voted(), out, to)
        with pytest.raises(dc.OutputError, match="exists. Remedy"):
            dc.export(voted(), out, to)
        dc.export(voted(), out, to, overwrite=True)
        if out.is_dir():
            (out / "mine.txt").write_text("mine")
            with pytest.raises(dc.OutputError, match="did not write"):
                dc.export(voted(), out, to, overwrite=True)

    def test_a_failure_leaves_nothing(self, to, tmp_path):
        with pytest.raises(dc.AnnotationError, match="Remedy"):
            dc.export(voted(), place(tmp_path, to), to, threshold=7)
        assert list(tmp_path.iterdir()) == []

    def test_refuses_options_and_meanings_that_it_does_not_have(self, to, tmp_path):
        with pytest.raises(dc.AnnotationError, match=f"colour= cannot be used with to='{to}'"):
            dc.export(voted(), place(tmp_path, to), to, colour="red")
        with pytest.raises(dc.AnnotationError, match="cannot be written as 'x'. Remedy: use one of: present"):
            dc.export(voted(), place(tmp_path, to), to, as_="x")
        with pytest.raises(dc.AnnotationError, match="majority-vote does not know what an annotator would"):
            dc.export(voted(), place(tmp_path, to), to, as_="report")

    def test_metadata_may_come_later(self, to, tmp_path):
        bare = voted(recordings=RECORDINGS[["recording"]])
        RECORDINGS.to_csv(tmp_path / "recordings.csv", index=False)
        for number, table in enumerate((RECORDINGS, tmp_path / "recordings.csv")):
            (tmp_path / str(number)).mkdir()
            dc.export(bare, place(tmp_path / str(number), to), to, recordings=table)
        (tmp_path / "2").mkdir()
        dc.export(voted(), place(tmp_path / "2", to), to)
        assert len({str(contents(place(tmp_path / str(number), to))) for number in range(3)}) == 1

    def test_no_text_is_a_formula_unless_asked_for(self, to, tmp_path):
        dc.export(voted(), place(tmp_path, to), to)
        texts = [
            b
            for name, b in contents(place(tmp_path, to)).items()
            if name.endswith((".csv", "selections.txt"))
        ]
        assert not any(re.search(rb'(^|[,\t\n]"?)=wren', text) for text in texts)
        if to in ("camtrap", "darwincore", "labels", "raven"):
            assert any(b"'=wren" in text for text in texts)
            dc.export(voted(), place(tmp_path, to), to, exact_labels=True, overwrite=True)
            assert any(
                re.search(rb"(^|[,\t\n])=wren", text) for text in contents(place(tmp_path, to)).values()
            )


@pytest.mark.parametrize("to", dc.WRITERS)
def test_every_writer_describes_itself_and_its_options(to):
    write = dc.WRITERS[to].write
    doc = inspect.getdoc(write) or ""
    assert 20 < len(doc.splitlines()[0]) < 110
    assert all(described_writer(to)["options"].values())
    page = (ROOT / "docs/export.md").read_text(encoding="utf-8")
    assert f"--to {to} " in page
    for option in options_of(write, GIVEN):
        assert f"`{option}`" in page, option


def test_unknown_formats_and_endings_are_told(tmp_path):
    with pytest.raises(dc.AnnotationError, match="no writer for the format 'x'. Remedy: use one of: camtrap"):
        dc.export(voted(), tmp_path / "out", "x")
    with pytest.raises(dc.OutputError, match="does not end in '.csv'"):
        dc.export(voted(), tmp_path / "out", "darwincore")
    with pytest.raises(dc.OutputError, match=r"there is no folder .*nothing\. Remedy"):
        dc.export(tmp_path / "nothing", tmp_path / "out", "labels")


def test_a_table_of_other_recordings_is_told(tmp_path):
    strangers = RECORDINGS.assign(recording=["a", "b", "c", "d"])
    with pytest.raises(dc.AnnotationError, match="none of its recordings is in the result"):
        dc.export(voted(), tmp_path / "out", "labels", recordings=strangers)
    more = RECORDINGS.assign(recording=["owls 1", "b", "c", "d"])
    with pytest.warns(dc.AnnotationWarning, match="3 of its recordings are not in the result"):
        dc.export(voted(), tmp_path / "out", "labels", recordings=more)


def test_thresholds_must_fit_together(tmp_path):
    for to in ("labels", "birdnet", "darwincore"):
        with pytest.raises(dc.AnnotationError, match=r"absent_below=0.6 is above threshold=0.5"):
            dc.export(voted(), place(tmp_path, to), to, absent_below=0.6)


def test_empty_results_are_no_crash(tmp_path):
    """Nobody reported anything: folders and tables are there, without a species."""
    frame = annotations().to_frame("checklist").assign(species="", present=None).drop_duplicates()
    silent = dc.Annotations.from_frame(frame, "checklist", recordings=RECORDINGS, species=SPECIES)
    for to in PRESENCE:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            dc.export(dc.fit(silent, "majority-vote"), place(tmp_path / to, to), to)
