"""Looking, converting, and the options of formats at the command line."""

from __future__ import annotations

import inspect
import json

import dawnchorus as dc
from commands import run
from dawnchorus.cli.reading.shared import OPTIONS
from dawnchorus.io.reading import options_of
from examples import EXAMPLES, HEADER, classification


def test_every_option_of_a_format_is_one_of_the_command_line():
    known = {"columns" if name == "column" else name for name in OPTIONS}
    for name in dc.READERS:
        assert set(options_of(name)) <= known, name
    ours = set(inspect.signature(dc.read).parameters) - {"path", "options"}
    assert ours <= known


def test_look_convert_and_fit(tmp_path, write):
    path = write(HEADER + classification(1, "Aino", "Wren") + classification(1, "Onni", "Desert"), "zoo.csv")
    seen = json.loads(run("look", path, "--nothing", "desert", "--json").stdout)
    assert (seen["format"], seen["summary"]["reports"]) == ("zooniverse", 1)
    assert "--nothing desert" in seen["command"]
    words = ("--workflow", "5", "--task", "T0", "--nothing", "desert")
    done = run("convert", path, *words, "--out", tmp_path / "plain.csv")
    assert "note: " in done.stderr
    command = done.stdout.splitlines()[-1].removeprefix("Next: dawnchorus ")
    run(*command.split(), "--model", "mv", cwd=tmp_path)
    assert (tmp_path / "fitted/presence.csv").is_file()
    assert (
        "cannot be used with --format table"
        in run("look", path, "--format", "table", "--workflow", "5", code=2).stderr
    )


def test_several_files_and_explanations(tmp_path):
    path = EXAMPLES["wide"].make(tmp_path)
    seen = run("look", path, path, "--format", "wide").stdout
    assert "files" in seen
    assert "--threshold" in run("formats", "scores").stdout
    assert "What silence means" in run("docs", "formats/ebird").stdout
