"""Export at the command line: every option of every writer, what is said, and what is refused."""

from __future__ import annotations

import inspect
import json

import pytest

import dawnchorus as dc
from commands import run
from dawnchorus.cli.writing.export import _in_short, export
from dawnchorus.io.described import options_of
from dawnchorus.io.writing import GIVEN
from exports import voted


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted") / "fit"
    dc.write_result(voted(), folder)
    return folder


def test_every_option_of_a_writer_is_one_of_the_command_line():
    ours = set(inspect.signature(export).parameters)
    for to, writer in dc.WRITERS.items():
        assert set(options_of(writer.write, GIVEN)) <= ours, to
    assert set(inspect.signature(dc.export).parameters) - {"result", "options"} <= ours


def test_it_writes_and_says_which_probability(fitted, tmp_path):
    done = run("export", fitted, "--to", "labels", "--out", tmp_path / "a", "--threshold", "0.9")
    assert (
        f"Written: {tmp_path / 'a'} (about.json, labels.csv, probabilities.csv, weights.csv)" in done.stdout
    )
    assert "recordings 4, species 3, present 2" in done.stdout
    assert "a probability is the probability that the species is present" in done.stdout
    written = json.loads(run("export", fitted, "--to", "raven", "--out", tmp_path / "b", "--json").stdout)
    assert (written["as"], written["selections"]) == ("present", 3)


def test_what_is_wrong_is_told_with_options_as_they_are_there(fitted, tmp_path):
    wrong = run("export", fitted, "--to", "labels", "--out", tmp_path / "a", "--title", "x", code=2).stderr
    assert "--title cannot be used with --to labels" in wrong
    wrong = run("export", fitted, "--to", "labels", "--out", tmp_path / "a", "--as", "report", code=2).stderr
    assert "majority-vote does not know what an annotator would report" in wrong
    assert "use one of: camtrap" in run("export", fitted, "--to", "x", "--out", tmp_path / "a", code=2).stderr


def test_formats_explain_readers_and_writers():
    both = run("formats", "raven").stdout
    assert "raven reads: " in both
    assert "raven writes: " in both
    assert "--absent-below" in run("formats", "labels").stdout
    assert "no reader for the format 'x'" in run("formats", "x", code=2).stderr


def test_many_folders_are_counted(tmp_path):
    names = [f"species {i}" for i in range(9)]
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / "files.csv").touch()
    assert _in_short(tmp_path, [*names, "files.csv"]) == ["files.csv", "9 folders"]
    assert _in_short(tmp_path, [*names[:2], "files.csv"]) == ["species 0", "species 1", "files.csv"]
