"""Looking, converting, and the options of formats at the command line."""

from __future__ import annotations

import inspect
import json

import dawnchorus as dc
from commands import run
from dawnchorus.cli.options import PANELS
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


def test_names_are_suggested_accepted_and_hold_for_a_truth(tmp_path, write):
    path = write("recording,annotator,species\nr1,Aino,Ural owl\nr1,Onni,Ural-owl\nr2,Onni,\n", "reports.csv")
    names = tmp_path / "names.csv"
    seen = run("look", path, "--write-names", names)
    assert "'Ural-owl' (1 row) is nearly 'Ural owl' (1 row)" in seen.stderr
    assert "give a table of names by --names" in seen.stderr
    assert f"Written: {names}. Look through it" in seen.stdout
    words = ("--absence", "checklist", "--model", "mv", "--out", tmp_path / "fit")
    assert "is nearly" in run("fit", path, *words, "--overwrite").stderr
    assert "is nearly" not in run("fit", path, "--names", names, *words, "--overwrite").stderr
    truth = write("recording,species,present\nr1,Ural-owl,1\nr2,URAL OWL,0\n", "truth.csv")
    more = write("from,to\nUral-owl,Ural owl\nURAL OWL,Ural owl\n", "more.csv")
    folder = tmp_path / "fit"
    assert json.loads(run("evaluate", folder, "--truth", truth, "--json").stdout)["cells"] == 1
    told = json.loads(run("evaluate", folder, "--truth", truth, "--names", more, "--json").stdout)
    assert told["cells"] == 2


def test_help_groups_many_options_and_those_of_single_formats_come_last():
    for command in ("fit", "update", "compare", "look", "convert"):
        shown = run(command, "--help").stdout
        groups = [line.removesuffix(":") for line in shown.splitlines() if line[:1].isalpha()][1:]
        wanted = ["Arguments", *(group or "Options" for group in PANELS)]
        assert groups == [group for group in wanted if group in groups]
        assert (groups[2], groups[-1]) == ("Data", "Of single formats")
        assert shown.count("  --skip-bad ") == shown.count("  --tag-key ") == shown.count("  --json ") == 1
        assert shown.index("--tag-key") > shown.index("Of single formats:") > shown.index("--json")
    assert "Output:" not in run("check", "--help").stdout  # a few options need no groups
