"""One contract for every reader: what it reads, what it refuses, and how it is documented."""

from __future__ import annotations

import gzip
import inspect
import re
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import dawnchorus as dc
from dawnchorus.io.readers.inputs import input_files
from dawnchorus.io.reading import guessed_format, options_of
from examples import EXAMPLES

ROOT = Path(__file__).parents[2]


def read(name: str, path: Path | list[Path], **more) -> dc.Annotations:
    example = EXAMPLES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dc.AnnotationWarning)
        return dc.read(
            path, **{"format": example.reader(name), "absence": example.absence} | example.options | more
        )


def zipped(path: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.is_file():
                archive.write(each, each.relative_to(path if path.is_dir() else path.parent))
    return target


def files_of(path: Path) -> list[Path]:
    return sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]


@pytest.mark.parametrize("name", EXAMPLES)
class TestEveryReader:
    def test_reads_what_it_should(self, name, tmp_path):
        path = EXAMPLES[name].make(tmp_path)
        annotations = read(name, path)
        assert isinstance(annotations, dc.Annotations)
        assert annotations.n_reports == 1
        assert str(path) in annotations.provenance.source
        assert annotations == read(name, str(path))

    def test_reads_folders_and_archives_as_they_are(self, name, tmp_path):
        path = EXAMPLES[name].make(tmp_path / "data") if (tmp_path / "data").mkdir() is None else None
        wanted = read(name, path)
        assert read(name, zipped(path, tmp_path / "packed.zip")) == wanted
        if path.is_file():
            assert read(name, path.parent) == wanted
            assert read(name, [path]) == wanted
            assert read(name, str(path.parent / "*")) == wanted
            packed = path.parent / f"{path.name}.gz"
            packed.write_bytes(gzip.compress(path.read_bytes()))
            assert read(name, packed) == wanted

    def test_is_guessed_if_it_is_unmistakable(self, name, tmp_path):
        example = EXAMPLES[name]
        path = example.make(tmp_path)
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            if name == "scores":
                with pytest.raises(dc.AnnotationError, match="format='scores' and threshold="):
                    guessed_format(input_files(path))
                return
            if not example.guessed:
                assert guessed_format(input_files(path)) in ("table", "wide")
                return
            found = dc.read(path, absence=example.absence, **example.options)
        assert f"read as {name}, as it seems to be" in str(notes[0].message)
        assert found == read(name, path)

    def test_refuses_what_it_cannot_read(self, name, tmp_path):
        (tmp_path / "noise").write_bytes(bytes(range(200)))
        (tmp_path / "empty").write_bytes(b"")
        for path in (tmp_path / "noise", tmp_path / "empty", tmp_path / "nothing", tmp_path):
            if name == "raven" and path.name == "empty":  # an empty label track is a visit
                continue
            with pytest.raises(dc.AnnotationError, match="Remedy"):
                read(name, path, absence=None)

    @pytest.mark.parametrize("skip_bad", [False, True])
    def test_broken_files_are_refused_and_never_a_crash(self, name, tmp_path, skip_bad):
        """Truncated anywhere, with bytes changed anywhere, with a piece of another kind put in anywhere."""
        path = EXAMPLES[name].make(tmp_path)
        rng = np.random.default_rng(1)
        pieces = [b"", b'"', b"null", b"[", b"{}", b"\xff", b",", b"\t", b"\n", b"1e999", b"[[[[", b"'=1+1"]
        for file in files_of(path):
            whole = file.read_bytes()
            cuts = [whole[:cut] for cut in rng.integers(0, len(whole) + 1, 12)]
            changed = []
            for _ in range(24):
                start, piece = int(rng.integers(0, len(whole) + 1)), pieces[int(rng.integers(len(pieces)))]
                changed.append(whole[:start] + piece + whole[start + int(rng.integers(0, 6)) :])
            for content in cuts + changed:
                file.write_bytes(content)
                try:
                    read(name, path, skip_bad=skip_bad)
                except dc.AnnotationError as error:
                    assert "Remedy" in str(error)
                    assert str(tmp_path) in str(error)
            file.write_bytes(whole)

    def test_can_drop_species_nobody_reported(self, name, tmp_path):
        annotations = read(name, EXAMPLES[name].make(tmp_path), drop_unreported=True)
        assert len(np.unique(annotations.reports.item)) == annotations.n_species

    def test_takes_the_options_about_labels(self, name, tmp_path):
        path = EXAMPLES[name].make(tmp_path)
        options = read(name, path, fold_case=True, keep_na=True)
        assert options == read(name, path)
        assert options.provenance.fold_case
        assert options.provenance.keep_na

    def test_takes_tables_of_metadata(self, name, tmp_path, write):
        path = EXAMPLES[name].make(tmp_path / "data") if (tmp_path / "data").mkdir() is None else None
        plain = read(name, path)
        lines = [f"{label},{i}" for i, label in enumerate(plain.recordings.index)]
        table = write("recording,depth\n" + "\n".join(lines) + "\n", "recordings.csv")
        assert read(name, path, recordings=table).recordings["depth"].tolist() == list(range(len(lines)))

    def test_refuses_options_that_it_does_not_have(self, name, tmp_path):
        with pytest.raises(
            dc.AnnotationError, match=f"cannot be used with format='{EXAMPLES[name].reader(name)}'"
        ):
            read(name, EXAMPLES[name].make(tmp_path), colour="red")

    def test_describes_itself_and_its_options(self, name):
        reader = EXAMPLES[name].reader(name)
        doc = inspect.getdoc(dc.READERS[reader]) or ""
        assert 20 < len(doc.splitlines()[0]) < 110
        for option in options_of(reader):
            assert re.search(rf"^(\w+, )*{option}(, \w+)*$", doc, re.MULTILINE), option

    def test_has_a_page_with_an_example_silence_and_its_source(self, name):
        page = (ROOT / f"docs/formats/{name}.md").read_text(encoding="utf-8")
        assert "```python\n>>>" in page or "```console\n$" in page
        assert re.search(r"^## What silence means", page, re.MULTILINE)
        assert name in ("table", "wide") or "https://" in page
        for option in options_of(name) if name in dc.READERS else ["sheet"]:
            assert option == "absence" or f"`{option}" in page, option


def test_every_reader_has_an_example():
    assert {example.reader(name) for name, example in EXAMPLES.items()} == dc.READERS.keys()
